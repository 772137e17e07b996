"""What the tests of the text desk share: a visit played from lines, and what a model was sent."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from wonmu.commands.common import hospitals_of, moment_of
from wonmu.desk.records import request_json
from wonmu.emr.fault_plan import FaultPlan, load_faults
from wonmu.emr.show import show
from wonmu.evals.views import scope_of
from wonmu.hospital.config import Hospital
from wonmu.ids import IdSource, RandomIds
from wonmu.loop import LoopClock, run
from wonmu.model.ladder import Limits
from wonmu.model.offline import BuiltinRung
from wonmu.model.port import ChatRequest, Delta, Done, Rung, TextDelta, ToolCallDelta
from wonmu.office import Office, open_office
from wonmu.place import Place
from wonmu.text.conversation import Conversation, Conversations
from wonmu.text.desk import TextRules
from wonmu.timeline.checks import run_checks
from wonmu.timeline.events import Event, Kind
from wonmu.timeline.spoken import birth_spellings
from wonmu.timeline.view import CallView, InboxRow, ModelRequest, Report

NOW = "2026-12-01T10:00+09:00"
MINSU = ("850312", "김민수", "010-0000-1234")
SEOYEON = ("830701", "이서연", "010-0000-2345")
BIRTHS = (date(1985, 3, 12), date(1983, 7, 1))
"""Those that the visitors of these tests type; every spelling of them is private."""


class Tokens:
    """token-1, token-2, …"""

    def __init__(self) -> None:
        self.given: list[str] = []

    def __call__(self) -> str:
        self.given.append(f"visitor-token-{len(self.given) + 1}")
        return self.given[-1]


class Recording:
    """A rung that keeps what it was sent and answers like the built-in model."""

    name = "recording"

    def __init__(self, inner: Rung | None = None) -> None:
        self._inner: Rung = inner or BuiltinRung()
        self.requests: list[ChatRequest] = []
        self.seen: Callable[[], int] = lambda: 0
        self.after: list[int] = []

    def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        self.requests.append(request)
        self.after.append(self.seen())
        return self._inner.open(request)


class Scripted:
    """A rung that gives prepared answers, then those of the built-in model."""

    name = "scripted"

    def __init__(self, *answers: str | tuple[str, Mapping[str, object]]) -> None:
        self._answers = list(answers)

    async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        if not self._answers:
            async for delta in BuiltinRung().open(request):
                yield delta
            return
        answer = self._answers.pop(0)
        if isinstance(answer, str):
            yield TextDelta(answer)
            yield Done()
            return
        name, arguments = answer
        yield ToolCallDelta(0, "s1", name, json.dumps(arguments, ensure_ascii=False))
        yield Done("tool_calls")


@dataclass
class Played:
    """One visit, over."""

    hospital: Hospital
    token: str
    events: list[Event]
    requests: list[ChatRequest]
    after: list[int]
    inbox: list[dict[str, Any]] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    refunds: list[Any] = field(default_factory=list)

    def said(self) -> list[str]:
        return [str(e.data["heard"]) for e in self.events if e.kind is Kind.AGENT_SAID]

    def lines(self) -> list[str]:
        return [str(e.data["line"]) for e in self.events if e.kind is Kind.AGENT_SAID]

    def of(self, *kinds: Kind) -> list[Event]:
        return [event for event in self.events if event.kind in kinds]

    def kinds(self) -> list[Kind]:
        return [event.kind for event in self.events]

    def report(self, private: Sequence[date] = (), secrets: Sequence[str] = ()) -> Report:
        """The checks N1–N11 over this visit."""
        names = {str(each.id): each.name for each in self.hospital.departments}
        names |= {str(each.id): each.name for each in self.hospital.doctors}
        actions = self.hospital.actions
        modes = {
            f"booking.{name}": getattr(actions, name).value
            for name in ("create", "inquire", "change", "cancel")
        }
        known = {str(row["name"]) for row in self.records if row["kind"] == "patient"}
        doctors = {doctor.name for doctor in self.hospital.doctors}
        spelled = [spelling for day in (*BIRTHS, *private) for spelling in birth_spellings(day)]
        sent = [
            ModelRequest(after, json.dumps(request.messages, ensure_ascii=False))
            for request, after in zip(self.requests, self.after, strict=True)
        ]
        return run_checks(
            CallView(
                events=tuple(self.events),
                inbox=tuple(InboxRow.from_json(row) for row in self.inbox),
                scope=scope_of(self.hospital, moment_of(NOW)),
                secrets=tuple(sorted((known | set(secrets)) - doctors)),
                private=tuple(dict.fromkeys(spelled)),
                model_requests=tuple(sent),
                names=names,
                modes=modes,
            )
        )

    def violations(self) -> list[str]:
        return [str(violation) for violation in self.report().violations]


@dataclass
class Door:
    """An open office with its conversations, for tests that hold several of them."""

    office: Office
    talks: Conversations
    model: Recording
    tokens: Tokens

    def watch(self, talk: Conversation) -> Conversation:
        """Note with each request how far the timeline of this visit was."""
        self.model.seen = lambda: len(talk.recorder.events)
        return talk


def play(
    lines: Sequence[str],
    *,
    hospital: str | Hospital = "hanbit",
    data: Place | Path | None = None,
    model: Rung | None = None,
    now: str = NOW,
    token: str | None = None,
    caller: str | None = None,
    faults: str | Path | FaultPlan | None = None,
    rules: TextRules | None = None,
    ids: IdSource | None = None,
    end: str = "caller_hangup",
) -> Played:
    """One visit from greeting to end, at no cost of time. No ``data``: stores of its own."""
    recording = Recording(model)
    chosen = hospitals_of(None).pick(hospital) if isinstance(hospital, str) else hospital
    place = data if data is not None else fresh(chosen)

    async def main() -> Played:
        async def visit(door: Door) -> Played:
            found = door.watch(await _talk(door, token, caller))
            await found.start()
            for line in lines:
                await found.says(line)
            await found.end(end)
            return await collect(door, found)

        over: Played = await opened(
            visit,
            hospital=chosen,
            data=place,
            recording=recording,
            now=now,
            faults=faults,
            rules=rules,
            ids=ids,
        )
        return over

    return run(main)


async def _talk(door: Door, token: str | None, caller: str | None) -> Conversation:
    if token is None:
        return await door.talks.begin(caller)
    found = await door.talks.resume(token)
    assert found is not None, "unknown conversation"
    return found


_templates: dict[str, Path] = {}


def fresh(hospital: Hospital) -> Path:
    """A folder with the stores of a hospital as they are on the first day; filled once a run."""
    if hospital.id not in _templates:
        folder = Path(tempfile.mkdtemp(prefix="wonmu-text-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)

        async def fill() -> None:
            office = await open_office(hospital, folder, LoopClock(moment_of(NOW)))
            await office.close()

        run(fill)
        _templates[hospital.id] = folder
    copied = Path(tempfile.mkdtemp(prefix="wonmu-text-"))
    atexit.register(shutil.rmtree, copied, ignore_errors=True)
    shutil.copytree(_templates[hospital.id], copied, dirs_exist_ok=True)
    return copied


async def opened(
    body: Callable[[Door], Any],
    *,
    hospital: str | Hospital = "hanbit",
    data: Place | Path | None = None,
    recording: Recording | None = None,
    now: str = NOW,
    faults: str | Path | FaultPlan | None = None,
    rules: TextRules | None = None,
    ids: IdSource | None = None,
) -> Any:
    """Run ``body`` with an open office."""
    chosen = hospitals_of(None).pick(hospital) if isinstance(hospital, str) else hospital
    plan = load_faults(str(faults)) if isinstance(faults, str | Path) else faults
    clock = LoopClock(moment_of(now))
    office = await open_office(chosen, data, clock, faults=plan)
    tokens, model = Tokens(), recording or Recording()
    try:
        async with Conversations.opened(
            office,
            ids or RandomIds(),
            tokens,
            (model,),
            Limits(),
            rules=rules,
        ) as talks:
            return await body(Door(office, talks, model, tokens))
    finally:
        assert await office.close() == 0


async def collect(door: Door, talk: Conversation) -> Played:
    """What is there after a visit: events, requests, stores."""
    office = door.office
    rows = await office.inbox.rows(office.hospital.id)
    records = [] if office.records is None else [row async for row in show(office.records)]
    model = door.model
    return Played(
        office.hospital,
        talk.token,
        list(talk.recorder.events),
        list(model.requests),
        list(model.after),
        [request_json(row) for row in rows],
        [dict(row) for row in records],
        await all_refunds(office),
    )


async def all_refunds(office: Office) -> list[Any]:
    """Every refund of the people the tests use."""
    from wonmu.ids import PatientId

    if office.ledger is None:
        return []
    found: list[Any] = []
    for patient in ("p-0001", "p-0002"):
        found += [r for r in await office.ledger.refunds(PatientId(patient)) if r.id]
    return found


def offered(request: ChatRequest) -> set[str]:
    return set(request.tool_names())


def situation(request: ChatRequest) -> str:
    last = request.messages[-1]
    assert last["role"] == "system"
    return str(last["content"])


def step_of(request: ChatRequest) -> str:
    return situation(request).split("단계: ")[1].splitlines()[0]


def history_faults(request: ChatRequest) -> list[str]:
    """What is invalid in a request's history: calls without answers, answers without calls."""
    faults, open_ids = [], set[str]()
    for message in request.messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_ids:
                faults.append(f"answer to no call: {message}")
            open_ids.discard(message["tool_call_id"])
            continue
        if open_ids:
            faults.append(f"no answer to {open_ids}")
            open_ids = set()
        for call in _calls(message):
            open_ids.add(str(call["id"]))
    return [*faults, *(f"no answer to {each}" for each in open_ids)]


def _calls(message: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return message.get("tool_calls") or ()


def called(request: ChatRequest) -> list[str]:
    return [call["function"]["name"] for m in request.messages for call in _calls(m)]


def text_of(request: ChatRequest) -> str:
    return json.dumps(request.messages, ensure_ascii=False)
