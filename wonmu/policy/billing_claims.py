"""What a model may say of bills, refunds and receipts, given what was really read (T11, T12).

Decides sentence by sentence whether a statement about money's whereabouts has its proof: a refund
that stands or was paid, a bill that is paid, a list that is really empty. A model can commit
nothing at the billing desk, so "receipt issued" never has one. It does not judge the amounts
themselves, and it must never object to a question, a condition or a plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from wonmu.korean.folding import fold
from wonmu.policy.claim_words import Act
from wonmu.policy.claims import Blocked, ClaimKind, Receipts, check_sentence


class Known(StrEnum):
    """One thing that the ledger has told."""

    INVOICES_READ = "invoices_read"
    REFUNDS_READ = "refunds_read"
    FEES_READ = "fees_read"
    NOTHING_DUE = "nothing_due"
    NOTHING_REFUNDABLE = "nothing_refundable"
    NO_REFUND = "no_refund"
    """The patient never asked for any."""
    SOMETHING_PAID = "something_paid"
    VISIT_CANCELLED = "visit_cancelled"
    REFUND_REQUESTED = "refund_requested"
    REFUND_APPROVED = "refund_approved"
    REFUND_PAID_OUT = "refund_paid_out"
    REFUND_REJECTED = "refund_rejected"


_STANDS = frozenset({Known.REFUND_REQUESTED, Known.REFUND_APPROVED, Known.REFUND_PAID_OUT})
_DECIDED = frozenset({*_STANDS, Known.REFUND_REJECTED})
_GRANTED = frozenset({Known.REFUND_APPROVED, Known.REFUND_PAID_OUT})


@dataclass(frozen=True, slots=True)
class _Claim:
    """``said``: pattern over folded words. ``proof``: any one of these is enough; none: never."""

    said: re.Pattern[str]
    proof: frozenset[Known]


# What may follow a past stem without making it a finished act.
_OPEN = (
    r"(?!으면|다면|더라도|을때|을경우|는지|을까|을지|을수|나요|는가|습니까|던|어야|지않|는데도|"
    r"다고.{0,6}(?:하셨|들으|말씀|생각|알고))"
)
_DONE = (
    rf"(?:(?:되었|됐|됬|되셨|돼있|되어있|했|하였|해드렸|도와드렸|드렸|해뒀|해두었|해놨|마쳤|끝났|끝냈|나갔|들어갔){_OPEN}|"
    r"완료(?:입니다|이에요|예요|$)|되고있|하고있습|하고있어|중입니다|중이에요|중이며|중이고)"
)
_REFUND = r"(?:환불|반환|환급|돌려드리|돌려받으실금액)"
_FAR = r"(?:(?!수납|결제|납부|영수증|내역서|확인서).){0,24}?"
_NEAR = (
    r"(?:은|는|이|가|을|를|도|의|까지|로|으로|에|처리|진행|절차|"
    r"모두|전부|이미|정상적|다|잘|바로|방금){0,4}"
)
_PAPER = r"(?:영수증|내역서|납입확인서|확인서|증명서|진단서|소견서|서류|사본|제증명)"
_NONE = (
    r"(?:없(?:습니다|으십니다|으세요|으신|어요|네요|고|으며|으니|는것)|"
    r"(?:확인|조회)(?:되지않|이안되|이되지않)|0원(?:입니다|이에요|이고))"
)

_CLAIMS = (
    _Claim(
        re.compile(rf"{_REFUND}{_FAR}(?:지급|입금|송금|환급|완료|이체){_NEAR}{_DONE}"),
        frozenset({Known.REFUND_PAID_OUT}),
    ),
    _Claim(
        re.compile(
            rf"환불{_NEAR}(?:되었|됐|됬|되셨|했|하였|해드렸|드렸|완료(?:되|됐|했|하였|입니다|$)){_OPEN}|"
            rf"(?:돌려드렸|돌려받으셨|되돌려드렸|입금해드렸|지급해드렸|송금해드렸){_OPEN}"
        ),
        frozenset({Known.REFUND_PAID_OUT}),
    ),
    _Claim(re.compile(rf"{_REFUND}{_FAR}승인{_NEAR}{_DONE}"), _GRANTED),
    _Claim(
        re.compile(rf"{_REFUND}{_FAR}(?:(?:반려|거절|거부){_NEAR}{_DONE}|받아들여지지않)"),
        frozenset({Known.REFUND_REJECTED}),
    ),
    _Claim(
        re.compile(rf"{_REFUND}{_FAR}(?:신청|접수|요청|처리|진행|등록|검토|심사){_NEAR}{_DONE}"),
        _DECIDED,
    ),
    _Claim(
        re.compile(
            rf"(?:환불|반환|환급){_NEAR}(?:신청|접수|요청){_NEAR}(?:올렸|넣었|넣어드렸|올려드렸)"
        ),
        frozenset(),
    ),
    _Claim(
        re.compile(
            rf"{_PAPER}{_FAR}(?:발급|신청|접수|요청|발송|전송|출력|준비|처리|등록|교부){_NEAR}{_DONE}|"
            rf"발급{_NEAR}(?:되었|됐|했|하였|해드렸|드렸|완료){_OPEN}"
        ),
        frozenset(),
    ),
    _Claim(
        re.compile(rf"(?:수납|결제|납부){_NEAR}(?:처리해드렸|해드렸|취소되었|취소해드렸)"),
        frozenset(),
    ),
    _Claim(
        re.compile(
            rf"(?:수납|결제|납부){_NEAR}(?:완료)?{_NEAR}(?:되었|됐|되어있|돼있|하셨|끝났|마쳤|마치셨|완료(?:입니다|$)){_OPEN}|"
            r"(?:모두|다|전액|전부)(?:내셨|납부하셨|결제하셨|수납되었)"
        ),
        frozenset({Known.SOMETHING_PAID}),
    ),
    # "There is none", when asked of a certain day, may be true beside other bills; of all, not.
    _Claim(
        re.compile(rf"(?:진료비|수납|청구|납부|결제){_FAR}(?:내역|기록|건|것)(?:이|은|도)?{_NONE}"),
        frozenset({Known.INVOICES_READ}),
    ),
    _Claim(
        re.compile(rf"(?:미수|미납|내실|납부하실|결제하실|수납하실|남은)(?:납)?{_FAR}{_NONE}"),
        frozenset({Known.INVOICES_READ}),
    ),
    _Claim(
        re.compile(
            rf"^(?:네|예|고객님|현재|지금|따로|더)*(?:미수|미납|내실|납부하실|결제하실|수납하실)"
            rf"(?:(?!월).){{0,12}}?{_NONE}"
        ),
        frozenset({Known.NOTHING_DUE}),
    ),
    _Claim(
        re.compile(rf"(?:환불|돌려|반환|환급){_FAR}(?:금액|것|돈|진료비)(?:이|은|도)?{_NONE}"),
        frozenset({Known.INVOICES_READ, Known.REFUNDS_READ}),
    ),
    _Claim(
        re.compile(
            rf"(?:환불|반환|환급)(?:신청|접수|요청|된|하신|받으신)*(?:내역|기록|건)(?:이|은|도)?{_NONE}"
        ),
        frozenset({Known.REFUNDS_READ}),
    ),
    _Claim(
        re.compile(
            rf"^(?:네|예|고객님|현재|지금|접수된|신청된|신청하신)*(?:환불|반환|환급)(?:신청|접수|요청|된|하신|받으신)*"
            rf"(?:내역|기록|건)(?:이|은|도)?{_NONE}"
        ),
        frozenset({Known.NO_REFUND}),
    ),
)

# Looking something up or telling it is no act on it; the caller's own wish is none either.
_ONLY_TALK = re.compile(
    r"(?:안내|설명|확인|조회|검색|말씀|답변|문의)(?:을|를|도)?"
    r"(?:되었|됐|해드렸|드렸|했|하였|하고있|해드리고있|중입)|(?:요청|신청|문의|말씀)(?:하신|하셨)"
)
_SENTENCE = re.compile(r"[^.!?。…\n]+[.!?。…]*")
_AT_THE_DESK = re.compile(
    r"환불|반환|환급|돌려|영수증|내역서|확인서|증명|수납|납부|결제|진료비|서류"
)


def unproven(text: str, known: frozenset[Known]) -> str | None:
    """The first sentence that states what nothing proves, or None."""
    for sentence in _sentences(text):
        folded = _ONLY_TALK.sub("/", _plain(fold(sentence)))
        if sentence.rstrip().endswith("?") and not folded.endswith("니다"):
            continue
        if any(c.said.search(folded) and c.proof.isdisjoint(known) for c in _CLAIMS):
            return sentence
        if _claims_elsewhere(sentence, known):
            return sentence
    return None


def _plain(folded: str) -> str:
    """Figures say nothing here, and stand between the words that belong together."""
    return re.sub(r"\d{2,}", "1", folded)


def _sentences(text: str) -> Iterator[str]:
    joined = re.sub(r"(?<=\d)[.,](?=\d)", "", text)
    return (match.group() for match in _SENTENCE.finditer(joined))


def _claims_elsewhere(sentence: str, known: frozenset[Known]) -> bool:
    """Acts of the rest of the house; a billing desk has done none of them."""
    verdict = check_sentence(sentence, Receipts())
    if not isinstance(verdict, Blocked):
        return False
    match verdict.kind, verdict.act:
        case ClaimKind.ACT, Act.BOOK | Act.CONFIRM | None:
            # "접수" is a booking's word too. Of the desk's own matters the claims above judged.
            return not (_AT_THE_DESK.search(fold(sentence)) or not _STANDS.isdisjoint(known))
        case (ClaimKind.ACT, Act.REFUND | Act.RECEIPT) | (
            ClaimKind.PAID | ClaimKind.NO_INVOICES | ClaimKind.NO_REFUNDS,
            _,
        ):
            return False  # the desk's own matters: judged above, by what is known
        case ClaimKind.ACT, Act.CANCEL:
            return Known.VISIT_CANCELLED not in known
        case ClaimKind.BOOKED_TIME, _:
            return Known.VISIT_CANCELLED not in known and not _AT_THE_DESK.search(fold(sentence))
    return verdict.kind is not ClaimKind.OFFERED_TIME
