"""Finishing what a direct write left open, whatever died (B4).

Decides for every row that nobody works on any more what became of it, by asking the record system
for its key: finish, send again under the same key, or hand it to staff. It must never send under
another key, never send what staff has taken over, and never drop a request that a caller was told
is taken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from wonmu.clock import Clock
from wonmu.desk.outbox.direct import Pause
from wonmu.desk.outbox.entry import Step
from wonmu.desk.outbox.notes import StaffNotes
from wonmu.desk.outbox.outcome import Act
from wonmu.desk.outbox.store import OutboxStore
from wonmu.emr.port import Emr
from wonmu.errors import EmrFault, StoreFailure
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
    """Somebody else took the row meanwhile."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """One row worked on. ``step`` is where it stands now; ``fault`` why it is not further."""

    key: BookingKey
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
    may still take effect. ``lease``: how long a taken row stays with its reconciler. ``page``:
    rows taken at a time; ``at_once``: rows of a page worked on together.
    """

    consent_lasts: timedelta = timedelta(minutes=15)
    attempts: int = 5
    first_wait: timedelta = timedelta(seconds=10)
    longest_wait: timedelta = timedelta(minutes=15)
    late_write: timedelta = timedelta(minutes=10)
    lease: timedelta = timedelta(minutes=2)
    page: int = 200
    at_once: int = 8


class Reconciler:
    """For one hospital. Any number of them may run at once, in any number of processes."""

    def __init__(
        self,
        emr: Emr,
        store: OutboxStore,
        clock: Clock,
        notes: StaffNotes,
        hospital_id: HospitalId,
        rules: ReconcileRules | None = None,
    ) -> None:
        raise NotImplementedError

    async def run_once(self) -> tuple[Reconciled, ...]:
        """Work on every row that is due. Raises ``StoreFailure``; EMR failures are in the rows."""
        raise NotImplementedError

    async def run_every(
        self,
        seconds: float,
        stop: asyncio.Event,
        pause: Pause = asyncio.sleep,
        on_run: Callable[[tuple[Reconciled, ...] | StoreFailure], None] | None = None,
    ) -> None:
        """``run_once`` now and then every ``seconds`` until ``stop`` is set."""
        raise NotImplementedError
