"""One line with typed placeholders.

``{name}`` text or whole number · ``{x:when}`` aware datetime · ``{x:date}`` date · ``{x:time}``
time · ``{x:phone}`` Phone or digits · ``{x:birth}`` date · ``{x:count}`` number before a counter ·
``{x:digits}`` digit by digit · ``{x:list}`` several texts · ``{x:won}`` an amount of money in words
(삼만 오천 원), ``{x:price}`` in figures (35,000원), for what is read. ``{doctor|을/를}`` and
``{day:date|으로/로}`` add the fitting particle. ``{{`` and ``}}`` are braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import TypeGuard

from wonmu.errors import ProgrammingError
from wonmu.korean.josa import PAIRS, with_josa
from wonmu.korean.phone import Phone
from wonmu.korean.speak import (
    speak_birth,
    speak_count,
    speak_date,
    speak_digits,
    speak_list,
    speak_phone,
    speak_time,
    speak_when,
)
from wonmu.korean.won import LIMIT, speak_won, won_text

Value = str | int | date | datetime | time | Phone | Sequence[str]
"""What may fill a placeholder."""

_HOLE = re.compile(r"\{\{|\}\}|\{(?P<hole>[^{}]*)\}|(?P<stray>[{}])")
_INSIDE = re.compile(r"(?P<name>[a-z][a-z0-9_]*)(?::(?P<kind>[a-z]+))?(?:\|(?P<pair>[^|]+))?")


class TemplateError(ValueError):
    """A line that cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class _Hole:
    name: str
    kind: str
    pair: str | None


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed line. ``placeholders`` maps each name to its kind ("text" when none is given)."""

    source: str
    parts: tuple[str | _Hole, ...]

    @classmethod
    def parse(cls, source: str) -> Template:
        """Raises TemplateError for a malformed or unknown placeholder."""
        parts: list[str | _Hole] = []
        end = 0
        for found in _HOLE.finditer(source):
            parts.append(source[end : found.start()])
            parts.append(_part(found))
            end = found.end()
        parts.append(source[end:])
        template = cls(source, tuple(part for part in parts if part != ""))
        template.placeholders()
        return template

    def placeholders(self) -> Mapping[str, str]:
        """Name → kind. TemplateError when one name is used with two kinds."""
        kinds: dict[str, str] = {}
        for part in self.parts:
            if isinstance(part, _Hole) and kinds.setdefault(part.name, part.kind) != part.kind:
                raise TemplateError(f"{{{part.name}}} is used with two kinds")
        return kinds

    def fill(self, values: Mapping[str, Value]) -> str:
        """The line with its values. ProgrammingError if a value is missing, extra or mistyped."""
        wanted = self.placeholders().keys()
        if wanted != values.keys():
            missing, extra = sorted(wanted - values.keys()), sorted(values.keys() - wanted)
            raise ProgrammingError(f"missing values {missing}, values without a place {extra}")
        return "".join(
            part if isinstance(part, str) else _fill_hole(part, values[part.name])
            for part in self.parts
        )


def _part(found: re.Match[str]) -> str | _Hole:
    if found.group() in ("{{", "}}"):
        return found.group()[0]
    if found["stray"]:
        raise TemplateError(f"a single {found['stray']!r}; write it twice for a brace")
    inside = _INSIDE.fullmatch(found["hole"])
    if inside is None:
        raise TemplateError(f"{found.group()!r} is not a placeholder")
    kind = inside["kind"] or "text"
    if kind not in _SAY:
        raise TemplateError(f"{found.group()!r}: no kind {kind!r}; use one of {', '.join(_SAY)}")
    if inside["pair"] is not None and inside["pair"] not in PAIRS:
        raise TemplateError(f"{found.group()!r}: no particle pair {inside['pair']!r}")
    return _Hole(inside["name"], kind, inside["pair"])


def _fill_hole(hole: _Hole, value: Value) -> str:
    text = _SAY[hole.kind](value)
    if text is None:
        kind = type(value).__name__
        raise ProgrammingError(f"{{{hole.name}:{hole.kind}}} cannot be filled with a {kind}")
    return text if hole.pair is None else with_josa(text, hole.pair)


def _text(value: Value) -> str | None:
    if isinstance(value, bool):
        return None
    return str(value) if isinstance(value, str | int | Phone) else None


def _when(value: Value) -> str | None:
    return speak_when(value) if isinstance(value, datetime) else None


def _date(value: Value) -> str | None:
    plain = isinstance(value, date) and not isinstance(value, datetime)
    return speak_date(value) if plain and isinstance(value, date) else None


def _time(value: Value) -> str | None:
    return speak_time(value) if isinstance(value, time) else None


def _phone(value: Value) -> str | None:
    phone = Phone.parse(value) if isinstance(value, str) else value
    return speak_phone(phone) if isinstance(phone, Phone) else None


def _birth(value: Value) -> str | None:
    plain = isinstance(value, date) and not isinstance(value, datetime)
    return speak_birth(value) if plain and isinstance(value, date) else None


def _count(value: Value) -> str | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return speak_count(value) if whole and isinstance(value, int) else None


def _digits(value: Value) -> str | None:
    return speak_digits(value) if isinstance(value, str) else None


def _list(value: Value) -> str | None:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return speak_list(value)
    return None


def _won(value: Value) -> str | None:
    return speak_won(value) if _is_amount(value) else None


def _price(value: Value) -> str | None:
    return won_text(value) if _is_amount(value) else None


def _is_amount(value: Value) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LIMIT


_SAY: Mapping[str, Callable[[Value], str | None]] = {
    "text": _text,
    "when": _when,
    "date": _date,
    "time": _time,
    "phone": _phone,
    "birth": _birth,
    "count": _count,
    "digits": _digits,
    "list": _list,
    "won": _won,
    "price": _price,
}
