"""What the specialist tools answer: numbers, offers, refusals, failures that stay failures."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest
from billing_parts import (
    CANCELLED,
    DUE,
    FEES,
    KIM,
    NOBODY,
    PaperLedger,
    invoice,
    overpaid,
    payment,
    refund,
)

from wonmu.desk.agents.answer import Facts, ReceiptOffer, RefundOffer
from wonmu.desk.billing.port import ReceiptKind, RefundState
from wonmu.desk.billing.results import (
    IdentityNeeded,
    InvoicesRead,
    LedgerDown,
    NotOffered,
    ReceiptOffered,
    RefundOffered,
    WhyNot,
    invoice_amounts,
)
from wonmu.desk.billing.work import BillingTools
from wonmu.errors import EmrFault, LedgerFailure
from wonmu.hospital.billing import Certificate
from wonmu.ids import InvoiceId, Won

pytestmark = pytest.mark.unit

PAID = invoice("inv-1")
BACK = overpaid()
TIMEOUT = LedgerFailure(EmrFault.TIMEOUT, "invoices")
ALIASES = (Certificate(id="records", name="진료기록 사본", aliases=("의무기록 사본",), fee=1_000),)


def tools(*bills: object, **more: object) -> BillingTools:
    ledger = PaperLedger(tuple(bills), **more)  # type: ignore[arg-type]
    return BillingTools(ledger, KIM, certificates=ALIASES)


# Reading ---------------------------------------------------------------------------------------


def test_invoices_as_the_model_sees_them() -> None:
    async def main() -> None:
        at = tools(PAID, DUE, paid=(payment(PAID), payment(DUE, 2_000)))
        result = await at.lookup_invoice()
        assert json.loads(result.json) == {
            "invoices": [
                {
                    "number": 1,
                    "visit_day": "2026-11-20",
                    "department": "내과",
                    "what": "외래 진료비",
                    "amount": 30_000,
                    "paid": 30_000,
                    "due": 0,
                    "refundable": 0,
                    "state": "paid",
                    "payments": [{"day": "2026-11-20", "amount": 30_000, "method": "card"}],
                },
                {
                    "number": 2,
                    "visit_day": "2026-11-20",
                    "department": "내과",
                    "what": "외래 진료비",
                    "amount": 52_000,
                    "paid": 2_000,
                    "due": 50_000,
                    "refundable": 0,
                    "state": "due",
                    "payments": [{"day": "2026-11-20", "amount": 2_000, "method": "card"}],
                },
            ]
        }
        assert "inv-" not in result.json
        assert at.listed == (PAID.id, DUE.id)
        assert result.facts.read == {"invoices", "payments"}
        assert {30_000, 52_000, 50_000, 2_000, 82_000, 32_000} <= result.facts.amounts

    asyncio.run(main())


def test_none_is_an_empty_list_and_zero_may_be_said() -> None:
    async def main() -> None:
        at = BillingTools(PaperLedger((PAID,)), NOBODY)
        assert (await at.lookup_invoice()).json == '{"invoices": []}'
        assert (await at.refund_status()).json == '{"refunds": []}'
        assert at.facts == Facts(
            frozenset({Won(0)}), frozenset({"invoices", "payments", "refunds"})
        )

    asyncio.run(main())


def test_refunds_tell_which_states_there_are() -> None:
    async def main() -> None:
        back = (refund(BACK), refund(PAID, 4_000, RefundState.REJECTED))
        result = await tools(BACK, back=back).refund_status()
        assert json.loads(result.json)["refunds"][1] == {
            "visit_day": "2026-11-20",
            "what": "외래 진료비",
            "amount": 4_000,
            "state": "rejected",
            "requested_on": "2026-12-01",
            "settled_on": "2026-11-30",
            "reason": None,
        }
        assert result.facts.read == {"refunds", "refund_requested", "refund_rejected"}
        assert {4_000, 15_000} <= result.facts.amounts

    asyncio.run(main())


def test_payments_that_cannot_be_read_take_nothing_from_the_bills() -> None:
    async def main() -> None:
        at = tools(PAID, failing={"payments": [TIMEOUT]})
        result = await at.lookup_invoice()
        assert isinstance(result, InvoicesRead)
        assert "payments" not in json.loads(result.json)["invoices"][0]
        assert result.facts.read == {"invoices"}

    asyncio.run(main())


@pytest.mark.parametrize(
    ("op", "ask"),
    [
        ("invoices", lambda at: at.lookup_invoice()),
        ("refunds", lambda at: at.refund_status()),
        ("invoices", lambda at: at.request_refund()),
        ("refunds", lambda at: at.request_refund()),
        ("invoices", lambda at: at.receipt_request(ReceiptKind.DETAIL)),
        ("certificates", lambda at: at.certificate_fee()),
    ],
)
def test_a_failed_ledger_is_never_an_empty_list(op: str, ask: object) -> None:
    async def main() -> None:
        at = tools(PAID, failing={op: [TIMEOUT]})
        result = await ask(at)  # type: ignore[operator]
        assert result == LedgerDown(EmrFault.TIMEOUT)
        assert result.json == '{"error": "ledger_failed"}'
        assert result.facts == Facts()
        assert at.fault is EmrFault.TIMEOUT

    asyncio.run(main())


def test_nobody_identified_asks_nothing_of_the_ledger() -> None:
    async def main() -> None:
        ledger = PaperLedger((PAID, BACK))
        at = BillingTools(ledger, None)
        for ask in (
            at.lookup_invoice(),
            at.refund_status(),
            at.request_refund(1),
            at.receipt_request(ReceiptKind.RECEIPT, 1),
        ):
            result = await ask
            assert result == IdentityNeeded()
            assert result.json == '{"error": "identity_needed"}'
        assert ledger.asked == []
        assert at.identity_needed
        assert (await at.certificate_fee()).facts.read == {"certificates"}
        assert at.facts.read == {"certificates"}

    asyncio.run(main())


# Refunds and receipts: offered, never written ------------------------------------------------


def test_the_only_refundable_invoice_is_offered_and_nothing_is_written() -> None:
    async def main() -> None:
        ledger = PaperLedger((PAID, BACK, DUE))
        at = BillingTools(ledger, KIM)
        result = await at.request_refund()
        assert result == RefundOffered(2, RefundOffer(BACK, Won(15_000)))
        assert json.loads(result.json) == {
            "refund_offer": {
                "number": 2,
                "visit_day": "2026-11-20",
                "what": "외래 진료비",
                "amount": 15_000,
            }
        }
        assert at.facts.offer == RefundOffer(BACK, Won(15_000))
        assert ledger.orders == []

    asyncio.run(main())


def test_several_are_listed_under_the_numbers_of_the_whole_list() -> None:
    async def main() -> None:
        at = tools(PAID, BACK, DUE, CANCELLED)
        result = await at.request_refund()
        assert isinstance(result, NotOffered)
        assert result.why is WhyNot.WHICH_INVOICE
        shown = json.loads(result.json)
        assert shown["refused"] == "which_invoice"
        assert [each["number"] for each in shown["invoices"]] == [2, 4]
        assert await at.request_refund(4) == RefundOffered(
            4, RefundOffer(CANCELLED, CANCELLED.refundable)
        )

    asyncio.run(main())


@pytest.mark.parametrize(
    ("number", "back", "why"),
    [
        (1, (), WhyNot.NOTHING_REFUNDABLE),
        (3, (refund(DUE),), WhyNot.ALREADY_REQUESTED),
        (1, (refund(DUE),), WhyNot.NOTHING_REFUNDABLE),
        (3, (refund(DUE, state=RefundState.PAID_OUT),), WhyNot.NOTHING_REFUNDABLE),
        (0, (), WhyNot.NO_SUCH_NUMBER),
        (4, (), WhyNot.NO_SUCH_NUMBER),
        (-1, (), WhyNot.NO_SUCH_NUMBER),
    ],
)
def test_why_a_refund_is_not_offered(number: int, back: tuple[object, ...], why: WhyNot) -> None:
    result = asyncio.run(tools(PAID, BACK, DUE, back=back).request_refund(number))
    assert isinstance(result, NotOffered)
    assert result.why is why
    assert json.loads(result.json) == {"refused": why.value}


def test_one_under_way_and_nothing_else_is_told_as_requested_already() -> None:
    result = asyncio.run(tools(PAID, back=(refund(PAID),)).request_refund())
    assert isinstance(result, NotOffered)
    assert result.why is WhyNot.ALREADY_REQUESTED
    assert result.facts.read == {"invoices", "refunds", "refund_requested"}


def test_a_number_means_what_the_model_saw_though_the_ledger_moved_on() -> None:
    async def main() -> None:
        ledger = PaperLedger((PAID, BACK))
        at = BillingTools(ledger, KIM)
        await at.lookup_invoice()
        newest = overpaid("inv-9", 7_000)
        changed = replace(BACK, refundable=Won(9_000), version=5)
        ledger.bills = (newest, PAID, changed)
        assert await at.request_refund(2) == RefundOffered(2, RefundOffer(changed, Won(9_000)))
        ledger.bills = (newest, PAID)
        gone = await at.request_refund(2)
        assert isinstance(gone, NotOffered)
        assert gone.why is WhyNot.NO_SUCH_NUMBER

    asyncio.run(main())


def test_numbers_outlive_the_object_that_gave_them() -> None:
    async def main() -> None:
        kept = (BACK.id, PAID.id)
        at = BillingTools(PaperLedger((PAID, BACK)), KIM, listed=kept)
        assert await at.request_refund(1) == RefundOffered(1, RefundOffer(BACK, Won(15_000)))
        stranger = BillingTools(PaperLedger((PAID,)), KIM, listed=(InvoiceId("inv-of-another"),))
        result = await stranger.request_refund(1)
        assert isinstance(result, NotOffered)
        assert result.why is WhyNot.NO_SUCH_NUMBER

    asyncio.run(main())


@pytest.mark.parametrize("kind", list(ReceiptKind))
def test_a_receipt_of_the_only_paid_invoice_is_offered(kind: ReceiptKind) -> None:
    result = asyncio.run(tools(DUE, PAID).receipt_request(kind))
    assert result == ReceiptOffered(2, ReceiptOffer(PAID, kind))
    assert json.loads(result.json) == {
        "receipt_offer": {"number": 2, "visit_day": "2026-11-20", "kind": kind.value}
    }


def test_why_a_receipt_is_not_offered() -> None:
    async def main() -> None:
        at = tools(PAID, BACK, DUE, CANCELLED)
        several = await at.receipt_request(ReceiptKind.RECEIPT)
        assert isinstance(several, NotOffered)
        assert [each.number for each in several.choices] == [1, 2]
        for number, why in ((3, WhyNot.NOT_PAID), (4, WhyNot.NOT_PAID), (9, WhyNot.NO_SUCH_NUMBER)):
            result = await at.receipt_request(ReceiptKind.RECEIPT, number)
            assert result == NotOffered(why)
        assert await tools(DUE).receipt_request(ReceiptKind.DETAIL) == NotOffered(WhyNot.NOT_PAID)

    asyncio.run(main())


# Certificates ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (None, ["진단서", "영문진단서", "진료기록 사본"]),
        (" ", ["진단서", "영문진단서", "진료기록 사본"]),
        ("진단서", ["진단서"]),
        ("영문 진단서", ["영문진단서"]),
        ("영문 진단서 떼는 데", ["영문진단서"]),
        ("진단서랑 진료기록 사본", ["진단서", "진료기록 사본"]),
        ("의무기록 사본", ["진료기록 사본"]),
        ("사본", ["진료기록 사본"]),
    ],
)
def test_which_certificate_is_meant(asked: str | None, names: list[str]) -> None:
    result = asyncio.run(tools().certificate_fee(asked))
    assert [each["name"] for each in json.loads(result.json)["certificates"]] == names


def test_a_certificate_that_is_not_published_is_none_and_the_others_are_named() -> None:
    result = asyncio.run(tools().certificate_fee("장애인 증명서"))
    assert json.loads(result.json) == {
        "certificates": [],
        "others": ["진단서", "영문진단서", "진료기록 사본"],
    }
    assert result.facts == Facts(frozenset(), frozenset({"certificates"}))


def test_fees_in_notes_may_be_told() -> None:
    result = asyncio.run(tools().certificate_fee())
    assert result.facts.amounts == {20_000, 1_000, 21_000, 25_000, 50_000, 2_000, 100}
    assert json.loads(result.json)["certificates"][1] == {
        "name": "영문진단서",
        "fee": 25_000,
        "copy_fee": None,
        "note": FEES[1].note,
    }


# Amounts ---------------------------------------------------------------------------------------


def test_totals_of_a_truthful_answer_are_allowed_and_others_are_not() -> None:
    amounts = invoice_amounts([PAID, BACK, DUE, CANCELLED])
    # What is due, what comes back, what was paid, what all came to.
    for amount in (50_000, 45_000, 107_000, 142_000):
        assert amount in amounts
    assert Won(51_000) not in amounts
    assert invoice_amounts([]) == {0}


def test_the_newest_offer_counts() -> None:
    async def main() -> None:
        at = tools(PAID, BACK)
        await at.request_refund()
        await at.receipt_request(ReceiptKind.DETAIL, 1)
        assert at.facts.offer == ReceiptOffer(PAID, ReceiptKind.DETAIL)
        assert len(at.results) == 2
        assert at.fault is None
        assert not at.identity_needed

    asyncio.run(main())
