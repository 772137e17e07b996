"""Taking back what was asked for just now ("방금 그거 취소해 주세요") (T3, T9).

Decides whether words that cancel something name nothing but "that". What "that" is depends on what
was done last; it must never be taken for a booking because only bookings have a tool to cancel.
"""

from __future__ import annotations

import re

from wonmu.korean.folding import fold
from wonmu.policy.intent import Intent, read_intents

_THAT = re.compile(r"방금|아까|지금(?:꺼|거|한)|그거|그것|그건|이거|이건|신청한거|신청한것|환불")
_BOOKING = re.compile(r"예약|진료|접수한|방문")


def takes_back_the_last(words: str) -> bool:
    """Whether the words cancel something without naming a booking."""
    folded = fold(words)
    cancels = Intent.CANCEL in read_intents(words) or "취소" in folded
    return cancels and bool(_THAT.search(folded)) and not _BOOKING.search(folded)
