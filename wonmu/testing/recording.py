"""A recording of a call as data: who was audible when, and what happened beside it.

One file format, JSON (``docs/simulated-line.md``). Times are seconds since the call was answered.
It holds what was really played; it decides nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from wonmu.errors import InputError

FORMAT = "wonmu.recording"
VERSION = 1


class Track(StrEnum):
    AGENT = "agent"
    CALLER = "caller"
    HOLD = "hold"
    """Hold music: audible, and nobody speaks."""


@dataclass(frozen=True, slots=True)
class Sound:
    """One stretch of sound. ``text``: of the agent, what was really heard.

    ``cut``: the speech was broken off. ``line``: name of the agent's line, as in ``agent.said``.
    ``keys``: tones of the keypad, whose text is not kept.
    """

    track: Track
    start: float
    end: float
    text: str = ""
    cut: bool = False
    line: str | None = None
    keys: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """An event of the call. ``text`` says in a word which (a lookup's name, an outcome)."""

    at: float
    kind: str
    text: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Recording:
    """Sounds and marks in the order of their beginning; ``seconds`` is the whole length."""

    seconds: float
    sounds: tuple[Sound, ...] = ()
    marks: tuple[Mark, ...] = ()
    title: str = ""

    def to_json(self) -> str:
        raise NotImplementedError

    @classmethod
    def from_json(cls, text: str) -> Recording:
        """Raises ``InputError`` for a text that is no recording."""
        raise NotImplementedError


__all__ = ["FORMAT", "VERSION", "InputError", "Mapping", "Mark", "Recording", "Sound", "Track"]
_ = (json, field)
