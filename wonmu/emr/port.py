"""The record system as the rest of the house sees it (T11, B2, A8).

All reads either return what the record system really said or raise ``EmrFailure``; an empty tuple
means "asked and there is none" and nothing else. All writes return a closed union, because the
talk must tell a taken slot from a refusal from an outcome that nobody knows. A write that certainly
did not happen because the record system failed raises ``EmrFailure`` with ``outcome_known``; every
write may be sent again under the same key, and then finishes or repeats what that key began.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Protocol

from wonmu.ids import (
    AppointmentId,
    BookingKey,
    DepartmentId,
    DoctorId,
    PatientId,
    SlotId,
    Version,
)


@dataclass(frozen=True, slots=True)
class Patient:
    """One person on file. ``phones`` are digits only, e.g. 01012345678."""

    id: PatientId
    name: str
    birth_date: date
    phones: tuple[str, ...]
    chart_no: str = ""


@dataclass(frozen=True, slots=True)
class PatientQuery:
    """Every field given must match; at least one must be given."""

    phone: str | None = None
    birth_date: date | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        if self.phone is None and self.birth_date is None and self.name is None:
            raise ValueError("a patient query needs at least one field")


@dataclass(frozen=True, slots=True)
class Department:
    id: DepartmentId
    name: str
    bookable: bool = True


@dataclass(frozen=True, slots=True)
class Doctor:
    id: DoctorId
    name: str
    department_id: DepartmentId
    bookable: bool = True


class SlotStatus(StrEnum):
    FREE = "free"
    HELD = "held"
    BUSY = "busy"


@dataclass(frozen=True, slots=True)
class Slot:
    """A bookable interval of one doctor. ``start`` is aware; ``version`` changes on every write."""

    id: SlotId
    department_id: DepartmentId
    doctor_id: DoctorId
    start: datetime
    minutes: int
    status: SlotStatus
    version: Version


@dataclass(frozen=True, slots=True)
class SlotQuery:
    """Free slots with ``start <= slot.start < end``, earliest first, at most ``limit``."""

    department_id: DepartmentId
    start: datetime
    end: datetime
    doctor_id: DoctorId | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class SlotPage:
    slots: tuple[Slot, ...]
    as_of: datetime


class AppointmentStatus(StrEnum):
    BOOKED = "booked"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Appointment:
    id: AppointmentId
    patient_id: PatientId
    department_id: DepartmentId
    doctor_id: DoctorId
    slot_id: SlotId
    start: datetime
    status: AppointmentStatus
    key: BookingKey | None
    version: Version


@dataclass(frozen=True, slots=True)
class Window:
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class BookingIntent:
    """One confirmed wish. The same ``key`` twice is the same booking, never a second one."""

    key: BookingKey
    patient_id: PatientId
    slot_id: SlotId
    slot_version: Version


@dataclass(frozen=True, slots=True)
class Booked:
    appointment: Appointment
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """Somebody else has the slot."""

    slot_id: SlotId


@dataclass(frozen=True, slots=True)
class Rejected:
    """The record system refused by a rule; nothing was written."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody knows whether the write took effect; look it up by key."""

    key: BookingKey


BookResult = Booked | Taken | Rejected | Unknown


@dataclass(frozen=True, slots=True)
class Cancelled:
    appointment: Appointment
    already: bool = False


@dataclass(frozen=True, slots=True)
class NotThere:
    """No such appointment."""


CancelResult = Cancelled | NotThere | Rejected | Unknown


@dataclass(frozen=True, slots=True)
class Held:
    slot: Slot
    until: datetime


HoldResult = Held | Taken | Rejected


class WriteMode(StrEnum):
    """How a record system decides who gets a slot, weakest first."""

    REQUEST_ONLY = "request_only"
    """M0: it cannot be written to; every booking is a request for staff."""
    SLOT_CLAIM = "slot_claim"
    """M1: slots are plain data; a versioned update of the slot is the lock."""
    TRANSACTION = "transaction"
    """M2: claim and appointment in one transaction."""
    HOLD_AND_BOOK = "hold_and_book"
    """M3: the record system's own hold and book operations."""
    SERVER_DECIDES = "server_decides"
    """M4: the appointment is created and the record system refuses a taken slot."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What this record system can do beside reading."""

    can_book: bool
    can_hold: bool
    hold_limit: timedelta | None = None
    mode: WriteMode = WriteMode.TRANSACTION


class Emr(Protocol):
    """The port. Reads raise ``EmrFailure`` on failure; an empty answer is never a failure."""

    async def capabilities(self) -> Capabilities: ...

    async def find_patients(self, query: PatientQuery) -> tuple[Patient, ...]:
        """At most five patients that match every given field exactly (phones in any spelling)."""
        ...

    async def appointments(self, patient_id: PatientId, window: Window) -> tuple[Appointment, ...]:
        """Booked appointments of one patient, earliest first."""
        ...

    async def departments(self) -> tuple[Department, ...]: ...

    async def doctors(self, department_id: DepartmentId) -> tuple[Doctor, ...]: ...

    async def find_slots(self, query: SlotQuery) -> SlotPage: ...

    async def read_slot(self, slot_id: SlotId) -> Slot | None:
        """The slot as it is now, or None if there is no such slot."""
        ...

    async def hold(self, slot: Slot, key: BookingKey, lasting: timedelta) -> HoldResult: ...

    async def release(self, slot_id: SlotId, key: BookingKey) -> bool:
        """Give a hold of ours back; False if it was not ours."""
        ...

    async def book(self, intent: BookingIntent) -> BookResult: ...

    async def reschedule(self, appointment_id: AppointmentId, intent: BookingIntent) -> BookResult:
        """The new booking first, the old one cancelled in the same step; never neither."""
        ...

    async def cancel(self, appointment_id: AppointmentId, key: BookingKey) -> CancelResult: ...

    async def lookup_key(self, key: BookingKey) -> Appointment | None:
        """The appointment booked, moved to, or cancelled under this key."""
        ...

    async def read_appointment(self, appointment_id: AppointmentId) -> Appointment | None:
        """One appointment as it is now, cancelled or not; None if there is no such one."""
        ...

    async def close(self) -> None: ...
