"""Calls of one desk share its breaker, and each reports what it caused (A8, E1)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from wonmu.call.deps import Desk
from wonmu.call.session import Call
from wonmu.commands.common import moment_of
from wonmu.emr.breaker import Breaker
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.errors import EmrFailure, EmrFault
from wonmu.evals.dialogue import NOW
from wonmu.evals.playing import hospital_named
from wonmu.hospital.catalog import Catalog
from wonmu.hospital.config import BreakerRules, EmrSettings
from wonmu.hospital.hours import Calendar
from wonmu.ids import CountingIds
from wonmu.lines import Lines
from wonmu.loop import INSTANT, LoopClock, run
from wonmu.office import Office, open_office
from wonmu.timeline.events import Event, Kind

pytestmark = pytest.mark.scenario

SETTINGS = EmrSettings(
    read_tries=2, breaker=BreakerRules(failures=3, within_seconds=30.0, open_seconds=20.0)
)
HOSPITAL = hospital_named("hanbit").model_copy(update={"emr": SETTINGS})
DOWN = FaultPlan((FaultRule("departments", FaultKind.ERROR, error=EmrFault.UNAVAILABLE, times=3),))


def desk_of(office: Office, clock: LoopClock) -> Desk:
    return Desk(
        hospital=office.hospital,
        calendar=Calendar(office.hospital),
        catalog=Catalog(office.hospital),
        lines=Lines.load(office.hospital.language),
        emr=office.emr,
        inbox=office.inbox,
        clock=clock,
        ids=CountingIds(),
    )


async def asked(call: Call) -> EmrFault | None:
    try:
        await call.emr.departments()
    except EmrFailure as error:
        return error.fault
    return None


def told(call: Call) -> list[tuple[Kind, dict[str, object]]]:
    return [(event.kind, dict(event.data)) for event in call.recorder.events if _of_emr(event)]


def _of_emr(event: Event) -> bool:
    return event.kind in (Kind.EMR_FAILED, Kind.EMR_RETRIED, Kind.BREAKER_CHANGED)


def test_two_calls_of_one_desk(tmp_path: Path) -> None:
    async def main() -> None:
        clock = LoopClock(moment_of(NOW))
        office = await open_office(HOSPITAL, tmp_path, clock, faults=DOWN)
        desk = desk_of(office, clock)
        first, second = Call(desk, None), Call(replace(desk, models=()), None)
        down = EmrFault.UNAVAILABLE
        assert [await asked(first), await asked(first)] == [down, down]
        assert await asked(second) is EmrFault.BREAKER_OPEN
        await asyncio.sleep(20.0)
        assert await asked(second) is None
        assert await asked(first) is None
        await office.close()
        _first_tells(first)
        assert told(second) == [
            (Kind.EMR_FAILED, {"op": "departments", "fault": "breaker_open"}),
            (Kind.BREAKER_CHANGED, {"state": "half_open", "fault": None}),
            (Kind.BREAKER_CHANGED, {"state": "closed", "fault": None}),
        ]

    run(main, speed=INSTANT)


def _first_tells(call: Call) -> None:
    retried, failed, opened, again = told(call)
    wait = retried[1].pop("wait")
    assert isinstance(wait, float)
    assert 0.2 <= wait <= 0.3
    assert retried == (
        Kind.EMR_RETRIED,
        {"op": "departments", "fault": "unavailable", "number": 2},
    )
    assert failed == again == (Kind.EMR_FAILED, {"op": "departments", "fault": "unavailable"})
    assert opened == (Kind.BREAKER_CHANGED, {"state": "open", "fault": "unavailable"})


def test_each_desk_has_one_by_its_hospitals_rules(tmp_path: Path) -> None:
    async def main() -> None:
        clock = LoopClock(moment_of(NOW))
        office = await open_office(HOSPITAL, tmp_path, clock)
        one, other = desk_of(office, clock), desk_of(office, clock)
        assert one.breaker is not other.breaker
        assert replace(one, models=()).breaker is one.breaker
        given = Breaker()
        assert replace(one, breaker=given).breaker is given
        for _ in range(SETTINGS.breaker.failures):
            ticket = one.breaker.admit(0.0)
            assert ticket is not None
            one.breaker.failed(ticket, EmrFault.TIMEOUT, 0.0)
        assert one.breaker.admit(0.0) is None
        await office.close()

    run(main, speed=INSTANT)
