"""Telling how far a consented booking, change or cancellation has come (B2, T11, N6).

Confirmed, taken down for staff, not known yet, refused, not written: each has a line of its own,
and the last two say why. Nothing short of a read-back is called confirmed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wonmu.booking.commit import Written
from wonmu.call.proof import done
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


def tell_written(call: Call, stem: str, written: Written, reason: str, /, **values: Value) -> None:
    """Speak the line of ``stem`` for this state. ``reason``: a rule or a fault, by its word."""
    if written is Written.REFUSED:
        values = {**values, "why": _rule(call, reason)}
    elif written is Written.NOT_WRITTEN:
        values = {**values, "why": call.lines.say(f"fault.{reason}")}
    elif written is Written.CONFIRMED:
        done(call, Act.CONFIRM)
    name = f"{stem}_{_LINE[written]}" if "." in stem else f"{stem}.{_LINE[written]}"
    tell(call, name, wrote=True, **values)


def _rule(call: Call, reason: str) -> str:
    """A record system's refusal in words; one that has none yet is told in general."""
    name = f"rule.{reason}"
    return call.lines.say(name if call.lines.has(name) else "rule.other")
