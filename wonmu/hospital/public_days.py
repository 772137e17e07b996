"""The public calendar of Korea, from the ``holidays`` library (with substitute days).

Decides only what a holiday is called. The library is imported at the first question, because it
costs about 0.15 s; what a hospital adds or removes is the calendar's business, not ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache
from types import MappingProxyType

_EVERYDAY = {"기독탄신일": "성탄절", "신정연휴": "신정", "대체 휴일": "대체공휴일"}
"""Statute names → the names that people use."""


@cache
def public_holidays(year: int) -> Mapping[date, str]:
    """Day → Korean name, in order of days; empty for years the library does not know."""
    import holidays

    days = holidays.country_holidays("KR", years=year, language="ko")
    return MappingProxyType({day: _everyday(days[day]) for day in sorted(days)})


def _everyday(name: str) -> str:
    for statute, usual in _EVERYDAY.items():
        name = name.replace(statute, usual)
    return name.replace("; ", ", ")
