"""Telling how far a consented booking, change or cancellation has come (B2, T11, N6).

Confirmed, taken down for staff, not known yet, refused, not written: each has a line of its own,
and the last two say why. Nothing short of a read-back is called confirmed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from wonmu.booking.commit import Written
from wonmu.call.proof import proven
from wonmu.call.results import tell
from wonmu.lines import Value
from wonmu.policy.claims import Act

if TYPE_CHECKING:
    from wonmu.call.session import Call

_LINE = {
    Written.REQUESTED: "recorded",
    Written.CONFIRMED: "confirmed",
    Written.PENDING: "pending",
    Written.REFUSED: "refused",
    Written.NOT_WRITTEN: "not_written",
}


@dataclass(frozen=True, slots=True)
class Told:
    """What has come of an act about the visit at ``start``. ``reason``: a rule or a fault, by its
    word."""

    act: Act
    start: datetime
    written: Written
    reason: str = ""


def tell_written(
    call: Call,
    stem: str,
    told: Told,
    /,
    **values: Value,
) -> None:
    """Speak the line of ``stem`` for how far it came, and leave the receipts that go with it."""
    written, reason = told.written, told.reason
    proven(call, told.act, written, told.start)
    if written is Written.REFUSED:
        values = {**values, "why": _rule(call, reason)}
    elif written is Written.NOT_WRITTEN:
        values = {**values, "why": call.lines.say(f"fault.{reason}")}
    name = f"{stem}_{_LINE[written]}" if "." in stem else f"{stem}.{_LINE[written]}"
    tell(call, name, wrote=True, **values)


def _rule(call: Call, reason: str) -> str:
    """A record system's refusal in words; one that has none yet is told in general."""
    name = f"rule.{reason}"
    return call.lines.say(name if call.lines.has(name) else "rule.other")
