"""What a call has proven, and so may say (T12)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from wonmu.policy.claims import Act

if TYPE_CHECKING:
    from wonmu.call.session import Call


def done(call: Call, act: Act, start: datetime | None = None) -> None:
    """From now on this call may say that ``act`` was done, and name its time."""
    receipts = call.state.receipts
    times = receipts.times | ({start} if start is not None else set())
    call.state.receipts = replace(receipts, acts=receipts.acts | {act}, times=times)


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
