"""A model that answers as a test says, and like the built-in one where the test says nothing."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from scenario_parts import CALLER, checked

from wonmu.emr.fault_plan import FaultPlan
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import Played, hospital_named, judged, play_talk
from wonmu.hospital.config import Hospital
from wonmu.ids import CountingIds
from wonmu.model.offline.brain import BuiltinRung
from wonmu.model.port import ChatRequest, Delta, Done, TextDelta, ToolCallDelta
from wonmu.transfer.port import Outcome, StaffLine
from wonmu.transfer.simulated import Attempt, ScriptedLine

Step = Callable[[str, ChatRequest], Sequence[Delta] | None]
"""The caller's last words and the request; None: what the built-in model says."""


def say(text: str) -> list[Delta]:
    return [TextDelta(text), Done()]


def use(*names: str, words: str, **arguments: str) -> list[Delta]:
    """Calls of these tools in one answer."""
    given = json.dumps({"caller_words": words, **arguments}, ensure_ascii=False)
    calls = [ToolCallDelta(at, f"c{at}", name, given) for at, name in enumerate(names)]
    return [*calls, Done("tool_calls")]


class ScriptedModel:
    """A rung that asks ``step`` first."""

    name = "scripted"

    def __init__(self, step: Step) -> None:
        self._step = step
        self._other = BuiltinRung()

    async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        said = [str(each["content"]) for each in request.messages if each.get("role") == "user"]
        deltas = self._step(said[-1] if said else "", request)
        if deltas is None:
            async for delta in self._other.open(request):
                yield delta
            return
        for delta in deltas:
            yield delta


def line_that(*outcomes: Outcome) -> ScriptedLine:
    return ScriptedLine(tuple(Attempt(outcome) for outcome in outcomes))


def call_with(
    step: Step,
    lines: Sequence[str],
    *,
    hospital: Hospital | str = "hanbit",
    staff: StaffLine | None = None,
    caller: str | None = CALLER,
    now: str = NOW,
    faults: FaultPlan | None = None,
) -> Played:
    """One call on fresh data with that model; fails if any check was violated."""
    here = hospital_named(hospital) if isinstance(hospital, str) else hospital
    talk = Talk(caller, now, tuple(lines))
    with TemporaryDirectory(prefix="wonmu-scripted-") as folder:
        data = Path(folder)
        models = (ScriptedModel(step),)
        _, round_ = play_talk(
            here, talk, data, CountingIds(), faults=faults, staff=staff, models=models
        )
        return checked(judged(here, talk, round_, data))
