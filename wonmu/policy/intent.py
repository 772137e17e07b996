"""What the caller's words ask for (T3).

Decides from tables of words, without a model. A question about a thing is not an order to do it
("지금 취소하면 어떻게 돼요?"), and a booking that is only mentioned is vague. It must never read
an order out of a question, a refusal or a memory.
"""

from __future__ import annotations

from enum import StrEnum


class Intent(StrEnum):
    CREATE = "create"
    INQUIRE = "inquire"
    CHANGE = "change"
    CANCEL = "cancel"
    VAGUE_BOOKING = "vague_booking"
    PERSON = "person"
    END_CALL = "end_call"
    NONE = "none"


def read_intent(words: str) -> Intent:
    """The one thing these words ask for; ``NONE`` for anything else, questions included."""
    raise NotImplementedError
