"""Red flags in the caller's words (T13, R47).

Recognises phrases from fixed tables, conservatively towards speaking up. It gives no advice and
names no illness; what is said then is a fixed line.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FlagKind(StrEnum):
    CHEST = "chest"
    BREATHING = "breathing"
    CONSCIOUSNESS = "consciousness"
    STROKE = "stroke"
    BLEEDING = "bleeding"
    SEIZURE = "seizure"
    SELF_HARM = "self_harm"
    POISON = "poison"
    ALLERGY = "allergy"
    INJURY = "injury"
    BIRTH = "birth"


@dataclass(frozen=True, slots=True)
class RedFlag:
    """What was recognised; ``phrase`` is the table's phrase, not the caller's words."""

    kind: FlagKind
    phrase: str


def red_flag(words: str) -> RedFlag | None:
    """The first red flag in these words, or None."""
    raise NotImplementedError
