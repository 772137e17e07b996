"""Honest waiting: words while a record system is slow (A3, N11).

Nothing is said unless it is quiet for a while; then what is waited for, at most a few times, never
over anybody. It promises nothing. (The async lookup with steps and results is a later slice.)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING

from livekit.agents import ToolError

from wonmu.timeline.events import Event, Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call


LEAST_SECONDS = 0.5
"""However long it was quiet before, a lookup gets this long to answer at once."""

_SOUNDS = frozenset({Kind.CALLER_HEARD, Kind.KEYPAD_PRESSED, Kind.AGENT_SAID})


class Quiet:
    """Since when nobody has been heard. Several short lookups make one long silence (N11)."""

    def __init__(self) -> None:
        self._since = 0.0

    def sink(self, event: Event) -> None:
        if event.kind in _SOUNDS:
            self._since = asyncio.get_running_loop().time()

    def left(self, seconds: float) -> float:
        """Seconds until it has been quiet for ``seconds``; never less than a moment."""
        passed = asyncio.get_running_loop().time() - self._since
        return max(LEAST_SECONDS, seconds - passed)


class Writes:
    """Writes under way. Once begun, one is finished even if the caller hangs up meanwhile (A5)."""

    def __init__(self) -> None:
        self._running = 0
        self._none = asyncio.Event()
        self._none.set()

    @contextmanager
    def running(self) -> Iterator[None]:
        self._running += 1
        self._none.clear()
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._none.set()

    async def finished(self, seconds: float) -> None:
        """Wait for them, at most that long."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._none.wait(), seconds)


def still_on(call: Call) -> None:
    """Stop a lookup whose caller is gone: nothing is searched or staged for nobody (A5, N5).

    Raises ``ToolError``, which ends the tool as cancelled.
    """
    if call.state.latch.closed:
        raise ToolError("the call is over")


@asynccontextmanager
async def waiting(call: Call, line: str) -> AsyncIterator[None]:
    """While inside, explain a silence with ``line``."""
    rules = call.desk.hospital.silence
    loop = asyncio.get_running_loop()
    left = rules.fillers
    timer: asyncio.TimerHandle | None = None

    def fire() -> None:
        nonlocal left, timer
        if call.state.latch.closed or left <= 0:
            return
        if call.voice.speaking is None:
            left -= 1
            call.say(line)
        timer = loop.call_later(rules.filler_after_seconds, fire)

    timer = loop.call_later(call.quiet.left(rules.filler_after_seconds), fire)
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()
