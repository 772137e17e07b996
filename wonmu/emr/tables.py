"""The embedded record system's tables.

Who has a slot, that one key is one booking, and that a patient is in one place at a time are
unique indexes here; code above them only turns a refusal into a clean answer (B4, N2).
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    text,
)

from wonmu.storage import Moment

HEAD = "0002"
MIGRATIONS = "wonmu.emr.migrations"

metadata = MetaData()

departments = Table(
    "departments",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("name", Text, nullable=False),
    Column("bookable", Boolean, nullable=False),
)

doctors = Table(
    "doctors",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("name", Text, nullable=False),
    Column("department_id", ForeignKey("departments.id"), nullable=False),
    Column("bookable", Boolean, nullable=False),
)

patients = Table(
    "patients",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("name", Text, nullable=False),
    Column("birth_date", Date, nullable=False, index=True),
    Column("chart_no", String(40), nullable=False),
)

# ``digits`` is what is compared; ``raw`` is how the desk once typed it.
phones = Table(
    "phones",
    metadata,
    Column("patient_id", ForeignKey("patients.id"), primary_key=True),
    Column("digits", String(20), primary_key=True, index=True),
    Column("raw", Text, nullable=False),
)

slots = Table(
    "slots",
    metadata,
    Column("id", String(120), primary_key=True),
    Column("department_id", ForeignKey("departments.id"), nullable=False),
    Column("doctor_id", ForeignKey("doctors.id"), nullable=False),
    Column("start", Moment, nullable=False),
    Column("minutes", Integer, nullable=False),
    Column("status", String(10), nullable=False),
    Column("version", Integer, nullable=False),
    Column("hold_key", String(80)),
    Column("hold_until", Moment),
)

# The search is an equality on everything but the start, and comes out of the index in order.
Index("slots_by_department", slots.c.department_id, slots.c.status, slots.c.start, slots.c.id)
Index(
    "slots_by_doctor",
    slots.c.doctor_id,
    slots.c.department_id,
    slots.c.status,
    slots.c.start,
    slots.c.id,
)
Index("slots_one_doctor_one_start", slots.c.doctor_id, slots.c.start, unique=True)

appointments = Table(
    "appointments",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("patient_id", ForeignKey("patients.id"), nullable=False),
    Column("department_id", ForeignKey("departments.id"), nullable=False),
    Column("doctor_id", ForeignKey("doctors.id"), nullable=False),
    Column("slot_id", ForeignKey("slots.id"), nullable=False),
    Column("start", Moment, nullable=False),
    Column("status", String(10), nullable=False),
    Column("key", String(80)),
    Column("cancel_key", String(80)),
    Column("version", Integer, nullable=False),
)

_BOOKED = text("status = 'booked'")

Index(
    "appointments_one_per_slot",
    appointments.c.slot_id,
    unique=True,
    sqlite_where=_BOOKED,
    postgresql_where=_BOOKED,
)
Index(
    "appointments_one_per_patient_and_start",
    appointments.c.patient_id,
    appointments.c.start,
    unique=True,
    sqlite_where=_BOOKED,
    postgresql_where=_BOOKED,
)
Index("appointments_one_per_key", appointments.c.key, unique=True)
Index("appointments_one_per_cancel_key", appointments.c.cancel_key, unique=True)

# What a FHIR client sent beside what the tables above hold, whole, as JSON. ``version`` is the
# version of the row that it belongs to: when the row has moved on, another door changed it.
fhir_resources = Table(
    "fhir_resources",
    metadata,
    Column("kind", String(40), primary_key=True),
    Column("id", String(120), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("changed_at", Moment, nullable=False, index=True),
    Column("body", Text, nullable=False),
    Column("deleted", Boolean, nullable=False),
)

# Earlier states as they were served; no body means that the resource was deleted.
fhir_versions = Table(
    "fhir_versions",
    metadata,
    Column("kind", String(40), primary_key=True),
    Column("id", String(120), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("changed_at", Moment, nullable=False),
    Column("body", Text),
)

# One row a condition under which something was created: of two at once, one finds the other's.
fhir_conditions = Table(
    "fhir_conditions",
    metadata,
    Column("kind", String(40), primary_key=True),
    Column("condition", String(64), primary_key=True),
    Column("id", String(120), nullable=False),
)
