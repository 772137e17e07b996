"""Whether somebody wants out of a piece of work, in any state of it (S7, R116)."""

from __future__ import annotations

import re

from wonmu.booking.result import ExitCode
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.stopping import says_goodbye, wants_to_stop

_NAMES_IT = re.compile(r"(예약|차라리|아예)(?!.*(변경|바꾸는|옮기는)).*취소")
"""Says what is to be cancelled; while a time is changed a bare "취소할게요" only stops that."""


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


def means_cancelling(words: str, *, cancels: bool) -> bool:
    """Whether a stop of work on a booking asks for its cancellation. ``cancels``: cancelling is
    what is being done, so saying it once more is no stop at all."""
    wish = read_intent(words) is Intent.CANCEL
    return wish and (cancels or bool(_NAMES_IT.search(words)))
