"""How far a consented booking, change or cancellation has come, in words (B2, T11, N6).

Confirmed, taken down for staff, not known yet, refused, not written: each has a line of its own,
and the last two say why. Nothing short of a read-back is called confirmed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wonmu.booking.commit import Written
from wonmu.lines import Value
from wonmu.policy.claims import Act
from wonmu.visit.host import Host
from wonmu.visit.proof import proven

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


def written_line(
    host: Host,
    stem: str,
    told: Told,
    /,
    **values: Value,
) -> tuple[str, dict[str, Value]]:
    """The line of ``stem`` for how far it came, with its values; leaves the receipts with it."""
    written, reason = told.written, told.reason
    proven(host, told.act, written, told.start)
    if written is Written.REFUSED:
        values = {**values, "why": _rule(host, reason)}
    elif written is Written.NOT_WRITTEN:
        values = {**values, "why": host.lines.say(f"fault.{reason}")}
    name = f"{stem}_{_LINE[written]}" if "." in stem else f"{stem}.{_LINE[written]}"
    return name, values


def _rule(host: Host, reason: str) -> str:
    """A record system's refusal in words; one that has none yet is told in general."""
    name = f"rule.{reason}"
    return host.lines.say(name if host.lines.has(name) else "rule.other")
