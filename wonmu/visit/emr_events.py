"""What the guard of the record system reports, written into the call's timeline (A8, E1)."""

from __future__ import annotations

from collections.abc import Mapping

from wonmu.emr.breaker import BreakerState
from wonmu.errors import EmrFault
from wonmu.timeline.events import Kind
from wonmu.timeline.record import Recorder


class EmrEvents:
    """A ``Watcher`` that writes events. Nothing of a request but its name is written.

    A write may go on after its caller is gone; what it still meets is in the outbox, because a
    timeline ends with the end of its call.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def failed(self, op: str, fault: EmrFault) -> None:
        self._write(Kind.EMR_FAILED, {"op": op, "fault": fault.value})

    def retried(self, op: str, fault: EmrFault, number: int, wait: float) -> None:
        data = {"op": op, "fault": fault.value, "number": number, "wait": round(wait, 3)}
        self._write(Kind.EMR_RETRIED, data)

    def breaker_changed(self, state: BreakerState, fault: EmrFault | None) -> None:
        data = {"state": state.value, "fault": fault.value if fault is not None else None}
        self._write(Kind.BREAKER_CHANGED, data)

    def _write(self, kind: Kind, data: Mapping[str, object]) -> None:
        if not self._recorder.over:
            self._recorder.write(kind, data)
