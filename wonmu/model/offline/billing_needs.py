"""Which specialist tools a caller's words call for, in which order, with which arguments (H1, H2).

Decides from the words and from the list of bills last read. It must never order a refund that was
not ordered, and never name a bill by anything but its number in that list.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from wonmu.korean.billing_topics import BillingTopic, read_billing, wants_refund
from wonmu.korean.ordinals import read_ordinal
from wonmu.model.offline.history import Turn
from wonmu.model.offline.options import day_in, same_day
from wonmu.model.offline.reply import Call, Value

TOOLS = frozenset(
    {"lookup_invoice", "refund_status", "request_refund", "receipt_request", "certificate_fee"}
)
_DETAIL = re.compile(r"세부|상세|내역서|실비|실손|보험")
_YEAR_END = re.compile(r"연말\s*정산|소득\s*공제|의료비\s*공제|납입|납부\s*(?:확인|증명)")
_OF = (
    r"(?:입퇴원|입원퇴원|퇴원|입원|통원|수술|진료|외래|장애|후유장애|상해|건강|일반|출생|사망|병사용|채용용?|접종|예방접종|"
    r"의무|영상|검사|사실|근로능력|향후치료비|치료비|진료의뢰|요양급여|영문)"
)
_PAPER = re.compile(
    rf"(?:{_OF}\s*){{0,2}}(?:진단서|소견서|의뢰서|확인서|증명서|추정서)|의무\s*기록(?:\s*사본)?|진료\s*기록(?:\s*사본)?|"
    r"기록\s*사본|차트\s*(?:복사|사본)|(?:영상\s*|사진\s*)?(?:CD|cd|시디|씨디)|영상\s*(?:복사|사본)|처방전|결과지"
)
_THIS = re.compile(r"이번(?=\s*(?:에|진료|거|건|주|달|환불|영수|검사|병원|것|꺼))")
_TIMES = re.compile(r"(?:두|세|[23])\s*번\s*(?:이나\s*)?(?:결제|냈|긁|수납|납부|낸|씩|이나)")
_KIND = re.compile(
    r"(?:(?<![가-힣])|정형|신경|소아|이비인후|산부인|피부)(?:내|외|안|치|신경|소아|소아청소년|이비인후|산부인|피부|"
    r"정형외|신경외|비뇨의학|재활의학|가정의학|정신)?과(?=\s|에|거|꺼|진료|$)|"
    r"[가-힣]{2,4}치료비|[가-힣]{0,5}(?:검사|수술|주사|입원)비"
)
_NEWEST = re.compile(r"(?:가장|제일|맨)\s*(?:최근|나중|마지막)|최근\s*(?:거|것|꺼|진료)|방금|아까")


@dataclass(frozen=True, slots=True)
class Bill:
    """An entry of the list last read, as far as it tells which one is meant."""

    number: int
    month: int
    day: int
    department: str
    what: str
    refundable: bool = False
    paid: bool = False


def needs(turn: Turn, offered: Collection[str]) -> tuple[Call, ...]:
    """The calls these words ask for that were not made in this turn, the first one first.

    Whether a tool is offered is the caller's to look at, except where one call serves another.
    """
    wanted = [*_wanted(turn, offered), *_after(turn)]
    return tuple(call for call in wanted if not turn.has_made(call.name))


def specialists(words: str) -> tuple[str, ...]:
    """Whom to ask, both when both are asked for."""
    topics = read_billing(words)
    found = []
    if topics - {BillingTopic.CERTIFICATE}:
        found.append("billing")
    if BillingTopic.CERTIFICATE in topics:
        found.append("certificates")
    return tuple(found)


def follow_up(turn: Turn) -> Call | None:
    """The answer to "which bill?": the same call again with the number that was chosen."""
    asked = next((made for made in reversed(turn.earlier) if made.name in TOOLS), None)
    if asked is None or (asked.body or {}).get("refused") not in (
        "which_invoice",
        "no_such_number",
    ):
        return None
    number = pick(turn.words, bills(turn), in_order=True)
    if number is None or read_billing(turn.words) or turn.has_made(asked.name):
        return None
    return Call(asked.name, {**_plain(asked.arguments), "number": number, **_said(turn.words)})


def bills(turn: Turn) -> tuple[Bill, ...]:
    """The list last read, the newest first; empty when none was read."""
    for made in reversed((*turn.earlier, *turn.made)):
        listed = (made.body or {}).get("invoices")
        if isinstance(listed, list) and (found := read_bills(listed)):
            return found
    return ()


def read_bills(listed: Iterable[object]) -> tuple[Bill, ...]:
    """Entries of a result that can be chosen from."""
    return tuple(bill for entry in listed if (bill := _bill(entry)) is not None)


def pick(words: str, listed: tuple[Bill, ...], *, in_order: bool = False) -> int | None:
    """The number of the one bill that is meant; None when it is open or none fits.

    ``in_order``: the list is a choice just told, and "the second" its second entry.
    """
    ordinal = read_ordinal(_plainly(words)) if in_order else None
    if ordinal is not None:
        return listed[ordinal - 1].number if ordinal <= len(listed) else None
    found = fitting(words, listed)
    return found[0] if len(found) == 1 else None


def fitting(words: str, listed: tuple[Bill, ...]) -> tuple[int, ...]:
    """The numbers of the bills that the words can mean; all when they name none."""
    plain = _plainly(words)
    ordinal = read_ordinal(plain)
    if ordinal is not None:
        return tuple(b.number for b in listed if b.number == ordinal)
    if _NEWEST.search(plain):
        return tuple(b.number for b in listed)[:1]
    left, day = listed, day_in(plain)
    if day is not None:
        left = tuple(b for b in left if same_day(day, (b.month, b.day)))
    named = tuple(b for b in left if b.department and b.department in plain)
    named = named or tuple(b for b in left if b.what and b.what in plain)
    return tuple(b.number for b in named or left)


def _wanted(turn: Turn, offered: Collection[str]) -> list[Call]:
    words, topics = turn.words, read_billing(turn.words)
    order = wants_refund(words)
    asks_back = BillingTopic.REFUND_WANTED in topics and not order
    calls = []
    if BillingTopic.INVOICE in topics or asks_back:
        calls.append(Call("lookup_invoice", _said(words)))
    if BillingTopic.REFUND_STATUS in topics or asks_back:
        # What is under way is no longer refundable: both are needed for a true answer.
        calls.append(Call("refund_status", _said(words)))
    if order:
        calls += _with_number("request_refund", {}, turn, offered)
    if BillingTopic.RECEIPT in topics:
        calls += _with_number("receipt_request", {"kind": receipt_kind(words)}, turn, offered)
    if BillingTopic.CERTIFICATE in topics:
        calls.append(Call("certificate_fee", {"name": certificate_name(words), **_said(words)}))
    return calls


def _after(turn: Turn) -> list[Call]:
    """What a result asks for: a refund that is under way already is looked at."""
    refused = any((made.body or {}).get("refused") == "already_requested" for made in turn.made)
    return [Call("refund_status", _said(turn.words))] if refused else []


def _with_number(
    name: str, arguments: Mapping[str, Value], turn: Turn, offered: Collection[str]
) -> list[Call]:
    """The call with the number of the bill named. The list is read first when there is none yet;
    a bill that is not in it is asked for by no other number."""
    listed, look = bills(turn), Call("lookup_invoice", _said(turn.words))
    if not names_a_bill(turn.words) or "lookup_invoice" not in offered:
        return [Call(name, {**arguments, "number": None, **_said(turn.words)})]
    found = fitting(turn.words, listed)
    if not found:
        return [look]
    choice = tuple(b for b in listed if (b.refundable if name == "request_refund" else b.paid))
    number = pick(turn.words, choice, in_order=True) if len(choice) > 1 else None
    if number is None and len(found) == 1:
        number = found[0]
    return [Call(name, {**arguments, "number": number, **_said(turn.words)})]


def names_a_bill(words: str) -> bool:
    """Whether the words single out a bill by its place in the list, its day, or its kind."""
    plain = _plainly(words)
    return (
        read_ordinal(plain) is not None
        or day_in(plain) is not None
        or bool(_NEWEST.search(plain))
        or bool(_KIND.search(plain))
    )


def _plainly(words: str) -> str:
    """Without what only sounds like a place in a list: "이번 진료비", "두 번 결제됐어요"."""
    return _TIMES.sub("", _THIS.sub("", words))


def receipt_kind(words: str) -> str:
    """ "receipt", "detail" or "year_end"; a receipt that is named goes before what it is for."""
    if _YEAR_END.search(words):
        return "year_end"
    named = re.search(r"영수증", words)
    return "detail" if _DETAIL.search(words) and not (named and "내역" not in words) else "receipt"


def certificate_name(words: str) -> str | None:
    """The papers named, as said; None when papers are asked about at large."""
    return " ".join(dict.fromkeys(_PAPER.findall(words))) or None


def _said(words: str) -> dict[str, Value]:
    return {"caller_words": words}


def _plain(arguments: Mapping[str, object]) -> dict[str, Value]:
    return {k: v for k, v in arguments.items() if v is None or isinstance(v, str | int | bool)}


def _bill(entry: object) -> Bill | None:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("number"), int):
        return None
    day = re.fullmatch(r"\d{4}-(\d{2})-(\d{2})", str(entry.get("visit_day", "")))
    department, what = entry.get("department"), entry.get("what")
    return Bill(
        entry["number"],
        int(day.group(1)) if day else 0,
        int(day.group(2)) if day else 0,
        department if isinstance(department, str) else "",
        what if isinstance(what, str) else "",
        refundable=entry.get("refundable") not in (0, None),
        paid=entry.get("state") in ("paid", "overpaid"),
    )
