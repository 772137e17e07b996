"""Two callers want one slot: one request, and the other hears that it is gone (R22, N2, B4)."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from scenario_parts import checked, heard_text

from wonmu.call.deps import Desk
from wonmu.call.session import Call
from wonmu.chat import ChatDoor, Script
from wonmu.commands.common import moment_of
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import Played, hospital_named, judged, stored
from wonmu.hospital.catalog import Catalog
from wonmu.hospital.hours import Calendar
from wonmu.ids import RandomIds
from wonmu.lines import Lines
from wonmu.loop import INSTANT, LoopClock, run
from wonmu.office import Office, open_office


@dataclass(frozen=True, slots=True)
class Rush:
    """Two calls for the same slot at one hospital; lines up to the yes, and the yes."""

    hospital: str
    callers: tuple[str, str]
    births: tuple[str, str]
    wish: tuple[str, ...]
    between: tuple[str, ...] = ()

    def lines(self, number: int) -> tuple[str, ...]:
        return (self.wish[0], f"#{self.births[number]}", *self.between, "네", "끊을게요")

    def talk(self, number: int) -> Talk:
        return Talk(self.callers[number], NOW, self.lines(number))


RUSHES = (
    Rush(
        "hanbit",
        ("01000001234", "01000004567"),
        ("850312", "580307"),
        ("내과 김서연 원장님 다음 주 화요일 오후 세 시 예약이요",),
        ("건강보험",),
    ),
    Rush(
        "saebom",
        ("01000001234", "01000008901"),
        ("19850312", "19920615"),
        ("안과 백솔 선생님 다음 주 화요일 오후 두 시 십 분 예약이요",),
    ),
)


def a_call(rush: Rush, office: Office, clock: LoopClock, number: int) -> Call:
    hospital = office.hospital
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
    return Call(desk, rush.callers[number])


async def both(rush: Rush, data: Path) -> tuple[Call, Call]:
    hospital = hospital_named(rush.hospital)
    clock = LoopClock(moment_of(NOW))
    office = await open_office(hospital, data, clock)
    calls = a_call(rush, office, clock, 0), a_call(rush, office, clock, 1)
    doors = [ChatDoor(call, Script(list(rush.lines(n)))) for n, call in enumerate(calls)]
    await asyncio.gather(*(door.run() for door in doors))
    await office.close()
    return calls


def results(rush: Rush, data: Path, calls: Sequence[Call]) -> list[Played]:
    hospital = hospital_named(rush.hospital)
    return [
        checked(judged(hospital, rush.talk(n), (0, tuple(call.recorder.events)), data))
        for n, call in enumerate(calls)
    ]


@pytest.mark.scenario
@pytest.mark.parametrize("rush", RUSHES, ids=lambda rush: rush.hospital)
def test_two_calls_in_one_process(rush: Rush, tmp_path: Path) -> None:
    found = results(rush, tmp_path, run(lambda: both(rush, tmp_path), speed=INSTANT))
    rows = found[0].inbox
    assert [row["kind"] for row in rows] == ["booking_request"]
    told = [heard_text(call) for call in found]
    winner = 0 if found[0].events[0].call_id == rows[0]["call_id"] else 1
    assert "예약이 접수되었습니다" in told[winner]
    assert "예약이 접수되었습니다" not in told[1 - winner]
    assert "방금 다른 분이 예약하셨습니다" in told[1 - winner]
    assert "가까운 시간으로" in told[1 - winner]


def chat(rush: Rush, number: int, data: Path, out: list[str]) -> None:
    command = [sys.executable, "-m", "wonmu.cli", "chat", "--json", "--hospital", rush.hospital]
    command += ["--caller", rush.callers[number], "--now", NOW, "--data", str(data)]
    lines = "\n".join(rush.lines(number)) + "\n"
    done = subprocess.run(
        command, input=lines.encode(), capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    out[number] = done.stdout.decode()


@pytest.mark.service
@pytest.mark.parametrize("rush", RUSHES, ids=lambda rush: rush.hospital)
def test_two_processes_on_one_data_folder(rush: Rush, tmp_path: Path) -> None:
    out = ["", ""]
    both_at_once = [threading.Thread(target=chat, args=(rush, n, tmp_path, out)) for n in (0, 1)]
    for thread in both_at_once:
        thread.start()
    for thread in both_at_once:
        thread.join()
    rows, _ = stored(hospital_named(rush.hospital), tmp_path)
    assert [row["kind"] for row in rows] == ["booking_request"]
    winners = [rows[0]["call_id"] in text for text in out]
    assert sorted(winners) == [False, True]
    loser = out[winners.index(False)]
    kinds = [json.loads(line)["kind"] for line in loser.splitlines()]
    assert kinds[-1] == "call.ended"
    assert "booking.committed" not in kinds
    assert "방금 다른 분이" in loser or "비어 있지 않습니다" in loser
