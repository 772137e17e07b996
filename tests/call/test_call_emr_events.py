"""What the guard reports goes into the timeline, and nothing after its end (A8, E1, N7)."""

from __future__ import annotations

from datetime import datetime

import pytest

from wonmu.clock import SEOUL, FixedClock
from wonmu.emr.breaker import BreakerState
from wonmu.errors import EmrFault
from wonmu.ids import CallId, CountingIds
from wonmu.timeline.events import Kind
from wonmu.timeline.record import Recorder
from wonmu.visit.emr_events import EmrEvents

pytestmark = pytest.mark.unit


def tell_all(events: EmrEvents) -> None:
    events.failed("book", EmrFault.TIMEOUT)
    events.retried("find_slots", EmrFault.BROKEN, 2, 0.25)
    events.breaker_changed(BreakerState.OPEN, EmrFault.TIMEOUT)


def test_a_write_that_outlives_its_call_adds_nothing_to_the_timeline() -> None:
    clock = FixedClock(datetime(2026, 12, 1, 10, tzinfo=SEOUL))
    recorder = Recorder(CallId("call-1"), clock, CountingIds())
    events = EmrEvents(recorder)
    tell_all(events)
    kinds = [Kind.EMR_FAILED, Kind.EMR_RETRIED, Kind.BREAKER_CHANGED]
    assert [event.kind for event in recorder.events] == kinds
    recorder.write(Kind.CALL_ENDED)
    tell_all(events)
    assert [event.kind for event in recorder.events] == [*kinds, Kind.CALL_ENDED]
