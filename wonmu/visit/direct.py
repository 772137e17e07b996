"""The way to write to the record system, for one call (B2).

The office has it when its hospital wants direct commits; a call goes through its own guarded record
system, so that time limits and failures are this call's, and writes every step down.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from wonmu.desk.outbox.direct import DirectDesk
from wonmu.desk.outbox.entry import Doing
from wonmu.desk.outbox.outcome import (
    Act,
    Confirmed,
    NotKept,
    NotWritten,
    Outcome,
    Pending,
    RefusedByRule,
    Repeated,
    SlotGone,
)
from wonmu.ids import BookingKey
from wonmu.timeline.events import Kind
from wonmu.visit.host import Host

COMMIT_SECONDS = 30.0
"""Cap on all requests of one commit: sending, looking up three times, reading back, and the old
booking of a change. The caller hears words meanwhile."""

_NAMES: dict[type[Outcome], str] = {
    Confirmed: "confirmed",
    SlotGone: "slot_gone",
    Repeated: "repeated",
    RefusedByRule: "refused",
    NotWritten: "not_written",
    Pending: "pending",
    NotKept: "not_kept",
}


def desk_of(host: Host) -> DirectDesk | None:
    """The call's way to the record system; None where bookings are requests for staff."""
    direct = host.desk.direct
    if direct is None:
        return None

    def step(key: BookingKey, act: Act, doing: Doing) -> None:
        if host.recorder.over:
            return  # the outbox remembers the rest
        data = {"key": key, "act": act.value, "step": doing.value}
        host.recorder.write(Kind.COMMIT_STEP, data)

    return direct.for_call(host.emr.step(COMMIT_SECONDS), step)


async def _unless_let_go(host: Host, key: BookingKey, write: Awaitable[Outcome]) -> Outcome:
    """The outcome, or ``Pending`` for a caller who is gone: the write goes on without the call."""
    work = asyncio.ensure_future(write)
    gone = asyncio.ensure_future(host.writes.let_go.wait())
    await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
    gone.cancel()
    return work.result() if work.done() else Pending(key)


async def settled(host: Host, key: BookingKey, act: Act, write: Awaitable[Outcome]) -> Outcome:
    """Wait for a write and write down how it ended."""
    outcome = await _unless_let_go(host, key, write)
    data: dict[str, object] = {"key": key, "act": act.value, "outcome": _NAMES[type(outcome)]}
    match outcome:
        case RefusedByRule(reason=reason):
            data["reason"] = reason
        case NotWritten(fault=fault):
            data["reason"] = fault.value
            host.state.fault = fault
        case _:
            pass
    host.recorder.write(Kind.COMMIT_SETTLED, data)
    return outcome
