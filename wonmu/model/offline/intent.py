"""Which of the four booking actions a caller asks for, if any (T3).

Only explicit words count. Questions about booking ("예약 없이 가도 되나요") are no booking. This is
the built-in model's own reading; the gate reads again and has the last word.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Wish(StrEnum):
    """What the caller wants done with a booking."""

    CREATE = "create"
    INQUIRE = "inquire"
    CHANGE = "change"
    CANCEL = "cancel"
    VAGUE = "vague"
    NONE = "none"


_ABOUT = re.compile(
    r"예약\s*(?:없이|안\s*하고|안하고|비가?|제|제인|을?\s*하고\s*가야|해야\s*(?:되|돼|하|만)|이?\s*필수|"
    r"이?\s*필요|받나요|시간은?\s*몇)|접수\s*(?:는|은)?\s*(?:몇|언제|어디)|"
    r"당일\s*접수|취소하면\s*(?:어떻게|되|돼|위약|수수료)|취소\s*(?:수수료|위약금)|노쇼"
)
_HOW = re.compile(r"예약(?:은|을|하려면|하는)?\s*(?:어떻게|방법)")
_CANCEL = re.compile(
    r"(?:예약|진료|접수|그거|그것|날짜).{0,30}취소|취소\s*(?:좀|하|해|할|부탁|요|이요)|못\s*갈\s*것"
)
_CHANGE = re.compile(
    r"(?:예약|진료|날짜|시간|일정).{0,30}(?:바꾸|바꿔|바꿀|변경|옮기|옮겨|옮길|미루|미뤄|미룰|당기|당겨|조정)|"
    r"변경\s*(?:좀|하|해|할|부탁|요|이요)|"
    r"(?:시|반|분)(?:으)?로\s*(?:좀\s*)?(?:바꾸|바꿔|바꿀|변경|옮기|옮겨|옮길|미루|미뤄|당기|당겨)"
)
_INQUIRE = re.compile(
    r"예약\s*(?:시간|날짜|일정)\s*(?:좀|을|를|이)?\s*(?:좀\s*)?(?:알려|언제|몇|까먹|잊)|예약했는데|"
    r"예약.{0,12}(?:확인|조회|언제|몇\s*시|며칠|잘\s*됐|되어\s*있|돼\s*있|되있|잡혀|있는지|있나\s*(?:해|봐))|"
    r"(?:제|내|저희)\s*예약.{0,10}(?:있|뭐|뭔)|확인\s*(?:좀|하고\s*싶|하려|부탁)|예약해\s*(?:놨|둔|놓은|뒀)"
)
_CREATE = re.compile(
    r"예약\s*(?:좀|을|도|하나|한\s*번|한번|만|부터|그럼|쪼매|쪼까|쫌|조금)?\s*(?:좀\s*|새로\s*)?"
    r"(?:하려|할라|할려|하입시|합시다|하고|할게|할래|할\s*수|할까|하는데|합니다|하겠|하자|해\s*주|해\s*줘|해주|해줘|해\s*달|하구|"
    r"잡|넣|원해|원합|가능|부탁|되나|돼요|되요|될까|됩니까|돼나|되는지|희망)|"
    r"접수하려|(?:진료|접수|초진|재진|검진|상담|치료)\s*(?:좀|를|을|도)?\s*"
    r"(?:예약|받고\s*싶|받으려|받을\s*수|보고\s*싶|보려|볼\s*수|잡|해\s*주|해주|하고\s*싶|원해|받았으면|봤으면)|"
    r"(?:선생님|원장님|과장님|교수님).{0,12}(?:뵐|뵙|진료받|진료\s*받|보고\s*싶|예약|한테\s*갈)|"
    r"(?:과|센터)(?:에|로|에서)?\s*(?:진료|예약|접수|제일\s*빠른|가장\s*빠른|갈\s*수\s*있|가고\s*싶|가려)|"
    r"자리\s*(?:있|되|비|나)|(?:시간|날)\s*(?:비어|되는\s*(?:시간|날))|예약\s*(?:돼|되)"
)
_CREATE_BARE = re.compile(
    r"(?:(?:네|예|아|저|음|그|저기요?)[,\s]*)*(?:새로|신규|새|진료|초진|재진|[가-힣]+과)?\s*예약\s*(?:이?요|입니다|이에요|할게요)?[\s.!]*"
)
_CREATE_FIRST = re.compile(r"예약이요(?=.)(?!.*(?:나요|까요|나\s*$|죠))")
"""The word first, the conditions behind it: "우리 아들 예약이요 소아과요"."""
_CREATE_ON = re.compile(
    r"예약\s*(?:을|좀|은)?\s*(?:계속|이어서?|마저|진행)\s*(?:을|좀|진행)?\s*(?:해\s*주|해줘|할게|할래|하겠|하고\s*싶|부탁)"
)
"""A booking left on the way is taken up again."""
_CREATE_LAST = re.compile(
    r"(?<!제)(?<!내)\s예약\s*(?:좀\s*)?(?:이?요|입니다|이에요|부탁이요)?[\s.!]*$"
)
"""Day, time and doctor first, the word last: "내과 김 원장님 내일 세 시 예약이요"."""
_VAGUE = re.compile(
    r"예약\s*(?:관련|건으로|건|때문|문제|문의|쪽|에\s*대해|일로|얘기|이야기|상담)|예약"
)
_NEGATED = re.compile(r"예약\s*(?:은|을)?\s*(?:안|못)\s*(?:할|하|해)|예약\s*(?:말고|그만)|예약하지")


def _creates(words: str) -> bool:
    searched = (_CREATE, _CREATE_FIRST, _CREATE_ON, _CREATE_LAST)
    return any(p.search(words) for p in searched) or bool(_CREATE_BARE.fullmatch(words.strip()))


def read_wish(words: str) -> Wish:
    """The booking action in these words."""
    if "예약" in words and _NEGATED.search(words):
        return Wish.NONE
    if _ABOUT.search(words):
        return Wish.NONE
    if _HOW.search(words):
        return Wish.VAGUE
    if _CANCEL.search(words):
        return Wish.CANCEL
    if _CHANGE.search(words):
        return Wish.CHANGE
    if _INQUIRE.search(words):
        return Wish.INQUIRE
    if _creates(words):
        return Wish.CREATE
    return Wish.VAGUE if _VAGUE.search(words) else Wish.NONE


_ANSWERS = (
    (Wish.CANCEL, re.compile(r"취소|네\s*번째|4번|사\s*번(?=이?요|으로|$)")),
    (Wish.CHANGE, re.compile(r"변경|바꾸|바꿔|옮기|미루|세\s*번째|3번|삼\s*번(?=이?요|으로|$)")),
    (Wish.INQUIRE, re.compile(r"확인|조회|두\s*번째|2번|이\s*번(?=이?요|으로|$)")),
    (Wish.CREATE, re.compile(r"새로|신규|처음|예약|잡|첫\s*번째|1번|일\s*번(?=이?요|으로|$)")),
)


def answers_which(words: str) -> Wish:
    """The action, when the agent has just asked which of them is wanted."""
    if _ABOUT.search(words):
        return Wish.NONE
    found = [wish for wish, pattern in _ANSWERS if pattern.search(words)]
    if not found or (found == [Wish.CREATE] and _NEGATED.search(words)):
        return Wish.NONE
    # "예약 취소요" names the booking it is about; the more special word counts.
    return found[0] if len(found) == 1 or found[1:] == [Wish.CREATE] else Wish.VAGUE
