"""One conversation without a voice, as a host of the work of a visit (S2, H2).

Holds what lives only as long as the process: the record system within this visit's limits, the
people read in it, and what was read back and agreed to. What must outlive a restart is in the
engines' states; a consent never does.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from wonmu.booking.draft import Consent, Digest, ReadBack
from wonmu.emr.guard import GuardedEmr, GuardRules
from wonmu.emr.port import Patient, PatientQuery
from wonmu.errors import EmrFault
from wonmu.ids import BookingKey, PatientId
from wonmu.lines import Lines
from wonmu.policy.claims import Receipts
from wonmu.policy.terminal import Latch
from wonmu.timeline.record import Recorder
from wonmu.visit.emr_events import EmrEvents
from wonmu.visit.front import Front
from wonmu.visit.host import HostState
from wonmu.visit.reading import VisitReads
from wonmu.visit.record import Kept, Lost, NotKept, Twice
from wonmu.visit.undo import Gone, Known, Unkept
from wonmu.visit.writing import Writes

Written = Kept | Lost | Twice | NotKept


@dataclass(slots=True)
class VisitState:
    """What the work leaves for its owner; any object with these fields will do."""

    receipts: Receipts = field(default_factory=Receipts)
    fault: EmrFault | None = None
    refund_unknown: bool = False
    latch: Latch = field(default_factory=Latch)


@dataclass(slots=True)
class Memory:
    """What this process knows of the visit and no checkpoint does."""

    people: dict[PatientId, Patient] = field(default_factory=dict)
    hits: dict[PatientQuery, tuple[Patient, ...]] = field(default_factory=dict)
    """Answers of the identification under way."""
    staged: set[Digest] = field(default_factory=set)
    """Candidates that this process has read itself."""
    composed: dict[Digest, str] = field(default_factory=dict)
    """Read-backs as they were composed, delivered or not."""
    readbacks: dict[Digest, ReadBack] = field(default_factory=dict)
    """The read-back that was delivered and may be answered; at most one of a piece of work."""
    consents: dict[BookingKey, Consent] = field(default_factory=dict)
    """What was agreed to before this process' eyes, by the key of its write."""
    writes: dict[BookingKey, asyncio.Future[Written]] = field(default_factory=dict)
    """Bookings being written, by their key."""
    cancels: dict[BookingKey, asyncio.Future[Gone | Known | Unkept]] = field(default_factory=dict)
    """Cancellations being written, by their key."""
    booked: set[tuple[str, datetime]] = field(default_factory=set)
    """Whom this visit has booked, by patient and start; the same again is the same wish (B4)."""


class Visit:
    """A ``Host`` for the engines. ``state``: shared with the owner, who asks it for receipts."""

    def __init__(self, desk: Front, recorder: Recorder, state: HostState | None = None) -> None:
        self.desk = desk
        self.recorder = recorder
        self.state: HostState = state if state is not None else VisitState()
        self.emr = GuardedEmr(
            desk.emr,
            GuardRules.of(desk.hospital.emr),
            EmrEvents(recorder),
            breaker=desk.breaker,
            chance=Random(recorder.call_id).random,
        )
        self.writes = Writes()
        self.memory = Memory()
        self.lookups = VisitReads(self)

    @property
    def lines(self) -> Lines:
        return self.desk.lines
