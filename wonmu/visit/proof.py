"""What a call has proven, and so may say (T12)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from wonmu.booking.commit import Written
from wonmu.policy.claims import Act
from wonmu.visit.host import Host


def done(host: Host, act: Act, start: datetime | None = None) -> None:
    """From now on this call may say that ``act`` was done, and name its time."""
    receipts = host.state.receipts
    times = receipts.times | ({start} if start is not None else set())
    host.state.receipts = replace(receipts, acts=receipts.acts | {act}, times=times)


_STANDS = frozenset({Written.REQUESTED, Written.CONFIRMED})


def proven(host: Host, act: Act, written: Written, start: datetime) -> None:
    """What may be said of ``act`` now, whatever was true of the one before it.

    Confirmed only when this one is; done only when staff or the record system is sure to have it.
    What is pending, refused or not written leaves no receipt: the code's own words are all that is
    said of it.
    """
    acts = host.state.receipts.acts - {act, Act.CONFIRM}
    host.state.receipts = replace(host.state.receipts, acts=acts)
    if written in _STANDS:
        done(host, act, start)
    if written is Written.CONFIRMED:
        done(host, Act.CONFIRM)


def learned(host: Host, starts: Iterable[datetime]) -> None:
    """The patient's bookings were read: their times may be told, and that there are none."""
    receipts = host.state.receipts
    times = receipts.times | set(starts)
    host.state.receipts = replace(receipts, times=times, looked_up=True)


def searched(host: Host, starts: Iterable[datetime]) -> None:
    """Free times were read: they may be told, and that there are none."""
    receipts = host.state.receipts
    offered = receipts.offered | set(starts)
    host.state.receipts = replace(receipts, offered=offered, searched=True)


_REFUNDS = frozenset({"refunds"})


def learned_bills(host: Host, read: frozenset[str]) -> None:
    """The ledger told this without fault, so that "there is none" may be said of it (T11).

    Not of refunds while one is unknown: what was read does not hold what nobody knows.
    """
    receipts = host.state.receipts
    told = read - _REFUNDS if host.state.refund_unknown else read
    host.state.receipts = replace(receipts, billing_read=receipts.billing_read | told)


def refund_unknown(host: Host) -> None:
    """A refund was asked for, and nobody knows whether it was taken."""
    host.state.refund_unknown = True
    receipts = host.state.receipts
    host.state.receipts = replace(receipts, billing_read=receipts.billing_read - _REFUNDS)
