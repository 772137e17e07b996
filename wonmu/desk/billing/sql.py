"""The embedded billing ledger on a SQL database.

Decides nothing about a request that its unique indexes do not also decide. A failure is a
``LedgerFailure``, never an empty answer (T11). Runs on SQLite and, by URL, on PostgreSQL.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import date
from typing import TypeVar

from sqlalchemy import select, update
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from wonmu import postgres
from wonmu.desk.billing import rows, sql_requests
from wonmu.desk.billing.port import (
    CertificateFee,
    Invoice,
    Payment,
    ReceiptOrder,
    ReceiptResult,
    ReceiptState,
    Refund,
    RefundOrder,
    RefundResult,
    RefundState,
)
from wonmu.desk.billing.results import OPEN_REFUNDS
from wonmu.desk.billing.tables import (
    HEAD,
    MIGRATIONS,
    invoices,
    metadata,
    receipts,
    refunds,
)
from wonmu.emr.sql import fault_of
from wonmu.errors import EmrFault, LedgerFailure
from wonmu.hospital.billing import Certificate
from wonmu.ids import PatientId, RefundKey
from wonmu.storage import close_engine, open_engine, reading, writing

T = TypeVar("T")


async def open_ledger(path_or_url: str, certificates: Iterable[Certificate] = ()) -> SqlLedger:
    """The ledger in a file (usually ``<data>/ledger-<hospital>.sqlite``) or at a URL.

    Raises ``InputError`` when it cannot be used; see ``wonmu.storage.open_engine``.
    """
    engine = await open_engine(path_or_url, metadata, HEAD, MIGRATIONS)
    return SqlLedger(engine, rows.fees(certificates))


class SqlLedger:
    """The port on SQL. Certificates are those of the hospital's settings."""

    def __init__(self, engine: AsyncEngine, certificates: tuple[CertificateFee, ...] = ()) -> None:
        self.engine = engine
        self._certificates = certificates

    async def invoices(self, patient: PatientId) -> tuple[Invoice, ...]:
        async with self._reading("reading invoices") as connection:
            return await sql_requests.read_invoices(connection, patient)

    async def payments(self, patient: PatientId) -> tuple[Payment, ...]:
        """Earliest first."""
        query = sql_requests.payments_of(patient)
        async with self._reading("reading payments") as connection:
            return tuple(rows.payment(row) for row in (await connection.execute(query)).all())

    async def refunds(self, patient: PatientId) -> tuple[Refund, ...]:
        query = sql_requests.REFUNDS.where(invoices.c.patient_id == patient).order_by(
            refunds.c.requested_at.desc(), refunds.c.id
        )
        async with self._reading("reading refunds") as connection:
            return tuple(rows.refund(row) for row in (await connection.execute(query)).all())

    async def certificates(self) -> tuple[CertificateFee, ...]:
        return self._certificates

    async def request_refund(self, order: RefundOrder) -> RefundResult:
        return await self._twice(
            "requesting a refund", lambda on: sql_requests.take_refund(on, order)
        )

    async def request_receipt(self, order: ReceiptOrder) -> ReceiptResult:
        return await self._twice(
            "requesting a receipt", lambda on: sql_requests.take_receipt(on, order)
        )

    # The counter's side, past the port -------------------------------------------------------

    async def settle(
        self,
        key: RefundKey,
        state: RefundState,
        on: date,
        reason: str = "",
        *,
        of: frozenset[RefundState] = OPEN_REFUNDS,
    ) -> bool:
        """Somebody at the counter approves, pays out or rejects a refund; the invoice's version
        grows. False when no refund with this key is in one of the states ``of``."""
        wanted = select(refunds.c.invoice_id, invoices.c.version).join(
            invoices, refunds.c.invoice_id == invoices.c.id
        )
        mine = (refunds.c.key == key, refunds.c.state.in_(of))
        async with self._writing("settling a refund") as connection:
            found = (await connection.execute(wanted.where(*mine))).one_or_none()
            if found is None:
                return False
            settled = rows.settled_day(state, on)
            change = update(refunds).where(*mine)
            await connection.execute(change.values(state=state, settled_on=settled, reason=reason))
            return await sql_requests.grow(connection, found.invoice_id, found.version)

    async def approve(self, key: RefundKey, on: date) -> bool:
        """The counter has taken a request over; False when none is waiting under this key."""
        waiting = frozenset({RefundState.REQUESTED})
        return await self.settle(key, RefundState.APPROVED, on, of=waiting)

    async def hand_out(self, key: RefundKey) -> bool:
        """The counter has issued a receipt; False when none is requested under this key."""
        change = (
            update(receipts)
            .where(receipts.c.key == key, receipts.c.state == ReceiptState.REQUESTED)
            .values(state=ReceiptState.ISSUED)
        )
        async with self._writing("handing out a receipt") as connection:
            return (await connection.execute(change)).rowcount == 1

    async def close(self) -> None:
        await close_engine(self.engine)

    async def _twice(self, doing: str, act: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """Somebody who writes past us may be faster between our look and our insert: the second
        look sees their row and answers properly."""
        try:
            return await self._once(doing, act)
        except IntegrityError:
            pass
        try:
            return await self._once(doing, act)
        except IntegrityError as error:
            raise LedgerFailure(EmrFault.BROKEN, doing) from error

    async def _once(self, doing: str, act: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        async with self._writing(doing) as connection:
            return await act(connection)

    @asynccontextmanager
    async def _reading(self, doing: str) -> AsyncIterator[AsyncConnection]:
        try:
            async with reading(self.engine) as connection:
                yield connection
        except (DBAPIError, PoolTimeout, OSError) as error:
            raise _failure(error, doing) from error

    @asynccontextmanager
    async def _writing(self, doing: str) -> AsyncIterator[AsyncConnection]:
        began = False
        try:
            async with writing(self.engine) as connection:
                began = True
                yield connection
        except IntegrityError:
            raise
        except (DBAPIError, PoolTimeout, OSError) as error:
            raise _failure(error, doing, outcome_known=not began) from error


def _failure(error: Exception, doing: str, *, outcome_known: bool = True) -> LedgerFailure:
    known = outcome_known or (isinstance(error, DBAPIError) and postgres.certainly_undone(error))
    return LedgerFailure(fault_of(error), doing, outcome_known=known)
