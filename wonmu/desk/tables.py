"""The desk store's one table. Who gets a slot is decided by its indexes, not by code."""

from __future__ import annotations

from sqlalchemy import Column, Date, Index, MetaData, String, Table, Text, text

from wonmu.storage import Moment

HEAD = "0001"
MIGRATIONS = "wonmu.desk.migrations"

metadata = MetaData()

inbox = Table(
    "inbox",
    metadata,
    Column("key", String(80), primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("state", String(10), nullable=False),
    Column("hospital_id", String(80), nullable=False),
    Column("call_id", String(80), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("patient_ref", Text),
    Column("patient_id", String(80)),
    Column("patient_name", Text),
    Column("patient_birth_date", Date),
    Column("patient_phone", String(20)),
    Column("contact", String(40), nullable=False),
    Column("department_id", String(80)),
    Column("department", Text),
    Column("doctor_id", String(80)),
    Column("doctor", Text),
    Column("slot_id", String(80)),
    Column("appointment_id", String(80)),
    Column("start", Moment),
    Column("insurance", Text),
    Column("note", Text, nullable=False),
    Column("window_words", Text),
    Column("window_start", Moment),
    Column("window_end", Moment),
)

_OPEN_TIME = text("state = 'open' AND slot_id IS NOT NULL")
_OPEN_CANCEL = text("state = 'open' AND kind = 'cancel_request'")

Index(
    "inbox_one_request_per_slot",
    inbox.c.hospital_id,
    inbox.c.slot_id,
    unique=True,
    sqlite_where=_OPEN_TIME,
    postgresql_where=_OPEN_TIME,
)
Index(
    "inbox_one_request_per_patient_and_start",
    inbox.c.hospital_id,
    inbox.c.patient_ref,
    inbox.c.start,
    unique=True,
    sqlite_where=_OPEN_TIME,
    postgresql_where=_OPEN_TIME,
)
Index(
    "inbox_one_cancel_per_appointment",
    inbox.c.hospital_id,
    inbox.c.appointment_id,
    unique=True,
    sqlite_where=_OPEN_CANCEL,
    postgresql_where=_OPEN_CANCEL,
)
Index("inbox_by_age", inbox.c.hospital_id, inbox.c.created_at)
