"""Honest waiting: words while a record system is slow (A3, N11).

Nothing is said unless it is quiet for a while; then what is waited for, at most a few times, never
over anybody. It promises nothing. (The async lookup with steps and results is a later slice.)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wonmu.call.session import Call


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

    timer = loop.call_later(rules.filler_after_seconds, fire)
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()
