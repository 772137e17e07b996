"""The caller hangs up after every single turn of the main talk (N7, K13, S9, V2)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from scenario_parts import CALLER, Stage, checked, of_kind, played, stages

from wonmu.call.deps import Desk
from wonmu.call.session import Call
from wonmu.commands.common import moment_of
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import Played, hospital_named, judged, stored
from wonmu.hospital.catalog import Catalog
from wonmu.hospital.hours import Calendar
from wonmu.ids import RandomIds
from wonmu.lines import Lines
from wonmu.loop import INSTANT, LoopClock, run
from wonmu.office import open_office
from wonmu.timeline.events import SPANS, Kind, Status

pytestmark = pytest.mark.scenario

CLOSE_SECONDS = 5.0
STAGES = stages(from_turn=0)


def assert_closed(call: Played, rows: int) -> None:
    """Ended once and last, in time, no span open, no half record."""
    events = call.events
    assert [event.kind for event in events].count(Kind.CALL_ENDED) == 1
    assert events[-1].kind is Kind.CALL_ENDED
    hung_up = of_kind(call, Kind.HANGUP)
    assert len(hung_up) == 1
    assert events[-1].mono - hung_up[0].mono <= CLOSE_SECONDS
    started = {event.span for event in events if event.kind in SPANS}
    ended = [event.span for event in events if event.kind in SPANS.values()]
    assert sorted(ended, key=str) == sorted(started, key=str)
    assert len(call.inbox) == rows
    assert not of_kind(call, Kind.FAULT)
    assert call.status == 0


def rows_after(stage: Stage) -> int:
    return int(not stage.left)


@pytest.mark.parametrize("ending", [("/hangup",), ()], ids=["hangup", "end-of-input"])
@pytest.mark.parametrize("stage", STAGES, ids=str)
def test_hanging_up_after_any_turn(stage: Stage, ending: tuple[str, ...]) -> None:
    call = played(stage.hospital, (*stage.lines, *ending))
    assert_closed(call, rows_after(stage))
    assert call.events[-1].data["reason"] == "caller_hangup"
    assert call.events[-1].status is Status.CANCELLED


async def hang_up_at(stage: Stage, data: Path, seconds: float, faults: FaultPlan | None) -> Call:
    """Play the stage, say the next line and hang up ``seconds`` later, whatever goes on then."""
    hospital = hospital_named(stage.hospital)
    clock = LoopClock(moment_of(NOW))
    office = await open_office(hospital, data, clock, faults=faults)
    desk = Desk(
        hospital=hospital,
        calendar=Calendar(hospital),
        catalog=Catalog(hospital),
        lines=Lines.load(hospital.language),
        emr=office.emr,
        inbox=office.inbox,
        clock=clock,
        ids=RandomIds(),
    )
    call = Call(desk, CALLER)
    await call.start()
    for line in stage.lines:
        await call.floor.until_quiet()
        say(call, line)
        await asyncio.sleep(0)
    await call.floor.until_quiet()
    say(call, stage.left[0])
    await asyncio.sleep(seconds)
    await call.hang_up()
    await asyncio.sleep(timedelta(minutes=2).total_seconds())
    await office.close()
    return call


def say(call: Call, line: str) -> None:
    if line.startswith("#"):
        for key in line[1:]:
            call.press(key)
    else:
        call.caller_says(line)


def hung_up_in_the_middle(
    stage: Stage, data: Path, seconds: float, faults: FaultPlan | None = None
) -> Played:
    call = run(lambda: hang_up_at(stage, data, seconds, faults), speed=INSTANT)
    hospital = hospital_named(stage.hospital)
    talk = Talk(CALLER, NOW, stage.lines)
    result = judged(hospital, talk, (0, tuple(call.recorder.events)), data)
    assert stored(hospital, data)[0] == result.inbox
    return checked(result)


MIDDLES = [stage for stage in stages(from_turn=0, short_by=1) if stage.turns % 2 == 0]


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.2, 2.0])
@pytest.mark.parametrize("stage", MIDDLES, ids=str)
def test_hanging_up_just_after_words(stage: Stage, seconds: float, tmp_path: Path) -> None:
    """While a tool or a task is just starting, or the agent speaks (R86, R87, R90)."""
    call = hung_up_in_the_middle(stage, tmp_path, seconds)
    committed = len(of_kind(call, Kind.BOOKING_COMMITTED))
    assert_closed(call, committed)


@pytest.mark.parametrize("seconds", [0.5, 2.0])
@pytest.mark.parametrize("stage", MIDDLES, ids=str)
def test_hanging_up_while_the_record_system_hangs(
    stage: Stage, seconds: float, tmp_path: Path
) -> None:
    faults = FaultPlan((FaultRule("any", FaultKind.LATENCY, seconds=2.5),))
    call = hung_up_in_the_middle(stage, tmp_path, seconds, faults)
    assert_closed(call, len(of_kind(call, Kind.BOOKING_COMMITTED)))


def test_nothing_is_said_or_done_after_the_hang_up(tmp_path: Path) -> None:
    stage = next(stage for stage in stages(from_turn=8) if stage.left)
    call = hung_up_in_the_middle(stage, tmp_path, 0.05)
    hung_up = of_kind(call, Kind.HANGUP)[0].seq
    late = {event.kind for event in call.events if event.seq > hung_up}
    assert late <= {
        Kind.TERMINAL_LATCHED,
        Kind.AGENT_SAID,
        Kind.TASK_LEFT,
        Kind.TOOL_ENDED,
        Kind.CALL_ENDED,
    }
