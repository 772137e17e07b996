"""Finishing what direct writes left open, whatever died (B4).

Takes the rows that nobody works on any more, page by page, and has each settled by what the record
system says (``settle``). It decides who works on a row and when it is looked at again, never what
becomes of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from wonmu.clock import Clock
from wonmu.desk.outbox.entry import Entry
from wonmu.desk.outbox.notes import StaffNotes
from wonmu.desk.outbox.rules import Did, Reconciled, ReconcileRules
from wonmu.desk.outbox.settle import Resend, Settled, Settling
from wonmu.desk.outbox.store import OutboxStore
from wonmu.desk.outbox.waits import Pause
from wonmu.emr.port import Emr
from wonmu.errors import StoreFailure
from wonmu.ids import HospitalId

__all__ = ["Did", "ReconcileRules", "Reconciled", "Reconciler"]

T = TypeVar("T")

OnRun = Callable[[tuple[Reconciled, ...] | StoreFailure], None]
"""Told after each run: what was done, or that our own store failed."""


class Reconciler:
    """For one hospital. Any number of them may run at once, in any number of processes.

    ``emr`` must have time limits (``GuardedEmr``), or a hang of it ends all reconciling.
    """

    def __init__(
        self,
        emr: Emr,
        store: OutboxStore,
        clock: Clock,
        notes: StaffNotes,
        hospital_id: HospitalId,
        rules: ReconcileRules | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._hospital_id = hospital_id
        self._rules = rules or ReconcileRules()
        self._settling = Settling(emr, store, clock, notes, self._rules)

    async def run_once(self) -> tuple[Reconciled, ...]:
        """Work on every row that is due. Raises ``StoreFailure``; EMR failures are in the rows.

        Ends early when the record system fails for a whole page; the other rows stay due.
        """
        began = self._clock.now()
        done: list[Reconciled] = []
        while True:
            until = self._clock.now() + self._rules.lease
            page = await self._store.take_due(self._hospital_id, began, until, self._rules.page)
            settled = await self._work(page)
            done.extend(each.told for each in settled)
            if len(page) < self._rules.page or all(each.told.fault for each in settled):
                return tuple(done)

    async def run_every(
        self,
        seconds: float,
        stop: asyncio.Event,
        pause: Pause = asyncio.sleep,
        on_run: OnRun | None = None,
    ) -> None:
        """``run_once`` now and then every ``seconds`` until ``stop`` is set."""
        while not stop.is_set():
            try:
                ran: tuple[Reconciled, ...] | StoreFailure = await self.run_once()
            except StoreFailure as failure:
                ran = failure
            if on_run is not None:
                on_run(ran)
            await _until(stop, pause(seconds))

    async def _work(self, page: tuple[Entry, ...]) -> list[Settled]:
        """Look at all rows of a page, send those again that must be, take down what came of it.

        What is to be sent is taken down before, in one transaction for the page, like the results.
        """
        settling = self._settling
        looked = await self._together([partial(settling.look, entry) for entry in page])
        settled = [each for each in looked if isinstance(each, Settled)]
        again = [each for each in looked if isinstance(each, Resend)]
        sending = await self._store.move_all([each.move for each in again])
        settled += await self._together(
            [
                partial(settling.send, each.before, kept)
                for each, kept in zip(again, sending, strict=True)
            ]
        )
        moves = [each.move for each in settled if each.move is not None]
        kept = {entry.key for entry in await self._store.move_all(moves) if entry is not None}
        return [each if each.told.key in kept else each.lost() for each in settled]

    async def _together(self, works: list[Callable[[], Coroutine[Any, Any, T]]]) -> list[T]:
        """The results in order, a few at a time."""
        gate = asyncio.Semaphore(self._rules.at_once)

        async def one(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
            async with gate:
                return await work()

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(work)) for work in works]
        except* StoreFailure as failures:
            raise StoreFailure("the outbox could not be used") from failures.exceptions[0]
        return [task.result() for task in tasks]


async def _until(stop: asyncio.Event, pause: Awaitable[None]) -> None:
    """Pause, but no longer than until ``stop`` is set."""
    waits: set[asyncio.Future[object]] = {
        asyncio.ensure_future(stop.wait()),
        asyncio.ensure_future(pause),
    }
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waits:
            each.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
