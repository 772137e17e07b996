"""Recording one consented cancellation, once (B2, B3, B4)."""

from __future__ import annotations

from dataclasses import dataclass

from wonmu.booking.commit import Written
from wonmu.desk.outbox.direct import DirectDesk, can_write
from wonmu.desk.outbox.outcome import Act, Confirmed, NotKept, NotWritten, RefusedByRule, Repeated
from wonmu.desk.records import CancelRequest, DuplicateRequest, Recorded
from wonmu.errors import StoreFailure
from wonmu.visit.direct import desk_of, settled
from wonmu.visit.host import Host
from wonmu.visit.own import OwnBooking


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
    host: Host, chosen: OwnBooking, request: CancelRequest
) -> Gone | Known | Unkept:
    """Record it in the way the hospital wants it."""
    direct = desk_of(host)
    if direct is not None and can_write(request) and not chosen.requested:
        return await _directly(host, direct, request)
    try:
        result = await host.desk.inbox.record_request(request)
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
    host: Host, direct: DirectDesk, request: CancelRequest
) -> Gone | Known | Unkept:
    match await settled(host, request.key, Act.CANCEL, direct.cancel(request)):
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
