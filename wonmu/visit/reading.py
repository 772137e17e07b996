"""Reading the record system for a visit without a voice (A5–A8).

One read of a kind at a time, within the cap on one step of the talk; its result is its own type or
``Stopped`` or ``Failed``. Says nothing; whoever has the talk says that something is looked up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from wonmu.booking.result import ExitCode
from wonmu.emr.port import Emr
from wonmu.errors import EmrFailure, EmrFault, ProgrammingError, StoreFailure
from wonmu.timeline.events import Kind
from wonmu.visit.lookups import Failed, Name, Stopped, VisitOver, settled_as, started_as

if TYPE_CHECKING:
    from wonmu.visit.visit import Visit

T = TypeVar("T")


class VisitReads:
    """The reads of one visit."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._running: dict[Name, tuple[str, asyncio.Future[ExitCode]]] = {}
        self._count = 0

    def running(self, name: Name | None = None) -> bool:
        """Whether one (of this name) is under way."""
        return bool(self._running) if name is None else name in self._running

    def stop(self, code: ExitCode, name: Name | None = None) -> bool:
        """End the reads under way (of this name); False when there are none (A5)."""
        stopped = False
        for kind, (_, stop) in self._running.items():
            if name in (None, kind) and not stop.done():
                stop.set_result(code)
                stopped = True
        return stopped

    def step(self, name: Name, step: str) -> None:
        """The read has come to another part."""
        if (running := self._running.get(name)) is not None:
            self._visit.recorder.write(Kind.LOOKUP_STEP, {"id": running[0], "step": step})

    async def run(
        self,
        name: Name,
        read: Callable[[Emr], Awaitable[T]],
        count: Callable[[T], int] | None = None,
    ) -> T | Stopped | Failed:
        """Carry out ``read``. ``count``: how many it found, for the timeline.

        Cancelling the caller ends the read as cancelled (A5).
        """
        if name in self._running:
            raise ProgrammingError(f"two reads of {name} at once")
        visit, loop = self._visit, asyncio.get_running_loop()
        if visit.state.latch.closed:
            return Stopped(ExitCode.HANGUP)
        # Counted, not random: digits of chance in an event can look like somebody's birth date.
        self._count += 1
        id, stop = f"{name.value}-{self._count}", loop.create_future()
        self._running[name] = (id, stop)
        span = visit.recorder.start(started_as(name), {"name": name.value, "id": id})
        began = loop.time()
        result: T | Stopped | Failed = Stopped(ExitCode.HANGUP)
        try:
            result = await self._first(lambda: read(visit.emr.step()), stop)
            if isinstance(result, Failed):
                visit.state.fault = result.fault
            return result
        finally:
            del self._running[name]
            data = {"name": name.value, "id": id, "seconds": round(loop.time() - began, 3)}
            status, more = settled_as(result, count)
            visit.recorder.end(span, status, {**data, **more})

    async def _first(
        self, read: Callable[[], Awaitable[T]], stop: asyncio.Future[ExitCode]
    ) -> T | Stopped | Failed:
        """The read's end or its stop, whichever is first."""
        work: asyncio.Future[T] = asyncio.ensure_future(read())
        try:
            waited: set[asyncio.Future[Any]] = {work, stop}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if stop.done():
                return Stopped(stop.result())
            return work.result()
        except EmrFailure as failure:
            return Failed(failure.fault)
        except StoreFailure:
            return Failed(EmrFault.BROKEN)
        except VisitOver:
            return Stopped(ExitCode.HANGUP)
        finally:
            if not work.done():
                work.cancel()
                # A store that is closed under a cancelled read leaves that read waiting for ever.
                await asyncio.wait({work})
