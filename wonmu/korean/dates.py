"""The caller's words about a day or a time, read into dates and clock times (B5, B6, T9).

Decides what a caller wished for, in Asia/Seoul time, from the caller's own words, the present
moment and the hospital's opening times. It never decides whether the hospital can take that wish,
never guesses between readings that differ (it says ``Ambiguous``), and never reads a clock itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from wonmu.korean.when import (
    AmbiguityKind,
    Ambiguous,
    Impossible,
    InPast,
    NoWhen,
    OpenTimes,
    Understood,
    When,
    WhenReading,
)

__all__ = [
    "AmbiguityKind",
    "Ambiguous",
    "Impossible",
    "InPast",
    "NoWhen",
    "OpenTimes",
    "Understood",
    "When",
    "WhenReading",
    "mentions_when",
    "read_when",
]


def read_when(
    words: str,
    *,
    now: datetime,
    open_times: OpenTimes,
    holidays: Mapping[date, str] | None = None,
    earlier: When | None = None,
) -> WhenReading:
    """What day and time these words wish for.

    ``now`` must be aware; it is taken in Asia/Seoul. ``holidays`` adds named days to the built-in
    calendar. ``earlier`` is the wish so far: a partial or relative wish ("세 시로요", "하루만
    늦게", "다음 주로요") is laid over it, and the result is the whole wish.
    Raises ValueError when ``now`` has no time zone; never raises on any ``words``.
    """
    raise NotImplementedError


def mentions_when(words: str, *, now: datetime) -> bool:
    """Whether these words hold any wish for a day or a time, understood or not."""
    raise NotImplementedError
