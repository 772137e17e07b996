"""Which of a short list is meant: "두 번째요", "이 번", "마지막 거", "첫 번째 걸로" (B3).

Reads a choice out of a list that was just spoken. It must never read a clock time ("두 시") or a
count of people as a choice.
"""

from __future__ import annotations

import re

_NATIVE = ("첫", "두", "세", "네", "다섯")
_SINO = ("일", "이", "삼", "사", "오")
_ORDINAL = re.compile(r"(?P<native>첫|두|세|네|다섯)\s*(?:번\s*째|째)")
_NUMBER = re.compile(
    r"(?:^|[\s,])(?P<digit>[1-5])\s*번|(?:^|[\s,])(?P<sino>[일이삼사오])\s*번(?!\s*째)"
)
_BARE = re.compile(r"^(?:네|예|음|그|저)?[\s,]*(?:처음|맨\s*앞|먼저)\s*(?:거|것|말|걸|그)")


def read_ordinal(words: str) -> int | None:
    """1 for the first; None when no place in a list is named."""
    text = words.strip()
    if (found := _ORDINAL.search(text)) is not None:
        return _NATIVE.index(found["native"]) + 1
    if (found := _NUMBER.search(text)) is not None:
        return int(found["digit"]) if found["digit"] else _SINO.index(found["sino"]) + 1
    return 1 if _BARE.search(text) else None


_ALL = re.compile(
    r"둘\s*다|두\s*(?:개|건|가지)\s*(?:다|모두|전부)|전부|모두|다\s*(?:해|환불|주세요)|합쳐"
)


def wants_all(words: str) -> bool:
    """Whether more than one of a list is meant at once: "둘 다요", "전부 다 해 주세요"."""
    return bool(_ALL.search(words))
