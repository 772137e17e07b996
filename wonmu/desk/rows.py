"""Between the inbox's values and its columns. Decides nothing; loses nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import Row

from wonmu.desk.outbox.entry import WRITTEN_AS, Step
from wonmu.desk.records import (
    BookingRequest,
    CallWindow,
    CancelRequest,
    DeskNote,
    InboxRow,
    RequestKind,
    RequestPatient,
    RequestState,
)
from wonmu.ids import (
    AppointmentId,
    BookingKey,
    CallId,
    DepartmentId,
    DoctorId,
    HospitalId,
    PatientId,
    SlotId,
)

Request = BookingRequest | CancelRequest | DeskNote


def to_row(request: Request) -> InboxRow:
    """The open row that a new request becomes."""
    match request:
        case BookingRequest():
            return replace(
                _plain(request, request.kind),
                department_id=request.department_id,
                department=request.department,
                doctor_id=request.doctor_id,
                doctor=request.doctor,
                slot_id=request.slot_id,
                appointment_id=request.replaces,
                start=request.start,
                insurance=request.insurance,
            )
        case CancelRequest():
            return replace(
                _plain(request, RequestKind.CANCEL),
                department=request.department,
                doctor=request.doctor,
                appointment_id=request.appointment_id,
                start=request.start,
            )
        case DeskNote():
            return replace(_plain(request, request.kind), window=request.window)


def _plain(request: Request, kind: RequestKind) -> InboxRow:
    return InboxRow(
        kind=kind,
        state=RequestState.OPEN,
        key=request.key,
        hospital_id=request.hospital_id,
        call_id=request.call_id,
        created_at=request.created_at,
        patient=request.patient,
        contact=request.contact,
        department_id=None,
        department=None,
        doctor_id=None,
        doctor=None,
        slot_id=None,
        appointment_id=None,
        start=None,
        insurance=None,
        note=request.note,
        window=None,
    )


def to_columns(row: InboxRow) -> dict[str, Any]:
    """Values for an INSERT, by column name."""
    patient, window = row.patient, row.window
    return {
        "key": row.key,
        "kind": row.kind,
        "state": row.state,
        "hospital_id": row.hospital_id,
        "call_id": row.call_id,
        "created_at": row.created_at,
        "patient_ref": patient.ref if patient else None,
        "patient_id": patient.id if patient else None,
        "patient_name": patient.name if patient else None,
        "patient_birth_date": patient.birth_date if patient else None,
        "patient_phone": patient.phone if patient else None,
        "contact": row.contact,
        "department_id": row.department_id,
        "department": row.department,
        "doctor_id": row.doctor_id,
        "doctor": row.doctor,
        "slot_id": row.slot_id,
        "appointment_id": row.appointment_id,
        "start": row.start,
        "insurance": row.insurance,
        "note": row.note,
        "window_words": window.words if window else None,
        "window_start": window.start if window else None,
        "window_end": window.end if window else None,
    }


def from_columns(row: Row[Any]) -> InboxRow:
    """The row as it was written, with what its outbox row says (a query with both tables)."""
    return InboxRow(
        kind=RequestKind(row.kind),
        state=RequestState(row.state),
        key=BookingKey(row.key),
        hospital_id=HospitalId(row.hospital_id),
        call_id=CallId(row.call_id),
        created_at=row.created_at,
        patient=_patient(row),
        contact=row.contact,
        department_id=None if row.department_id is None else DepartmentId(row.department_id),
        department=row.department,
        doctor_id=None if row.doctor_id is None else DoctorId(row.doctor_id),
        doctor=row.doctor,
        slot_id=None if row.slot_id is None else SlotId(row.slot_id),
        appointment_id=None if row.appointment_id is None else AppointmentId(row.appointment_id),
        start=row.start,
        insurance=row.insurance,
        note=row.note,
        window=_window(row),
        written=None if row.outbox_step is None else WRITTEN_AS[Step(row.outbox_step)],
        remark=row.outbox_note or "",
    )


def _patient(row: Row[Any]) -> RequestPatient | None:
    if row.patient_name is None:
        return None
    known = None if row.patient_id is None else PatientId(row.patient_id)
    return RequestPatient(row.patient_name, row.patient_birth_date, row.patient_phone, known)


def _window(row: Row[Any]) -> CallWindow | None:
    if row.window_words is None:
        return None
    return CallWindow(row.window_words, row.window_start, row.window_end)
