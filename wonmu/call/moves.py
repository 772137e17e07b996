"""What an agent does with a caller's turn, decided by code before any model is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class SayText:
    """Speak these words; ``line`` is the name they go by in the timeline."""

    text: str
    line: str
    on_start: Callable[[], None] | None = None
    on_end: Callable[[bool], None] | None = None


@dataclass(frozen=True, slots=True)
class UseTool:
    """Run one of the agent's own tools, as if the model had called it."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AskModel:
    """Let the model answer. ``none``: with words only."""

    choice: Literal["auto", "none"] = "auto"


@dataclass(frozen=True, slots=True)
class StaySilent:
    """Somebody else speaks next; with ``on_purpose`` nobody has to (muttering over keys)."""

    on_purpose: bool = False


Move = SayText | UseTool | AskModel | StaySilent
