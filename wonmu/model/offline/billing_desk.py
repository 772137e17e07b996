"""The rules of a call about bills: whom the desk asks, and what the billing agent does (H1, H3).

Decides from the caller's words alone. Published fees are answered from the facts; it must never
state an amount by itself, and never take a question about a booking for one about money.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from wonmu.korean.billing_topics import BillingTopic, is_personal, read_billing
from wonmu.model.offline import heard, published, unclear
from wonmu.model.offline.billing_needs import (
    certificate_name,
    follow_up,
    names_a_bill,
    needs,
    specialists,
)
from wonmu.model.offline.billing_told import tell
from wonmu.model.offline.history import Turn, read_turn
from wonmu.model.offline.intent import Wish, read_wish
from wonmu.model.offline.phrases import phrase
from wonmu.model.offline.reply import Call, Reply, Say, not_known
from wonmu.model.offline.view import View
from wonmu.model.port import ChatRequest

_MONEY_WORD = re.compile(
    r"환불|환급|돌려|진료비|병원비|치료비|입원비|검사비|수술비|수납|결제|미납|납부|영수증|내역서|연말\s*정산|실비|실손|"
    r"진단서|소견서|확인서|증명|의무\s*기록|서류|얼마|금액|청구"
)
_FEE = re.compile(r"얼마|비용|수수료|가격|값|요금|금액|무료")
_SUM = re.compile(r"\d[\d,]*\s*(?:만|천)?\s*원|[일이삼사오육칠팔구십백천만]+\s*원|무료")
_PAPERS = re.compile(r"서류|증명|진단서|소견서|확인서|기록")
_REFUNDS = frozenset({BillingTopic.REFUND_WANTED, BillingTopic.REFUND_STATUS})
_PLAIN = re.compile(r"[\s·]")
_HOW_MUCH = re.compile(
    r"(?:그래서|그럼|근데|네|저기|그게|그거|그건)?(?:총|다해서|모두|전부|이번에|제가)?(?:금액이|비용이|돈이)?"
    r"얼마(?:예요|에요|죠|지요|인가요|나요|인데요|요|라고요|야)?"
)


def ask(view: View, offered: Collection[str]) -> Reply | None:
    """The desk's way to the billing desk; None when these words are for the other rules."""
    words, offer = view.last, view.get("방금 제안한 것")
    accepted = offer.startswith("billing.") and heard.is_yes(words)
    names = specialists(words) or (("billing",) if accepted else ())
    if not names and names_a_bill(words) and _asked_which(view):
        return Say(phrase("with_topic"))
    if not names or booking_first(words):
        return None
    if is_general(words):
        return Say(told) if (told := answer(view)) is not None else None
    told = None if is_personal(words) or accepted else answer(view)
    if told is not None:
        return Say(told)
    if "ask_specialist" in offered:
        return Call("ask_specialist", {"caller_words": words, "specialists": names})
    return Call("to_billing", {"caller_words": words})


def _asked_which(view: View) -> bool:
    """Whether the words before asked which bill is meant, or asked for it once more."""
    asked = ("which_of_request_refund", "which_of_receipt_request", "with_topic")
    return unclear.times_said(view.agent[-1:], asked) > 0


def is_general(words: str) -> bool:
    """Whether it is asked how refunds work at large, which stands in no ledger."""
    topics = read_billing(words)
    return bool(topics) and topics <= _REFUNDS and not is_personal(words)


def answer(view: View) -> str | None:
    """What is published on this question; a fee only from words that state one."""
    words = view.last
    fee = certificate_fee(view)
    if fee is not None:
        return fee
    if BillingTopic.CERTIFICATE in read_billing(words) and _FEE.search(words):
        priced = tuple(entry for entry in view.facts.faq if _prices_papers(entry.answer))
        return replace(view.facts, faq=priced).answer_to(words) or None
    return published.answer(view)


def _prices_papers(answer: str) -> bool:
    """Whether a published answer states what a paper costs."""
    return bool(_SUM.search(answer) and _PAPERS.search(answer))


def certificate_fee(view: View) -> str | None:
    """The published fees of the papers named, when every one of them is published."""
    name = certificate_name(view.last)
    if name is None or not view.facts.certificates or not _FEE.search(view.last):
        return None
    asked = _PLAIN.sub("", name)
    named = [(n, fee) for n, fee in view.facts.certificates if _PLAIN.sub("", n) in asked]
    # "진단서" is in "영문진단서", and is not what was asked for.
    longer = [_PLAIN.sub("", n) for n, _ in named]
    found = [
        (n, fee)
        for n, fee in named
        if not any(_PLAIN.sub("", n) != other and _PLAIN.sub("", n) in other for other in longer)
    ]
    if not found or _PLAIN.sub("", "".join(n for n, _ in found)) != asked:
        return None
    return " ".join(phrase("fee_published", name=n, fee=fee.rstrip(".")) for n, fee in found)


def asks_how_much(words: str) -> bool:
    """ "그래서 얼마예요?", which at a desk for bills needs no noun."""
    return bool(_HOW_MUCH.fullmatch(heard.squeezed(words)))


def books(words: str) -> bool:
    """Whether words that speak of money also ask for work on a booking."""
    return read_wish(words) is not Wish.NONE or (
        "예약" in words and read_wish(words) is not Wish.NONE
    )


def booking_first(words: str) -> bool:
    """Whether a booking was asked for before any money was mentioned."""
    money = _MONEY_WORD.search(words)
    return money is not None and books(words) and books(words[: money.start()].rstrip(" ,."))


def decide(view: View, request: ChatRequest) -> Reply:
    """What the billing agent of a call says or does next."""
    turn, offered = read_turn(request), request.callable_tools()
    view = replace(view, last=turn.words)
    if turn.untold and (told := tell(turn.words, turn.untold)):
        return _next(turn, offered) or Say(told)
    for reply in (_manners(view), _control(view, offered), _money(view, turn, offered)):
        if reply is not None:
            return reply
    return _rest(view, request, offered)


def _next(turn: Turn, offered: Collection[str]) -> Call | None:
    calls = needs(turn, offered)
    return next((call for call in calls if call.name in offered), None)


def _manners(view: View) -> Reply | None:
    words = view.last
    if not re.search(r"\w", words):
        return Say(unclear.ladder(view.agent, ("unclear_1", "no_question")))
    if heard.is_injection(words):
        return Say(phrase("refuse_instruction"))
    if heard.is_hello(words):
        return Say(phrase("hello"))
    return Say(view.agent_last) if heard.wants_repeat(words) and view.agent_last else None


def _control(view: View, offered: Collection[str]) -> Reply | None:
    words = view.last
    if heard.wants_person(words):
        return _or_back("connect_person", words, offered)
    if heard.wants_end(words) and not read_billing(words):
        return _or_back("end_call", words, offered)
    return None


def _or_back(tool: str, words: str, offered: Collection[str]) -> Call:
    return Call(tool if tool in offered else "back_to_desk", {"caller_words": words})


def _money(view: View, turn: Turn, offered: Collection[str]) -> Reply | None:
    words, offer = turn.words, view.get("방금 제안한 것")
    if heard.is_yes(words) and offer == "billing.refund":
        return Call("request_refund", {"caller_words": words, "number": None})
    if booking_first(words):
        return None
    if read_billing(words) and not is_personal(words) and (told := answer(view)) is not None:
        return Say(told)
    if is_general(words):
        return None
    return follow_up(turn) or _next(turn, offered)


def _rest(view: View, request: ChatRequest, offered: Collection[str]) -> Reply:
    """What is published is answered; all the rest is the desk's."""
    words = view.last
    back = Call("back_to_desk", {"caller_words": words}, otherwise=not_known(request))
    if books(words) or read_wish(words) is not Wish.NONE:
        return back
    told = published.answer(view) if heard.asks(words) or heard.asks_hours(words) else None
    if told is not None:
        return Say(told)
    if asks_how_much(words) and "lookup_invoice" in offered:
        return Call("lookup_invoice", {"caller_words": words})
    if heard.is_thanks(words) or heard.is_ack(words) or heard.is_yes(words):
        return Say(phrase("more_help"))
    return back
