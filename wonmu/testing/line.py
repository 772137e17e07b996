"""Playing a call on the simulated line.

Puts the parts together: a desk, a real ``Call`` with sound, a caller who follows a script, and the
recording. Runs on virtual time; the same input gives the same recording on every run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from wonmu.call.deps import Desk
from wonmu.call.models import AnyModel
from wonmu.call.session import Call
from wonmu.call.sound import Sound
from wonmu.emr.fault_plan import FaultPlan
from wonmu.emr.port import Emr
from wonmu.hospital.config import Hospital
from wonmu.ids import CountingIds, IdSource
from wonmu.loop import LoopClock, run
from wonmu.model.port import Rung
from wonmu.office import open_office
from wonmu.testing.driver import Driver
from wonmu.testing.loudspeaker import Loudspeaker
from wonmu.testing.microphone import Microphone, ScriptedRecogniser
from wonmu.testing.recording import Recording
from wonmu.testing.script import Step
from wonmu.testing.tape import Tape
from wonmu.testing.timed_voice import TimedVoice
from wonmu.timeline.events import Event, Kind
from wonmu.timeline.record import Recorder
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
    return run(lambda: _play(plan, script), still=not plan.real_waits)


async def _play(plan: LinePlan, script: Sequence[Step]) -> LineResult:
    hospital = plan.hospital
    clock = LoopClock(datetime.fromisoformat(plan.now))
    office = await open_office(hospital, plan.data, clock, faults=plan.faults)
    try:
        ids = plan.ids if plan.ids is not None else CountingIds()
        desk = Desk.of(office, ids, plan.models, plan.staff)
        if plan.emr is not None:
            desk = replace(desk, emr=plan.emr(office.emr))
        result = await play_on(desk, plan.caller, script, sinks=(office.timeline.sink,))
    finally:
        lost = await office.close()
    return replace(result, status=1 if lost else result.status)


SinkOf = Callable[[Recorder], Callable[[Event], None]]


async def play_on(
    desk: Desk, caller: str | None, script: Sequence[Step], *, sinks: Sequence[SinkOf] = ()
) -> LineResult:
    """The same on the running loop and a desk that is open already.

    ``sinks``: for each the maker of one more reader of the timeline, given the call's recorder.
    """
    tape = Tape(asyncio.get_running_loop().time(), desk.hospital.id)
    mic, speaker = Microphone(), Loudspeaker(tape.played)
    sound = Sound(ScriptedRecogniser(), TimedVoice(), mic, speaker)
    call = Call(desk, caller, "simulated", sound)
    for sink in sinks:
        call.recorder.add_sink(sink(call.recorder))
    call.recorder.add_sink(tape.event)
    await Driver(call, mic, speaker, tape).run(script)
    events = tuple(call.recorder.events)
    status = 1 if any(event.kind is Kind.FAULT for event in events) else 0
    return LineResult(status, events, tape.recording())
