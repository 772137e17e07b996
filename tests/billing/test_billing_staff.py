"""What staff sees of refunds and receipts, and the ledger printed (A8)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from billing_parts import KIM, NOW, receipt_order, refund_order
from typer.testing import CliRunner

from wonmu.cli import app
from wonmu.clock import FixedClock
from wonmu.desk.billing.guard import GuardedLedger
from wonmu.desk.billing.port import InvoiceState, ReceiptKind, RefundState, RefundTaken
from wonmu.desk.billing.sql import SqlLedger
from wonmu.desk.billing.stores import ledgers_in
from wonmu.hospital import Hospital, load_hospitals
from wonmu.office import Office, open_office
from wonmu.place import Database, Folder, Place

pytestmark = pytest.mark.service

HANBIT, ONNURI, SAEBOM = (load_hospitals().pick(name) for name in ("hanbit", "onnuri", "saebom"))


@pytest.fixture
def place(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if backend == "sqlite":
        return Folder(tmp_path)
    return Database(request.getfixturevalue("database"))


def said(place: Place, *words: str) -> str:
    where = ("--data", str(place.path)) if isinstance(place, Folder) else ("--db", place.url)
    result = CliRunner().invoke(app, [*words, *where])
    assert result.exit_code == 0, result.output
    return result.output


def printed(place: Place, *words: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said(place, *words, "--json").splitlines()]


async def opened(hospital: Hospital, place: Place) -> Office:
    return await open_office(hospital, place, FixedClock(NOW))


async def asked(hospital: Hospital, place: Place) -> None:
    office = await opened(hospital, place)
    ledger = office.ledger
    assert ledger is not None
    bills = await ledger.invoices(KIM)
    back = next(bill for bill in bills if bill.refundable)
    paid = next(bill for bill in bills if bill.state is InvoiceState.PAID)
    assert isinstance(await ledger.request_refund(refund_order(back)), RefundTaken)
    await ledger.request_receipt(receipt_order(paid, kind=ReceiptKind.DETAIL))
    await office.close()


def test_staff_sees_what_was_asked_for(place: Place) -> None:
    asyncio.run(asked(HANBIT, place))
    receipt, refund = sorted(printed(place, "inbox"), key=lambda row: str(row["kind"]))
    assert refund == {
        "kind": "refund_request",
        "state": "open",
        "patient": {"name": "김민수", "birth_date": "1985-03-12", "phone": "01000001234"},
        "contact": "01000001234",
        "department": "내과",
        "doctor": None,
        "start": None,
        "insurance": None,
        "note": "환불 신청 15,000원: 11월 5일 목요일 내과 검사비, 청구 inv-0003",
        "window": None,
        "key": "refund-key-1",
        "created_at": NOW.isoformat(),
        "call_id": "call-1",
        "amount": 15_000,
    }
    assert (receipt["kind"], receipt["key"]) == ("receipt_request", "receipt-key-1")
    assert receipt["note"].startswith("진료비 세부내역서 신청: 11월 20일 금요일 내과")
    assert receipt["amount"] == 35_000
    plain = said(place, "inbox")
    assert "kind=refund_request" in plain
    assert "amount=15000" in plain


def test_worked_off_it_is_done_and_stays_in_the_list(place: Place) -> None:
    asyncio.run(asked(HANBIT, place))
    for key in ("refund-key-1", "receipt-key-1"):
        (row,) = [r for r in printed(place, "inbox", "--done", key) if r["key"] == key]
        assert row["state"] == "done"
        where = ("--data", str(place.path)) if isinstance(place, Folder) else ("--db", place.url)
        again = CliRunner().invoke(app, ["inbox", "--done", key, *where])
        assert again.exit_code != 0
    (row,) = printed(place, "inbox", "--key", "refund-key-1")
    assert row["state"] == "done"
    (refund,) = [
        r for r in printed(place, "ledger", "show", "--patient", KIM) if r["kind"] == "refund"
    ]
    assert refund["state"] == RefundState.APPROVED


def test_bills_of_the_counter_are_nothing_to_work_off(place: Place) -> None:
    async def main() -> None:
        await (await opened(HANBIT, place)).close()

    asyncio.run(main())
    assert printed(place, "inbox") == []


def test_the_ledger_printed(place: Place) -> None:
    asyncio.run(asked(ONNURI, place))
    mine = printed(place, "ledger", "show", "--patient", KIM)
    assert [row["kind"] for row in mine] == [
        *["invoice"] * 3,
        *["payment"] * 2,
        "refund",
        "receipt",
    ]
    refund, receipt = mine[-2:]
    assert (refund["amount"], refund["key"], refund["state"]) == (
        15_000,
        "refund-key-1",
        "requested",
    )
    assert (receipt["document"], receipt["patient_id"]) == ("detail", KIM)
    due = next(row for row in mine if row["kind"] == "invoice" and row["state"] == "due")
    assert (due["amount"], due["due"], due["visit_day"]) == (52_000, 52_000, "2026-11-26")
    assert len(printed(place, "ledger", "show")) > len(mine)
    assert printed(place, "ledger", "show", "--patient", "p-0009") == []
    assert "nothing in the ledger" in said(place, "ledger", "show", "--patient", "p-0009")
    assert printed(place, "ledger", "show", "--hospital", "onnuri", "--patient", KIM) == mine


def test_ledgers_are_found_without_settings(place: Place) -> None:
    async def main() -> None:
        assert await ledgers_in(place) == ()
        for hospital in (ONNURI, HANBIT, SAEBOM):
            office = await opened(hospital, place)
            await office.close()
        assert await ledgers_in(place) == ("hanbit", "onnuri")

    asyncio.run(main())


def test_a_hospital_without_billing_has_no_ledger(tmp_path: Path) -> None:
    async def main() -> None:
        office = await open_office(SAEBOM, tmp_path, FixedClock(NOW))
        assert office.ledger is None
        await office.close()
        assert await ledgers_in(Folder(tmp_path)) == ()
        office = await open_office(HANBIT, tmp_path, FixedClock(NOW))
        assert isinstance(office.ledger, GuardedLedger)
        assert isinstance(office.ledger.inner, SqlLedger)
        fees = await office.ledger.certificates()
        assert [fee.name for fee in fees][:2] == ["진단서", "영문진단서"]
        await office.close()

    asyncio.run(main())


@pytest.mark.parametrize("words", [("ledger", "show"), ("ledger", "show", "--hospital", "hanbit")])
def test_no_ledger_is_one_sentence(tmp_path: Path, words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, [*words, "--data", str(tmp_path)])
    assert result.exit_code != 0
    assert "no billing ledger" in str(result.exception)
