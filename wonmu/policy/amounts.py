"""Whether the amounts of money in a sentence were really returned (T12).

Decides sentence by sentence, from what tools of this conversation returned and what the hospital
has published. It must never let an amount through because it is near a proven one, nor because it
is written out in words.
"""

from __future__ import annotations

from wonmu.ids import Won
from wonmu.korean.won import read_won


def unproven_amounts(sentence: str, allowed: frozenset[Won]) -> tuple[Won, ...]:
    """Amounts stated that are not allowed, in order; empty: nothing to object to."""
    return tuple(amount for amount in read_won(sentence) if amount not in allowed)


def published_amounts(text: str) -> frozenset[Won]:
    """Amounts that anybody may be told, read out of the published facts."""
    return frozenset(read_won(text))
