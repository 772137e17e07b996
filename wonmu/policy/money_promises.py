"""Whether a model's sentence speaks of money on its way (T12, N6).

Nothing of this product moves money, and what the ledger knows is said by code. So a model that owns
a talk has nothing to say of transfers, pay-outs and approvals, past, present or to come, unless the
hospital has published that very sentence. It decides nothing about questions.
"""

from __future__ import annotations

import re

from wonmu.korean.folding import fold

_DONE = r"(?:해드렸|했|됐|되었|됩니다|돼요|될|완료|처리|예정)"
_MOVES = re.compile(
    rf"(?:송금|입금)(?:을|를|이|은)?(?:곧|바로|내일|오늘|다|이미)?{_DONE}|"
    r"이체(?:를|가)?(?:해드렸|했|됐|되었|완료)|지급(?:이|을)?(?:됐|되었|됩니다|될|했|해드|예정)|"
    r"(?:계좌|통장)(?:로|에|으로).{0,8}(?:들어|입금|송금|보냈|보내드|나갔)|"
    r"(?:환불금|환급금|돈)(?:은|이|을|도)?.{0,8}(?:나갔|나갑|나갈|들어갑|들어갈|보냈|보내드|드렸)|"
    r"카드(?:값|대금)(?:에서|이|은)?.{0,4}빠[집졌질]|"
    r"(?:환불|환급)(?:을|를|은|도|금)?(?:바로|곧|지금|다)?(?:해드릴게|해드렸|해드리겠|될겁|될거|처리중)|"
    r"승인(?:을|이|은)?(?:받았|났|됐|되었|됩니다|해드렸|완료)"
)
_FOREIGN = re.compile(
    r"\b(?:refund(?:ed|s)?|transfer(?:red)?|paid|approved|deposit(?:ed)?)\b", re.IGNORECASE
)
_JSON = re.compile(r"^\s*[\[{].*[\]}]\s*$", re.DOTALL)


def speaks_of_money_moved(sentence: str, published: str) -> bool:
    """Whether this may not be said. ``published``: the hospital's facts, folded."""
    folded = fold(sentence)
    if not folded or folded in published:
        return False
    if _JSON.match(sentence) or _FOREIGN.search(sentence):
        return True
    if sentence.rstrip().endswith("?"):
        return False
    return bool(_MOVES.search(folded))
