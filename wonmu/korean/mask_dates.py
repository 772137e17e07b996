"""Birth dates in words: 85년 3월 12일생, 팔오년 삼월 십이일, 1985.3.12, 생일은 3월 12일."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from wonmu.korean.counting import DIGIT_OF, sino_value
from wonmu.korean.mask_kinds import Secret, Span, may_be_wished

_NUMBER = r"[0-9공영빵일이삼사오육륙칠팔구십백천]"
_BORN = r"(?:\s?생(?=[이입인으에은요년]|$|[^가-힣]))"
_MONTH = rf"(?P<month>(?:{_NUMBER}|유|시)(?:\s?{_NUMBER}){{0,2}})\s*월(?:달)?"
_DAY = rf"(?P<day>{_NUMBER}(?:\s?{_NUMBER}){{0,4}})\s*일"
_FULL = re.compile(
    rf"(?P<year>(?:{_NUMBER}\s?){{1,8}})년(?:도|생|에)?[\s,.]*(?:[가-힣]띠|음력|양력)?[\s,.]*{_MONTH}[\s,.]*{_DAY}(?P<born>{_BORN})?"
)
_YEAR_BORN = re.compile(rf"(?P<year>(?:{_NUMBER}\s?){{1,8}})년{_BORN}")
_SHORT = re.compile(rf"{_MONTH}[\s,.]*{_DAY}(?P<born>{_BORN})?")
WRITTEN_DAY = re.compile(
    r"(?<![0-9.\-/])(?P<year>[0-9]{4}|[0-9]{2})\s?[./\-]\s?(?P<month>[0-9]{1,2})\s?[./\-]\s?"
    r"(?P<day>[0-9]{1,2})(?![0-9]|[.\-/][0-9])"
)
_BEFORE = re.compile(r"(?<!\[)(?:생년월일|생일|생신|출생|태어난)(?!\])[^.?!\n\[0-9년월일]{0,12}$")
_AFTER = re.compile(r"^[^.?!\n\[]{0,6}(?:태어났|태어난|출생|생일이)")


def birth_spans(text: str, today: date | None) -> Iterator[Span]:
    """Spans of birth dates, in order of kind; they may overlap."""
    for found in _FULL.finditer(text):
        year = _value(found["year"])
        if found["born"] or _spoken_of(text, found) or not _wished_year(year, today):
            yield Span(Secret.BIRTH, found.start(), found.end())
    for found in WRITTEN_DAY.finditer(text):
        if _is_day(found) and (
            _spoken_of(text, found) or not may_be_wished(int(found["year"]), today)
        ):
            yield Span(Secret.BIRTH, found.start(), found.end())
    for pattern in (_YEAR_BORN, _SHORT):
        for found in pattern.finditer(text):
            if pattern is _YEAR_BORN or found["born"] or _spoken_of(text, found):
                yield Span(Secret.BIRTH, found.start(), found.end())


def _spoken_of(text: str, found: re.Match[str]) -> bool:
    """Do the words around speak of a birth?"""
    before, after = text[: found.start()], text[found.end() :]
    return _BEFORE.search(before[-40:]) is not None or _AFTER.search(after[:20]) is not None


def _is_day(found: re.Match[str]) -> bool:
    return 1 <= int(found["month"]) <= 12 and 1 <= int(found["day"]) <= 31


def _wished_year(year: int | None, today: date | None) -> bool:
    """An unreadable year is not taken for a wish: better masked than spelled out in a log."""
    return year is not None and may_be_wished(year, today)


def _value(said: str) -> int | None:
    flat = "".join(said.split())
    digits = "".join(DIGIT_OF.get(char, char) for char in flat)
    return int(digits) if digits.isdecimal() else sino_value(flat)
