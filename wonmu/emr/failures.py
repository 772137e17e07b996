"""What each kind of failure means (A8, B2): one table.

Decides for every ``EmrFault`` whether a read may be asked again, whether a write that met it
certainly wrote nothing, and whether it speaks for a record system that is down. Where a kind leaves
it open, the careful answer stands here; an adapter that knows more says so in its ``EmrFailure``
(no connection was ever made, so nothing was written). It must never call a write undone that may
have been done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wonmu.errors import EmrFailure, EmrFault


@dataclass(frozen=True, slots=True)
class Meaning:
    """``again``: the same read may be sent again and may then succeed.

    ``unwritten``: a write that was answered so has certainly not taken effect.
    ``down``: it speaks against the record system and not against this one request; enough of these
    open the breaker.
    """

    again: bool
    unwritten: bool
    down: bool


MEANING: Mapping[EmrFault, Meaning] = {
    # Nobody knows what became of the request.
    EmrFault.TIMEOUT: Meaning(again=True, unwritten=False, down=True),
    EmrFault.UNREACHABLE: Meaning(again=True, unwritten=False, down=True),
    EmrFault.BROKEN: Meaning(again=True, unwritten=False, down=True),
    # A gateway says 502 or 504 also when the request had gone through it.
    EmrFault.UNAVAILABLE: Meaning(again=True, unwritten=False, down=True),
    EmrFault.TOO_MANY: Meaning(again=True, unwritten=True, down=True),
    # An answer that makes no sense will not make any the next time, and may follow a write.
    EmrFault.INVALID: Meaning(again=False, unwritten=False, down=True),
    EmrFault.OUTCOME: Meaning(again=False, unwritten=False, down=True),
    EmrFault.WRONG_VERSION: Meaning(again=False, unwritten=False, down=True),
    # Without good credentials everything is refused, so asking on is of no use to anybody.
    EmrFault.UNAUTHORIZED: Meaning(again=False, unwritten=True, down=True),
    # The record system is well and says no to this request.
    EmrFault.REFUSED: Meaning(again=False, unwritten=True, down=False),
    EmrFault.FORBIDDEN: Meaning(again=False, unwritten=True, down=False),
    EmrFault.NOT_FOUND: Meaning(again=False, unwritten=True, down=False),
    EmrFault.CONFLICT: Meaning(again=False, unwritten=True, down=False),
    EmrFault.STALE_VERSION: Meaning(again=False, unwritten=True, down=False),
    EmrFault.UNPROCESSABLE: Meaning(again=False, unwritten=True, down=False),
    EmrFault.SHIFTED: Meaning(again=True, unwritten=True, down=False),
    # It was not asked.
    EmrFault.BREAKER_OPEN: Meaning(again=False, unwritten=True, down=False),
}


def failure(
    fault: EmrFault,
    doing: str,
    *,
    write: bool = False,
    retry_after: float | None = None,
) -> EmrFailure:
    """An ``EmrFailure`` that means what the table says; a read leaves nothing unknown."""
    meaning = MEANING[fault]
    return EmrFailure(
        fault,
        doing,
        retryable=meaning.again,
        outcome_known=meaning.unwritten or not write,
        retry_after=retry_after,
    )


def may_ask_again(error: EmrFailure) -> bool:
    """Whether a read may be sent once more: neither the adapter nor the table forbids it."""
    return error.retryable and MEANING[error.fault].again
