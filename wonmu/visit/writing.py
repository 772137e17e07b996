"""Writes under way. Once begun, one is finished even if nobody waits for it any more (A5)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Writes:
    """The writes of one talk."""

    def __init__(self) -> None:
        self._running = 0
        self._none = asyncio.Event()
        self._none.set()
        self.let_go = asyncio.Event()
        """Nobody is there any more to wait for them; what writes goes on by itself."""

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
