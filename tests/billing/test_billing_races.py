"""Many at once, several processes, a killed one: one refund per invoice (B4, N2)."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from typing import Any

import pytest
from billing_parts import DEPARTMENTS, KIM, NOW, receipt_order, refund_order
from stores import StoreAt

from wonmu.desk.billing import sql_requests
from wonmu.desk.billing.port import (
    Invoice,
    ReceiptTaken,
    RefundOpen,
    RefundOrder,
    RefundRejected,
    RefundResult,
    RefundTaken,
)
from wonmu.desk.billing.seed import seed_ledger
from wonmu.desk.billing.sql import SqlLedger, open_ledger

pytestmark = pytest.mark.service


async def opened(where: str) -> tuple[SqlLedger, Invoice]:
    ledger = await open_ledger(where)
    await seed_ledger(ledger, DEPARTMENTS, NOW)
    return ledger, next(bill for bill in await ledger.invoices(KIM) if bill.refundable)


def test_twenty_requests_for_one_invoice_are_one_refund(store_at: StoreAt) -> None:
    path = store_at("ledger")

    async def main() -> None:
        first, bill = await opened(path)
        ledgers = [first, *[await open_ledger(path) for _ in range(3)]]
        results = await asyncio.gather(
            *(ledgers[n % 4].request_refund(refund_order(bill, f"key-{n}")) for n in range(20))
        )
        won = [result for result in results if isinstance(result, RefundTaken)]
        assert len(won) == 1
        assert results.count(RefundOpen(won[0].refund)) == 19
        assert await first.refunds(KIM) == (won[0].refund,)
        for ledger in ledgers:
            await ledger.close()

    asyncio.run(main())


def test_the_same_key_in_parallel_is_one_refund(store_at: StoreAt) -> None:
    path = store_at("ledger")

    async def main() -> None:
        first, bill = await opened(path)
        ledgers = [first, await open_ledger(path)]
        order = refund_order(bill)
        results = await asyncio.gather(*(ledgers[n % 2].request_refund(order) for n in range(20)))
        assert all(isinstance(result, RefundTaken) for result in results)
        replayed = [isinstance(r, RefundTaken) and r.replayed for r in results]
        assert replayed.count(False) == 1
        assert len(await first.refunds(KIM)) == 1
        for ledger in ledgers:
            await ledger.close()

    asyncio.run(main())


def test_twenty_requests_for_one_receipt_are_one(store_at: StoreAt) -> None:
    path = store_at("ledger")

    async def main() -> None:
        first, bill = await opened(path)
        ledgers = [first, await open_ledger(path)]
        results = await asyncio.gather(
            *(ledgers[n % 2].request_receipt(receipt_order(bill, f"key-{n}")) for n in range(20))
        )
        keys = {result.request.key for result in results if isinstance(result, ReceiptTaken)}
        assert len(keys) == 1
        assert len(results) == 20
        for ledger in ledgers:
            await ledger.close()

    asyncio.run(main())


def test_of_consents_to_different_states_one_to_the_present_one_wins(store_at: StoreAt) -> None:
    path = store_at("ledger")

    async def main() -> None:
        ledger, bill = await opened(path)
        results = await asyncio.gather(
            *(
                ledger.request_refund(refund_order(bill, f"key-{n}", version=bill.version + n % 3))
                for n in range(12)
            )
        )
        won = [result for result in results if isinstance(result, RefundTaken)]
        assert len(won) <= 1
        assert all(isinstance(r, RefundTaken | RefundOpen | RefundRejected) for r in results)
        assert len(await ledger.refunds(KIM)) == len(won) == 1
        await ledger.close()

    asyncio.run(main())


def _die_within(path: str) -> None:
    """Dies when the refund is written and not committed."""

    async def dying(connection: Any, order: RefundOrder) -> RefundResult:
        result = await take(connection, order)
        os.kill(os.getpid(), signal.SIGKILL)
        return result

    take, sql_requests.take_refund = sql_requests.take_refund, dying

    async def main() -> None:
        ledger, bill = await opened(path)
        await ledger.request_refund(refund_order(bill))

    asyncio.run(main())


def _die_after(path: str) -> None:
    """Dies when the refund stands and nobody was told."""

    async def main() -> None:
        ledger, bill = await opened(path)
        await ledger.request_refund(refund_order(bill))
        os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(main())


@pytest.mark.parametrize(("die", "replayed"), [(_die_within, False), (_die_after, True)])
def test_a_killed_process_leaves_one_refund_or_none(
    store_at: StoreAt, die: Any, replayed: bool
) -> None:
    path = store_at("ledger")
    asyncio.run(_prepare(path))
    child = multiprocessing.get_context("spawn").Process(target=die, args=(path,))
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL

    async def main() -> None:
        ledger = await open_ledger(path)
        bills = {bill.id: bill for bill in await ledger.invoices(KIM)}
        before = next(b for b in bills.values() if b.paid > b.amount)
        order = refund_order(before, amount=15_000, version=2)
        result = await ledger.request_refund(order)
        assert isinstance(result, RefundTaken)
        assert result.replayed is replayed
        assert await ledger.refunds(KIM) == (result.refund,)
        assert isinstance(await ledger.request_refund(refund_order(before, "other")), RefundOpen)
        await ledger.close()

    asyncio.run(main())


async def _prepare(path: str) -> None:
    ledger, bill = await opened(path)
    assert (bill.refundable, bill.version) == (15_000, 2)
    await ledger.close()
