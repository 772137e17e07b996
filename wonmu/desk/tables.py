"""The desk store's tables: the inbox and the outbox.

Who gets a slot is decided by the inbox's indexes, not by code. A row of the outbox belongs to the
inbox row with the same key: it says how far writing that request to the record system has come.
"""

from __future__ import annotations

from sqlalchemy import (
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

outbox = Table(
    "outbox",
    metadata,
    Column("key", String(80), ForeignKey("inbox.key"), primary_key=True),
    Column("hospital_id", String(80), nullable=False),
    Column("call_id", String(80), nullable=False),
    Column("act", String(10), nullable=False),
    Column("step", String(20), nullable=False),
    Column("patient_id", String(80), nullable=False),
    Column("start", Moment, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("due_at", Moment),
    Column("sent_at", Moment),
    Column("slot_id", String(80)),
    Column("slot_version", Text),
    Column("department_id", String(80)),
    Column("doctor_id", String(80)),
    Column("appointment_id", String(80)),
    Column("written_id", String(80)),
    Column("attempts", Integer, nullable=False),
    Column("fault", String(20)),
    Column("reason", Text, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("note", Text, nullable=False),
)

_UNFINISHED = text("due_at IS NOT NULL")

# Final rows have no due_at and are not in it: it stays as small as what is left to do.
Index(
    "outbox_by_due",
    outbox.c.hospital_id,
    outbox.c.due_at,
    outbox.c.key,
    sqlite_where=_UNFINISHED,
    postgresql_where=_UNFINISHED,
)
