"""Between the record system's tables and the port's values, and how phones are compared."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row

from wonmu.emr.port import (
    Appointment,
    AppointmentStatus,
    Department,
    Doctor,
    Patient,
    Slot,
    SlotStatus,
)
from wonmu.ids import (
    AppointmentId,
    BookingKey,
    DepartmentId,
    DoctorId,
    PatientId,
    SlotId,
    Version,
)

_KOREA = "82"


def phone_digits(spelling: str) -> str:
    """A phone number in any of its spellings as national digits: 01012345678.

    ``010-1234-5678``, ``01012345678``, ``+82 10-1234-5678``, ``+82 (0)10 …`` and ``0082 10 …``
    are the same number. Text without digits gives an empty string, which matches nobody.
    """
    digits = "".join(sign for sign in spelling if sign in "0123456789")
    if digits.startswith("00" + _KOREA):
        digits = digits[2:]
    if digits.startswith(_KOREA) and len(digits) >= 10:
        digits = "0" + digits.removeprefix(_KOREA).lstrip("0")
    return digits


def department(row: Row[Any]) -> Department:
    return Department(DepartmentId(row.id), row.name, row.bookable)


def doctor(row: Row[Any]) -> Doctor:
    return Doctor(DoctorId(row.id), row.name, DepartmentId(row.department_id), row.bookable)


def patient(row: Row[Any], phones: tuple[str, ...]) -> Patient:
    return Patient(PatientId(row.id), row.name, row.birth_date, phones, row.chart_no)


def slot(row: Row[Any]) -> Slot:
    return Slot(
        id=SlotId(row.id),
        department_id=DepartmentId(row.department_id),
        doctor_id=DoctorId(row.doctor_id),
        start=row.start,
        minutes=row.minutes,
        status=SlotStatus(row.status),
        version=Version(str(row.version)),
    )


def appointment(row: Row[Any]) -> Appointment:
    return Appointment(
        id=AppointmentId(row.id),
        patient_id=PatientId(row.patient_id),
        department_id=DepartmentId(row.department_id),
        doctor_id=DoctorId(row.doctor_id),
        slot_id=SlotId(row.slot_id),
        start=row.start,
        status=AppointmentStatus(row.status),
        key=None if row.key is None else BookingKey(row.key),
        version=Version(str(row.version)),
    )
