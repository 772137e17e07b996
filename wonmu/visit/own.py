"""One of a patient's own coming bookings, on file or still waiting for staff (B3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wonmu.ids import AppointmentId, DepartmentId, DoctorId


@dataclass(frozen=True, slots=True)
class OwnBooking:
    """One coming booking. ``requested``: still waiting for staff; ``ref`` is then its key."""

    ref: AppointmentId
    start: datetime
    department_id: DepartmentId
    department: str
    doctor_id: DoctorId
    doctor: str
    requested: bool = False
    cancelling: bool = False
    """A request to cancel it is open already."""
