"""Telling a caller their own coming bookings (B3, T11, N3, N6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import Exited
from wonmu.call.flows.own import own_bookings
from wonmu.call.flows.own_left import own_left
from wonmu.call.flows.person import leave_callback
from wonmu.call.flows.pick import told
from wonmu.call.flows.search import NotChecked
from wonmu.call.flows.who import nobody, who_is
from wonmu.call.own import OwnBooking
from wonmu.call.progress import waiting
from wonmu.emr.port import Patient
from wonmu.identity.facts import Level
from wonmu.identity.result import Verified
from wonmu.timeline.events import Status

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def inquire(call: Call, ctx: RunContext[None], relation: str | None) -> Status:
    """Identify, read, tell."""
    found = await bookings_of(call, ctx, relation, "own.stopped")
    if isinstance(found, Status):
        return found
    _, bookings = found
    options = ", ".join(_told(call, each) for each in bookings)
    call.say("own.told", options=options, count=len(bookings))
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
    if isinstance(bookings, NotChecked):
        await leave_callback(call, ctx, "own.failed_callback", "예약 조회 실패")
        return Status.ERROR
    if not bookings:
        call.say("own.none")
        return Status.SUCCESS
    return who, bookings


async def _read(call: Call, patient: Patient) -> tuple[OwnBooking, ...] | NotChecked:
    async with waiting(call, "own.looking_up"):
        return await own_bookings(call, patient)


def _told(call: Call, booking: OwnBooking) -> str:
    words = told(call, booking)
    if booking.cancelling:
        return call.lines.say("own.cancelling", booking=words)
    return call.lines.say("own.requested", booking=words) if booking.requested else words
