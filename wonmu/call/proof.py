"""What a call has proven, and so may say (T12)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from wonmu.booking.commit import Written
from wonmu.policy.claims import Act

if TYPE_CHECKING:
    from wonmu.call.session import Call


def done(call: Call, act: Act, start: datetime | None = None) -> None:
    """From now on this call may say that ``act`` was done, and name its time."""
    receipts = call.state.receipts
    times = receipts.times | ({start} if start is not None else set())
    call.state.receipts = replace(receipts, acts=receipts.acts | {act}, times=times)


_STANDS = frozenset({Written.REQUESTED, Written.CONFIRMED})


def proven(call: Call, act: Act, written: Written, start: datetime) -> None:
    """What may be said of ``act`` now, whatever was true of the one before it.

    Confirmed only when this one is; done only when staff or the record system is sure to have it.
    What is pending, refused or not written leaves no receipt: the code's own words are all that is
    said of it.
    """
    acts = call.state.receipts.acts - {act, Act.CONFIRM}
    call.state.receipts = replace(call.state.receipts, acts=acts)
    if written in _STANDS:
        done(call, act, start)
    if written is Written.CONFIRMED:
        done(call, Act.CONFIRM)


def learned(call: Call, starts: Iterable[datetime]) -> None:
    """The patient's bookings were read: their times may be told, and that there are none."""
    receipts = call.state.receipts
    times = receipts.times | set(starts)
    call.state.receipts = replace(receipts, times=times, looked_up=True)


def searched(call: Call, starts: Iterable[datetime]) -> None:
    """Free times were read: they may be told, and that there are none."""
    receipts = call.state.receipts
    offered = receipts.offered | set(starts)
    call.state.receipts = replace(receipts, offered=offered, searched=True)
