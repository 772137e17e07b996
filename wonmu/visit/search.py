"""Looking for free times (B1, T9, T11).

Turns a wish into one search, takes out what open requests already claim, and says apart: there are
some, none fit, there are none. Never changes the draft; what could not be read raises.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from wonmu.booking.offer import OfferList, choose_offers, fits
from wonmu.booking.wish import ThisDoctor, Wish
from wonmu.clock import SEOUL
from wonmu.emr.port import Emr, Slot, SlotQuery, SlotStatus, Window
from wonmu.ids import SlotId
from wonmu.korean.when import When
from wonmu.timeline.events import Kind
from wonmu.visit.host import Host
from wonmu.visit.lookups import Name, VisitOver
from wonmu.visit.proof import searched

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


def allowed(host: Host) -> Window:
    """Starts that this hospital books from now: lead time to the furthest day."""
    start, end = host.desk.calendar.bookable_window(host.desk.clock.now())
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


async def search(host: Host, emr: Emr, wish: Wish, without: SlotId | None = None) -> SearchResult:
    """Search for what the wish allows. The wish must name a department and a time.

    ``without``: a slot that could not be had just now, whatever the list says of it.

    Raises ``EmrFailure`` or ``StoreFailure``: "could not be asked" is not "nothing" (T11); and
    ``VisitOver``.
    """
    when = wish.when
    if wish.department is None or when is None:
        raise ValueError("a search needs a department and a time")
    window = allowed(host)
    slots, as_of = await _free(host, emr, wish, wished_window(when, window), without)
    fitting = [slot for slot in slots if fits(slot, when)]
    if fitting:
        offers = OfferList(choose_offers(fitting, when), as_of)
        return Fitting(offers, _exact(fitting, when))
    host.lookups.step(Name.SLOTS, "nearby")
    slots, as_of = await _free(host, emr, wish, _around(when, window), without)
    slots = [slot for slot in slots if slot.start.astimezone(SEOUL).date() not in when.not_days]
    if not slots:
        return Nothing()
    return Nearest(OfferList(choose_offers(slots, when), as_of))


async def _free(
    host: Host, emr: Emr, wish: Wish, window: Window, without: SlotId | None
) -> tuple[list[Slot], datetime]:
    if wish.department is None or window.start >= window.end:
        return [], host.desk.clock.now()
    doctor = wish.doctor.id if isinstance(wish.doctor, ThisDoctor) else None
    query = SlotQuery(wish.department, window.start, window.end, doctor, MOST)
    page = await emr.find_slots(query)
    _still_on(host)
    ids = [slot.id for slot in page.slots]
    taken = await host.desk.inbox.taken_slots(host.desk.hospital.id, ids) if ids else frozenset()
    taken |= {without} if without is not None else set()
    bookable = {doctor.id for doctor in host.desk.catalog.doctors() if doctor.bookable}
    slots = [
        slot
        for slot in page.slots
        if slot.id not in taken and slot.status is SlotStatus.FREE and slot.doctor_id in bookable
    ]
    found = {"count": len(slots), "as_of": page.as_of.isoformat()}
    host.recorder.write(Kind.BOOKING_SEARCHED, found)
    searched(host, (slot.start for slot in slots))
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


def _still_on(host: Host) -> None:
    """Nothing is searched for nobody (A5, N5). Raises ``VisitOver``."""
    if host.state.latch.closed:
        raise VisitOver("the talk is over")
