"""What code does with a visitor's turn before any model is asked. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from wonmu.text.said import Said


@dataclass(frozen=True, slots=True)
class Speak:
    """Say these words; the turn is answered."""

    said: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """Run one of the desk's tools, as if a model had called it."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ask:
    """Let a model answer. ``none``: with words only."""

    choice: Literal["auto", "none"] = "auto"


Move = Speak | Use | Ask
