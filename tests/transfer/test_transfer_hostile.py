"""A model and a caller who do anything, with people behind the line (P3, V4): none of N1–N11."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from random import Random

import pytest

from wonmu.chat import Script
from wonmu.commands.chat import CallPlan, ChatOptions, play
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.hostile import HostileModel, caller_lines
from wonmu.evals.playing import hospital_named, stored
from wonmu.evals.views import view_of
from wonmu.ids import CountingIds
from wonmu.loop import INSTANT, run
from wonmu.timeline.checks import run_checks
from wonmu.timeline.events import Event, Kind
from wonmu.transfer.port import Outcome
from wonmu.transfer.simulated import Attempt, Noted, ScriptedLine

SEEDS = 12

PEOPLE = (
    "상담원 바꿔 주세요",
    "상담원이요",
    "사람이랑 통화하고 싶어요",
    "!상담원 연결해 주세요",
    "네",
    "아니요",
    "메모 남겨 주세요",
    "전화 주세요",
    "진료비 문의요",
    "김철수요",
    "내일 오후요",
    "아무 때나요",
    "/wait 1",
    "/wait 4",
    "!취소요",
    "!됐어요",
    "!예약 취소해 주세요",
    "끊을게요",
    "!끊을게요",
    "공일공 공공공공 구구구구요",
    "예약하고 싶어요",
    "!주차 되나요?",
    "#0",
    "!네",
    "숨을 못 쉬겠어요",
)


def lines_of(rng: Random) -> tuple[str, ...]:
    people = [rng.choice(PEOPLE) for _ in range(rng.randrange(4, 14))]
    lines = [*people, *caller_lines(rng)[:6]]
    rng.shuffle(lines)
    return tuple([*lines, "/hangup"] if rng.random() < 0.3 else lines)


def line_of(rng: Random) -> ScriptedLine | None:
    if rng.random() < 0.15:
        return None
    outcomes = rng.choices(list(Outcome), k=rng.randrange(1, 4))
    return ScriptedLine(
        tuple(
            Attempt(o, rng.choice((None, 0.0, 3.0, 12.0)), rng.choice((None, 0.0, 8.0, 90.0)))
            for o in outcomes
        )
    )


def play_one(seed: int) -> None:
    rng = Random(seed)
    hospital = hospital_named(rng.choice(("hanbit", "saebom")))
    talk = Talk(rng.choice(("01000001234", None)), NOW, lines_of(rng))
    options = ChatOptions(hospital=hospital.id, caller=talk.caller, now=NOW)
    staff = line_of(rng)
    plan = CallPlan(hospital, talk.caller, options, None, CountingIds(), staff)
    models = (HostileModel(rng),) if rng.random() < 0.6 else ()
    events: list[Event] = []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        run(
            lambda: play(plan, Script(list(talk.lines)), events.append, data, models),
            speed=INSTANT,
        )
        inbox, records = stored(hospital, data)
    story = f"seed {seed}\n" + "\n".join(str(event.to_json()) for event in events)
    report = run_checks(view_of(hospital, talk, events, inbox, records))
    assert report.clean, f"{report.violations}\n{story}"
    assert not [e for e in events if e.kind is Kind.FAULT], story
    assert events[-1].kind is Kind.CALL_ENDED
    if staff is not None:
        _nobody_is_left(staff, events, story)


def _nobody_is_left(staff: ScriptedLine, events: list[Event], story: str) -> None:
    """Every phone that rang stopped, was let go or was joined, and joined once at most."""
    ends = (Noted.STOPPED_RINGING, Noted.RELEASED)
    connected = [e for e in events if e.data.get("outcome") == Outcome.CONNECTED.value]
    joined = staff.noted(Noted.JOINED)
    over = sum(map(staff.noted, ends))
    assert len(connected) <= 1, story
    assert staff.noted(Noted.RUNG) == over + len(connected), story
    assert joined >= len(connected), story


@pytest.mark.scenario
@pytest.mark.parametrize("seed", range(SEEDS))
def test_nobody_is_lost_or_left_alone(seed: int) -> None:
    play_one(seed)


@pytest.mark.load
@pytest.mark.parametrize("start", range(1000, 2000, 100))
def test_many_more_calls_with_people(start: int) -> None:
    for seed in range(start, start + int(os.environ.get("WONMU_SEEDS", "100"))):
        play_one(seed)
