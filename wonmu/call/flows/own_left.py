"""The way out of work on the caller's own bookings (S7, T10).

Stopping it leaves every booking as it is; a wish to cancel the booking instead is followed, not
taken for a stop. It never touches a booking.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import ExitCode, Exited
from wonmu.call.flows.create import left
from wonmu.policy.intent import Intent, read_intent
from wonmu.timeline.events import Status

if TYPE_CHECKING:
    from wonmu.call.session import Call

_NAMES_IT = re.compile(r"(예약|차라리|아예)(?!.*(변경|바꾸는|옮기는)).*취소")
"""Says what is to be cancelled; while a time is changed a bare "취소할게요" only stops that."""


async def own_left(
    call: Call, ctx: RunContext[None], exited: Exited, stopped: str, *, cancels: bool = False
) -> Status:
    """Take the path of the exit. ``stopped``: the line said to a caller who only stops.

    ``cancels``: cancelling is what was being done, so saying it once more is no stop at all.
    """
    if exited.code is not ExitCode.CANCELLED_BY_CALLER:
        return await left(call, ctx, exited)
    words = call.state.last.text if call.state.last is not None else ""
    if read_intent(words) is Intent.CANCEL and (cancels or _NAMES_IT.search(words)):
        call.answer_again()
        return Status.EXITED
    call.say(stopped)
    return Status.CANCELLED
