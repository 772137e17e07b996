"""Who is doing something, and the moment when nobody is.

A speech, a tool or an armed keypad timer *holds* the floor. A tool that lent the talk to a task is
*parked*: it cannot go on until the caller has answered, so it does not count. When nothing that
counts is left, the agent has finished and waits for the caller. Decides only that moment; it must
never report it while something is still to be said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable


class Floor:
    """Holders of the floor of one call."""

    def __init__(self, on_quiet: Callable[[], None]) -> None:
        self._on_quiet = on_quiet
        self._held: dict[Hashable, int] = {}
        self._parked: set[Hashable] = set()
        self._quiet = asyncio.Event()
        self._check: asyncio.Handle | None = None
        self._moved = asyncio.Event()
        self.on_hold = asyncio.Event()
        """The caller hears hold music: nobody speaks, and the agent has not finished."""

    def hold(self, token: Hashable) -> None:
        self._held[token] = self._held.get(token, 0) + 1
        self._changed()

    def release(self, token: Hashable) -> None:
        count = self._held.get(token, 0) - 1
        if count > 0:
            self._held[token] = count
        else:
            self._held.pop(token, None)
        self._changed()

    def park(self, token: Hashable) -> None:
        self._parked.add(token)
        self._changed()

    def unpark(self, token: Hashable) -> None:
        self._parked.discard(token)
        self._changed()

    @property
    def busy(self) -> bool:
        return any(token not in self._parked for token in self._held)

    def busy_besides(self, token: Hashable) -> bool:
        """Whether anything but ``token`` holds the floor."""
        return any(other not in self._parked and other != token for other in self._held)

    async def until_only(self, token: Hashable) -> None:
        """Wait until nothing but ``token`` holds the floor."""
        while self.busy_besides(token):
            self._moved.clear()
            await self._moved.wait()

    async def until_quiet(self) -> None:
        await self._quiet.wait()

    def _changed(self) -> None:
        self._moved.set()
        if self._check is not None:
            self._check.cancel()
            self._check = None
        if self.busy:
            self._quiet.clear()
        elif not self._quiet.is_set():
            self._settle(3)

    def _settle(self, rounds: int) -> None:
        # A finished speech is often followed by the next one a few loop rounds later
        # (a tool resuming after its task, a queued sentence); those rounds are not "waiting".
        loop = asyncio.get_running_loop()
        if rounds > 0:
            self._check = loop.call_soon(self._settle, rounds - 1)
            return
        self._check = None
        if not self.busy:
            self._quiet.set()
            self._on_quiet()
