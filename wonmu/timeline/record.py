"""The one writer of a call's timeline (E1).

``Recorder.write`` is the only way an event comes into being. It numbers, stamps and hands each
event to its sinks in order; a sink that fails never stops the call. The recorder also answers the
one question that code may ask of the past during the call: which spans are still open.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from wonmu.clock import Clock, utc
from wonmu.ids import CallId, IdSource
from wonmu.timeline.events import SPANS, Event, Kind, Status

log = logging.getLogger(__name__)

Sink = Callable[[Event], None]


class Recorder:
    """Writes the events of one call, in order, to every sink."""

    def __init__(self, call_id: CallId, clock: Clock, ids: IdSource) -> None:
        self.call_id = call_id
        self.events: list[Event] = []
        self._clock = clock
        self._ids = ids
        self._start = clock.mono()
        self._sinks: list[Sink] = []
        self._open: dict[str, Kind] = {}

    def add_sink(self, sink: Sink) -> None:
        self._sinks.append(sink)

    def write(
        self,
        kind: Kind,
        data: Mapping[str, Any] | None = None,
        *,
        status: Status | None = None,
        span: str | None = None,
    ) -> Event:
        event = Event(
            call_id=self.call_id,
            seq=len(self.events) + 1,
            at=utc(self._clock.now()),
            mono=self._clock.mono() - self._start,
            kind=kind,
            status=status,
            span=span,
            data=dict(data or {}),
        )
        self.events.append(event)
        for sink in self._sinks:
            try:
                sink(event)
            except Exception as error:  # noqa: BLE001 - a watcher must not stop the call
                log.error("a sink refused event %s: %s", event.seq, type(error).__name__)
        return event

    def start(self, kind: Kind, data: Mapping[str, Any] | None = None) -> str:
        """Write the start of a span; returns the span's id for ``end``."""
        if kind not in SPANS:
            raise ValueError(f"{kind} starts nothing")
        span = self._ids.new("span")
        self._open[span] = kind
        self.write(kind, data, span=span)
        return span

    def end(self, span: str, status: Status, data: Mapping[str, Any] | None = None) -> None:
        """Write the end of a span, once. A second end of the same span is ignored."""
        kind = self._open.pop(span, None)
        if kind is None:
            log.warning("span %s was ended twice or never started", span)
            return
        self.write(SPANS[kind], data, status=status, span=span)

    @property
    def over(self) -> bool:
        """The call has ended; what still goes on without it leaves no events."""
        return bool(self.events) and self.events[-1].kind is Kind.CALL_ENDED

    def is_open(self, kind: Kind) -> bool:
        """Whether a span that starts with ``kind`` has not ended."""
        return kind in self._open.values()

    def open_spans(self) -> tuple[str, ...]:
        """Spans that have started and not ended, innermost last."""
        return tuple(self._open)
