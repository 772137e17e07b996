"""The embedded ledger on both databases: what it answers, refuses, and never does twice (B4)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from billing_parts import DEPARTMENTS, KIM, LEE, NOBODY, NOW, receipt_order, refund_order
from sqlalchemy import delete, insert, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection
from stores import StoreAt

from wonmu.desk.billing import sql_requests
from wonmu.desk.billing.port import (
    Invoice,
    InvoiceState,
    ReceiptKind,
    ReceiptRefusal,
    ReceiptRejected,
    ReceiptResult,
    ReceiptTaken,
    RefundOpen,
    RefundOrder,
    RefundRefusal,
    RefundRejected,
    RefundResult,
    RefundState,
    RefundTaken,
)
from wonmu.desk.billing.rows import refundable
from wonmu.desk.billing.seed import seed_ledger
from wonmu.desk.billing.sql import SqlLedger, open_ledger
from wonmu.desk.billing.tables import HEAD, MIGRATIONS, invoices, metadata, refunds
from wonmu.errors import InputError, LedgerFailure, ProgrammingError
from wonmu.hospital.billing import Certificate
from wonmu.ids import InvoiceId, PatientId, RefundKey, Won
from wonmu.migrate import difference, upgrade
from wonmu.storage import close_engine, open_engine, version_table, writing

pytestmark = pytest.mark.service

CERTIFICATES = (Certificate(id="diagnosis", name="진단서", fee=20_000, copy_fee=1_000),)


@asynccontextmanager
async def ledger_at(where: str) -> AsyncIterator[SqlLedger]:
    ledger = await open_ledger(where, CERTIFICATES)
    await seed_ledger(ledger, DEPARTMENTS, NOW)
    try:
        yield ledger
    finally:
        await ledger.close()


async def refundable_of(ledger: SqlLedger, patient: PatientId = KIM) -> Invoice:
    return next(bill for bill in await ledger.invoices(patient) if bill.refundable)


async def by_id(ledger: SqlLedger, bill: Invoice) -> Invoice:
    return next(each for each in await ledger.invoices(bill.patient_id) if each.id == bill.id)


def taken(result: RefundResult | ReceiptResult) -> bool:
    return isinstance(result, RefundTaken | ReceiptTaken) and not result.replayed


# Reading -------------------------------------------------------------------------------------


def test_the_demo_bills(store_at: StoreAt) -> None:
    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            states = Counter(bill.state for bill in await ledger.invoices(KIM))
            assert states == {
                InvoiceState.PAID: 1,
                InvoiceState.DUE: 1,
                InvoiceState.OVERPAID: 1,
            }
            assert [b.refundable for b in await ledger.invoices(LEE)] == [100_000, 12_000]
            assert await ledger.invoices(NOBODY) == ()
            assert await ledger.refunds(NOBODY) == ()
            assert await ledger.payments(NOBODY) == ()
            every = await ledger.refunds(PatientId("p-0007"))
            assert {refund.state for refund in every} == set(RefundState)
            assert [r.requested_at for r in every] == sorted(
                (r.requested_at for r in every), reverse=True
            )
            settled = {refund.state for refund in every if refund.settled_on is not None}
            assert settled == {RefundState.PAID_OUT, RefundState.REJECTED}
            assert all(refund.requested_at < NOW for refund in every)
            (fee,) = await ledger.certificates()
            assert (fee.name, fee.fee, fee.copy_fee, fee.note) == ("진단서", 20_000, 1_000, "")

    asyncio.run(main())


def test_invoices_and_payments_agree_and_latest_visits_come_first(store_at: StoreAt) -> None:
    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            for number in range(1, 15):
                patient = PatientId(f"p-{number:04d}")
                bills = await ledger.invoices(patient)
                assert [b.visit_day for b in bills] == sorted(
                    (b.visit_day for b in bills), reverse=True
                )
                paid = Counter[InvoiceId]()
                for payment in await ledger.payments(patient):
                    paid[payment.invoice_id] += payment.amount
                assert {bill.id: bill.paid for bill in bills if bill.paid} == dict(paid)
                assert all(b.visit_day < NOW.date() and b.visit_day.weekday() < 6 for b in bills)

    asyncio.run(main())


def test_seeding_again_changes_nothing(store_at: StoreAt) -> None:
    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            before = await ledger.invoices(KIM)
            assert await seed_ledger(ledger, DEPARTMENTS, NOW + timedelta(days=40)) == 0
            assert await ledger.invoices(KIM) == before

    asyncio.run(main())


@pytest.mark.parametrize(
    ("state", "amount", "paid", "asked_back", "back"),
    [
        (InvoiceState.OVERPAID, 30_000, 45_000, 0, 15_000),
        (InvoiceState.OVERPAID, 30_000, 45_000, 15_000, 0),
        (InvoiceState.OVERPAID, 30_000, 45_000, 20_000, 0),
        (InvoiceState.CANCELLED, 30_000, 30_000, 0, 30_000),
        (InvoiceState.CANCELLED, 30_000, 0, 0, 0),
        (InvoiceState.PAID, 30_000, 30_000, 0, 0),
        (InvoiceState.DUE, 30_000, 10_000, 0, 0),
    ],
)
def test_what_is_refundable(
    state: InvoiceState, amount: int, paid: int, asked_back: int, back: int
) -> None:
    assert refundable(state, amount, paid, asked_back) == back


# Refunds -------------------------------------------------------------------------------------


def test_a_refund_is_taken_once_and_the_invoice_moves_on(store_at: StoreAt) -> None:
    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            bill = await refundable_of(ledger)
            result = await ledger.request_refund(refund_order(bill))
            assert isinstance(result, RefundTaken)
            assert (result.refund.amount, result.refund.state) == (15_000, RefundState.REQUESTED)
            assert result.refund.requested_at == NOW
            assert await ledger.refunds(KIM) == (result.refund,)
            now = await by_id(ledger, bill)
            assert (now.refundable, now.version) == (0, bill.version + 1)
            again = await ledger.request_refund(refund_order(bill))
            assert again == RefundTaken(result.refund, replayed=True)
            other = await ledger.request_refund(refund_order(bill, "another-key"))
            assert other == RefundOpen(result.refund)
            assert len(await ledger.refunds(KIM)) == 1

    asyncio.run(main())


def test_what_is_refused_writes_nothing(store_at: StoreAt) -> None:
    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            bill = await refundable_of(ledger)
            plain = next(b for b in await ledger.invoices(KIM) if b.state is InvoiceState.PAID)
            order = refund_order(bill)
            for wrong, why in (
                (replace(order, amount=Won(14_999)), RefundRefusal.AMOUNT_CHANGED),
                (replace(order, amount=Won(15_001)), RefundRefusal.AMOUNT_CHANGED),
                (replace(order, version=bill.version - 1), RefundRefusal.AMOUNT_CHANGED),
                (replace(order, version=bill.version + 1), RefundRefusal.AMOUNT_CHANGED),
                (replace(order, patient_id=LEE), RefundRefusal.NOT_YOURS),
                (replace(order, invoice_id=InvoiceId("inv-no")), RefundRefusal.NOT_YOURS),
                (refund_order(plain, amount=1), RefundRefusal.NOTHING_REFUNDABLE),
            ):
                assert await ledger.request_refund(wrong) == RefundRejected(why)
            assert await ledger.refunds(KIM) == ()
            assert await by_id(ledger, bill) == bill

    asyncio.run(main())


def test_a_key_is_one_refund(store_at: StoreAt) -> None:
    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            first, second = await ledger.invoices(LEE)
            await ledger.request_refund(refund_order(first))
            with pytest.raises(ProgrammingError, match="two different refunds"):
                await ledger.request_refund(refund_order(second))
            assert taken(await ledger.request_refund(refund_order(second, "second-key")))

    asyncio.run(main())


def test_the_counter_settles_a_refund(store_at: StoreAt) -> None:
    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            bill = await refundable_of(ledger)
            order = refund_order(bill)
            await ledger.request_refund(order)
            today = NOW.date()
            assert await ledger.settle(order.key, RefundState.APPROVED, today)
            assert await ledger.request_refund(order) != RefundRejected(RefundRefusal.NOT_YOURS)
            assert await ledger.settle(order.key, RefundState.REJECTED, today, "중복 신청")
            assert not await ledger.settle(order.key, RefundState.PAID_OUT, today)
            assert not await ledger.settle(RefundKey("no-such-key"), RefundState.APPROVED, today)
            (refund,) = await ledger.refunds(KIM)
            assert (refund.settled_on, refund.reason) == (today, "중복 신청")
            # What was rejected can be asked for again, and an old consent no longer counts.
            now = await by_id(ledger, bill)
            assert (now.refundable, now.version) == (15_000, bill.version + 3)
            stale = refund_order(bill, "again")
            assert await ledger.request_refund(stale) == RefundRejected(
                RefundRefusal.AMOUNT_CHANGED
            )
            assert taken(await ledger.request_refund(refund_order(now, "again")))

    asyncio.run(main())


def test_the_database_itself_refuses_a_second_refund_under_way(store_at: StoreAt) -> None:
    """Whoever writes past the program meets the unique index."""

    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            bill = await refundable_of(ledger)
            await ledger.request_refund(refund_order(bill))
            row = {
                "id": "past-us",
                "key": "past-us",
                "invoice_id": bill.id,
                "amount": 1,
                "state": RefundState.APPROVED,
                "requested_at": NOW,
                "reason": "",
                "contact": "",
            }
            with pytest.raises(IntegrityError):
                async with writing(ledger.engine) as connection:
                    await connection.execute(insert(refunds).values(row))
            async with writing(ledger.engine) as connection:
                await connection.execute(
                    insert(refunds).values({**row, "state": RefundState.REJECTED})
                )

    asyncio.run(main())


# Receipts ------------------------------------------------------------------------------------


def test_a_receipt_is_requested_once_a_day(store_at: StoreAt) -> None:
    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            bill = await refundable_of(ledger)
            order = receipt_order(bill)
            first = await ledger.request_receipt(order)
            assert isinstance(first, ReceiptTaken)
            assert taken(first)
            assert await ledger.request_receipt(order) == replace(first, replayed=True)
            same = await ledger.request_receipt(receipt_order(bill, "second-key"))
            assert same == replace(first, replayed=True)
            assert taken(
                await ledger.request_receipt(receipt_order(bill, "third-key", ReceiptKind.DETAIL))
            )
            tomorrow = replace(order, key=RefundKey("fourth-key"), at=NOW + timedelta(days=1))
            assert taken(await ledger.request_receipt(tomorrow))
            with pytest.raises(ProgrammingError, match="two different receipts"):
                await ledger.request_receipt(replace(order, kind=ReceiptKind.YEAR_END))
            assert await by_id(ledger, bill) == bill
            assert await ledger.hand_out(order.key)
            assert not await ledger.hand_out(order.key)

    asyncio.run(main())


def test_a_day_is_a_day_in_seoul(store_at: StoreAt) -> None:
    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            bill = await refundable_of(ledger)
            late = replace(receipt_order(bill), at=NOW.replace(hour=23, minute=59))
            next_day = replace(
                receipt_order(bill, "second-key"),
                at=NOW.replace(hour=23, minute=59) + timedelta(minutes=2),
            )
            assert taken(await ledger.request_receipt(late))
            assert taken(await ledger.request_receipt(next_day))

    asyncio.run(main())


def test_a_receipt_is_for_what_one_has_paid(store_at: StoreAt) -> None:
    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            due = next(b for b in await ledger.invoices(KIM) if b.state is InvoiceState.DUE)
            cancelled, overpaid = await ledger.invoices(LEE)
            not_paid = ReceiptRejected(ReceiptRefusal.NOT_PAID)
            assert await ledger.request_receipt(receipt_order(due)) == not_paid
            assert await ledger.request_receipt(receipt_order(cancelled)) == not_paid
            stranger = replace(receipt_order(overpaid), patient_id=KIM)
            assert await ledger.request_receipt(stranger) == ReceiptRejected(
                ReceiptRefusal.NOT_YOURS
            )

    asyncio.run(main())


# The store -----------------------------------------------------------------------------------


def test_migrations_lead_to_the_tables(store_at: StoreAt) -> None:
    async def main() -> None:
        table = version_table(MIGRATIONS)
        fresh = await open_engine(store_at("fresh"), metadata, HEAD, MIGRATIONS)
        await close_engine(fresh)
        empty = type(metadata)()
        blank = await open_engine(store_at("old"), empty, "none", MIGRATIONS)
        async with writing(blank) as connection:
            await connection.execute(text(f"DELETE FROM {table}"))
            await connection.run_sync(upgrade, MIGRATIONS, table)
        async with writing(blank) as connection:
            assert await connection.run_sync(difference, metadata, table) == []
        await close_engine(blank)

    asyncio.run(main())


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_text("not a ledger", encoding="utf-8")
    with pytest.raises(InputError):
        asyncio.run(open_ledger(str(path)))
    assert path.read_text(encoding="utf-8") == "not a ledger"


def test_a_broken_ledger_fails_and_is_never_empty(store_at: StoreAt) -> None:
    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            bill = await refundable_of(ledger)
            async with writing(ledger.engine) as connection:
                for table in ("receipts", "refunds", "payments", "invoices"):
                    await connection.execute(text(f"DROP TABLE {table}"))
            for ask in (ledger.invoices, ledger.payments, ledger.refunds):
                with pytest.raises(LedgerFailure) as failed:
                    await ask(KIM)
                assert failed.value.outcome_known
                assert "김" not in str(failed.value)
            with pytest.raises(LedgerFailure):
                await ledger.request_refund(refund_order(bill))
            with pytest.raises(LedgerFailure):
                await ledger.request_receipt(receipt_order(bill))

    asyncio.run(main())


def test_a_refusal_twice_in_a_row_is_a_failure(
    store_at: StoreAt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row of somebody who writes past us, which even the second look does not show."""
    seen: list[RefundOrder] = []

    async def collide(connection: AsyncConnection, order: RefundOrder) -> RefundResult:
        seen.append(order)
        row = {"id": "x", "patient_id": KIM, "visit_day": date(2026, 1, 1), "department": "내과"}
        more = {"what": "x", "amount": 1, "paid": 0, "state": "due", "version": 1}
        await connection.execute(delete(invoices).where(invoices.c.id == "x"))
        for _ in range(2):
            await connection.execute(insert(invoices).values(**row, **more))
        raise AssertionError("the second insert must fail")

    monkeypatch.setattr(sql_requests, "take_refund", collide)

    async def main() -> None:
        async with ledger_at(store_at("ledger")) as ledger:
            with pytest.raises(LedgerFailure):
                await ledger.request_refund(refund_order(await refundable_of(ledger)))
            assert len(seen) == 2

    asyncio.run(main())
