"""What the results of specialist tools come to in words: short, exact, and only what was found.

Decides the wording from the tools' JSON and from what was asked. An empty list is "none", a failure
is told as one, an offer as something that can be done; nothing is ever told as done that no tool
returned as done (T11, T12).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wonmu.korean.billing_topics import BillingTopic, read_billing, wants_refund
from wonmu.korean.josa import with_josa
from wonmu.model.offline.billing_needs import fitting, names_a_bill, read_bills
from wonmu.model.offline.history import Made
from wonmu.model.offline.phrases import phrase, sentence

_MOST = 3
"""Entries told one after the other; more nobody keeps in mind on a telephone."""
_LONGEST_NAME = 40
_DUE = re.compile(
    r"미납|미수|연체|체납|(?:낼|내야|납부할|수납할|결제할|남은|밀린|안\s*낸|못\s*낸|덜\s*낸|안\s*내고|더\s*낼)|"
    r"(?:수납|결제|납부|정산)\s*(?:을|를|좀)?\s*(?:하려|하고\s*싶|할게|해야|할라|할려|하러)|얼마\s*(?:를\s*)?(?:내|드려)|"
    r"잔액|잔금|얼마\s*남"
)
_PAID = re.compile(
    r"(?:결제|수납|납부|입금|계산|이체|카드)[가-힣]{0,3}\s*(?:안\s*)?(?:됐|되었|돼|되어|했|한\s*거|한\s*건|된|확인|내역|여부|완료)|냈"
)
_LIVE = frozenset({"requested", "approved"})
Entry = Mapping[str, Any]


def tell(words: str, made: Sequence[Made]) -> str:
    """The results of these calls as one message; empty when there is nothing to tell."""
    billing = [each for each in made if sentence(f"failed_{each.name}") and each.name]
    bodies = {each.name: each.body for each in billing}
    told = [*_refunds_and_bills(words, bodies), *_offers(billing), *_fees(bodies)]
    failed = [each.name for each in billing if not _usable(each)]
    if any((each.body or {}).get("error") == "identity_needed" for each in billing):
        told.append(phrase("identity"))
    if failed:
        what = ", ".join(phrase(f"failed_{name}") for name in dict.fromkeys(failed))
        told.append(phrase("failed", what=with_josa(what, "을/를")))
    return " ".join(dict.fromkeys(part for part in told if part))


def day_of(text: object) -> str:
    """ "2026-11-20" → "11월 20일"; empty for anything else."""
    found = re.fullmatch(r"\d{4}-(\d{2})-(\d{2})", text) if isinstance(text, str) else None
    return f"{int(found.group(1))}월 {int(found.group(2))}일" if found else ""


def won(amount: object) -> str:
    """35000 → "35,000원"; empty for what is no amount."""
    if isinstance(amount, bool) or not isinstance(amount, int) or amount < 0:
        return ""
    return f"{amount:,}원"


def _usable(made: Made) -> bool:
    """Whether a result says anything: JSON of a known shape whose entries can be read."""
    body = made.body
    if body is None:
        return False
    if "error" in body:
        return bool(body["error"] == "identity_needed")
    if "refused" in body:
        return bool(sentence(f"refused_{body['refused']}"))
    for key, of in (("invoices", "amount"), ("refunds", "amount"), ("certificates", "fee")):
        if key in body:
            return _sound(body[key], of)
    return _readable_offer(body)


def _sound(listed: object, amount: str) -> bool:
    return isinstance(listed, list) and all(
        isinstance(entry, Mapping) and won(entry.get(amount)) for entry in listed
    )


def _readable_offer(body: Entry) -> bool:
    refund, receipt = body.get("refund_offer"), body.get("receipt_offer")
    if isinstance(refund, Mapping):
        return bool(won(refund.get("amount")))
    return isinstance(receipt, Mapping) and bool(sentence(f"kind_{receipt.get('kind')}"))


def _entries(body: Entry | None, key: str, amount: str) -> list[Entry] | None:
    """The list of a result; None when there is none that can be read."""
    if body is None or "refused" in body or not _sound(body.get(key), amount):
        return None
    return list(body[key])


# Bills ---------------------------------------------------------------------------------------


def _refunds_and_bills(words: str, bodies: Mapping[str, Entry | None]) -> Iterable[str]:
    bills = _entries(bodies.get("lookup_invoice"), "invoices", "amount")
    refunds = _entries(bodies.get("refund_status"), "refunds", "amount")
    topics = read_billing(words)
    asked = BillingTopic.REFUND_WANTED in topics and not wants_refund(words)
    only_refund = asked and BillingTopic.INVOICE not in topics
    if bills is not None and not only_refund and _bills_wanted(words, bodies):
        yield from _bills(words, bills)
    live = [r for r in refunds or () if r.get("state") in _LIVE]
    if bills is not None and asked:
        yield from _back(bills, told_with_bill=not only_refund, none_is_true=not live)
    if refunds is not None and (BillingTopic.REFUND_STATUS in topics or not asked):
        yield from _refunds(refunds)
    elif live:
        yield from _refunds(live)


def _bills_wanted(words: str, bodies: Mapping[str, Entry | None]) -> bool:
    """A list that was only read to find a number is not told."""
    asked = not read_billing(words) or BillingTopic.INVOICE in read_billing(words)
    return asked or not bodies.keys() & {"request_refund", "receipt_request"}


def _bills(words: str, bills: Sequence[Entry]) -> Iterable[str]:
    if not bills:
        yield phrase("bills_none")
        return
    numbers = fitting(words, read_bills(bills)) if names_a_bill(words) else ()
    whole = True
    if names_a_bill(words) and not numbers:
        yield phrase("refused_no_such_number")
    elif len(numbers) < len(bills) and numbers:
        bills, whole = [bill for bill in bills if bill.get("number") in numbers], False
    due = [bill for bill in bills if _amount(bill, "due")]
    if _DUE.search(words) and not _PAID.search(words) and (due or whole):
        yield from _due(due)
        return
    open_ones = [bill for bill in bills if _amount(bill, "due") or _amount(bill, "refundable")]
    shown = [bills[0], *(bill for bill in open_ones if bill is not bills[0])][:_MOST]
    for bill in shown:
        yield _bill(bill)
    if len(shown) == 1 and _PAID.search(words):
        yield from _payments(shown[0])
    if len(bills) > len(shown):
        yield phrase("bills_more", count=str(len(bills) - len(shown)))


def _due(due: Sequence[Entry]) -> Iterable[str]:
    if not due:
        yield phrase("bills_no_due")
        return
    if len(due) > 1:
        yield phrase("bills_due_total", amount=won(sum(_amount(bill, "due") for bill in due)))
    for bill in due[:_MOST]:
        yield _bill(bill)


def _bill(bill: Entry) -> str:
    """One bill: what it came to and what is open."""
    parts = {
        "bill": with_josa(_bill_name(bill), "은/는"),
        "amount": won(bill.get("amount")),
        "paid": won(bill.get("paid")) or won(0),
        "due": won(bill.get("due")) or won(0),
        "back": won(bill.get("refundable")) or won(0),
    }
    back = "_back" if _amount(bill, "refundable") else ""
    match bill.get("state"):
        case "cancelled":
            name = f"bill_cancelled{back}"
        case "overpaid":
            name = f"bill_over{back}"
        case "due" | None if _amount(bill, "due"):
            name = "bill_part" if _amount(bill, "paid") else "bill_due"
        case "paid":
            name = "bill_paid" if _amount(bill, "paid") else "bill_zero"
        case _:
            name = "bill_over"
    return phrase(name, **parts)


def _bill_name(bill: Entry) -> str:
    name = phrase(
        "bill",
        day=day_of(bill.get("visit_day")),
        department=_name(bill.get("department")),
        what=_name(bill.get("what")) or "진료비",
    )
    return " ".join(name.split())


def _payments(bill: Entry) -> Iterable[str]:
    payments = bill.get("payments")
    if not isinstance(payments, list) or not _sound(payments, "amount"):
        return
    if bill.get("state") == "cancelled":
        return
    for payment in payments[:2]:
        day = day_of(payment.get("day"))
        if day:
            key = f"method_{payment.get('method')}"
            method = sentence(key)
            told = phrase("bill_payment", day=day, method=method, amount=won(payment["amount"]))
            yield " ".join(told.split())


# Refunds and offers --------------------------------------------------------------------------


def _back(bills: Sequence[Entry], *, told_with_bill: bool, none_is_true: bool) -> Iterable[str]:
    """What may be asked back. "None" only when no refund under way says otherwise."""
    found = [bill for bill in bills if _amount(bill, "refundable")]
    if not found and none_is_true:
        yield phrase("back_none")
    for bill in [] if told_with_bill else found[:_MOST]:
        yield phrase("back", bill=_bill_name(bill), amount=won(bill["refundable"]))


def _refunds(refunds: Sequence[Entry]) -> Iterable[str]:
    if not refunds:
        yield phrase("refunds_none")
    for refund in refunds[:_MOST]:
        yield _refund(refund)
    if len(refunds) > _MOST:
        yield phrase("refunds_more", count=str(len(refunds) - _MOST))


def _refund(refund: Entry) -> str:
    state, reason = refund.get("state"), refund.get("reason")
    on = day_of(refund.get("settled_on" if state == "paid_out" else "requested_on"))
    told = phrase(
        "refund",
        day=day_of(refund.get("visit_day")),
        what=_name(refund.get("what")) or "진료비",
        amount=won(refund.get("amount")),
    )
    parts = {"refund": " ".join(told.split()), "on": on, "reason": _reason(reason)}
    name = f"refund_{state}"
    if state == "rejected" and parts["reason"]:
        name = "refund_rejected_why"
    if not on and sentence(f"{name}_undated"):
        name = f"{name}_undated"
    return phrase(name, **parts) if sentence(name) else phrase("failed", what=_refund_word())


def _refund_word() -> str:
    return with_josa(phrase("failed_refund_status"), "을/를")


def _offers(made: Sequence[Made]) -> Iterable[str]:
    """What can be asked for, or why it cannot."""
    for each in made:
        body = each.body or {}
        refund, receipt = body.get("refund_offer"), body.get("receipt_offer")
        if isinstance(refund, Mapping) and won(refund.get("amount")):
            yield phrase("back", bill=_bill_name(refund), amount=won(refund["amount"]))
        elif isinstance(receipt, Mapping) and sentence(f"kind_{receipt.get('kind')}"):
            kind = with_josa(phrase(f"kind_{receipt['kind']}"), "을/를")
            yield phrase("receipt_offer", bill=_visit(receipt), kind=kind)
        elif sentence(f"refused_{body.get('refused')}"):
            yield _refused(each, body)


def _visit(receipt: Entry) -> str:
    return f"{day_of(receipt.get('visit_day'))} 진료".strip()


def _refused(made: Made, body: Entry) -> str:
    """Why nothing is offered; with a choice, what there is to choose from."""
    choices, why = body.get("invoices"), body["refused"]
    if why == "nothing_refundable" and made.arguments.get("number") is not None:
        return phrase("refused_nothing_there")
    if why == "which_invoice" and choices and _sound(choices, "amount"):
        worth = "refundable" if made.name == "request_refund" else "amount"
        options = ", ".join(_option(choice, worth) for choice in choices[:5])
        return phrase(f"which_of_{made.name}", options=options)
    return phrase(f"refused_{why}")


def _option(bill: Entry, worth: str) -> str:
    told = phrase(
        "option",
        day=day_of(bill.get("visit_day")),
        department=_name(bill.get("department")),
        amount=won(bill.get(worth)),
    )
    return " ".join(told.split())


# Fees ----------------------------------------------------------------------------------------


def _fees(bodies: Mapping[str, Entry | None]) -> Iterable[str]:
    body = bodies.get("certificate_fee")
    fees = _entries(body, "certificates", "fee")
    if body is None or fees is None:
        return
    others = [name for each in body.get("others") or () if (name := _name(each))]
    if not fees:
        unknown = phrase("fees_unknown", names=", ".join(others)) if others else ""
        yield unknown or phrase("fees_none")
    for fee in fees[:_MOST]:
        yield _fee(fee)
    rest = [name for each in fees[_MOST:] if (name := _name(each.get("name")))]
    if rest:
        yield phrase("fees_more", names=", ".join(rest[:6]))


def _fee(fee: Entry) -> str:
    name = with_josa(_name(fee.get("name")) or "그 서류", "은/는")
    free = "_free" if fee["fee"] == 0 else ""
    copy = won(fee.get("copy_fee")) if fee.get("copy_fee") != fee["fee"] else ""
    told = phrase(f"fee{free}{'_copy' if copy else ''}", name=name, fee=won(fee["fee"]), copy=copy)
    note = _reason(fee.get("note"))
    return f"{told} {note}{'' if note.endswith(('.', '?', '!')) else '.'}" if note else told


def _amount(entry: Entry, key: str) -> int:
    found = entry.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0


def _name(text: object) -> str:
    """A name out of a result, if it can be one."""
    fits = isinstance(text, str) and len(text) <= _LONGEST_NAME and "\n" not in text
    return text.strip() if fits and isinstance(text, str) else ""


def _reason(text: object) -> str:
    """A sentence out of a result, when it is Korean and short."""
    if not isinstance(text, str) or len(text) > 120 or not re.search(r"[가-힣]", text):
        return ""
    return " ".join(text.split())
