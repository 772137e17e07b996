"""The store of all timelines: append-only, one row an event (E1, E5, N7).

An event costs the talk one append to a queue. A background task writes everything that has
queued up in one transaction as soon as the loop is free. Stored events are never changed or
deleted; the database refuses it. A disk that fails never stops a call: events wait in memory,
``failed`` is set, and writing is tried again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wonmu.ids import CallId
from wonmu.timeline.events import Event
from wonmu.timeline.record import Recorder, Sink


@dataclass(frozen=True, slots=True)
class CallSummary:
    """One stored call: when it began (UTC) and how many events it has; ended: call.ended is in."""

    call_id: CallId
    started: datetime
    events: int
    ended: bool


class TimelineStore:
    """``store = await TimelineStore.open(path)``; ``recorder.add_sink(store.sink(recorder))``."""

    failed: bool
    """The last attempt to write did not succeed; cleared by the next one that does."""

    @classmethod
    async def open(cls, path_or_url: str, *, retry_seconds: float = 1.0) -> TimelineStore:
        """Raises ``InputError`` when the file cannot be used."""
        raise NotImplementedError

    def sink(self, recorder: Recorder) -> Sink:
        """A sink for ``recorder.add_sink``. What the recorder wrote before is queued too."""
        raise NotImplementedError

    async def flush(self) -> bool:
        """Write what is queued now. False when the disk refused (nothing is lost then)."""
        raise NotImplementedError

    async def close(self, *, limit_seconds: float = 5.0) -> int:
        """Write the rest and close; returns how many events could not be stored."""
        raise NotImplementedError

    async def calls(self) -> tuple[CallSummary, ...]:
        """All stored calls, newest first. Raises ``StoreFailure``."""
        raise NotImplementedError

    async def events(self, call_id: CallId) -> tuple[Event, ...]:
        """The events of one call in order, equal to those written; () if unknown."""
        raise NotImplementedError
