"""The way out of work on the caller's own bookings (S7, T10).

Stopping it leaves every booking as it is; a wish to cancel the booking instead is followed, not
taken for a stop. It never touches a booking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import ExitCode, Exited
from wonmu.call.flows.create import left
from wonmu.timeline.events import Status
from wonmu.visit.leaving import means_cancelling

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def own_left(
    call: Call, ctx: RunContext[None], exited: Exited, stopped: str, *, cancels: bool = False
) -> Status:
    """Take the path of the exit. ``stopped``: the line said to a caller who only stops.

    ``cancels``: cancelling is what was being done, so saying it once more is no stop at all.
    """
    if exited.code is not ExitCode.CANCELLED_BY_CALLER:
        return await left(call, ctx, exited)
    words = call.state.last.text if call.state.last is not None else ""
    if means_cancelling(words, cancels=cancels):
        call.answer_again()
        return Status.EXITED
    call.say(stopped)
    return Status.CANCELLED
