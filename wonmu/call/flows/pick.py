"""Which of several bookings is meant (B3): choose, and only then confirm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import Exited
from wonmu.call.tasks.ask import AskTask
from wonmu.korean.ordinals import read_ordinal
from wonmu.visit.asks import Got, Not, Question, Reading
from wonmu.visit.choosing import fitting, marked
from wonmu.visit.own import OwnBooking

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def pick(
    call: Call, ctx: RunContext[None], bookings: tuple[OwnBooking, ...], line: str, words: str
) -> OwnBooking | Exited:
    """The one meant. ``words``: what the caller said already, which may name it."""
    if len(bookings) == 1:
        return bookings[0]
    named = fitting(call, bookings, words)
    if len(named) == 1:
        return named[0]

    def read(said: str) -> Reading[OwnBooking]:
        number = read_ordinal(said)
        if number is not None:
            return Got(bookings[number - 1]) if 1 <= number <= len(bookings) else Not()
        found = fitting(call, bookings, said)
        return Got(found[0]) if len(found) == 1 else Not()

    options = ", ".join(marked(call, each) for each in bookings)
    question = Question(
        "which_booking", line, f"{line}_retry", read, {"options": options}, visit=False
    )
    result = await call.lend(ctx, AskTask(call, question, call.session.current_agent.chat_ctx))
    return result if isinstance(result, Exited) else result.value
