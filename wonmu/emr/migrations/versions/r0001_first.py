"""The first record system: departments, doctors, patients, slots, appointments."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from wonmu.storage import Moment

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_BOOKED = sa.text("status = 'booked'")


def upgrade() -> None:
    _people()
    _calendar()
    op.create_index("ix_patients_birth_date", "patients", ["birth_date"])
    op.create_index("ix_phones_digits", "phones", ["digits"])
    op.create_index("slots_by_department", "slots", ["department_id", "status", "start", "id"])
    op.create_index(
        "slots_by_doctor", "slots", ["doctor_id", "department_id", "status", "start", "id"]
    )
    _unique("slots_one_doctor_one_start", "slots", ["doctor_id", "start"])
    _unique("appointments_one_per_slot", "appointments", ["slot_id"], _BOOKED)
    _unique(
        "appointments_one_per_patient_and_start", "appointments", ["patient_id", "start"], _BOOKED
    )
    _unique("appointments_one_per_key", "appointments", ["key"])
    _unique("appointments_one_per_cancel_key", "appointments", ["cancel_key"])


def downgrade() -> None:
    for table in ("appointments", "slots", "phones", "patients", "doctors", "departments"):
        op.drop_table(table)


def _people() -> None:
    op.create_table(
        "departments",
        sa.Column("id", sa.String(80), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("bookable", sa.Boolean, nullable=False),
    )
    op.create_table(
        "doctors",
        sa.Column("id", sa.String(80), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        _to("departments", "department_id"),
        sa.Column("bookable", sa.Boolean, nullable=False),
    )
    op.create_table(
        "patients",
        sa.Column("id", sa.String(80), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("birth_date", sa.Date, nullable=False),
        sa.Column("chart_no", sa.String(40), nullable=False),
    )
    op.create_table(
        "phones",
        _to("patients", "patient_id", primary_key=True),
        sa.Column("digits", sa.String(20), primary_key=True),
        sa.Column("raw", sa.Text, nullable=False),
    )


def _calendar() -> None:
    op.create_table(
        "slots",
        sa.Column("id", sa.String(120), primary_key=True),
        _to("departments", "department_id"),
        _to("doctors", "doctor_id"),
        sa.Column("start", Moment, nullable=False),
        sa.Column("minutes", sa.Integer, nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("hold_key", sa.String(80)),
        sa.Column("hold_until", Moment),
    )
    op.create_table(
        "appointments",
        sa.Column("id", sa.String(80), primary_key=True),
        _to("patients", "patient_id"),
        _to("departments", "department_id"),
        _to("doctors", "doctor_id"),
        _to("slots", "slot_id", 120),
        sa.Column("start", Moment, nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("key", sa.String(80)),
        sa.Column("cancel_key", sa.String(80)),
        sa.Column("version", sa.Integer, nullable=False),
    )


def _to(table: str, name: str, size: int = 80, **options: Any) -> sa.Column[str]:
    reference = sa.ForeignKey(f"{table}.id")
    return sa.Column(name, sa.String(size), reference, nullable=False, **options)


def _unique(name: str, table: str, columns: list[str], where: sa.TextClause | None = None) -> None:
    op.create_index(name, table, columns, unique=True, sqlite_where=where, postgresql_where=where)
