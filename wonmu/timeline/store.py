"""The store of all timelines: append-only, one row an event (E1, E5, N7).

An event costs the talk one append to a queue. A background task writes everything that has
queued up in one transaction: when the agent waits for the caller, when the call ends, and
otherwise ``WRITE_SECONDS`` after an event, so that no write
competes with the answer to a caller. Stored events are never changed or deleted; the database
refuses it. A disk that fails never stops a call: events wait in memory, ``failed`` is set, and
writing is tried again.

Event data is JSON: what is not comes back as its text (a tuple as a list). Log lines of this
module carry kinds and numbers of events only, never their data.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import case, func, insert, select
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from wonmu.errors import StoreFailure
from wonmu.ids import CallId
from wonmu.loop import outside
from wonmu.storage import open_engine, reading, writing
from wonmu.timeline.events import SCHEMA_VERSION, Event, Kind, Status
from wonmu.timeline.record import Recorder, Sink
from wonmu.timeline.tables import HEAD, MIGRATIONS, metadata, timeline_event

log = logging.getLogger(__name__)

BATCH = 2_000
"""Events a transaction at most, so that a long queue does not hold the write lock for long."""

WRITE_SECONDS = 0.25
"""Loop seconds that an event may wait for company; what a killed process can lose."""

_WRITE_NOW = frozenset({Kind.TURN_WAITING, Kind.CALL_ENDED})

_DISK = (SQLAlchemyError, OSError)


@dataclass(frozen=True, slots=True)
class CallSummary:
    """One stored call: when it began (UTC) and how many events it has; ended: call.ended is in."""

    call_id: CallId
    started: datetime
    events: int
    ended: bool


class TimelineStore:
    """``store = await TimelineStore.open(path)``; ``recorder.add_sink(store.sink(recorder))``.

    ``failed``: the last attempt to write did not succeed; the next one that does clears it.
    ``refused``: events dropped because another event already has their call and number.
    """

    def __init__(self, engine: AsyncEngine, retry_seconds: float) -> None:
        self.failed = False
        self.refused = 0
        self._engine = engine
        self._retry_seconds = retry_seconds
        self._queue: deque[Event] = deque()
        self._wake = asyncio.Event()
        self._stored = asyncio.Event()
        self._lock = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        self._task = asyncio.get_running_loop().create_task(self._run(), name="timeline-store")

    @classmethod
    async def open(cls, path_or_url: str, *, retry_seconds: float = 1.0) -> TimelineStore:
        """Raises ``InputError`` when the file cannot be used."""
        with outside():
            engine = await open_engine(path_or_url, metadata, HEAD, MIGRATIONS)
        return cls(engine, retry_seconds)

    def sink(self, recorder: Recorder) -> Sink:
        """A sink for ``recorder.add_sink``. What the recorder wrote before is queued too."""
        queued = 0

        def take(event: Event) -> None:
            nonlocal queued
            if self._closed:
                log.warning("%s no %d came after the store was closed", event.kind, event.seq)
                return
            self._queue.extend(recorder.events[queued : event.seq])
            queued = event.seq
            self._stored.clear()
            if event.kind in _WRITE_NOW:
                self._wake.set()
            elif self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(WRITE_SECONDS, self._due)

        if recorder.events:
            take(recorder.events[-1])
        return take

    async def flush(self) -> bool:
        """Write what is queued now. False when the disk refused (nothing is lost then)."""
        with outside():
            async with self._lock:
                return await self._write_queue()

    async def stored(self) -> None:
        """Wait until the background task has written everything queued so far; does not hurry it.

        Never returns while the disk fails; put a limit around it.
        """
        await self._stored.wait()

    async def close(self, *, limit_seconds: float = 5.0) -> int:
        """Write the rest and close; returns how many events could not be stored."""
        if self._closed:
            return len(self._queue)
        self._closed = True
        self._disarm()
        with outside():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(limit_seconds):
                    await self.flush()
            self._task.cancel()
            await asyncio.wait([self._task], timeout=limit_seconds)
            await self._engine.dispose()
        if self._queue:
            log.error("closed with %d timeline events not stored", len(self._queue))
        return len(self._queue)

    async def calls(self) -> tuple[CallSummary, ...]:
        """All stored calls, newest first. Raises ``StoreFailure``."""
        c = timeline_event.c
        began = func.min(c.at)
        ended = func.max(case((c.kind == Kind.CALL_ENDED.value, 1), else_=0))
        query = select(c.call_id, began, func.count(), ended).group_by(c.call_id)
        rows = await self._read(query.order_by(began.desc(), c.call_id))
        return tuple(
            CallSummary(CallId(call), datetime.fromisoformat(at), count, bool(done))
            for call, at, count, done in rows
        )

    async def events(self, call_id: CallId) -> tuple[Event, ...]:
        """The events of one call in order, equal to those written; () if unknown.

        Raises ``StoreFailure``.
        """
        c = timeline_event.c
        rows = await self._read(select(timeline_event).where(c.call_id == call_id).order_by(c.seq))
        try:
            return tuple(_event(row) for row in rows)
        except ValueError as error:
            raise StoreFailure(f"call {call_id} has events of a newer program: {error}") from error

    async def _read(self, query: Any) -> Sequence[Any]:
        try:
            with outside():
                async with reading(self._engine) as connection:
                    return (await connection.execute(query)).all()
        except (SQLAlchemyError, OSError) as error:
            raise StoreFailure(f"the timeline could not be read: {_cause(error)}") from error

    def _due(self) -> None:
        self._timer = None
        self._wake.set()

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _run(self) -> None:
        """Write whenever something is queued; after a failure wait, then try again."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            # What it would have written goes now; left armed, it would cut into a later answer.
            self._disarm()
            async with self._lock:
                done = await self._write_queue()
            if not done:
                await asyncio.sleep(self._retry_seconds)
                self._wake.set()

    async def _write_queue(self) -> bool:
        """Events leave the queue only after their transaction is committed."""
        while self._queue:
            batch = [self._queue[place] for place in range(min(BATCH, len(self._queue)))]
            try:
                await self._store(batch)
            except _DISK as error:
                self.failed = True
                log.warning("%d timeline events wait: %s", len(self._queue), _cause(error))
                return False
            for _ in batch:
                self._queue.popleft()
        self.failed = False
        self._stored.set()
        return True

    async def _store(self, batch: Sequence[Event]) -> None:
        rows = [_row(event) for event in batch]
        try:
            async with writing(self._engine, alone=False) as connection:
                await connection.execute(insert(timeline_event), rows)
        except IntegrityError:
            # Some are there: a commit whose answer was lost, or two recorders with one call id.
            async with writing(self._engine, alone=False) as connection:
                for row in rows:
                    await self._store_missing(connection, row)

    async def _store_missing(self, connection: AsyncConnection, row: Mapping[str, Any]) -> None:
        c = timeline_event.c
        same_number = (c.call_id == row["call_id"]) & (c.seq == row["seq"])
        there = (await connection.execute(select(timeline_event).where(same_number))).first()
        if there is None:
            await connection.execute(insert(timeline_event), [row])
        elif dict(there._mapping) != row:
            self.refused += 1
            log.error("%s no %d was refused: the number is taken", row["kind"], row["seq"])


def _cause(error: Exception) -> str:
    """The driver's words or the type; never the statement, whose values are personal."""
    return str(error.orig) if isinstance(error, DBAPIError) else type(error).__name__


def _row(event: Event) -> dict[str, Any]:
    return {
        "call_id": event.call_id,
        "seq": event.seq,
        "at": event.at.isoformat(timespec="microseconds"),
        "mono": event.mono,
        "kind": event.kind.value,
        "status": event.status.value if event.status else None,
        "span": event.span,
        "data": _json(event),
        "v": SCHEMA_VERSION,
    }


def _json(event: Event) -> str:
    try:
        words = json.dumps(dict(event.data), ensure_ascii=False, default=str)
        # A recogniser can hand over half a character, which no database takes as it is.
        return words if _encodable(words) else json.dumps(dict(event.data), default=str)
    except (TypeError, ValueError, RecursionError):
        log.error("the data of %s no %d is not JSON and was left out", event.kind, event.seq)
        return json.dumps({"left_out": "not JSON"})


def _encodable(words: str) -> bool:
    try:
        words.encode()
    except UnicodeEncodeError:
        return False
    return True


def _event(row: Any) -> Event:
    found = row._mapping
    return Event(
        call_id=CallId(found["call_id"]),
        seq=found["seq"],
        at=datetime.fromisoformat(found["at"]),
        mono=found["mono"],
        kind=Kind(found["kind"]),
        status=Status(found["status"]) if found["status"] else None,
        span=found["span"],
        data=json.loads(found["data"]),
    )
