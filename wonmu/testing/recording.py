"""A recording of a call as data: who was audible when, and what happened beside it.

One file format, JSON (``docs/simulated-line.md``). Times are seconds since the call was answered.
It holds what was really played; it decides nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, TypeVar, get_type_hints

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
        """One JSON object, a sound or a mark a line; see docs/simulated-line.md."""
        head = {"format": FORMAT, "version": VERSION, "title": self.title, "seconds": self.seconds}
        body = {"sounds": _lines(self.sounds), "marks": _lines(self.marks)}
        parts = [
            f'"{name}": {json.dumps(value, ensure_ascii=False)}' for name, value in head.items()
        ]
        parts += [f'"{name}": [{lines}]' for name, lines in body.items()]
        return "{" + ",\n ".join(parts) + "}\n"

    @classmethod
    def from_json(cls, text: str) -> Recording:
        """Raises ``InputError`` for a text that is no recording."""
        try:
            found = json.loads(text)
        except ValueError:
            raise InputError("is no JSON; a recording is what the simulated line writes") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise InputError(f'is no recording; it must say "format": "{FORMAT}"')
        if found.get("version") != VERSION:
            raise InputError(f"is of version {found.get('version')}; this reads {VERSION}")
        sounds = tuple(_read(Sound, each, "sounds") for each in _list(found, "sounds"))
        marks = tuple(_read(Mark, each, "marks") for each in _list(found, "marks"))
        seconds = found.get("seconds")
        if not _is_number(seconds):
            raise InputError("seconds must be a number")
        return cls(float(str(seconds)), sounds, marks, str(found.get("title", "")))


Part = TypeVar("Part", Sound, Mark)

_REQUIRED: Mapping[type, tuple[str, ...]] = {
    Sound: ("track", "start", "end"),
    Mark: ("at", "kind"),
}


def _lines(parts: Iterable[Sound | Mark]) -> str:
    """What is not the default is written, so that a file stays readable."""
    rows = (
        {name: value for name, value in asdict(part).items() if not _default(value)}
        for part in parts
    )
    return ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)


def _default(value: object) -> bool:
    return value is None or value is False or value == ""


def _list(found: Mapping[str, Any], name: str) -> list[Any]:
    value = found.get(name)
    if not isinstance(value, list):
        raise InputError(f"{name} must be a list")
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _read(kind: type[Part], row: object, where: str) -> Part:
    """One sound or mark; every field of the right type, and none that is not known."""
    if not isinstance(row, dict):
        raise InputError(f"{where}: each must be an object")
    types = get_type_hints(kind)
    for name in _REQUIRED[kind] + tuple(row):
        if name not in types or name not in row:
            raise InputError(f"{where}: {name} is {'missing' if name in types else 'not known'}")
    values = {name: _value(types[name], value, f"{where}: {name}") for name, value in row.items()}
    return kind(**values)


def _value(wanted: Any, value: object, where: str) -> Any:
    if wanted is float and _is_number(value):
        return float(str(value))
    if wanted is Track and value in set(Track):
        return Track(str(value))
    if wanted is bool and isinstance(value, bool):
        return value
    if wanted not in (float, Track, bool) and isinstance(value, str):
        return value
    raise InputError(f"{where} cannot be {json.dumps(value, ensure_ascii=False)}")
