"""Telling a caller their own coming bookings (B3, T11, N3, N6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import Exited
from wonmu.call.flows.own_left import own_left
from wonmu.call.flows.person import fall_back
from wonmu.call.flows.who import nobody, who_is
from wonmu.call.results import tell
from wonmu.emr.port import Patient
from wonmu.identity.facts import Level
from wonmu.identity.result import Verified
from wonmu.timeline.events import Status
from wonmu.visit.choosing import marked
from wonmu.visit.lookups import Failed, Name, Stopped
from wonmu.visit.own import OwnBooking
from wonmu.visit.own_bookings import own_bookings
from wonmu.visit.proof import learned

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def inquire(call: Call, ctx: RunContext[None], relation: str | None) -> Status:
    """Identify, read, tell."""
    found = await bookings_of(call, ctx, relation, "own.stopped")
    if isinstance(found, Status):
        return found
    _, bookings = found
    options = ", ".join(marked(call, each) for each in bookings)
    tell(call, "own.told", options=options, count=len(bookings))
    return Status.SUCCESS


async def bookings_of(
    call: Call, ctx: RunContext[None], relation: str | None, stopped: str, *, cancels: bool = False
) -> tuple[Verified, tuple[OwnBooking, ...]] | Status:
    """The verified patient's bookings, at least one; else how it ended, told already.

    ``stopped`` and ``cancels``: as in ``own_left``.
    """
    who = await who_is(call, ctx, Level.READ, relation)
    if isinstance(who, Exited):
        return await own_left(call, ctx, who, stopped, cancels=cancels)
    if not isinstance(who, Verified):
        return await nobody(call, ctx, who)
    bookings = await _read(call, who.patient)
    match bookings:
        case Stopped(code=code):
            out = Exited(code, "while_reading")
            return await own_left(call, ctx, out, stopped, cancels=cancels)
        case Failed():
            await fall_back(call, ctx, "own.failed", "예약 조회 실패")
            return Status.ERROR
        case _:
            learned(call, (each.start for each in bookings))
    if not bookings:
        tell(call, "own.none")
        return Status.SUCCESS
    return who, bookings


async def _read(call: Call, patient: Patient) -> tuple[OwnBooking, ...] | Stopped | Failed:
    """Read beside the talk; identity is settled, so nothing is asked meanwhile (A2)."""
    return await call.lookups.run(Name.BOOKINGS, lambda emr: own_bookings(call, emr, patient), len)
