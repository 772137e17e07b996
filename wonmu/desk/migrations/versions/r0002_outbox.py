"""The outbox: how far writing a request to the record system has come."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from wonmu.storage import Moment

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_UNFINISHED = sa.text("due_at IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "outbox",
        sa.Column("key", sa.String(80), sa.ForeignKey("inbox.key"), primary_key=True),
        sa.Column("hospital_id", sa.String(80), nullable=False),
        sa.Column("call_id", sa.String(80), nullable=False),
        sa.Column("act", sa.String(10), nullable=False),
        sa.Column("step", sa.String(20), nullable=False),
        sa.Column("patient_id", sa.String(80), nullable=False),
        sa.Column("start", Moment, nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("updated_at", Moment, nullable=False),
        sa.Column("due_at", Moment),
        sa.Column("sent_at", Moment),
        sa.Column("slot_id", sa.String(80)),
        sa.Column("slot_version", sa.Text),
        sa.Column("department_id", sa.String(80)),
        sa.Column("doctor_id", sa.String(80)),
        sa.Column("appointment_id", sa.String(80)),
        sa.Column("written_id", sa.String(80)),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("fault", sa.String(20)),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
    )
    op.create_index(
        "outbox_by_due",
        "outbox",
        ["hospital_id", "due_at", "key"],
        sqlite_where=_UNFINISHED,
        postgresql_where=_UNFINISHED,
    )


def downgrade() -> None:
    op.drop_table("outbox")
