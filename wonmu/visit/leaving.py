"""Whether somebody wants out of a piece of work, in any state of it (S7, R116)."""

from __future__ import annotations

from wonmu.booking.result import ExitCode
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.stopping import says_goodbye, wants_to_stop


def wants_out(words: str) -> ExitCode | None:
    """What the words leave the present work for; None: they stay in it."""
    match read_intent(words):
        case Intent.PERSON:
            return ExitCode.STAFF_CONNECTION
        case Intent.END_CALL:
            return ExitCode.END_CALL
        case Intent.CANCEL:
            return ExitCode.CANCELLED_BY_CALLER
        case _ if wants_to_stop(words):
            return ExitCode.CANCELLED_BY_CALLER
        case _ if says_goodbye(words):
            return ExitCode.OTHER_REQUEST
        case _:
            return None
