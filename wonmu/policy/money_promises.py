"""Whether a model's sentence speaks of money on its way, or of a person's affairs (T12, T13, N6).

Nothing of this product moves money, and what the ledger knows is said by code. So a model that owns
a talk has nothing to say of transfers, pay-outs and approvals, past, present or to come, unless the
hospital has published that very sentence. It decides nothing about questions.
"""

from __future__ import annotations

import re

from wonmu.korean.folding import fold

_MOVES = re.compile(
    r"(?:송금|입금|이체|지급|계좌|통장|카드값|카드대금|환불금|환급금|돈).{0,12}"
    r"(?:했|됐|되었|됩니다|돼요|될|들어|나갔|나갑|빠집|빠졌|빠질|예정|드렸|드릴게|처리중|중입|중이|보냈|보내드)|"
    r"(?:환불|환급)(?:을|를|은|도|금)?(?:바로|곧|지금|다)?(?:해드릴게|해드렸|해드리겠|됩니다|돼요|될겁|될거|예정|처리중)|"
    r"승인(?:을|이|은)?(?:받았|났|됐|되었|됩니다|해드렸|완료)|처리(?:중이에요|중입니다|중이고)"
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
