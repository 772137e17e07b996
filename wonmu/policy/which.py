"""What an answer to "a new booking, or to check, change or cancel one?" names (T3).

Only read when the caller has just spoken of a booking without saying what for, so that
"새로 하려고요" needs no second question. It must never read an order out of a question.
"""

from __future__ import annotations

import re

from wonmu.korean.folding import fold
from wonmu.policy.intent import Intent

_OPENING = r"(?:네|예|아|음|저|그냥|아니|아니요|그|그게)*"
_ENDING = (
    r"(?:을|를|좀|도)*(?:하려고|하려구|할려고|하려는데|하려|할게|할래|하고싶|하는거|하는건|할거|"
    r"해주|해줘|부탁|이요|요|이에요|예요|입니다|잡|보려|$)"
)
_ANSWERS = (
    (
        Intent.CREATE,
        rf"(?:새로|신규|처음|첫예약|새예약)(?:운)?(?:예약|진료|접수|오는|가는)*{_ENDING}",
    ),
    (Intent.INQUIRE, rf"(?:예약)?(?:확인|조회){_ENDING}"),
    (Intent.CHANGE, rf"(?:예약|시간|날짜)*(?:변경{_ENDING}|(?:바꾸|옮기|미루)(?:려|고싶|는거))"),
    (Intent.CANCEL, rf"(?:예약)?취소{_ENDING}"),
)
_TABLE = tuple((intent, re.compile(_OPENING + pattern)) for intent, pattern in _ANSWERS)
_QUESTION = re.compile(r"(?:나요|까요|가요|죠|돼요|되요|얼마|어떻게)$")


def answers_which(words: str) -> Intent:
    """The one action that the answer names; NONE when it names none."""
    folded = fold(words)
    if _QUESTION.search(folded):
        return Intent.NONE
    return next((intent for intent, pattern in _TABLE if pattern.match(folded)), Intent.NONE)
