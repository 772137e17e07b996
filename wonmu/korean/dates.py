"""The caller's words about a day or a time, read into dates and clock times (B5, B6, T9).

Decides what a caller wished for, in Asia/Seoul time, from the caller's own words, the present
moment and the hospital's opening times. It never decides whether the hospital can take that wish,
never guesses between readings that differ (it says ``Ambiguous``), and never reads a clock itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from wonmu.clock import SEOUL
from wonmu.korean import date_words as w
from wonmu.korean.date_clean import DOTTED, clean, impossible, sino, tidy
from wonmu.korean.date_context import Scene, in_context
from wonmu.korean.date_draft import Draft, Half
from wonmu.korean.date_find import Finder
from wonmu.korean.date_join import wishes
from wonmu.korean.date_relative import leaned_on
from wonmu.korean.date_settle import anchored, classified, settled
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
    return _reading(words, _scene(now, open_times, holidays), earlier)


def mentions_when(words: str, *, now: datetime) -> bool:
    """Whether these words hold any wish for a day or a time, understood or not.

    A relative wish ("그 다음 날로요") counts even though it needs an earlier one to be read.
    """
    scene = _scene(now, _AlwaysOpen(), None)
    if not isinstance(_reading(words, scene, None), NoWhen):
        return True
    shown = tidy(words[:_LONGEST], scene.today)
    earlier = When(scene.today, scene.today, time(12), point=True)
    return "아까" not in shown and leaned_on(clean(shown).masked, earlier, scene.today).touched


_LONGEST = 400
"""Characters looked at; a spoken turn is far shorter, and the time to read stays bounded."""
_LONE_HALF = re.compile(
    r"(?P<late>늦은\s*(?:시간|타임)|늦게(?:요|로요)?$)|(?P<early>이른\s*시간|일찍(?:이?요)?$)"
)
_WITHIN_DAYS = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "열흘": 10, "보름": 15}
_WITHIN_DAYS |= {"일주일": 7, "이주일": 14, "한달": 30}


class _AlwaysOpen:
    """Stands in where only the presence of a wish is asked for."""

    def opening(self, day: date) -> tuple[tuple[time, time], ...]:
        return ((time(9), time(18)),)


def _scene(now: datetime, open_times: OpenTimes, holidays: Mapping[date, str] | None) -> Scene:
    if now.tzinfo is None:
        raise ValueError("a moment without a time zone cannot be placed")
    return Scene(now.astimezone(SEOUL), open_times, holidays or {})


def _reading(words: str, scene: Scene, earlier: When | None) -> WhenReading:
    shown = tidy(words[:_LONGEST], scene.today)
    if DOTTED.search(shown) is None:
        return _read(shown, scene, earlier)
    as_time, as_date = (DOTTED.sub(rf"\1{sign}\2", shown) for sign in (":", "/"))
    return _either(_read(as_time, scene, earlier), _read(as_date, scene, earlier))


def _either(first: WhenReading, second: WhenReading) -> WhenReading:
    """Two spellings of one stretch: asks only when both are possible and differ."""
    if not isinstance(first, Understood) or not isinstance(second, Understood):
        return first if isinstance(first, Understood) else second
    if first == second:
        return first
    return Ambiguous(AmbiguityKind.DATE_OR_TIME, (first.when, second.when))


def _read(shown: str, scene: Scene, earlier: When | None) -> WhenReading:
    words = clean(shown)
    broken = impossible(words.masked, scene.today)
    if broken is not None:
        return Impossible(broken)
    leaned = leaned_on(words.masked, earlier, scene.today)
    pieces = Finder(scene.now, scene.holidays).find(leaned.masked)
    around = _with_used_blanked(shown, words.masked, leaned.masked)
    drafts, kind = wishes(in_context(pieces, around, scene), scene.today)
    drafts, base = _with_general(drafts, leaned.masked, shown, leaned.earlier, scene)
    if not drafts and not leaned.touched:
        return NoWhen()
    return _settle(drafts or [Draft()], kind, base, scene)


def _with_used_blanked(shown: str, before: str, after: str) -> str:
    """The words as said, without what the relative phrases have already used up."""
    return "".join(a if a != b else c for c, b, a in zip(shown, before, after, strict=True))


def _with_general(
    drafts: list[Draft], masked: str, shown: str, earlier: When | None, scene: Scene
) -> tuple[list[Draft], When | None]:
    """Adds what is said of the whole wish: the soonest, any time, within so many days."""
    any_time, any_day = w.ANY_TIME.search(masked), w.ANY_DAY.search(masked)
    general = Draft(soonest=bool(any_time or any_day or w.SOONEST.search(masked)))
    within = _within(shown, scene.today)
    if within and not any(draft.days for draft in drafts):
        general = replace(general, days=((scene.today, within),))
    if not drafts and (lone := _LONE_HALF.search(masked)):
        general = replace(general, half=Half.LATE if lone["late"] else Half.EARLY)
    if earlier and any_day:
        earlier = replace(earlier, day_from=None, day_to=None)
    if earlier and any_time:
        earlier = replace(earlier, time_from=None, time_to=None, point=False)
    if general.empty:
        return drafts, earlier
    laid = [
        replace(
            d, soonest=general.soonest, days=d.days or general.days, half=d.half or general.half
        )
        for d in drafts
    ]
    return laid or [general], earlier


def _within(shown: str, today: date) -> date | None:
    """ "일주일 안에": the last day that still counts."""
    match = w.WITHIN.search(shown)
    if match is None:
        return None
    said = "".join(match[1].split())
    days = _WITHIN_DAYS.get(said)
    if days is None:
        days = (sino(said[:-1]) or 0) * (7 if said.endswith("주") else 1)
    return today + timedelta(days=days)


def _settle(
    drafts: list[Draft], kind: AmbiguityKind | None, earlier: When | None, scene: Scene
) -> WhenReading:
    readings: list[When] = []
    for draft in drafts:
        draft = anchored(draft, earlier, scene.today)
        found, open_hour = settled(draft, earlier, scene)
        readings += found
        kind = kind or draft.doubt or (AmbiguityKind.MERIDIEM if open_hour else None)
    return classified(readings, kind, scene)
