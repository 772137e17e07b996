"""The first desk store: one inbox table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from wonmu.storage import Moment

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_OPEN_TIME = sa.text("state = 'open' AND slot_id IS NOT NULL")
_OPEN_CANCEL = sa.text("state = 'open' AND kind = 'cancel_request'")


def upgrade() -> None:
    op.create_table(
        "inbox",
        sa.Column("key", sa.String(80), primary_key=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("hospital_id", sa.String(80), nullable=False),
        sa.Column("call_id", sa.String(80), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("patient_ref", sa.Text),
        sa.Column("patient_id", sa.String(80)),
        sa.Column("patient_name", sa.Text),
        sa.Column("patient_birth_date", sa.Date),
        sa.Column("patient_phone", sa.String(20)),
        sa.Column("contact", sa.String(40), nullable=False),
        sa.Column("department_id", sa.String(80)),
        sa.Column("department", sa.Text),
        sa.Column("doctor_id", sa.String(80)),
        sa.Column("doctor", sa.Text),
        sa.Column("slot_id", sa.String(80)),
        sa.Column("appointment_id", sa.String(80)),
        sa.Column("start", Moment),
        sa.Column("insurance", sa.Text),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("window_words", sa.Text),
        sa.Column("window_start", Moment),
        sa.Column("window_end", Moment),
    )
    _unique("inbox_one_request_per_slot", ["hospital_id", "slot_id"], _OPEN_TIME)
    _unique(
        "inbox_one_request_per_patient_and_start",
        ["hospital_id", "patient_ref", "start"],
        _OPEN_TIME,
    )
    _unique("inbox_one_cancel_per_appointment", ["hospital_id", "appointment_id"], _OPEN_CANCEL)
    op.create_index("inbox_by_age", "inbox", ["hospital_id", "created_at"])


def downgrade() -> None:
    op.drop_table("inbox")


def _unique(name: str, columns: list[str], where: sa.TextClause) -> None:
    op.create_index(name, "inbox", columns, unique=True, sqlite_where=where, postgresql_where=where)
