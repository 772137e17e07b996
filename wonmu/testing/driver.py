"""Plays a caller's script into a call with sound.

Decides when a step is due, and nothing else; what the caller does reaches the call only as sound,
keys and the end of the line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from wonmu.call.session import Call
from wonmu.testing.loudspeaker import Loudspeaker
from wonmu.testing.microphone import Microphone
from wonmu.testing.script import (
    After,
    HangUp,
    Keys,
    Moment,
    Say,
    Seconds,
    Stay,
    Step,
    Waiting,
    While,
    spoken_seconds,
)
from wonmu.testing.tape import Tape
from wonmu.timeline.events import Event, Kind

TAKEN_SECONDS = 6.0
"""Longest wait for the caller's words to become a turn; what is not heard by then never will be."""


class Driver:
    """The caller of one call."""

    def __init__(self, call: Call, mic: Microphone, speaker: Loudspeaker, tape: Tape) -> None:
        self._call = call
        self._mic = mic
        self._speaker = speaker
        self._tape = tape
        self._loop = asyncio.get_running_loop()
        self._moved = asyncio.Event()
        self._since = 0
        self._owed = False
        self._speaking: Event | None = None
        call.recorder.add_sink(self._event)

    async def run(self, script: Sequence[Step]) -> None:
        """From answering to the end of the call."""
        zero = self._loop.time()
        await self._call.start()
        for step in script:
            if not await self._until(step.at, zero):
                break
            self._since = len(self._call.recorder.events)
            if isinstance(step, HangUp):
                break
            await self._unless_closed(self._do(step))
        else:
            await self._until(Waiting(), zero)
        self._gone()
        await self._call.closed.wait()

    def _gone(self) -> None:
        """The end of the line, seen from the caller; a call that is closing just closes."""
        if not self._call.state.latch.closed:
            self._call.caller_gone()
            self._speaker.hang_up()
        self._mic.stop()

    # Steps ---------------------------------------------------------------------------------

    async def _do(self, step: Say | Keys | Stay) -> None:
        match step:
            case Say():
                await self._say(step)
            case Keys(keys=keys, gap=gap):
                for key in keys:
                    self._tape.key(self._loop.time())
                    self._call.press(key)
                    await asyncio.sleep(gap)
            case Stay(seconds):
                await asyncio.sleep(seconds)

    async def _say(self, step: Say) -> None:
        began = self._loop.time()
        seconds = step.seconds if step.seconds is not None else spoken_seconds(step.text)
        self._owed = True
        try:
            await self._mic.speak(step.heard_as or step.text, seconds)
        finally:
            self._tape.caller(began, self._loop.time(), self._call.masked(step.text))

    # Moments -------------------------------------------------------------------------------

    async def _until(self, moment: Moment, zero: float) -> bool:
        """Wait for it; False when the call is over before."""
        match moment:
            case Waiting(seconds):
                return await self._unless_closed(self._agent_waits(seconds))
            case Seconds(at):
                return await self._unless_closed(self._sleep_until(zero + at))
            case While(into, line):
                return await self._unless_closed(self._into_speech(into, line, zero))
            case After():
                return await self._unless_closed(self._after(moment, zero))

    async def _agent_waits(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(TAKEN_SECONDS):
                await self._when(lambda: not self._owed)
        self._owed = False
        while True:
            await self._call.floor.until_quiet()
            began = self._loop.time()
            await self._sleep_until(began + seconds)
            if not self._call.floor.busy:
                return

    async def _into_speech(self, into: float, line: str | None, zero: float) -> None:
        def speaking() -> bool:
            now = self._speaking
            return now is not None and line in (None, now.data.get("line"))

        await self._when(speaking)
        if self._speaking is not None:
            await self._sleep_until(zero + self._speaking.mono + into)

    async def _after(self, moment: After, zero: float) -> None:
        found: list[Event] = []

        def written() -> bool:
            events = self._call.recorder.events[self._since :]
            found[:] = [event for event in events if _fits(event, moment)][:1]
            return bool(found)

        await self._when(written)
        await self._sleep_until(zero + found[0].mono + moment.seconds)

    async def _sleep_until(self, when: float) -> None:
        await asyncio.sleep(max(0.0, when - self._loop.time()))

    async def _when(self, true: Callable[[], bool]) -> None:
        while not true():
            self._moved.clear()
            await self._moved.wait()

    async def _unless_closed(self, work: Awaitable[None]) -> bool:
        """Do the work until it is done or the call is over; whether it was done."""
        task = asyncio.ensure_future(work)
        closed = asyncio.ensure_future(self._call.closed.wait())
        await asyncio.wait({task, closed}, return_when=asyncio.FIRST_COMPLETED)
        done = task.done()
        for each in (task, closed):
            each.cancel()
        with suppress(asyncio.CancelledError):
            await task
        return done and not self._call.closed.is_set()

    def _event(self, event: Event) -> None:
        match event.kind:
            case Kind.AGENT_SPEAKING:
                self._speaking = event
            case Kind.AGENT_SAID:
                self._speaking = None
            case Kind.CALLER_HEARD:
                self._owed = False
            case _:
                pass
        self._moved.set()


def _fits(event: Event, moment: After) -> bool:
    return event.kind is moment.kind and all(
        event.data.get(name) == value for name, value in moment.data.items()
    )
