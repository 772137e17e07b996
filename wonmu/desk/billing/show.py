"""What an embedded ledger holds, one printable object each (``wonmu ledger show --json``).

For engineers and scripts on a machine that they own. Reads everything, decides nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import date
from enum import Enum
from typing import Any

from sqlalchemy import Row

from wonmu.desk.billing import sql_requests
from wonmu.desk.billing.sql import SqlLedger
from wonmu.desk.billing.tables import receipts, refunds
from wonmu.ids import PatientId
from wonmu.storage import reading


async def show(
    ledger: SqlLedger, patient: PatientId | None = None
) -> AsyncIterator[dict[str, Any]]:
    """Invoices, payments, refunds and requests for receipts; of one patient, if one is given."""
    async with reading(ledger.engine) as connection:
        bills = await sql_requests.read_invoices(connection, patient)
        paid = (await connection.execute(sql_requests.payments_of(patient))).all()
        back = (await connection.execute(sql_requests.REFUNDS.order_by(refunds.c.id))).all()
        papers = (await connection.execute(sql_requests.RECEIPTS.order_by(receipts.c.key))).all()
    for bill in bills:
        yield {"kind": "invoice", **_printed({**asdict(bill), "due": bill.due})}
    for kind, rows in (("payment", paid), ("refund", back), ("receipt", papers)):
        for row in rows:
            if patient in (None, row.patient_id):
                yield {"kind": kind, **_of_row(kind, row)}


def _of_row(kind: str, row: Row[Any]) -> dict[str, Any]:
    """What a receipt is of stands in the field ``document``, as ``kind`` says what the row is."""
    values = dict(row._mapping)
    if kind == "receipt":
        values["document"] = values.pop("kind")
        values.pop("amount")
    return _printed(values)


def _printed(values: dict[str, Any]) -> dict[str, Any]:
    """Days and moments as ISO texts, enums as their words."""
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if isinstance(value, date) else value
