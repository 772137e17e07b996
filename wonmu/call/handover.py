"""Speech asked for while the talk changes hands (S7, K13).

When an activity pauses for a task, or resumes after one, LiveKit refuses to schedule any speech for
a moment and raises. What was to be said is kept in order and tried again; nothing is lost, and the
floor stays held meanwhile, so that the call does not look as if it waited for the caller.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from wonmu.call.floor import Floor

SECONDS = 0.05
"""Between two tries."""

TRIES = 100
"""Far above any handover; what LiveKit still refuses then will never be spoken."""

_TOKEN = "handover"


class Handover:
    """Runs speech requests in their order, each as soon as LiveKit takes it."""

    def __init__(self, floor: Floor, over: Callable[[], bool]) -> None:
        self._floor = floor
        self._over = over
        self._waiting: deque[Callable[[], None]] = deque()
        self._tries = 0

    def soon(self, speech: Callable[[], None]) -> None:
        """Run ``speech`` now, or after those that wait already."""
        self._waiting.append(speech)
        if len(self._waiting) == 1:
            self._go_on()

    def _go_on(self) -> None:
        while self._waiting:
            try:
                self._waiting[0]()
            except RuntimeError:
                self._later()
                return
            self._waiting.popleft()
            self._tries = 0

    def _later(self) -> None:
        self._tries += 1
        if self._over() or self._tries > TRIES:
            self._waiting.clear()
            self._tries = 0
            return
        self._floor.hold(_TOKEN)

        def again() -> None:
            self._go_on()
            self._floor.release(_TOKEN)

        asyncio.get_running_loop().call_later(SECONDS, again)
