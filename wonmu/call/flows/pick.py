"""Which of several bookings is meant (B3): choose, and only then confirm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import Exited
from wonmu.call.own import OwnBooking
from wonmu.call.tasks.ask import AskTask, Got, Not, Question, Reading
from wonmu.korean.dates import Understood, read_when
from wonmu.korean.ordinals import read_ordinal

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


def fitting(call: Call, bookings: tuple[OwnBooking, ...], words: str) -> list[OwnBooking]:
    """The bookings that these words can mean: by day and time, department or doctor."""
    left = list(bookings)
    folded = "".join(words.split())
    by_name = [
        b for b in left if "".join(b.department.split()) in folded or _doctor(call, b, folded)
    ]
    left = by_name or left
    reading = read_when(words, now=call.desk.clock.now(), open_times=call.desk.calendar)
    if isinstance(reading, Understood):
        when = reading.when
        day, clock = when.one_day, when.time_from if when.point else None
        by_time = [
            b
            for b in left
            if (day is None or b.start.date() == day) and (clock is None or b.start.time() == clock)
        ]
        if day is not None or clock is not None:
            return by_time
    return by_name


def _doctor(call: Call, booking: OwnBooking, folded: str) -> bool:
    doctor = call.desk.catalog.doctor(booking.doctor_id)
    return doctor is not None and doctor.name in folded


def marked(call: Call, booking: OwnBooking) -> str:
    """One booking in a list, with what is still open about it."""
    words = told(call, booking)
    if booking.cancelling:
        return call.lines.say("own.cancelling", booking=words)
    return call.lines.say("own.requested", booking=words) if booking.requested else words


def told(call: Call, booking: OwnBooking) -> str:
    """One booking as it is spoken in a list."""
    return call.lines.say(
        "own.one", when=booking.start, department=booking.department, doctor=booking.doctor
    )
