"""The open visits of one hospital, found by their tokens.

Decides which visit a token opens. A token is known here by its SHA-256 only, and an unknown one and
one of another hospital take the same path to the same refusal. It must never open two visits for
one token.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from wonmu.ids import IdSource
from wonmu.web.frames import Ending
from wonmu.web.limits import Gate
from wonmu.web.live import LiveVisit
from wonmu.web.port import Talk, Talks
from wonmu.web.refusal import Refused, Why

_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,256}")
"""What a token can be at all; anything else is as unknown as a wrong one."""


class Rooms:
    """``talks``: the hospital's conversations."""

    def __init__(self, talks: Talks, ids: IdSource, gate: Gate, mono: Callable[[], float]) -> None:
        self._talks = talks
        self._ids = ids
        self._gate = gate
        self._mono = mono
        self._open: dict[str, LiveVisit] = {}
        self._coming = 0
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @property
    def open(self) -> tuple[LiveVisit, ...]:
        return tuple(visit for visit in self._open.values() if visit.ended is None)

    async def begin(self, address: str) -> LiveVisit:
        """A new conversation, greeted. Raises ``Refused``."""
        async with self._place():
            talk = await self._talks.begin()
            visit = self._take(talk, address)
        await _greeted(visit)
        return visit

    async def find(self, token: str, address: str) -> LiveVisit:
        """The visit of a token, opened again when it was over. Raises ``Refused``."""
        self._gate.knock(address)
        name = _name(token)
        async with self._alone(name):
            visit = self._open.get(name)
            if visit is not None and visit.ended is None:
                return visit
            if visit is not None:
                await visit.over()
            async with self._place():
                talk = await self._known(token, address)
                visit = self._take(talk, address)
            await _greeted(visit)
            return visit

    async def forget(self, token: str, address: str) -> None:
        """End the visit and delete the conversation. Raises ``Refused``."""
        self._gate.knock(address)
        name = _name(token)
        async with self._alone(name):
            visit = self._open.pop(name, None)
            if visit is not None:
                await visit.end(Ending.FORGOTTEN)
            known = _TOKEN.fullmatch(token) and await self._talks.forget(token)
            if not known and visit is None:
                self._gate.opened_nothing(address)
                raise Refused(Why.UNKNOWN)

    async def end_idle(self) -> None:
        """End visits that were quiet too long, and let go of those that are over."""
        for name, visit in list(self._open.items()):
            if visit.ended is not None:
                self._open.pop(name, None)
            elif visit.quiet_seconds >= self._gate.limits.idle_seconds:
                await self._end(name, visit, Ending.IDLE)

    async def close(self) -> None:
        """End all visits; waits for turns under way, within limits."""
        ends = {asyncio.create_task(visit.end(Ending.SHUTDOWN)) for visit in self.open}
        if ends:
            _, late = await asyncio.wait(ends, timeout=self._gate.limits.stop_seconds)
            for each in late:
                each.cancel()
        self._open.clear()

    async def _known(self, token: str, address: str) -> Talk:
        talk = await self._talks.resume(token) if _TOKEN.fullmatch(token) else None
        if talk is None:
            self._gate.opened_nothing(address)
            raise Refused(Why.UNKNOWN)
        return talk

    def _take(self, talk: Talk, address: str) -> LiveVisit:
        name = self._ids.new("visit")
        visit = LiveVisit(talk, name, address, self._mono, self._gate.limits)
        self._open[_name(talk.token)] = visit
        return visit

    async def _end(self, name: str, visit: LiveVisit, why: Ending) -> None:
        await visit.end(why)
        if self._open.get(name) is visit:
            del self._open[name]

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        """A place for one more visit; when all are taken, the longest quiet one makes room."""
        limits = self._gate.limits
        if len(self.open) + self._coming >= limits.conversations:
            quiet = [each for each in self._open.items() if each[1].ended is None]
            name, visit = max(quiet, key=lambda each: each[1].quiet_seconds, default=(None, None))
            if name is None or visit is None or visit.quiet_seconds < limits.spare_after:
                raise Refused(Why.BUSY, retry_after=30.0)
            await self._end(name, visit, Ending.IDLE)
        self._coming += 1
        try:
            yield
        finally:
            self._coming -= 1

    @asynccontextmanager
    async def _alone(self, name: str) -> AsyncIterator[None]:
        """One at a time for one token; the lock is forgotten with its last user."""
        lock, users = self._locks.get(name, (asyncio.Lock(), 0))
        self._locks[name] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks[name]
            if users == 1:
                del self._locks[name]
            else:
                self._locks[name] = (lock, users - 1)


async def _greeted(visit: LiveVisit) -> None:
    """A visit whose first words fail does not stay open."""
    greeted = False
    try:
        await visit.start()
        greeted = True
    finally:
        if not greeted:
            await visit.end(Ending.SHUTDOWN)


def _name(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
