"""Which words claim a finished act, and of which act (T12). Tables for ``claims``.

The tables see folded text. A claim is a finished verb form near the noun of an act. Conditions
(되면), plans (해 드리겠), questions (됐나요), negations (안 됐) and what the caller heard (됐다고
들으셨) are no finished forms here. It must never need a model, and never excuse a claim for being
polite or indirect.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Act(StrEnum):
    """Finished acts that a sentence can claim."""

    BOOK = "book"
    CHANGE = "change"
    CANCEL = "cancel"
    CONFIRM = "confirm"
    """The record system has it, read back; a request taken down for staff is not that (B2)."""
    CONNECT = "connect"
    MEMO = "memo"
    CALLBACK = "callback"
    MESSAGE = "message"
    REFUND = "refund"
    """A refund was requested; that money has gone out is not an act of a call."""
    RECEIPT = "receipt"
    """A receipt was requested; that it is issued is not an act of a call."""


PAPER = "영수증|내역서|확인서|증명서|진단서|소견서|사본|제증명|서류"
_MOVED = "바꿔드|바꿨|바꾸었|바뀌|옮겨|옮겼|미뤄|미뤘|당겨|당겼"
_STRONG = (
    (Act.CANCEL, "취소|빼드렸|없앴"),
    (Act.CHANGE, f"변경|연기|{_MOVED}"),
    (Act.CONNECT, "연결|돌려드렸|이어드렸"),
    (Act.MESSAGE, "문자|메시지|메세지|알림톡|카톡|카카오톡|이메일|메일|링크"),
    (Act.CALLBACK, "콜백|회신|재통화|다시전화"),
    (Act.MEMO, "메모"),
    (Act.REFUND, "환불|환급"),
    (Act.RECEIPT, PAPER),
)
_BOOK = "예약|접수|일정|자리|스케줄|잡아드|잡아놨|잡아뒀|잡아놓|잡혔|잡았|넣어드"
_WEAK = "전달|남겨|남겼|기록|적어|전해드|전했"
_STAFF_WORD = re.compile("상담원|상담사|직원|담당자|원무과|간호사")
_ANY_NOUN = "|".join((*(nouns for _, nouns in _STRONG), _BOOK, _WEAK, "신청"))

# What may follow a past stem without making it a finished act.
_OPEN = (
    r"(?!으면|다면|더라면|을때|을경우|는지|을까|을지|을수|나요|는가|습니까|던가|었으면|을텐데|으셨나|는줄|"
    r"다고.{0,8}(?:들으|하셨|하시|말씀|생각|알고|여기|느끼|보시|오해|안내받|받으))"
)
_HAPPENED = r"(?:되었|됐|됬|되셨|되어있|돼있|되있|된상태|된걸로|된것으로)(?!지않|지는않|지못)"
_IS = r"(?:입니다|이에요|예요|이고|이십니다)"
_SELF_EVIDENT = re.compile(
    rf"(?:(?:확정|완료|접수|성사)(?:{_HAPPENED}|했|하였|해드렸|해뒀|해놨)|(?:확정|완료)(?:{_IS}|$)|"
    rf"(?:처리|등록|진행|발송|전송|전달|반영|저장|기록|발급|발행|출력|지급|입금|송금|승인)(?:{_HAPPENED}|했|하였|해드렸|드렸|완료|해뒀|해놨|중입|중이)|"
    r"잡아드렸|잡아놨|잡아뒀|잡아놓았|잡혔|잡았|넣어드렸|넣었|올려드렸|올렸|남겨드렸|남겼|남겨뒀|남겨놨|"
    r"보내드렸|보냈|바꿔드렸|바꿨|바꾸었|바뀌었|바뀌셨|옮겨드렸|옮겼|옮겨졌|미뤄드렸|미뤘|당겨드렸|당겼|"
    r"돌려드렸|이어드렸|적어드렸|적어뒀|적어놨|전해드렸|전했|빼드렸|없앴)"
    rf"{_OPEN}"
)
_BETWEEN = (
    r"(?:이|가|은|는|을|를|도|까지|로|으로|의|에|요청|신청|접수|내역|건|시간|날짜|모두|다|잘|이미|방금|지금|바로|"
    r"정상적|성공적|무사히|최종|드디어|직원|담당자|상담원|확인|그렇게|말씀하신대로|하나|전부|예약|고객님|환자분|"
    r"번호|통화|하고|해서|께|에게|한테|곧)*"
)
_PLAIN = re.compile(
    rf"(?:{_ANY_NOUN}){_BETWEEN}(?:{_HAPPENED}|했|하였|해드렸|해놨|해놓았|해두었|해뒀|마쳤|끝냈|끝났|드렸|"
    r"들어갔|도와드렸|나갔|받았|마무리했|마무리(?:되었|됐)|생성(?:되었|됐|했)|추가(?:되었|됐|했)|하고있습|하고있어|하는중|해드리고있|처리하고있|중입니다|중이에요|중이니|된거)"
    rf"{_OPEN}"
)
# Something was said about the act or looked up for it; the act itself is not claimed.
_ONLY_TALK = re.compile(
    r"(?:안내|설명|확인|조회|검색|말씀|도움|상담|문의)(?:을|를|도)?"
    r"(?:해드렸|드렸|했|하고있|해드리고있|드리고있|중입|중이|하는중)|"
    r"(?:본인확인|신원확인|인증|조회|검색|입력)(?:이|가|은|도)?(?:완료|모두|다)?(?:되었|됐|끝났|했)"
)
# Talk with the caller is no act, talk with others and written talk is one.
_TOLD_STAFF = re.compile(
    r"(?:원무과|담당자|직원|상담원|간호사|선생님|담당부서)(?:분|님)?(?:에게|께|한테|에|쪽에)"
    rf"(?:말씀|얘기|이야기|안내|문의)(?:을|를)?(?:드렸|해드렸|했|해놨|해뒀){_OPEN}"
)
_TOLD_IN_WRITING = re.compile(
    rf"(?:문자|메시지|알림톡|카톡|메일)(?:로|으로|를|을)?.{{0,6}}(?:안내|설명)(?:를|을)?(?:해드렸|드렸|했){_OPEN}"
)
_ONLY_A_REQUEST = re.compile(
    r"^(?:네|예|고객님|말씀하신)*(?:요청|신청)(?:하신)?(?:내용|건|사항)?(?:이|은|을)?(?:접수|등록)"
)
_PUBLISHED = re.compile(
    r"(?:진료시간|접수시간|운영시간|면회시간|점심시간|요금|위치|장소|전화번호|규정|정책|제도|주소)(?:이|가|은|는)?"
    r".{0,10}(?:변경|바뀌|연기)"
)
_TO_YOU = re.compile("고객님|환자분|님의|요청하신|말씀하신|예약")
_ALONE = re.compile(
    r"^(?:네|예|자|그럼|이제|다|모두|전부|잘|바로|방금|정상적으로|성공적으로|무사히|말씀하신대로|요청하신대로|"
    r"원하시는대로|그렇게|감사합니다|알겠습니다|고객님|환자분|요청이|요청하신내용이|요청하신내용을|요청을|"
    r"말씀하신내용을|말씀하신내용이)*"
    rf"(?:(?:처리|접수|완료|등록|신청|진행|확정)(?:가|이|를|을|도)?(?:모두|다|잘)?"
    rf"(?:{_HAPPENED}|했|하였|해드렸|완료|{_IS})|(?:됐|되었)(?=습니다|어요|네요)|해드렸|해놨|해뒀|해놓았|끝났|끝냈)"
    rf"{_OPEN}"
)
_ASKED_ENDING = re.compile(r"(?:어요|죠|지요|으신가요|으셨어요|던가요)?")
BOOKED_NOW = re.compile(
    r"예약(?:이|은|을|도|시간이|날짜가|일정이)?.{0,22}(?:되어있|돼있|되있|잡혀있|잡혀계|"
    r"(?<!고)(?:있으십니다|있으세요|있으시네|있습니다|있어요|있네요)|확인되었|확인됐|확인됩니다|확인되셨)"
    r"(?!지않|지는|지못|는지|나요|으면|을까|다면|습니까|어야)"
)
NO_BOOKING = re.compile(
    r"예약(?:을)?(?:하신|된|되신)?(?:내역|건|기록|것|게|일정)?(?:이|은|도|은전혀)?"
    r"(?:없(?:습니다|으십니다|으세요|어요|네요|으시네|는것)|조회되지않|확인되지않|나오지않|안나오|안보)"
)
NO_TIMES = re.compile(
    r"(?:자리|시간|빈시간|시간대|빈자리|날)(?:이|가|은|는|도)?(?:하나도|전혀|모두|다)?"
    r"(?:없(?:습니다|으십니다|어요|네요|으시)|찼)"
)
NOT_BOOKED_NOW = re.compile(
    r"예약제|가능|할수|하실수|수있|방법|규정|필요|경우|자리|시간(?:이|도|은|대)|비어|안되어있|안돼있|"
    r"다고.{0,6}(?:하셨|들으|말씀)|(?:문의|요청|궁금|변경|취소)(?:이|사항|하실)"
)


_CONFIRMED = re.compile(rf"확정(?:이|은|도)?(?:{_HAPPENED}|했|하였|해드렸|해놨|{_IS}|$){_OPEN}")


def claims_confirmed(folded: str, *, asked: bool) -> bool:
    """Whether one folded sentence calls something confirmed."""
    found = _CONFIRMED.search(folded)
    return found is not None and not (asked and _is_question(folded[found.end() :]))


def claimed_acts(folded: str, *, asked: bool) -> tuple[Act | None, ...]:
    """The acts one folded sentence claims as done; ``None`` stands for "it is done" without a noun.

    ``asked``: the sentence ended in a question mark, so that "됐어요" can be a question.
    """
    said = _ONLY_TALK.sub("/", folded)
    if _PUBLISHED.search(said) and not _TO_YOU.search(said):
        return ()
    acts = _told(folded)
    start = 0
    for match in _finished(said):
        if match.end() <= start or (asked and _is_question(said[match.end() :])):
            continue
        words = said[start : match.end()]
        act = _act_named(words)
        start = match.end()
        if act is not None:
            acts.append(None if _ONLY_A_REQUEST.search(words) else act)
    alone = None if acts else _ALONE.search(said)
    if alone is not None and not (asked and _is_question(said[alone.end() :])):
        acts.append(None)
    return tuple(acts)


def _told(folded: str) -> list[Act | None]:
    told: list[Act | None] = []
    if _TOLD_STAFF.search(folded):
        told.append(Act.MEMO)
    if _TOLD_IN_WRITING.search(folded):
        told.append(Act.MESSAGE)
    return told


def _finished(said: str) -> list[re.Match[str]]:
    found = [*_SELF_EVIDENT.finditer(said), *_PLAIN.finditer(said)]
    return sorted(found, key=lambda match: match.end())


def _is_question(ending: str) -> bool:
    return _ASKED_ENDING.fullmatch(ending) is not None


def _act_named(words: str) -> Act | None:
    """The act that these words are about: the last strong noun, else a booking, else a note."""
    places = [(match.start(), act) for act, nouns in _STRONG for match in re.finditer(nouns, words)]
    if places:
        act = max(places)[1]
        moved_a_call = act is Act.CHANGE and "변경" not in words and _STAFF_WORD.search(words)
        return Act.CONNECT if moved_a_call else act
    if re.search(_BOOK, words):
        return Act.BOOK
    return Act.MEMO if re.search(_WEAK, words) else None
