"""Whether a caller who is being put through wants that stopped (P3, R112).

On hold callers also tell what they want of the person ("예약 취소하려고요"); only words about the
waiting itself, or a bare never-mind, stop it. It must never read a stop out of a question or out
of the matter.
"""

from __future__ import annotations

import re

from wonmu.korean.folding import fold

_LEAD = r"(?:아|아니|아니요|아니에요|아뇨|저기|저기요|그냥|네|예|음|잠깐만요|잠시만요|이제|그럼)*"
_NEVER_MIND = (
    r"(?:그냥)?(?:됐(?:어요|습니다|네요|고요|어)|"
    r"취소(?:요|할게요|할래요|하겠습니다|해주세요|해줘요)|"
    r"그만(?:요|할게요|할래요|하겠습니다|해주세요|두세요|둘게요)|관둘게요|관두세요|"
    r"안할(?:게요|래요)|안해도(?:돼요|됩니다))"
)
_BARE = re.compile(f"{_LEAD}(?:{_NEVER_MIND})+")
_WAITING = re.compile(
    r"(?:연결|전화)(?:은|는|을|를|도)?(?:안해(?:도|줘도|주셔도)|취소|필요없|하지마|하지말|그만|됐(?:어요|습니다))|"
    r"(?:안|못|그만)기다(?:릴|리|려)|기다리기싫|"
    r"(?:나중에|다음에|이따가?|좀있다가?)(?:다시)?(?:전화|걸|할게요|할래요)|"
    r"다시(?:전화(?:할|드릴)|걸)(?:게|께)"
)
_ASKS = re.compile(r"(?:나요|까요|는지요?|되나|습니까|가요|하면)$")
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")


def calls_off(words: str) -> bool:
    """True when these words plainly end the waiting and nothing else."""
    return any(_ends_it(sentence) for sentence in _SENTENCE.findall(words))


def _ends_it(sentence: str) -> bool:
    said = fold(sentence)
    if "?" in sentence or _ASKS.search(said):
        return False
    return bool(_BARE.fullmatch(said) or _WAITING.search(said))
