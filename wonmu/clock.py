"""Time, handed in.

Hospital time is Asia/Seoul whatever the host says. Nothing in this package asks the host for
"now"; it asks the Clock it was given. ``mono`` is seconds that never run backwards, for lengths.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

SEOUL = ZoneInfo("Asia/Seoul")


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """The present moment, aware, in Asia/Seoul."""
        ...

    def mono(self) -> float:
        """Seconds on a clock that never runs backwards."""
        ...


class FixedClock:
    """A clock that stands still until told to move. For tests and pure code."""

    def __init__(self, now: datetime) -> None:
        self._start = now.astimezone(SEOUL)
        self._passed = 0.0

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._passed)

    def mono(self) -> float:
        return self._passed

    def advance(self, seconds: float) -> None:
        self._passed += seconds


def utc(moment: datetime) -> datetime:
    """The same moment in UTC; refuses a moment without a zone."""
    if moment.tzinfo is None:
        raise ValueError("a moment without a time zone cannot be placed")
    return moment.astimezone(UTC)
