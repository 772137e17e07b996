"""What staff reads beside a request that is, or should be, written straight to the record system.

The sentences are lines (``desk.*``); only the choice among them is made here. A note never says
more than is known.
"""

from __future__ import annotations

from dataclasses import dataclass

from wonmu.errors import EmrFault
from wonmu.lines import Lines


@dataclass(frozen=True, slots=True)
class StaffNotes:
    """One method for each thing that staff must know."""

    lines: Lines

    def writing(self) -> str:
        return self.lines.say("desk.write_pending")

    def unknown(self) -> str:
        return self.lines.say("desk.write_unknown")

    def taken(self) -> str:
        """The caller believes in a time that somebody else has: call them."""
        return self.lines.say("desk.write_taken")

    def refused(self, reason: str) -> str:
        name = f"desk.write_reason.{reason}"
        words = self.lines.say(name) if name in self.lines.names() else reason
        return self.lines.say("desk.write_refused", reason=words)

    def failed(self, fault: EmrFault) -> str:
        return self.lines.say("desk.write_failed", fault=fault.value)

    def not_found_out(self, attempts: int) -> str:
        return self.lines.say("desk.write_not_found_out", attempts=attempts)

    def too_late(self) -> str:
        """Not written, and the consent is too old or the time is past: call the caller."""
        return self.lines.say("desk.write_too_late")

    def mismatch(self) -> str:
        return self.lines.say("desk.write_mismatch")

    def old_stands(self) -> str:
        return self.lines.say("desk.write_old_stands")

    def old_left(self, reason: str) -> str:
        """The old appointment cannot be cancelled by us at all."""
        return self.lines.say("desk.write_old_left", reason=reason)
