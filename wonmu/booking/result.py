"""How a booking task ends (S6): with a whole booking, or with a reason and no booking.

The two are different types, so that "both" and "neither" cannot be built; a booking that lacks a
field cannot be built either.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from wonmu.booking.commit import CommitMode, Written
from wonmu.identity.result import Contact
from wonmu.ids import BookingKey, DepartmentId, DoctorId, PatientId, SlotId


class ExitCode(StrEnum):
    """Why a task ended without its result."""

    STAFF_CONNECTION = "staff_connection"
    CANCELLED_BY_CALLER = "cancelled_by_caller"
    OTHER_REQUEST = "other_request"
    CHANGE_DEPARTMENT = "change_department"
    CHANGE_DOCTOR = "change_doctor"
    NO_CANDIDATE = "no_candidate"
    IDENTITY_INCOMPLETE = "identity_incomplete"
    SYSTEM_ERROR = "system_error"
    SILENCE = "silence"
    HANGUP = "hangup"
    TURN_LIMIT = "turn_limit"
    TIME_LIMIT = "time_limit"
    EMERGENCY = "emergency"
    ESCALATED = "escalated"
    END_CALL = "end_call"


@dataclass(frozen=True, slots=True)
class BookedPatient:
    """Who the booking is for (B7). ``id`` None: a new patient, or one that staff must match.

    Raises ``ValueError`` if the name or phone is empty, or ``unmatched`` is set beside an id.
    """

    id: PatientId | None
    name: str
    birth_date: date
    phone: str
    unmatched: bool = False

    def __post_init__(self) -> None:
        if not self.name.strip() or not self.phone.strip():
            raise ValueError("a booked patient needs a name and a phone")
        if self.id is not None and (self.unmatched or not self.id):
            raise ValueError("a patient on file is matched, under an id that is not empty")


@dataclass(frozen=True, slots=True)
class WholeBooking:
    """A booking with everything the desk needs. ``start`` is aware; ``minutes`` its length.

    ``insurance`` is None where the hospital does not ask. Raises ``ValueError`` on a missing field.
    """

    key: BookingKey
    mode: CommitMode
    patient: BookedPatient
    contact: Contact
    department_id: DepartmentId
    doctor_id: DoctorId
    slot_id: SlotId
    start: datetime
    minutes: int
    insurance: str | None = None

    def __post_init__(self) -> None:
        if not all((self.key, self.department_id, self.doctor_id, self.slot_id)):
            raise ValueError("a whole booking needs key, department, doctor and slot")
        if self.start.tzinfo is None:
            raise ValueError("a booking's start needs a time zone")
        if self.minutes <= 0:
            raise ValueError("a booking lasts longer than nothing")


@dataclass(frozen=True, slots=True)
class Completed:
    """A whole booking and how far it has come.

    ``reason``: the record system's word for a refusal. ``old_stands``: a change whose old booking
    is not cancelled yet. Raises ``ValueError`` when a booking in the record system is not confirmed
    or the other way round.
    """

    booking: WholeBooking
    written: Written = Written.REQUESTED
    reason: str = ""
    old_stands: bool = False

    def __post_init__(self) -> None:
        if (self.booking.mode is CommitMode.DIRECT) != (self.written is Written.CONFIRMED):
            raise ValueError("a booking is direct when, and only when, it is confirmed")


@dataclass(frozen=True, slots=True)
class Exited:
    """No booking. ``detail`` is for the timeline, never spoken, without personal data."""

    code: ExitCode
    detail: str = ""


BookingResult = Completed | Exited
