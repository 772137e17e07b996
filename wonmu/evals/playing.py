"""Playing a dialogue through the same door as ``wonmu chat``, in this process and without waiting.

The stores are real and on a folder of their own; nothing outside is touched (V3). Decides nothing
about right or wrong.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wonmu.chat import Script
from wonmu.commands.chat import CallPlan, ChatOptions, caller_of, play
from wonmu.commands.common import choose_hospital, hospitals_of, moment_of
from wonmu.desk.inbox import FILE_NAME, open_inbox
from wonmu.desk.records import request_json
from wonmu.emr.fault_plan import FaultPlan
from wonmu.emr.show import show
from wonmu.emr.sql import open_embedded
from wonmu.evals.dialogue import Dialogue, Talk
from wonmu.evals.views import view_of
from wonmu.hospital.config import Hospital
from wonmu.ids import IdSource, RandomIds
from wonmu.loop import INSTANT, LoopClock, run
from wonmu.model.port import Rung
from wonmu.office import emr_file
from wonmu.timeline.checks import run_checks
from wonmu.timeline.events import Event
from wonmu.timeline.view import Report
from wonmu.transfer.port import StaffLine
from wonmu.transfer.simulated import ScriptedLine

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Played:
    """One finished call. ``inbox`` and ``records`` are what the stores hold after all calls."""

    talk: Talk
    status: int
    events: tuple[Event, ...]
    inbox: tuple[Row, ...]
    records: tuple[Row, ...]
    checks: Report


def hospital_named(name: str) -> Hospital:
    """One of the shipped hospitals, by id or number."""
    return choose_hospital(hospitals_of(None), name)


def play_dialogue(dialogue: Dialogue, ids: IdSource | None = None) -> tuple[Played, ...]:
    """Every call of the dialogue on fresh data, the judged one last. Raises ``InputError``."""
    hospital = hospital_named(dialogue.hospital)
    source = ids if ids is not None else RandomIds()
    with tempfile.TemporaryDirectory(prefix="wonmu-dialogue-") as folder:
        data = Path(folder)
        rounds = [play_talk(hospital, talk, data, source, faults=None) for talk in dialogue.before]
        staff = ScriptedLine(dialogue.staff) if dialogue.staff else None
        rounds.append(
            play_talk(hospital, dialogue.talk, data, source, faults=dialogue.faults, staff=staff)
        )
        return tuple(judged(hospital, talk, round_, data) for talk, round_ in rounds)


Round = tuple[int, tuple[Event, ...]]


def play_talk(
    hospital: Hospital,
    talk: Talk,
    data: Path,
    ids: IdSource,
    *,
    faults: FaultPlan | None = None,
    staff: StaffLine | None = None,
    model: str = "builtin",
    models: tuple[Rung, ...] | None = None,
) -> tuple[Talk, Round]:
    """One call on ``data``: its exit status and its events.

    ``models``: scripted models in place of the one that ``model`` names.
    """
    events: list[Event] = []
    options = ChatOptions(hospital=hospital.id, caller=talk.caller, now=talk.now, model=model)
    plan = CallPlan(hospital, caller_of(talk.caller), options, faults, ids, staff)
    lines = Script(list(talk.lines))
    status = run(lambda: play(plan, lines, events.append, data, models), speed=INSTANT)
    return talk, (status, tuple(events))


def judged(
    hospital: Hospital, talk: Talk, played: Round, data: Path, sent: Sequence[str] = ()
) -> Played:
    """The call beside what the stores hold now, with every check run.

    ``sent``: what a model of another process was asked.
    """
    status, events = played
    inbox, records = stored(hospital, data)
    report = run_checks(view_of(hospital, talk, events, inbox, records, sent))
    return Played(talk, status, events, inbox, records, report)


def stored(hospital: Hospital, data: Path) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """The inbox and the record system in ``data``, as the commands print them."""
    return asyncio.run(_stored(hospital, data))


async def _stored(hospital: Hospital, data: Path) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    inbox = await open_inbox(str(data / FILE_NAME))
    records = await open_embedded(str(data / emr_file(hospital)), LoopClock(moment_of(None)))
    try:
        rows = [request_json(row) for row in await inbox.rows()]
        return tuple(rows), tuple([row async for row in show(records)])
    finally:
        await records.close()
        await inbox.close()


def as_json(events: Sequence[Event]) -> list[str]:
    """The events as ``wonmu chat --json`` prints them."""
    return [json.dumps(event.to_json(), ensure_ascii=False) for event in events]
