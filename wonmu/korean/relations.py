"""For whom a caller speaks, in the caller's own word (B7, R39)."""

from __future__ import annotations

import re

_RELATIONS = (
    "아들",
    "딸",
    "아이",
    "애기",
    "아기",
    "손자",
    "손녀",
    "어머니",
    "어머님",
    "엄마",
    "아버지",
    "아버님",
    "아빠",
    "할머니",
    "할아버지",
    "시어머니",
    "시아버지",
    "장모님",
    "장인어른",
    "남편",
    "아내",
    "와이프",
    "집사람",
    "동생",
    "누나",
    "언니",
    "오빠",
    "형님",
    "조카",
    "부모님",
)
_FOR = re.compile(
    "(" + "|".join(sorted(_RELATIONS, key=len, reverse=True)) + r"|우리 애|저희 애|애)"
    r"(?=\s*(가|이|를|을|의|도|님|께서|랑|대신|때문|진료|예약|좀|한테|데리고|는|은|\s|$))"
)
_NOT = re.compile(r"(하고 같이|랑 같이|가 추천|이 추천|가 소개|이 소개|가 알려|이 알려)")


def relation_in(words: str) -> str | None:
    """The word for the patient when the caller speaks for somebody else, else None."""
    if _NOT.search(words):
        return None
    found = _FOR.search(words)
    return found.group(1).removeprefix("우리 ").removeprefix("저희 ") if found else None
