"""Whether the caller wants to stop what is being done (S7, T8).

Only read while a task has the talk, where "그만할게요" can only mean that task. It must never read
a stop out of a question about stopping, or out of a change of one condition.
"""

from __future__ import annotations

import re

_STOP = re.compile(
    r"그만\s*(할|둘|두|하|해)|안\s*할\s*(래|게|께|거)|안\s*하\s*(겠|려|고|기로)|하지\s*않|"
    r"(예약|접수|진료)\s*(은|는|을|좀)?\s*(취소|안\s*(해|할)|필요\s*없)|취소\s*(할게|할래|하겠|해\s*주)|"
    r"안\s*(바꿀|바꾸|옮길|옮기|미룰|미루)\s*(래|게|께|려|고\s*싶|겠)|그대로\s*(둘\s*(게|께|래)|두세요|두겠)|"
    r"관두|관둘|없던\s*(일|걸)|(다음|나중)에\s*(다시|전화|할게|할래|하겠|예약)|다시\s*전화\s*(할|드릴|하)|"
    r"생각\s*(좀\s*)?(더\s*)?해\s*(보고|볼게)\s*(다시\s*)?(전화|연락)"
)
_BARE = re.compile(
    r"^(아|아니|아니요|아니오|아뇨|그냥|네|예|음)?[\s,.]*(그냥\s*)?(됐\s*(어요|습니다|어|네요|고요)|그만(요|이요)?)[\s.!~]*$"
)
_NOT = re.compile(
    r"취소\s*(하면|되나|되면|가능|수수|하고\s*싶은데\s*되|안\s*되)|그만\s*말|말고|안\s*할\s*수|"
    r"하지\s*않(아도|나요|습니까|고)|(다음|나중)에\s*(가능|와도|가도|오면)|[까냐]\s*[?]*\s*$|나요[\s?]*$"
)


_GOODBYE = re.compile(
    r"^(네|예|아|그럼|그래요|알겠습니다|감사합니다|고맙습니다|[\s,.~])*"
    r"(안녕히\s*계(세|시)|들어가(세요|십시오)|수고(하세요|하십시오|하셔요|하시고)|그럼\s*이만)[가-힣\s]*[.~!\s]*$"
)


_MORE = re.compile(
    r"^(아|어|네|예|아니|아니요|아뇨|저기|음|그럼|참|근데|그런데|고맙습니다|감사합니다|[\s,.~!])*"
    r"(잠깐|잠시|하나\s*더|한\s*가지\s*더|또\s*(하나|한\s*가지|있)|더\s*(있|여쭤|물어)|아직)"
    r"[가-힣\s,.~!]*$"
)
_MORE_LONGEST = 24
"""Longer words bring the matter along and are answered for themselves."""


def wants_more(words: str) -> bool:
    """True for words that only keep the call open ("잠깐만요, 하나 더요")."""
    return len(words.strip()) <= _MORE_LONGEST and bool(_MORE.search(words.strip()))


def says_goodbye(words: str) -> bool:
    """True when these words take leave and ask for nothing."""
    return bool(_GOODBYE.search(words))


def wants_to_stop(words: str) -> bool:
    """True for a plain wish to stop; a question or a condition is none."""
    if _NOT.search(words):
        return False
    return bool(_STOP.search(words) or _BARE.search(words))
