"""Looking for free times (B1, T9, T11).

Turns a wish into one search, takes out what open requests already claim, and says apart: there are
some, none fit, there are none. Never changes the draft; what could not be read raises.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from wonmu.booking.offer import OfferList, choose_offers, fits
from wonmu.booking.wish import ThisDoctor, Wish
from wonmu.call.lookups import Name
from wonmu.call.progress import still_on
from wonmu.call.proof import searched
from wonmu.clock import SEOUL
from wonmu.emr.port import Emr, Slot, SlotQuery, SlotStatus, Window
from wonmu.ids import SlotId
from wonmu.korean.when import When
from wonmu.timeline.events import Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call

MOST = 600
"""Slots one search may bring; a fortnight of three doctors at ten minutes is below it."""
NEARBY_DAYS = 14
"""How far around an unavailable wish other times are looked for."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """Free times that fit the wish. ``exact``: the one the caller named by the clock."""

    offers: OfferList
    exact: Slot | None


@dataclass(frozen=True, slots=True)
class Nearest:
    """Nothing fits; these are the nearest."""

    offers: OfferList


@dataclass(frozen=True, slots=True)
class Nothing:
    """Asked, and there is nothing near the wish at all."""


SearchResult = Fitting | Nearest | Nothing


def allowed(call: Call) -> Window:
    """Starts that this hospital books from now: lead time to the furthest day."""
    start, end = call.desk.calendar.bookable_window(call.desk.clock.now())
    return Window(start, end)


def day_start(day: date) -> datetime:
    return datetime.combine(day, time(), SEOUL)


def wished_window(when: When, window: Window) -> Window:
    """The days of the wish inside the window; the whole window where no day was named."""
    if when.day_from is None or when.day_to is None:
        return window
    start = max(window.start, day_start(when.day_from))
    end = min(window.end, day_start(when.day_to) + timedelta(days=1))
    return Window(start, max(start, end))


async def search(call: Call, emr: Emr, wish: Wish, without: SlotId | None = None) -> SearchResult:
    """Search for what the wish allows. The wish must name a department and a time.

    ``without``: a slot that could not be had just now, whatever the list says of it.

    Raises ``EmrFailure`` or ``StoreFailure``: "could not be asked" is not "nothing" (T11).
    """
    when = wish.when
    if wish.department is None or when is None:
        raise ValueError("a search needs a department and a time")
    window = allowed(call)
    slots, as_of = await _free(call, emr, wish, wished_window(when, window), without)
    fitting = [slot for slot in slots if fits(slot, when)]
    if fitting:
        offers = OfferList(choose_offers(fitting, when), as_of)
        return Fitting(offers, _exact(fitting, when))
    call.lookups.step(Name.SLOTS, "nearby")
    slots, as_of = await _free(call, emr, wish, _around(when, window), without)
    slots = [slot for slot in slots if slot.start.astimezone(SEOUL).date() not in when.not_days]
    if not slots:
        return Nothing()
    return Nearest(OfferList(choose_offers(slots, when), as_of))


async def _free(
    call: Call, emr: Emr, wish: Wish, window: Window, without: SlotId | None
) -> tuple[list[Slot], datetime]:
    if wish.department is None or window.start >= window.end:
        return [], call.desk.clock.now()
    doctor = wish.doctor.id if isinstance(wish.doctor, ThisDoctor) else None
    query = SlotQuery(wish.department, window.start, window.end, doctor, MOST)
    page = await emr.find_slots(query)
    still_on(call)
    ids = [slot.id for slot in page.slots]
    taken = await call.desk.inbox.taken_slots(call.desk.hospital.id, ids) if ids else frozenset()
    taken |= {without} if without is not None else set()
    bookable = {doctor.id for doctor in call.desk.catalog.doctors() if doctor.bookable}
    slots = [
        slot
        for slot in page.slots
        if slot.id not in taken and slot.status is SlotStatus.FREE and slot.doctor_id in bookable
    ]
    found = {"count": len(slots), "as_of": page.as_of.isoformat()}
    call.recorder.write(Kind.BOOKING_SEARCHED, found)
    searched(call, (slot.start for slot in slots))
    return slots, page.as_of


def _exact(slots: list[Slot], when: When) -> Slot | None:
    if not when.point or when.one_day is None:
        return None
    for slot in slots:
        local = slot.start.astimezone(SEOUL)
        if local.date() == when.one_day and local.time() == when.time_from:
            return slot
    return None


def _around(when: When, window: Window) -> Window:
    if when.day_from is None or when.day_to is None:
        return window
    start = max(window.start, day_start(when.day_from) - timedelta(days=2))
    end = min(window.end, day_start(when.day_to) + timedelta(days=NEARBY_DAYS))
    return Window(start, max(start, end))
