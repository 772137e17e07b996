"""Whatever a model and a caller do, none of N1–N11 may happen (V4)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from random import Random

import pytest

from wonmu.chat import Script
from wonmu.commands.chat import CallPlan, ChatOptions, caller_of, play
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.hostile import HostileModel, caller_lines
from wonmu.evals.playing import hospital_named, stored
from wonmu.evals.views import view_of
from wonmu.ids import CountingIds
from wonmu.loop import INSTANT, run
from wonmu.timeline.checks import run_checks
from wonmu.timeline.events import Event, Kind

SEEDS = 40
"""Calls in ``make test``; ``make prove`` plays more."""

CALLERS = ("01000001234", "01000002345", "01000009999", None)


def play_one(seed: int) -> None:
    rng = Random(seed)
    hospital = hospital_named(rng.choice(("hanbit", "saebom", "onnuri")))
    model = HostileModel(rng)
    talk = Talk(rng.choice(CALLERS), NOW, tuple(caller_lines(rng)))
    options = ChatOptions(hospital=hospital.id, caller=talk.caller, now=NOW)
    plan = CallPlan(hospital, caller_of(talk.caller), options, faults(rng), CountingIds())
    models = (model,) if rng.random() < 0.8 else ()
    events: list[Event] = []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        run(
            lambda: play(plan, Script(list(talk.lines)), events.append, data, models),
            speed=INSTANT,
        )
        inbox, records = stored(hospital, data)
    report = run_checks(view_of(hospital, talk, events, inbox, records))
    story = "\n".join(str(event.to_json()) for event in events)
    assert report.clean, f"seed {seed}: {report.violations}\n{story}"
    assert not [e for e in events if e.kind is Kind.FAULT], f"seed {seed}: a fault\n{story}"
    assert events[-1].kind is Kind.CALL_ENDED
    for request in model.requests:
        for secret in ("850312", "19850312", "1985-03-12", "01000001234"):
            assert secret not in request, f"seed {seed}: a secret reached the model"


def faults(rng: Random) -> FaultPlan | None:
    if rng.random() < 0.5:
        return None
    if rng.random() < 0.3:
        op = rng.choice(("book", "reschedule", "cancel"))
        kind = rng.choice(
            (FaultKind.ERROR, FaultKind.HANG, FaultKind.LATENCY, FaultKind.LOST_REPLY)
        )
    else:
        op = rng.choice(("find_slots", "read_slot", "find_patients", "appointments", "any"))
        kind = rng.choice((FaultKind.ERROR, FaultKind.HANG, FaultKind.LATENCY))
    seconds = rng.choice((0.5, 2.0, 5.0, 20.0)) if kind is FaultKind.LATENCY else None
    return FaultPlan((FaultRule(op, kind, seconds=seconds, times=rng.choice((1, 2, 4))),))


@pytest.mark.scenario
@pytest.mark.parametrize("seed", range(SEEDS))
def test_nothing_that_must_not_happen_happens(seed: int) -> None:
    play_one(seed)


@pytest.mark.load
@pytest.mark.parametrize("start", range(1000, 3000, 100))
def test_many_more_calls(start: int) -> None:
    for seed in range(start, start + int(os.environ.get("WONMU_SEEDS", "100"))):
        play_one(seed)
