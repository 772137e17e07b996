"""What a call leaves for the desk staff, as values that cannot be half filled.

Three things can be left: a request for a time (``BookingRequest``; with ``replaces`` it is the
wish to move an appointment), a request to cancel (``CancelRequest``), and a ``DeskNote`` (a memo
or a call back). Each carries its idempotency key. Nothing here decides whether it may be left.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from wonmu.clock import SEOUL
from wonmu.ids import (
    AppointmentId,
    BookingKey,
    CallId,
    DepartmentId,
    DoctorId,
    HospitalId,
    PatientId,
    SlotId,
    Won,
)


class RequestKind(StrEnum):
    """What staff has to do with it; printed by ``wonmu inbox``."""

    BOOKING = "booking_request"
    CHANGE = "change_request"
    CANCEL = "cancel_request"
    MEMO = "memo"
    CALLBACK = "callback"
    REFUND = "refund_request"
    """Kept in the billing ledger, like the next one; shown beside the others."""
    RECEIPT = "receipt_request"


class RequestState(StrEnum):
    """OPEN waits for staff; DONE was carried out; DROPPED was given up. The last two are final."""

    OPEN = "open"
    DONE = "done"
    DROPPED = "dropped"


class Written(StrEnum):
    """How far a request that is written straight to the record system has come (B2)."""

    PENDING = "pending"
    """Being written, or nobody knows yet."""
    CONFIRMED = "confirmed"
    """Written, read back, as agreed."""
    OLD_STANDS = "old_stands"
    """A change: the new appointment stands, the old one must still be cancelled."""
    NOT_CONFIRMED = "not_confirmed"
    """Handed to staff, but it may still turn out to be written."""
    NOT_WRITTEN = "not_written"
    """Certainly not written."""
    MISMATCH = "mismatch"
    """The record system holds something else than was agreed."""


@dataclass(frozen=True, slots=True)
class RequestPatient:
    """Whom the request is for. ``phone`` is digits; ``id`` only when the record system knows.

    ``birth_date`` is None only in a note whose caller gave no more than a name.
    """

    name: str
    birth_date: date | None
    phone: str
    id: PatientId | None = None

    def __post_init__(self) -> None:
        _filled("patient name", self.name)
        if self.phone and not self.phone.isdigit():
            raise ValueError("a patient's phone is digits only")

    @property
    def ref(self) -> str:
        """What makes two requests be for the same person."""
        born = self.birth_date.isoformat() if self.birth_date else ""
        return self.id or "|".join((self.name, born, self.phone))


@dataclass(frozen=True, slots=True)
class BookingRequest:
    """One wish for one exact slot, consented to. Whole or not at all (B2).

    ``department`` and ``doctor`` are the names as read back to the caller; ``contact`` is the
    number to call; ``replaces`` is the appointment that gives way once the new one stands (B3).
    """

    key: BookingKey
    hospital_id: HospitalId
    call_id: CallId
    created_at: datetime
    patient: RequestPatient
    contact: str
    department_id: DepartmentId
    department: str
    doctor_id: DoctorId
    doctor: str
    slot_id: SlotId
    start: datetime
    insurance: str | None = None
    note: str = ""
    replaces: AppointmentId | None = None

    def __post_init__(self) -> None:
        for name in ("key", "hospital_id", "call_id", "slot_id", "department_id", "doctor_id"):
            _filled(name, getattr(self, name))
        _filled("department", self.department)
        _filled("doctor", self.doctor)
        _born(self.patient)
        _aware("start", self.start)
        _aware("created_at", self.created_at)
        if self.replaces == "":
            raise ValueError("replaces is an appointment or None")

    @property
    def kind(self) -> RequestKind:
        return RequestKind.BOOKING if self.replaces is None else RequestKind.CHANGE


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """The wish to cancel one appointment, consented to (B3)."""

    key: BookingKey
    hospital_id: HospitalId
    call_id: CallId
    created_at: datetime
    patient: RequestPatient
    contact: str
    appointment_id: AppointmentId
    department: str
    doctor: str
    start: datetime
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("key", "hospital_id", "call_id", "appointment_id"):
            _filled(name, getattr(self, name))
        _born(self.patient)
        _aware("start", self.start)
        _aware("created_at", self.created_at)


@dataclass(frozen=True, slots=True)
class CallWindow:
    """When the caller wants to be called back: their words, and the times if they were clear."""

    words: str
    start: datetime | None = None
    end: datetime | None = None

    def __post_init__(self) -> None:
        for moment in (self.start, self.end):
            if moment is not None:
                _aware("window", moment)
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise ValueError("a window ends after it starts")


@dataclass(frozen=True, slots=True)
class DeskNote:
    """A memo or a wish to be called back. The patient may be unknown; who to call should not be."""

    kind: RequestKind
    key: BookingKey
    hospital_id: HospitalId
    call_id: CallId
    created_at: datetime
    contact: str
    note: str = ""
    patient: RequestPatient | None = None
    window: CallWindow | None = None

    def __post_init__(self) -> None:
        if self.kind not in (RequestKind.MEMO, RequestKind.CALLBACK):
            raise ValueError(f"{self.kind} is not a note")
        for name in ("key", "hospital_id", "call_id"):
            _filled(name, getattr(self, name))
        if self.kind is RequestKind.MEMO:
            _filled("note", self.note)
        _aware("created_at", self.created_at)


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One line of the inbox, of any kind. Fields that its kind does not have are None or empty.

    ``written`` and ``remark``, a sentence for staff, come from the outbox: None and empty for a
    request that is left to staff from the start. ``amount``: what a request about money is about.
    """

    kind: RequestKind
    state: RequestState
    key: BookingKey
    hospital_id: HospitalId
    call_id: CallId
    created_at: datetime
    patient: RequestPatient | None
    contact: str
    department_id: DepartmentId | None
    department: str | None
    doctor_id: DoctorId | None
    doctor: str | None
    slot_id: SlotId | None
    appointment_id: AppointmentId | None
    start: datetime | None
    insurance: str | None
    note: str
    window: CallWindow | None
    written: Written | None = None
    remark: str = ""
    amount: Won | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """It is in the inbox. ``replayed``: it already was, under the same key."""

    row: InboxRow
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class SlotTaken:
    """Another open request has this slot; nothing was written."""

    slot_id: SlotId


@dataclass(frozen=True, slots=True)
class DuplicateRequest:
    """The same wish is already open under ``key`` (same patient and start, or the same
    appointment to cancel); nothing was written."""

    key: BookingKey


RecordResult = Recorded | SlotTaken | DuplicateRequest


def request_json(row: InboxRow) -> dict[str, Any]:
    """The row as ``wonmu inbox --json`` prints it: these fields in this order, moments as ISO
    texts with the hospital's offset, missing things as null. ``written`` follows only where the
    request goes straight to the record system, ``amount`` only where it is about money."""
    patient = row.patient
    born = patient.birth_date if patient else None
    printed: dict[str, Any] = {
        "kind": row.kind.value,
        "state": row.state.value,
        "patient": {
            "name": patient.name if patient else None,
            "birth_date": born.isoformat() if born else None,
            "phone": patient.phone or None if patient else None,
        },
        "contact": row.contact or None,
        "department": row.department,
        "doctor": row.doctor,
        "start": _iso(row.start),
        "insurance": row.insurance,
        "note": " ".join(filter(None, (row.remark, row.note))) or None,
        "window": _window_json(row.window),
        "key": row.key,
        "created_at": _iso(row.created_at),
        "call_id": row.call_id,
    }
    if row.written is not None:
        printed["written"] = row.written.value
    if row.amount is not None:
        printed["amount"] = row.amount
    return printed


def _window_json(window: CallWindow | None) -> dict[str, str | None] | None:
    if window is None:
        return None
    return {"words": window.words, "start": _iso(window.start), "end": _iso(window.end)}


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(SEOUL).isoformat()


def _filled(name: str, value: str) -> None:
    if not value.strip():
        raise ValueError(f"{name} is missing")


def _born(patient: RequestPatient) -> None:
    if patient.birth_date is None:
        raise ValueError("a request about a visit needs the patient's birth date")


def _aware(name: str, moment: datetime) -> None:
    if moment.tzinfo is None:
        raise ValueError(f"{name} needs a time zone")
