"""The embedded ledger's tables.

That one key is one request, that an invoice has one refund under way, and that the same receipt is
requested once a day are unique indexes here; code above them only turns a refusal into a clean
answer (B4). Amounts are whole won and never negative.
"""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
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

HEAD = "0001"
MIGRATIONS = "wonmu.desk.billing.migrations"

metadata = MetaData()

# ``version`` grows with every change of the invoice, of its payments and of its refunds.
invoices = Table(
    "invoices",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("patient_id", String(80), nullable=False),
    Column("visit_day", Date, nullable=False),
    Column("department", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("amount", Integer, nullable=False),
    Column("paid", Integer, nullable=False),
    Column("state", String(10), nullable=False),
    Column("version", Integer, nullable=False),
    CheckConstraint("amount >= 0 AND paid >= 0", name="invoices_whole_amounts"),
)
Index("invoices_by_patient", invoices.c.patient_id, invoices.c.visit_day)

payments = Table(
    "payments",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("invoice_id", ForeignKey("invoices.id"), nullable=False, index=True),
    Column("paid_on", Date, nullable=False),
    Column("amount", Integer, nullable=False),
    Column("method", String(10), nullable=False),
    CheckConstraint("amount > 0", name="payments_real_amounts"),
)

# ``key`` and ``call_id`` are empty for a refund that was asked for at the counter.
refunds = Table(
    "refunds",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("key", String(80)),
    Column("invoice_id", ForeignKey("invoices.id"), nullable=False, index=True),
    Column("amount", Integer, nullable=False),
    Column("state", String(10), nullable=False),
    Column("requested_at", Moment, nullable=False),
    Column("settled_on", Date),
    Column("reason", Text, nullable=False),
    Column("call_id", String(80)),
    Column("contact", String(40), nullable=False),
    CheckConstraint("amount > 0", name="refunds_real_amounts"),
)

_UNDER_WAY = text("state IN ('requested', 'approved')")

Index("refunds_one_per_key", refunds.c.key, unique=True)
Index(
    "refunds_one_under_way_per_invoice",
    refunds.c.invoice_id,
    unique=True,
    sqlite_where=_UNDER_WAY,
    postgresql_where=_UNDER_WAY,
)

receipts = Table(
    "receipts",
    metadata,
    Column("key", String(80), primary_key=True),
    Column("invoice_id", ForeignKey("invoices.id"), nullable=False),
    Column("kind", String(10), nullable=False),
    Column("state", String(10), nullable=False),
    Column("day", Date, nullable=False),
    Column("requested_at", Moment, nullable=False),
    Column("call_id", String(80), nullable=False),
    Column("contact", String(40), nullable=False),
)
Index(
    "receipts_one_per_invoice_kind_and_day",
    receipts.c.invoice_id,
    receipts.c.kind,
    receipts.c.day,
    unique=True,
)
