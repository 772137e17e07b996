"""Personal names out of speech, and how alike two names sound (D1, D4).

Decides whether words are a Korean name and how far apart two names are in letters (jamo). Never
decides who somebody is.
"""

from __future__ import annotations


def read_name(words: str) -> str | None:
    """ "이름은 김민수입니다", "남궁민수예요", "김 민 수" → the name; None for ordinary words."""
    raise NotImplementedError


def same_name(one: str, other: str) -> bool:
    """The same letters, spaces aside."""
    return name_distance(one, other) == 0


def name_distance(one: str, other: str) -> int:
    """Fewest letters (jamo) to add, drop or swap: 재희/제희 1, 김민수/김민서 1."""
    raise NotImplementedError
