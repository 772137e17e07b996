"""Whole requests for the tests in this folder."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Any

from wonmu.clock import SEOUL
from wonmu.desk.records import BookingRequest, RequestPatient
from wonmu.ids import BookingKey, CallId, DepartmentId, DoctorId, HospitalId, SlotId

NOW = datetime(2026, 12, 1, 10, 0, tzinfo=SEOUL)
START = datetime(2026, 12, 8, 14, 30, tzinfo=SEOUL)
HOSPITAL = HospitalId("demo")
SOMEONE = RequestPatient("김민수", date(1985, 3, 12), "01000001234")


def booking(key: str = "k1", slot: str = "s1", **other: Any) -> BookingRequest:
    whole = BookingRequest(
        key=BookingKey(key),
        hospital_id=HOSPITAL,
        call_id=CallId("call-1"),
        created_at=NOW,
        patient=SOMEONE,
        contact="01000001234",
        department_id=DepartmentId("ortho"),
        department="정형외과",
        doctor_id=DoctorId("d1"),
        doctor="박서준",
        slot_id=SlotId(slot),
        start=START,
        insurance="건강보험",
    )
    return replace(whole, **other)


def person(number: int) -> RequestPatient:
    return RequestPatient(f"환자{number}", date(1990, 1, 1), f"0100000{number:04d}")
