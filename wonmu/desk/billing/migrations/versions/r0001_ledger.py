"""The first ledger: invoices, payments, refunds, requests for receipts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from wonmu.storage import Moment

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_UNDER_WAY = sa.text("state IN ('requested', 'approved')")


def upgrade() -> None:
    _invoices()
    _refunds()
    _receipts()


def downgrade() -> None:
    for table in ("receipts", "refunds", "payments", "invoices"):
        op.drop_table(table)


def _invoices() -> None:
    op.create_table(
        "invoices",
        sa.Column("id", sa.String(80), primary_key=True),
        sa.Column("patient_id", sa.String(80), nullable=False),
        sa.Column("visit_day", sa.Date, nullable=False),
        sa.Column("department", sa.Text, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("amount", sa.Integer, nullable=False),
        sa.Column("paid", sa.Integer, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.CheckConstraint("amount >= 0 AND paid >= 0", name="invoices_whole_amounts"),
    )
    op.create_index("invoices_by_patient", "invoices", ["patient_id", "visit_day"])
    op.create_table(
        "payments",
        sa.Column("id", sa.String(80), primary_key=True),
        _to_invoice(),
        sa.Column("paid_on", sa.Date, nullable=False),
        sa.Column("amount", sa.Integer, nullable=False),
        sa.Column("method", sa.String(10), nullable=False),
        sa.CheckConstraint("amount > 0", name="payments_real_amounts"),
    )
    op.create_index("ix_payments_invoice_id", "payments", ["invoice_id"])


def _refunds() -> None:
    op.create_table(
        "refunds",
        sa.Column("id", sa.String(80), primary_key=True),
        sa.Column("key", sa.String(80)),
        _to_invoice(),
        sa.Column("amount", sa.Integer, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("requested_at", Moment, nullable=False),
        sa.Column("settled_on", sa.Date),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("call_id", sa.String(80)),
        sa.Column("contact", sa.String(40), nullable=False),
        sa.CheckConstraint("amount > 0", name="refunds_real_amounts"),
    )
    op.create_index("ix_refunds_invoice_id", "refunds", ["invoice_id"])
    op.create_index("refunds_one_per_key", "refunds", ["key"], unique=True)
    op.create_index(
        "refunds_one_under_way_per_invoice",
        "refunds",
        ["invoice_id"],
        unique=True,
        sqlite_where=_UNDER_WAY,
        postgresql_where=_UNDER_WAY,
    )


def _receipts() -> None:
    op.create_table(
        "receipts",
        sa.Column("key", sa.String(80), primary_key=True),
        _to_invoice(),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("requested_at", Moment, nullable=False),
        sa.Column("call_id", sa.String(80), nullable=False),
        sa.Column("contact", sa.String(40), nullable=False),
    )
    op.create_index(
        "receipts_one_per_invoice_kind_and_day",
        "receipts",
        ["invoice_id", "kind", "day"],
        unique=True,
    )


def _to_invoice() -> sa.Column[str]:
    return sa.Column("invoice_id", sa.String(80), sa.ForeignKey("invoices.id"), nullable=False)
