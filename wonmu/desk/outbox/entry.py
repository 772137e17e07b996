"""One row of the outbox: how far the writing of one consented act to the record system has come.

Holds values only. A row says what was agreed, under which key, and the last step that is certain;
it must never say more than the record system has said.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from wonmu.desk.outbox.outcome import Act
from wonmu.desk.records import Written
from wonmu.errors import EmrFault
from wonmu.ids import (
    AppointmentId,
    BookingKey,
    CallId,
    DepartmentId,
    DoctorId,
    HospitalId,
    PatientId,
    SlotId,
    Version,
)


class Step(StrEnum):
    """Where a row stands. The last five are final: nobody works on the row again."""

    SENDING = "sending"
    """A request may be under way, or was when the process died."""
    UNKNOWN = "unknown"
    """A request ended without an answer that tells whether it took effect."""
    WRITTEN = "written"
    """The record system said it is written; not read back yet."""
    OLD_STANDS = "old_stands"
    """A change: the new appointment is verified, the old one still stands."""
    GIVEN_UP = "given_up"
    """Handed to staff. The key is still looked up and a claim of ours still to be given back."""
    VERIFIED = "verified"
    """Read back and as agreed; the request is done."""
    GONE = "gone"
    """Somebody else had the slot while the caller was there to hear it; the request is dropped."""
    STAFF = "staff"
    """Not written, and nothing of ours stands in the record system; staff has the request."""
    MISMATCH = "mismatch"
    """The record system holds something else than was agreed; staff has the request."""
    OLD_LEFT = "old_left"
    """A change: the new appointment is verified, the old one cannot be cancelled by us."""

    @property
    def final(self) -> bool:
        return self in FINAL


FINAL = frozenset({Step.VERIFIED, Step.GONE, Step.STAFF, Step.MISMATCH, Step.OLD_LEFT})

WRITTEN_AS: dict[Step, Written] = {
    Step.SENDING: Written.PENDING,
    Step.UNKNOWN: Written.PENDING,
    Step.WRITTEN: Written.PENDING,
    Step.OLD_STANDS: Written.OLD_STANDS,
    Step.OLD_LEFT: Written.OLD_STANDS,
    Step.GIVEN_UP: Written.NOT_CONFIRMED,
    Step.VERIFIED: Written.CONFIRMED,
    Step.GONE: Written.NOT_WRITTEN,
    Step.STAFF: Written.NOT_WRITTEN,
    Step.MISMATCH: Written.MISMATCH,
}
"""What ``wonmu inbox`` shows of a step."""


class Doing(StrEnum):
    """A step that begins, as ``commit.step`` of the timeline tells it."""

    RECORD = "record"
    SEND = "send"
    LOOK_UP = "look_up"
    READ_BACK = "read_back"
    REREAD_SLOT = "reread_slot"
    READ_OLD = "read_old"
    CANCEL_OLD = "cancel_old"
    RELEASE = "release"


@dataclass(frozen=True, slots=True)
class Entry:
    """One row. ``start``, ``department_id``, ``doctor_id`` and ``patient_id`` were agreed.

    ``appointment_id`` is the old one of a change and the one to cancel of a cancellation;
    ``written_id`` the one the record system made. ``turn`` counts the changes of the row: whoever
    changes it names the turn it saw, so that of two only one can. ``due_at`` is when the
    reconciler may take it, None once final. ``sent_at`` is when the last request began whose end
    is not known. ``attempts`` counts failures in a row; ``fault`` and ``reason`` say why it is not
    further.
    """

    key: BookingKey
    hospital_id: HospitalId
    call_id: CallId
    act: Act
    step: Step
    patient_id: PatientId
    start: datetime
    created_at: datetime
    updated_at: datetime
    due_at: datetime | None
    sent_at: datetime | None = None
    slot_id: SlotId | None = None
    slot_version: Version | None = None
    department_id: DepartmentId | None = None
    doctor_id: DoctorId | None = None
    appointment_id: AppointmentId | None = None
    written_id: AppointmentId | None = None
    attempts: int = 0
    fault: EmrFault | None = None
    reason: str = ""
    turn: int = 0
    note: str = ""
