"""Playing a call on the simulated line.

Puts the parts together: a desk, a real ``Call`` with sound, a caller who follows a script, and the
recording. Runs on virtual time; the same input gives the same recording on every run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wonmu.call.deps import Desk
from wonmu.call.models import AnyModel
from wonmu.emr.fault_plan import FaultPlan
from wonmu.emr.port import Emr
from wonmu.hospital.config import Hospital
from wonmu.ids import IdSource
from wonmu.model.port import Rung
from wonmu.testing.recording import Recording
from wonmu.testing.script import Step
from wonmu.timeline.events import Event
from wonmu.transfer.port import StaffLine

NOW = "2026-12-01T10:00+09:00"
"""A Tuesday on which both demo hospitals are open."""


@dataclass(frozen=True, slots=True)
class LinePlan:
    """One call on one hospital's line.

    ``caller`` None: the number is withheld. ``data``: the folder of the stores, kept; None: stores
    of this call only. ``ids`` None: counted, so that a run can be repeated. ``emr``: what to put
    around the record system. ``models``: scripted models in place of the built-in one.
    ``real_waits``: time goes on while a thread or a server is waited for; needed when the record
    system is a server with delays of its own, and then times differ a little from run to run.
    """

    hospital: Hospital
    caller: str | None = None
    now: str = NOW
    data: Path | None = None
    faults: FaultPlan | None = None
    staff: StaffLine | None = None
    models: tuple[AnyModel | Rung, ...] = ()
    ids: IdSource | None = None
    emr: Callable[[Emr], Emr] | None = None
    real_waits: bool = False


@dataclass(frozen=True, slots=True)
class LineResult:
    """``status`` as of ``wonmu chat``: 0 closed cleanly, 1 a fault of ours."""

    status: int
    events: tuple[Event, ...]
    recording: Recording


def play_line(plan: LinePlan, script: Sequence[Step]) -> LineResult:
    """Play one call from answering to the end, on a virtual-time loop of its own."""
    raise NotImplementedError


async def play_on(desk: Desk, caller: str | None, script: Sequence[Step]) -> LineResult:
    """The same on the running loop and a desk that is open already."""
    raise NotImplementedError
