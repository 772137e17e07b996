"""Whether words ask something (T1, R15).

A cheap test for "the caller wants to know something", used to let a side question be answered and
the open question be put again. Decides nothing about what is asked.
"""

from __future__ import annotations

import re

_ASKING_ENDINGS = re.compile(
    r"(나요|까요|가요|는지요|은지요|ㄴ지요|인지|건가요|는데요\?|습니까|ㅂ니까|니까|죠|지요|래요|대요|예요|이에요|에요|어요|아요|해요|돼요|되요|있나|되나|하나)[\s?.!~]*$"
)
_ASKING_WORDS = re.compile(
    r"(얼마|어디|언제|누구|무슨|뭐|뭔|무엇|어떻게|어떤|왜|몇\s*(시|층|번|명|분|일)|가능한가|있어요|되나|될까|인가)"
)
_CLOSING = re.compile(r"(나요|까요|는지요|습니까|니까|건가요|인가요|가요|죠|지요)[\s?.!~]*$")
_ANY_TIME = re.compile(r"(때|언제|아무|어디|뭐|누구)나요[\s.!~]*$")
"""나 here means "any": "아무 때나요"."""


def is_question(words: str) -> bool:
    """True for a question word with a question's ending, or an ending that only questions have."""
    text = words.strip()
    if not text or _ANY_TIME.search(text):
        return False
    if _CLOSING.search(text):
        return True
    asks = bool(_ASKING_WORDS.search(text))
    return asks and (bool(_ASKING_ENDINGS.search(text)) or text.endswith("?"))
