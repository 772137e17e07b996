"""Between FHIR resources and the port's values.

Decides what a resource means to the house: which status is free, which name is compared, which id
an actor stands for. Logical ids are our ids, one to one. A resource that lacks what the port needs
gives None; nothing is made up for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from unicodedata import normalize

from wonmu.clock import SEOUL
from wonmu.emr import port
from wonmu.emr.fhir.datatypes import HumanName, Identifier, Reference
from wonmu.emr.fhir.models import (
    Appointment,
    HealthcareService,
    Patient,
    Practitioner,
    Slot,
    SlotCode,
)
from wonmu.emr.fhir.parsing import ListedReference, ListedSlot
from wonmu.emr.rows import phone_digits
from wonmu.hospital.config import FhirSettings
from wonmu.ids import (
    AppointmentId,
    BookingKey,
    DepartmentId,
    DoctorId,
    PatientId,
    SlotId,
    Version,
)

_ID = re.compile(r"[A-Za-z0-9.-]{1,64}")
SECONDARY = "secondary"
"""Identifier.use of the key an appointment was cancelled under; the booking's own has none."""

LIVE = ("booked", "pending")
"""Appointments that a patient has. Both are told: a pending one waits for the hospital's word."""

OVER = ("cancelled", "noshow", "entered-in-error")

_SLOT_STATUS: dict[SlotCode, port.SlotStatus] = {
    "free": port.SlotStatus.FREE,
    "busy-tentative": port.SlotStatus.HELD,
    "busy": port.SlotStatus.BUSY,
    "busy-unavailable": port.SlotStatus.BUSY,
}


@dataclass(frozen=True, slots=True)
class Place:
    """Whose calendar a schedule is."""

    department_id: DepartmentId
    doctor_id: DoctorId


def is_id(text: str) -> bool:
    """Whether this can be a logical id; anything else must not get into a URL."""
    return _ID.fullmatch(text) is not None


def target(reference: Reference | ListedReference | None, kind: str) -> str | None:
    """The id that a reference to this kind names, relative or absolute; else None."""
    text = reference.reference if reference is not None else None
    if text is None:
        return None
    parts = text.split("/_history/")[0].split("/")
    fits = len(parts) >= 2 and parts[-2] == kind and is_id(parts[-1])
    return parts[-1] if fits else None


def targets(references: tuple[Reference, ...], kind: str) -> tuple[str, ...]:
    found = (target(one, kind) for one in references)
    return tuple(one for one in found if one is not None)


def actors(appointment: Appointment, kind: str) -> tuple[str, ...]:
    references = (one.actor for one in appointment.participant if one.actor is not None)
    return targets(tuple(references), kind)


def spoken_name(names: tuple[HumanName, ...]) -> str:
    """The name as it is compared and said, family first; the official one before others."""
    for name in sorted(names, key=lambda one: one.use not in ("official", "usual", None)):
        text = name.text or "".join((name.family or "", *name.given))
        if text.strip():
            return text.strip()
    return ""


def clean_name(name: str) -> str:
    """As the embedded record system compares: composed letters, no spaces."""
    return "".join(normalize("NFC", name).split())


def department(service: HealthcareService) -> port.Department | None:
    if service.id is None or not service.name:
        return None
    return port.Department(DepartmentId(service.id), service.name, service.active is not False)


def doctor(
    practitioner: Practitioner, department_id: DepartmentId, active: bool
) -> port.Doctor | None:
    name = spoken_name(practitioner.name)
    if practitioner.id is None or not name:
        return None
    bookable = active and practitioner.active is not False
    return port.Doctor(DoctorId(practitioner.id), name, department_id, bookable)


def patient(resource: Patient, settings: FhirSettings) -> port.Patient | None:
    """None also for a record that is no longer in use (merged into another one)."""
    born = _whole_date(resource.birth_date)
    name = spoken_name(resource.name)
    if resource.id is None or not name or born is None or resource.active is False:
        return None
    written = (one.value for one in resource.telecom if one.value and one.system != "email")
    phones = dict.fromkeys(digits for digits in map(phone_digits, written) if digits)
    chart = (one.value for one in resource.identifier if one.system == settings.chart_system)
    return port.Patient(PatientId(resource.id), name, born, tuple(phones), next(chart, None) or "")


def fits(found: port.Patient, query: port.PatientQuery) -> bool:
    """Every field given must match exactly; phones in any spelling, names as they are compared."""
    return (
        (query.phone is None or phone_digits(query.phone) in found.phones)
        and (query.birth_date is None or query.birth_date == found.birth_date)
        and (query.name is None or clean_name(query.name) == clean_name(found.name))
    )


def phone_spellings(phone: str) -> Iterator[str]:
    """The spellings that record systems store; a search for text finds no other one."""
    digits = phone_digits(phone)
    yield digits
    grouped = _grouped(digits)
    if grouped is not None:
        yield grouped
    if digits.startswith("0"):
        yield f"+82{digits[1:]}"


def slot(resource: Slot | ListedSlot, place: Place, now: datetime, system: str) -> port.Slot | None:
    """A hold of ours that has run out counts as free."""
    status = _SLOT_STATUS.get(resource.status)
    version = resource.meta.version_id if resource.meta is not None else None
    if resource.id is None or status is None or not version:
        return None
    if is_lapsed(resource, now, system):
        status = port.SlotStatus.FREE
    return port.Slot(
        SlotId(resource.id),
        place.department_id,
        place.doctor_id,
        resource.start.astimezone(SEOUL),
        int((resource.end - resource.start) / timedelta(minutes=1)),
        status,
        Version(version),
    )


def is_lapsed(resource: Slot | ListedSlot, now: datetime, system: str) -> bool:
    """Whether this is a hold of ours that has run out. Holds of others never do: we cannot know."""
    if resource.status != "busy-tentative":
        return False
    ours = [one for one in resource.identifier if one.system == system]
    ends = [_moment(one.period.end if one.period is not None else None) for one in ours]
    return bool(ends) and all(end is not None and end <= now for end in ends)


def appointment(resource: Appointment, system: str, place: Place | None) -> port.Appointment | None:
    """``place``: of its slot's calendar, for what the appointment itself does not say.

    Department, doctor and slot are empty when the record system does not say them: the patient has
    the appointment all the same. None without id, version, patient or start.
    """
    version = resource.meta.version_id if resource.meta is not None else None
    patients = actors(resource, "Patient")
    if resource.id is None or not version or not patients or resource.start is None:
        return None
    services, doctors = actors(resource, "HealthcareService"), actors(resource, "Practitioner")
    slots = targets(resource.slot, "Slot")
    over = resource.status in OVER
    return port.Appointment(
        AppointmentId(resource.id),
        PatientId(patients[0]),
        DepartmentId(services[0]) if services else _department(place),
        DoctorId(doctors[0]) if doctors else _doctor(place),
        SlotId(slots[0] if slots else ""),
        resource.start.astimezone(SEOUL),
        port.AppointmentStatus.CANCELLED if over else port.AppointmentStatus.BOOKED,
        key_of(resource.identifier, system),
        Version(version),
    )


def is_placed(resource: Appointment) -> bool:
    """Whether the appointment itself says doctor and department."""
    return bool(actors(resource, "HealthcareService") and actors(resource, "Practitioner"))


def key_of(identifiers: tuple[Identifier, ...], system: str) -> BookingKey | None:
    """The key something was booked or claimed under."""
    ours = (one for one in identifiers if one.system == system and one.use != SECONDARY)
    return next((BookingKey(one.value) for one in ours if one.value), None)


def has_key(identifiers: tuple[Identifier, ...], system: str, key: BookingKey) -> bool:
    """Whether it was booked or cancelled under this key."""
    return any(one.system == system and one.value == key for one in identifiers)


def _department(place: Place | None) -> DepartmentId:
    return DepartmentId("") if place is None else place.department_id


def _doctor(place: Place | None) -> DoctorId:
    return DoctorId("") if place is None else place.doctor_id


def _grouped(digits: str) -> str | None:
    """010-1234-5678, 02-123-4567: area code, then the last four alone."""
    if not digits.startswith("0") or not 9 <= len(digits) <= 11:
        return None
    area = 2 if digits.startswith("02") else 3
    return f"{digits[:area]}-{digits[area:-4]}-{digits[-4:]}"


def _whole_date(written: str | None) -> date | None:
    try:
        return date.fromisoformat(written or "")
    except ValueError:
        return None


def _moment(written: str | None) -> datetime | None:
    try:
        found = datetime.fromisoformat(written or "")
    except ValueError:
        return None
    return None if found.tzinfo is None else found
