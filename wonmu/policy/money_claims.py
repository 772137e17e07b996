"""Which words state what became of money: refunds, receipts, payments, nothing owed (T11, T12).

Decides, over folded text, what such a statement needs. A call can only *request* a refund or a
receipt; that one is approved, paid out or issued is known from the ledger or not at all. It must
never take a request that was made for money that has gone out.
"""

from __future__ import annotations

import re

REQUESTED, APPROVED, PAID_OUT = "refund_requested", "refund_approved", "refund_paid_out"
"""There is a refund in this state: names as in ``Receipts.billing_read``."""

_STANDS = frozenset({REQUESTED, APPROVED, PAID_OUT})
_GRANTED = frozenset({APPROVED, PAID_OUT})
_BILLS = frozenset({"invoices", "payments"})

# What may follow a past stem without making it a finished act.
_OPEN = (
    r"(?!으면|다면|더라면|을때|을경우|는지|을까|을지|을수|나요|는가|습니까|던가|지않|지는않|지못|"
    r"다고.{0,8}(?:들으|하셨|하시|말씀|생각|알고))"
)
_DONE = r"(?:되었|됐|됬|되셨|되어있|돼있|했|하였|해드렸|드렸|해뒀|해놨|끝났|마쳤)"
_FILL = (
    r"(?:이|가|은|는|을|를|도|금이|금은|금을|까지|모두|다|이미|잘|방금|바로|정상적으로|처리|완료)*"
)
_REFUND = r"(?:환불|환급|반환)"
_ISSUED = re.compile(
    rf"(?:발급|발행|출력|교부|준비|발송|전송){_FILL}(?:{_DONE}{_OPEN}|완료|중입|중이)|보내드렸|보냈"
)
_GRANTED_SAID = re.compile(rf"승인{_FILL}(?:{_DONE}{_OPEN}|완료)")
_PAID_OUT_SAID = re.compile(
    rf"{_REFUND}{_FILL}(?:{_DONE}|완료(?:입니다|이에요|예요|이고|이며|$)){_OPEN}|"
    rf"{_REFUND}.{{0,24}}?(?:지급|입금|송금|이체){_FILL}(?:{_DONE}{_OPEN}|완료(?:입니다|이에요|예요|$))|"
    rf"(?:{_REFUND}(?:금을|금은|을|은)?|돌려)받으셨{_OPEN}|원(?:을|은)?돌려드렸{_OPEN}"
)
_LASTS = re.compile(
    r"(?:신청|접수|등록|처리|진행|요청)(?:이|가|은|도)?(?:되어(?!서)|돼(?!요)|되셔|된상태|중|하고있)|"
    r"월[0-9일이삼사오육칠팔구십]{1,4}일|이미"
)
_PAID_SAID = re.compile(
    rf"(?:수납|결제|납부|진료비)(?:이|가|은|는|도|을|를|까지|모두|다|이미|처리|정상적으로|완료)*"
    rf"(?:(?:되었|됐|되셨|하셨|해드렸|했|끝났|마치셨){_OPEN}|완료(?:입니다|이에요|예요|$))|"
    rf"(?:모두|다|전액|전부)(?:내셨|납부하셨|결제하셨){_OPEN}|원(?:을|은)(?:내셨|납부하셨|결제하셨){_OPEN}"
)
ABOUT_MONEY = re.compile("환불|환급|수납|결제|납부|입금|진료비|검사비|선수금|미납|수수료|영업일")
_NONE = (
    r"(?:이|가|은|는|도)?(?:하나도|전혀|따로|더)?"
    r"(?:없(?:습니다|으십니다|으세요|으시네|어요|네요|으시고|고(?!도)|으며|는것|는걸)|"
    r"(?:조회|확인)되지않|0원(?:입니다|이에요|이고|이며)|안(?:나오|보))"
)
NO_INVOICES = re.compile(
    rf"(?:미납|미수|체납|연체)(?:금|액|된|하신|진료비|내역|금액|건|요금|수납){{0,3}}{_NONE}|"
    rf"(?:내실|내셔야할|내야할|납부하실|납부할|결제하실|결제할|수납하실|수납할|밀린|남은)"
    rf"(?:돈|금액|진료비|것|게|건|비용|수납|미납금){{1,2}}{_NONE}|"
    rf"(?:진료비|수납|청구|납부|결제)(?:청구|수납|된|하신)?(?:내역|기록|건){_NONE}"
)
NO_REFUNDS = re.compile(
    rf"{_REFUND}(?:을|를)?(?:신청|접수|요청|처리|진행)?(?:된|하신|받으신|중인)?(?:내역|기록|건|것|게|신청){_NONE}|"
    rf"(?:신청|접수|요청|등록)(?:된|하신|되신){_REFUND}{_NONE}|"
    rf"(?:(?:{_REFUND}|돌려)(?:을|를)?(?:받으실|받을|해드릴|드릴|될|가능한)(?:수있는)?"
    rf"(?:금액|돈|것|게|진료비|건)){_NONE}"
)


def refund_proven(folded: str, requested: bool, read: frozenset[str]) -> bool:
    """Whether a finished act about a refund is proven. ``requested``: one was, in this call.

    A refund that the ledger told of is spoken of as lasting, or with its day: "신청되어 있습니다",
    "11월 3일에 신청되었습니다"; a plain "신청되었습니다" sounds like now.
    """
    if _PAID_OUT_SAID.search(folded):
        return PAID_OUT in read
    if _GRANTED_SAID.search(folded):
        return not read.isdisjoint(_GRANTED)
    return requested or (not read.isdisjoint(_STANDS) and _LASTS.search(folded) is not None)


def receipt_proven(folded: str, requested: bool) -> bool:
    """Whether a finished act about a receipt or certificate is proven."""
    return requested and not _ISSUED.search(folded)


def refund_paid_unproven(folded: str, read: frozenset[str]) -> bool:
    """Money stated to have gone out, in words that are no act of ours ("받으셨습니다")."""
    return PAID_OUT not in read and _PAID_OUT_SAID.search(folded) is not None


def paid_unproven(folded: str, read: frozenset[str]) -> bool:
    """The caller's payments stated, without the ledger's word."""
    return read.isdisjoint(_BILLS) and _PAID_SAID.search(folded) is not None
