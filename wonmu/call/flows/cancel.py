"""Cancelling one of the caller's bookings (B2, B3, R15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.commit import Written
from wonmu.booking.result import Exited
from wonmu.call.flows.inquire import bookings_of
from wonmu.call.flows.own_left import own_left
from wonmu.call.flows.person import leave_callback
from wonmu.call.flows.pick import pick
from wonmu.call.flows.written import tell_written
from wonmu.call.patience import waiting_for_write
from wonmu.call.tasks.confirm import Act as Agreed
from wonmu.call.tasks.confirm import ConfirmTask
from wonmu.identity.result import Verified
from wonmu.ids import BookingKey
from wonmu.korean.answers import Topic
from wonmu.lines import Value
from wonmu.policy.claims import Act
from wonmu.timeline.events import Kind, Status
from wonmu.visit.own import OwnBooking
from wonmu.visit.undo import Gone, Known, Unkept, cancel_request, record_cancel
from wonmu.visit.written import Told

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def cancel(call: Call, ctx: RunContext[None], relation: str | None, words: str) -> Status:
    """Identify, choose, say what will be cancelled, take the yes, record."""
    found = await bookings_of(call, ctx, relation, "own.kept", cancels=True)
    if isinstance(found, Status):
        return found
    who, bookings = found
    open_ones = tuple(each for each in bookings if not each.cancelling)
    if not open_ones:
        call.say("own.cancel_known")
        return Status.SUCCESS
    chosen = await pick(call, ctx, open_ones, "own.which_cancel", words)
    if isinstance(chosen, Exited):
        return await own_left(call, ctx, chosen, "own.kept", cancels=True)
    act = _act(who, chosen)
    agreed = await call.lend(ctx, ConfirmTask(call, act, call.session.current_agent.chat_ctx))
    if isinstance(agreed, Exited):
        return await own_left(call, ctx, agreed, "own.kept", cancels=True)
    if not agreed.value:
        call.say("own.kept")
        return Status.CANCELLED
    return await _record(call, ctx, who, chosen, act.digest)


def _act(who: Verified, chosen: OwnBooking) -> Agreed:
    values: dict[str, Value] = {
        "when": chosen.start,
        "department": chosen.department,
        "doctor": chosen.doctor,
        "patient": who.patient.name,
    }
    identity = (who.patient.id, chosen.ref, chosen.start.isoformat())
    return Agreed("cancel", "own.readback_cancel", values, Topic.CANCEL, identity)


async def _record(
    call: Call, ctx: RunContext[None], who: Verified, chosen: OwnBooking, digest: str
) -> Status:
    # The same consented cancellation twice in one call is one request.
    key = BookingKey(f"cancel-{call.recorder.call_id}-{digest}")
    request = cancel_request(call, who, chosen, key)
    with call.writes.running(), waiting_for_write(call):
        async with call.state.lock:
            result = await record_cancel(call, chosen, request)
    match result:
        case Known():
            call.say("own.cancel_known")
            return Status.SUCCESS
        case Unkept():
            # Nothing was kept, so nothing is claimed (N6).
            await leave_callback(call, ctx, "own.cancel_failed", "예약 취소 요청 기록 실패")
            return Status.ERROR
        case Gone():
            pass
    data = {"key": request.key, "digest": digest, "act": "cancel", "cancels": chosen.ref}
    mode = "direct" if result.written is Written.CONFIRMED else "request"
    committed = {**data, "replayed": result.replayed, "mode": mode, "written": result.written.value}
    call.recorder.write(Kind.BOOKING_COMMITTED, committed)
    tell_written(
        call,
        "own.cancel",
        Told(Act.CANCEL, chosen.start, result.written, result.reason),
        when=chosen.start,
        department=chosen.department,
        doctor=chosen.doctor,
    )
    return Status.SUCCESS
