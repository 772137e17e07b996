"""The reconciler's limits, and what it tells of each row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from wonmu.desk.outbox.entry import Step
from wonmu.desk.outbox.outcome import Act
from wonmu.errors import EmrFault
from wonmu.ids import AppointmentId, BookingKey, HospitalId


class Did(StrEnum):
    """What became of a row in this run."""

    FINISHED = "finished"
    """Written as agreed, now or already before; the request is done."""
    OLD_STANDS = "old_stands"
    """The new appointment stands, the old one could not be cancelled yet."""
    HANDED_OVER = "handed_over"
    """Staff has to do it; the row's note says why."""
    CLOSED = "closed"
    """Handed over before; now it is certain that nothing of ours is left behind."""
    WAITING = "waiting"
    """Still not known; asked again later."""
    LEFT_TO_OTHERS = "left_to_others"
    """Somebody else changed the row meanwhile."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """One row worked on. ``step`` is where it stands now; ``fault`` why it is not further."""

    key: BookingKey
    hospital_id: HospitalId
    act: Act
    did: Did
    step: Step
    appointment_id: AppointmentId | None = None
    fault: EmrFault | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReconcileRules:
    """Limits. ``consent_lasts``: older wishes are not sent again, staff calls instead.

    ``attempts``: failures in a row after which staff gets the row. ``first_wait`` doubles with
    each failure up to ``longest_wait``. ``late_write``: how long a request whose reply is missing
    may still take effect. ``give_up``: how long after the agreed start a record system that never
    answers is still asked. ``lease``: how long a taken row stays with its reconciler. ``page``:
    rows taken at a time; ``at_once``: rows of a page worked on together.
    """

    consent_lasts: timedelta = timedelta(minutes=15)
    attempts: int = 5
    first_wait: timedelta = timedelta(seconds=10)
    longest_wait: timedelta = timedelta(minutes=15)
    late_write: timedelta = timedelta(minutes=10)
    give_up: timedelta = timedelta(days=1)
    lease: timedelta = timedelta(minutes=2)
    page: int = 200
    at_once: int = 8

    def wait(self, failures: int, retry_after: float | None = None) -> timedelta:
        """Until the next look after so many failures in a row."""
        doubled = self.first_wait * 2.0 ** min(max(failures - 1, 0), 20)
        asked_for = timedelta(seconds=min(retry_after or 0.0, self.longest_wait.total_seconds()))
        return max(min(doubled, self.longest_wait), asked_for)
