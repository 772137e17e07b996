"""Whether words handed in as the caller's were really said (T4).

Compares folded text (no punctuation, no spaces). Must never accept a bare yes as evidence of a
wish, and never judge a quotation without the turn it was cut from.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from wonmu.korean.answers import is_bare_yes
from wonmu.korean.folding import fold

SHORTEST = 2
"""Syllables below which words prove nothing: "예약" and "취소" have two."""


def really_said(words: str, heard_turns: Sequence[str], *, bare_yes_counts: bool = False) -> bool:
    """Whether ``words`` occur in what the caller said in this call.

    ``bare_yes_counts``: only for the answer to a proposal that code has seen accepted.
    """
    folded = fold(words)
    if not bare_yes_counts and (len(folded) < SHORTEST or is_bare_yes(words)):
        return False
    return bool(sources(words, heard_turns))


def sources(words: str, heard_turns: Sequence[str]) -> tuple[str, ...]:
    """The whole turns (or two neighbouring turns, joined) that contain ``words``, latest first.

    The wish is read from these and not from ``words``: "예약 취소" can be cut from "예약 취소하면
    어떻게 돼요?".
    """
    folded = fold(words)
    if not folded:
        return ()
    single = tuple(turn for turn in reversed(heard_turns) if folded in fold(turn))
    if single:
        return single
    joined = (f"{first} {second}" for first, second in pairwise(heard_turns))
    return tuple(both for both in joined if folded in fold(both))[::-1]
