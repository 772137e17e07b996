"""Which free times are offered (B1, T9).

Picks a few concrete slots near the wish. Must never offer a slot that the search did not return,
and never one that is not free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from wonmu.clock import SEOUL
from wonmu.emr.port import Slot, SlotStatus
from wonmu.korean.when import When

OFFER_LIMIT = 3
"""More than three times cannot be kept in mind on the phone."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One time that was offered; ``number`` counts from 1 in the order spoken."""

    slot: Slot
    number: int


@dataclass(frozen=True, slots=True)
class OfferList:
    """The offers of one search. ``as_of``: when the record system answered."""

    offers: tuple[Offer, ...]
    as_of: datetime


def choose_offers(
    slots: Sequence[Slot], when: When | None, *, limit: int = OFFER_LIMIT
) -> tuple[Offer, ...]:
    """The times to say aloud: at most ``limit``, no start twice, only free slots.

    A named clock time that is free comes first and the nearest others follow. "The soonest" gives
    the earliest. Otherwise the times are spread over what fits the wish; if nothing fits it, the
    nearest ones are given instead (the talk must then say that the wish itself is not free).
    """
    free = _one_per_start(slots)
    inside = [slot for slot in free if fits(slot, when)]
    if when is not None and when.point:
        chosen = _around(free, when, limit)
    elif not inside:
        chosen = sorted(_nearest(free, when, limit), key=_start)
    elif when is not None and when.soonest:
        chosen = inside[:limit]
    else:
        chosen = _spread(inside, limit)
    return tuple(Offer(slot, number) for number, slot in enumerate(chosen, start=1))


def fits(slot: Slot, when: When | None) -> bool:
    """Whether the slot lies inside the wish: its day range and its time range or clock time."""
    return when is None or (_days_off(slot, when) == 0 and _minutes_off(slot, when) == 0)


def _start(slot: Slot) -> datetime:
    return slot.start


def _one_per_start(slots: Sequence[Slot]) -> list[Slot]:
    """Free slots, earliest first; of several doctors at one moment the first one given."""
    by_start: dict[datetime, Slot] = {}
    for slot in slots:
        if slot.status is SlotStatus.FREE:
            by_start.setdefault(slot.start, slot)
    return sorted(by_start.values(), key=_start)


def _around(free: list[Slot], when: When, limit: int) -> list[Slot]:
    """The named clock time first if it is free, then the nearest others in order of time."""
    near = _nearest(free, when, limit)
    exact = [slot for slot in near if fits(slot, when)]
    others = [slot for slot in near if not fits(slot, when)]
    return sorted(exact, key=_start) + sorted(others, key=_start)


def _nearest(free: list[Slot], when: When | None, limit: int) -> list[Slot]:
    if when is None:
        return free[:limit]

    def distance(slot: Slot) -> tuple[int, bool, int]:
        # As far off before as after: a day later is what a caller can still plan for.
        early = when.day_from is not None and _day(slot) < when.day_from
        return (_days_off(slot, when), early, _minutes_off(slot, when))

    return sorted(free, key=lambda slot: (*distance(slot), slot.start))[:limit]


def _spread(slots: list[Slot], limit: int) -> list[Slot]:
    """First, last and evenly between, so that the caller hears different parts of the range."""
    if len(slots) <= limit:
        return slots
    if limit < 2:
        return slots[:limit]
    return [slots[round(i * (len(slots) - 1) / (limit - 1))] for i in range(limit)]


def _day(slot: Slot) -> date:
    return slot.start.astimezone(SEOUL).date()


def _days_off(slot: Slot, when: When) -> int:
    """Days between the slot's day and the wished days; 0 inside them."""
    day = _day(slot)
    if when.day_from is not None and day < when.day_from:
        return (when.day_from - day).days
    if when.day_to is not None and day > when.day_to:
        return (day - when.day_to).days
    # A day that was ruled out ("화요일 말고") is as far off as a day next to the range.
    return 1 if day in when.not_days else 0


def _minutes_off(slot: Slot, when: When) -> int:
    """Minutes between the slot's time of day and the wished time; 0 inside it."""
    minute = _minute_of_day(slot.start.astimezone(SEOUL).time())
    first = 0 if when.time_from is None else _minute_of_day(when.time_from)
    if when.point:
        return abs(minute - first)
    if minute < first:
        return first - minute
    if when.time_to is not None and minute >= _minute_of_day(when.time_to):
        return minute - _minute_of_day(when.time_to) + 1
    return 0


def _minute_of_day(moment: time) -> int:
    return moment.hour * 60 + moment.minute
