"""Whether a sentence of the agent may be spoken (T12, N6, R02, R06).

A sentence that claims a finished act, or states a booked time, or offers a time or doctor, needs a
receipt of this call. Decides sentence by sentence and rewrites nothing. It must never let a claim
through because it is politely worded, and never block a question, a condition or a plan.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from wonmu.korean.folding import fold
from wonmu.policy.claim_words import (
    BOOKED_NOW,
    NO_BOOKING,
    NO_TIMES,
    NOT_BOOKED_NOW,
    Act,
    claimed_acts,
    claims_confirmed,
)
from wonmu.policy.doctor_names import named_doctors
from wonmu.policy.money_claims import (
    ABOUT_MONEY,
    NO_INVOICES,
    NO_REFUNDS,
    paid_unproven,
    receipt_proven,
    refund_paid_unproven,
    refund_proven,
)
from wonmu.policy.stated_times import all_agree, stated_spans, stated_times

__all__ = [
    "Act",
    "Blocked",
    "ClaimKind",
    "Receipts",
    "Spoken",
    "check_sentence",
    "looks_like_tool_call",
]


class ClaimKind(StrEnum):
    ACT = "act"
    BOOKED_TIME = "booked_time"
    OFFERED_TIME = "offered_time"
    DOCTOR = "doctor"
    NO_BOOKING = "no_booking"
    NO_TIMES = "no_times"
    PAID = "paid"
    NO_INVOICES = "no_invoices"
    NO_REFUNDS = "no_refunds"


@dataclass(frozen=True, slots=True)
class Receipts:
    """What this call can prove.

    ``acts``: acts that succeeded. ``times``: starts of bookings recorded or looked up, aware.
    ``offered``: starts that a search of this call returned or that were staged, aware.
    ``looked_up``: the patient's bookings were really read; ``searched``: free times really were;
    without them "there is none" may be a failure told as empty (T11).
    ``billing_read``: what the ledger has told of this patient, as in ``Facts.read`` of
    ``wonmu.desk.agents.answer`` ("invoices", "refunds", "refund_approved", …).
    ``doctors``: names from this hospital's lists or this call's results; None = not checked.
    """

    acts: frozenset[Act] = frozenset()
    times: frozenset[datetime] = frozenset()
    offered: frozenset[datetime] = frozenset()
    doctors: frozenset[str] | None = None
    looked_up: bool = False
    searched: bool = False
    billing_read: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Spoken:
    """Nothing to object to."""


@dataclass(frozen=True, slots=True)
class Blocked:
    kind: ClaimKind
    act: Act | None = None


def check_sentence(sentence: str, receipts: Receipts) -> Spoken | Blocked:
    """Check one sentence (or a short text: its first claim without a receipt blocks it)."""
    for part in _sentences(sentence):
        if (blocked := _check(part, receipts)) is not None:
            return blocked
    return Spoken()


def looks_like_tool_call(text: str, tool_names: Collection[str]) -> bool:
    """Whether a model wrote a tool call as text: JSON, a code fence, tags, ``name(...)`` (R02)."""
    if _CALL_SHAPE.search(text):
        return True
    for name in tool_names:
        # A name with an underscore is no word of any language a caller hears.
        if re.search(
            rf"(?<![\w]){re.escape(name)}(?![\w])" + ("" if "_" in name else r"\s*\("), text
        ):
            return True
    return False


_CALL_SHAPE = re.compile(
    r"```|~~~|</?(?:tool|function|invoke|call|antml|parameter)[\w:=-]*|"
    r"<\|[\w ]+\|>|\[TOOL_CALLS?\]|"
    r"[{,]\s*[\"\'](?:name|tool|tool_name|function|arguments|parameters|action|args)[\"\']\s*:|"
    r"\b(?:functions?|tools?)\.\w+|\b[a-z]+(?:_[a-z]+)+\s*\(|^\s*(?:Action|Tool|Function)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE = re.compile(r"[^.!?。…\n]+[.!?。…]*")
_ABOUT_THE_HOUSE = re.compile(
    r"부터|까지|사이|마감|시작|운영|매일|매주|평일|주말|공휴일|점심|이전|이후|전에|"
    r"언제|몇시"
)
_BOOKING_STATED = re.compile(
    r"예약(?:은|이|일은|일이|시간은|시간이|날짜는|일시는|일정은|일정이|내역은|되어|돼|되셨|확정|하신|하셨)|"
    r"(?:진료|방문)(?:예약|일정|일시|예정)|[가-힣]{2,4}님(?:은|의)?.{0,20}(?:진료|예약)|(?:로|에)예약"
)
_IS_SO = re.compile(
    r"(?:입니다|이에요|예요|에요|됩니다|이세요|이십니다|이고|이며|되어있|돼있|잡혀|확인되|있으|있습니다|있어요|있네요)"
)
_OFFERED = re.compile(
    r"어떠|어떤가|어떨까|가능|비어|남아|남은|괜찮으|뵙겠|뵐게|기다리겠|자리가있|있습니다|있어요|있으|되세요|됩니다|돼요|편하|"
    r"(?:예약|접수|잡)(?:을|를)?(?:해|아|할|하|진행).{0,4}(?:까요|겠어요|겠습니까|릴게요|드리겠)"
)
_NOT_OFFERED = re.compile(
    r"찼|어렵|어려|불가|없|안되|안돼|마감|지났|지난|아니|찾아|확인해|알아|조회|검색"
)


def _sentences(text: str) -> tuple[str, ...]:
    joined = re.sub(r"(?<=\d)\.(?=\d)", " ", text)
    return tuple(match.group() for match in _SENTENCE.finditer(joined))


def _check(sentence: str, receipts: Receipts) -> Blocked | None:
    folded = fold(sentence)
    asked = sentence.rstrip().endswith("?")
    return (
        _check_acts(folded, sentence, asked, receipts)
        or _check_booked(folded, sentence, asked, receipts)
        or _check_offered(folded, sentence, receipts)
        or _check_none(folded, asked, receipts)
        or _check_money(folded, asked, receipts)
        or _check_doctor(sentence, receipts)
    )


_TIMED = frozenset({Act.BOOK, Act.CHANGE, Act.CANCEL})


def _check_acts(folded: str, sentence: str, asked: bool, receipts: Receipts) -> Blocked | None:
    """Each claimed act needs its receipt, and a time stated with it must be the receipt's."""
    if Act.CONFIRM not in receipts.acts and claims_confirmed(folded, asked=asked):
        return Blocked(ClaimKind.ACT, Act.CONFIRM)
    acts = claimed_acts(folded, asked=asked)
    for act in acts:
        if not _proven(act, folded, receipts):
            return Blocked(ClaimKind.ACT, act)
    if _TIMED.isdisjoint(acts) or all_agree(stated_times(sentence), receipts.times):
        return None
    return Blocked(ClaimKind.BOOKED_TIME)


def _proven(act: Act | None, folded: str, receipts: Receipts) -> bool:
    match act:
        case None:
            return bool(receipts.acts)
        case Act.REFUND:
            return refund_proven(folded, Act.REFUND in receipts.acts, receipts.billing_read)
        case Act.RECEIPT:
            return receipt_proven(folded, Act.RECEIPT in receipts.acts)
        case _:
            known = _is_about_a_known_booking(act, folded, receipts)
            return known or act in receipts.acts


def _is_about_a_known_booking(act: Act, folded: str, receipts: Receipts) -> bool:
    """ "예약되어 있습니다" after a look-up that found bookings states a fact, not an act."""
    return act is Act.BOOK and bool(receipts.times) and bool(BOOKED_NOW.search(folded))


def _check_booked(folded: str, sentence: str, asked: bool, receipts: Receipts) -> Blocked | None:
    """A booking stated as existing, with or without its time."""
    stated_now = BOOKED_NOW.search(folded) and not NOT_BOOKED_NOW.search(folded)
    if stated_now and not asked and not receipts.times:
        return Blocked(ClaimKind.BOOKED_TIME)
    if asked or _ABOUT_THE_HOUSE.search(folded) or not _BOOKING_STATED.search(folded):
        return None
    if not _IS_SO.search(folded) or _OFFERED_STRICT.search(folded):
        return None
    if all_agree(stated_times(sentence), receipts.times):
        return None
    return Blocked(ClaimKind.BOOKED_TIME)


_OFFERED_STRICT = re.compile(r"가능|비어|남아|자리가|어떠|할수|하실수|시간이있|없|안되|않|어렵|찼")


def _check_offered(folded: str, sentence: str, receipts: Receipts) -> Blocked | None:
    """A concrete time put to the caller must come from a search or a booking of this call."""
    if _ABOUT_THE_HOUSE.search(folded):
        return None
    known = receipts.offered | receipts.times
    spans = stated_spans(sentence)
    if ABOUT_MONEY.search(folded) and all(span.stated.hour is None for span in spans):
        return None  # the day of a visit, a payment or a refund is no time to come
    offered = False
    following = len(sentence)
    for span in reversed(spans):
        between = fold(sentence[span.end : following])
        if _NOT_OFFERED.search(between):
            offered = False
        elif _OFFERED.search(between):
            offered = True
        following = span.start
        if offered and span.stated.is_concrete and not all_agree((span.stated,), known):
            return Blocked(ClaimKind.OFFERED_TIME)
    return None


def _check_none(folded: str, asked: bool, receipts: Receipts) -> Blocked | None:
    """ "There is none" needs an answer that was really empty."""
    if asked:
        return None
    if not receipts.looked_up and NO_BOOKING.search(folded):
        return Blocked(ClaimKind.NO_BOOKING)
    if not receipts.searched and NO_TIMES.search(folded):
        return Blocked(ClaimKind.NO_TIMES)
    return None


def _check_money(folded: str, asked: bool, receipts: Receipts) -> Blocked | None:
    """Money stated as gone out, paid or not owed needs what the ledger told (T11)."""
    if asked:
        return None
    read = receipts.billing_read
    if refund_paid_unproven(folded, read):
        return Blocked(ClaimKind.ACT, Act.REFUND)
    if paid_unproven(folded, read):
        return Blocked(ClaimKind.PAID)
    if read.isdisjoint({"invoices"}) and NO_INVOICES.search(folded):
        return Blocked(ClaimKind.NO_INVOICES)
    if read.isdisjoint({"refunds"}) and NO_REFUNDS.search(folded):
        return Blocked(ClaimKind.NO_REFUNDS)
    return None


def _check_doctor(sentence: str, receipts: Receipts) -> Blocked | None:
    if receipts.doctors is None:
        return None
    known = {fold(name) for name in receipts.doctors}
    if all(name in known for name in named_doctors(sentence)):
        return None
    return Blocked(ClaimKind.DOCTOR)
