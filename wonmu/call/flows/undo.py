"""Recording one consented cancellation, once (B2, B3, B4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wonmu.booking.commit import Written
from wonmu.call.direct import desk_of, settled
from wonmu.call.own import OwnBooking
from wonmu.desk.outbox.direct import DirectDesk, can_write
from wonmu.desk.outbox.outcome import Act, Confirmed, NotKept, NotWritten, RefusedByRule, Repeated
from wonmu.desk.records import CancelRequest, DuplicateRequest, Recorded
from wonmu.errors import StoreFailure

if TYPE_CHECKING:
    from wonmu.call.session import Call


@dataclass(frozen=True, slots=True)
class Gone:
    """The cancellation is in the inbox at least; how far it has come."""

    written: Written
    reason: str = ""
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """The same cancellation is open already."""


@dataclass(frozen=True, slots=True)
class Unkept:
    """Nothing was recorded, because something failed."""


async def record_cancel(
    call: Call, chosen: OwnBooking, request: CancelRequest
) -> Gone | Known | Unkept:
    """Record it in the way the hospital wants it."""
    direct = desk_of(call)
    if direct is not None and can_write(request) and not chosen.requested:
        return await _directly(call, direct, request)
    try:
        result = await call.desk.inbox.record_request(request)
    except StoreFailure:
        return Unkept()
    match result:
        case Recorded(replayed=replayed):
            return Gone(Written.REQUESTED, replayed=replayed)
        case DuplicateRequest():
            return Known()
        case _:
            return Unkept()


async def _directly(
    call: Call, direct: DirectDesk, request: CancelRequest
) -> Gone | Known | Unkept:
    match await settled(call, request.key, Act.CANCEL, direct.cancel(request)):
        case Confirmed(replayed=replayed):
            return Gone(Written.CONFIRMED, replayed=replayed)
        case Repeated():
            return Known()
        case NotKept():
            return Unkept()
        case RefusedByRule(reason=reason):
            return Gone(Written.REFUSED, reason)
        case NotWritten(fault=fault):
            return Gone(Written.NOT_WRITTEN, fault.value)
        case _:
            return Gone(Written.PENDING)
