"""The one key of one consent (B4, N2).

Made of the visit, what was agreed to and the turn it was agreed in, so that the same consent read
twice gives the same key and another consent never does.
"""

from __future__ import annotations

import hashlib

from wonmu.ids import BookingKey, CallId


def framed(*parts: str) -> str:
    """A hash of the parts in their order; no two lists of parts give the same text."""
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def key_of(act: str, visit: CallId, digest: str, turn: int) -> BookingKey:
    return BookingKey(f"{act}-{framed(visit, digest, str(turn))}")
