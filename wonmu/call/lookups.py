"""Reading the record system while the talk goes on (A2, A3, A5–A7).

One read of a kind at a time. It runs beside the talk: the caller is answered meanwhile, hears what
is waited for, and can end it; a read that was ended is recorded and never spoken of. Its result is
its own type or ``Stopped`` or ``Failed``; a failure never turns into an empty answer. Decides
nothing about what comes of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from wonmu.booking.result import ExitCode
from wonmu.call.patience import Patience
from wonmu.emr.port import Emr
from wonmu.errors import EmrFailure, EmrFault, ProgrammingError, StoreFailure
from wonmu.timeline.events import Kind
from wonmu.visit.lookups import Failed, Name, Stopped, VisitOver, settled_as, started_as

if TYPE_CHECKING:
    from wonmu.call.session import Call

T = TypeVar("T")


@dataclass(slots=True)
class _Running:
    """A read under way."""

    id: str
    stop: asyncio.Future[ExitCode]
    patience: Patience


class Lookups:
    """The reads of one call."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._running: dict[Name, _Running] = {}
        self._count = 0
        self._left: set[asyncio.Future[Any]] = set()
        self._told: dict[Name, int] = {}
        """The turn in which the caller was told that a read of this name has begun."""

    def running(self, name: Name | None = None) -> bool:
        """Whether one (of this name) is under way."""
        return bool(self._running) if name is None else name in self._running

    def stop(self, code: ExitCode, name: Name | None = None) -> bool:
        """End the reads under way (of this name); False when there are none (A5)."""
        stopped = False
        for kind, each in self._running.items():
            if name in (None, kind) and not each.stop.done():
                each.stop.set_result(code)
                stopped = True
        return stopped

    def refuse(self) -> None:
        """The same was asked for again while it runs: written down, not done twice (A6)."""
        for kind, each in self._running.items():
            data = {"name": kind.value, "id": each.id}
            self._call.recorder.write(Kind.LOOKUP_REFUSED, data)

    def step(self, name: Name, step: str) -> None:
        """The read has come to another part; told only to a caller who waits already."""
        running = self._running.get(name)
        if running is None:
            return
        self._call.recorder.write(Kind.LOOKUP_STEP, {"id": running.id, "step": step})
        running.patience.step(f"lookup.{name.value}_{step}")

    async def run(
        self,
        name: Name,
        read: Callable[[Emr], Awaitable[T]],
        count: Callable[[T], int] | None = None,
    ) -> T | Stopped | Failed:
        """Carry out ``read``, all its requests within the cap on one step of the talk (A8).

        ``count``: how many it found, for the timeline.
        """
        if name in self._running:
            raise ProgrammingError(f"two reads of {name} at once")
        call, loop = self._call, asyncio.get_running_loop()
        if call.state.latch.closed:
            return Stopped(ExitCode.HANGUP)
        # Counted, not random: digits of chance in an event can look like somebody's birth date.
        self._count += 1
        id = f"{name.value}-{self._count}"
        stop: asyncio.Future[ExitCode] = loop.create_future()

        def give_up() -> None:
            # Everything that may be said has been said: silence from now on would explain nothing.
            if not stop.done():
                stop.set_result(ExitCode.TIME_LIMIT)

        # A second read for the same words (a list, then one slot) is no new beginning to a caller.
        begun = self._told.get(name) == call.state.turn
        running = _Running(id, stop, Patience(call, name.value, id, give_up, begun=begun))
        self._running[name] = running
        span = call.recorder.start(started_as(name), {"name": name.value, "id": id})
        began = loop.time()
        running.patience.start()
        result: T | Stopped | Failed = Failed(EmrFault.BROKEN)
        try:
            result = await self._first(lambda: read(call.emr.step()), stop)
            if isinstance(result, Failed):
                call.state.fault = result.fault
            return result
        except asyncio.CancelledError:
            result = Stopped(ExitCode.HANGUP)
            raise
        finally:
            running.patience.stop()
            if running.patience.slow:
                self._told[name] = call.state.turn
            del self._running[name]
            data = {"name": name.value, "id": id, "seconds": round(loop.time() - began, 3)}
            status, more = settled_as(result, count)
            call.recorder.end(span, status, {**data, **more})

    async def _first(
        self, read: Callable[[], Awaitable[T]], stop: asyncio.Future[ExitCode]
    ) -> T | Stopped | Failed:
        """The read's end or its stop, whichever is first."""
        work: asyncio.Future[T] = asyncio.ensure_future(read())
        try:
            waited: set[asyncio.Future[Any]] = {work, stop}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not work.done():
                self._let_go(work)
        if stop.done():
            code = stop.result()
            return Failed(EmrFault.TIMEOUT) if code is ExitCode.TIME_LIMIT else Stopped(code)
        try:
            return work.result()
        except EmrFailure as failure:
            return Failed(failure.fault)
        except StoreFailure:
            return Failed(EmrFault.BROKEN)
        except VisitOver:
            return Stopped(ExitCode.HANGUP)

    async def gone(self, seconds: float) -> None:
        """Wait until reads that were ended have let go of the stores, at most that long.

        A store that is closed under a cancelled read leaves that read waiting for ever.
        """
        if self._left:
            await asyncio.wait(set(self._left), timeout=seconds)

    def _let_go(self, work: asyncio.Future[T]) -> None:
        """Cancel a read nobody waits for; what it still raises is not an error of ours."""
        work.cancel()
        self._left.add(work)
        work.add_done_callback(self._gone)

    def _gone(self, work: asyncio.Future[T]) -> None:
        self._left.discard(work)
        if not work.cancelled():
            work.exception()
