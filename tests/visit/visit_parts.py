"""An owner of the talk that asks no model: it drives the engines as the text desk does.

Every state goes through JSON and into a new engine before the next turn, so that nothing is kept
in an engine.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wonmu.commands.common import moment_of
from wonmu.desk.records import InboxRow as StoredRow
from wonmu.desk.records import request_json
from wonmu.emr.fault_plan import FaultPlan
from wonmu.evals.playing import hospital_named
from wonmu.evals.views import scope_of
from wonmu.hospital.catalog import Catalog
from wonmu.hospital.hours import Calendar
from wonmu.identity.facts import Level
from wonmu.identity.result import NewPatient, Verified
from wonmu.ids import CallId, CountingIds
from wonmu.korean.mask import mask_text
from wonmu.lines import Lines
from wonmu.loop import LoopClock
from wonmu.office import Office, open_office
from wonmu.timeline.checks import CHECKS
from wonmu.timeline.events import Event, Kind, Status
from wonmu.timeline.record import Recorder
from wonmu.timeline.view import CallView, Check, InboxRow
from wonmu.visit.booking_engine import BookingEngine, BookingState
from wonmu.visit.front import Front
from wonmu.visit.identity_engine import IdentityEngine, IdentityState
from wonmu.visit.own_engine import OwnEngine, OwnState
from wonmu.visit.people import KnownWho, Who, who_of
from wonmu.visit.turned import Agreed, Turned
from wonmu.visit.visit import Visit
from wonmu.visit.wishes import FirstWish

NOW = "2026-12-01T10:00+09:00"
MINSU = ("01000001234", "850312")
JUDGED = (Check.N1, Check.N2, Check.N6, Check.N7, Check.N8, Check.N9)

State = BookingState | OwnState


def front_of(office: Office, clock: LoopClock, ids: CountingIds) -> Front:
    hospital = office.hospital
    return Front(
        hospital=hospital,
        calendar=Calendar(hospital),
        catalog=Catalog(hospital),
        lines=Lines.load(hospital.language),
        emr=office.emr,
        inbox=office.inbox,
        clock=clock,
        ids=ids,
        direct=office.direct,
    )


@dataclass
class Desk:
    """An open office; visits one after another, each after a restart of the process."""

    office: Office
    front: Front
    visits: int = 0
    owners: list[Owner] = field(default_factory=list)

    def visit(self) -> Owner:
        """A new visit: nothing of an earlier process is known any more."""
        self.visits += 1
        name = CallId(f"visit-{self.visits}")
        recorder = Recorder(name, self.front.clock, self.front.ids)
        owner = Owner(self, Visit(self.front, recorder))
        owner.span = recorder.start(Kind.CALL_STARTED, {"caller": None, "channel": "text"})
        self.owners.append(owner)
        return owner

    async def rows(self) -> tuple[StoredRow, ...]:
        return await self.front.inbox.rows()


@dataclass
class Owner:
    """One visit as the text desk would lead it."""

    desk: Desk
    visit: Visit
    turn: int = 0
    span: str = ""
    said: list[str] = field(default_factory=list)
    """What was said in answer to the last turn."""
    lines: list[str] = field(default_factory=list)
    saved: str = ""
    """The checkpoint: the last state as JSON."""
    outcome: object = None
    agreed: list[str] = field(default_factory=list)
    """Checkpoints as they were just before a commit."""

    @property
    def events(self) -> list[Event]:
        return self.visit.recorder.events

    def of(self, kind: Kind) -> list[Event]:
        return [event for event in self.events if event.kind is kind]

    def heard(self, words: str, private: str | None = None) -> None:
        """A visitor's turn begins."""
        self.turn += 1
        today = self.desk.front.clock.now().date()
        text = private or mask_text(words, today=today).text
        data = {"text": text, "turn": self.turn, "barge_in": False}
        self.visit.recorder.write(Kind.CALLER_HEARD, data)

    async def identify(self, *answers: str, level: Level = Level.CREATE, **more: Any) -> Who | None:
        """Run an identification; None when it did not establish anybody."""
        turned = await IdentityEngine(self.visit).start(level, **more)
        self._say(turned)
        for words in answers:
            saved = json.dumps(turned.state.to_json(), ensure_ascii=False)
            state = IdentityState.from_json(json.loads(saved))
            assert state == turned.state
            engine = IdentityEngine(self.visit)
            self.heard(words, engine.private_text(state, words))
            after = await engine.answer(state, words)
            if after is None:
                self._say(Turned((), state))
                continue
            turned = after
            self._say(turned)
        self.outcome = turned.outcome
        self.identity = turned
        if isinstance(turned.outcome, Verified | NewPatient):
            return who_of(turned.outcome)
        return None

    async def minsu(self, level: Level = Level.CREATE) -> KnownWho:
        answers = (MINSU[1],) if level is Level.CREATE else (MINSU[1], "김민수")
        who = await self.identify(*answers, level=level, caller_phone=MINSU[0])
        assert isinstance(who, KnownWho)
        return who

    async def book(self, who: Who, first: FirstWish | None = None, **more: Any) -> None:
        self.heard("예약하고 싶어요")
        await self.take(await BookingEngine(self.visit).open(who, first, **more))

    def state(self) -> Any:
        data = json.loads(self.saved)
        return OwnState.from_json(data) if "doing" in data else BookingState.from_json(data)

    def _engine_of(self, state: State) -> Any:
        made = OwnEngine if isinstance(state, OwnState) else BookingEngine
        return made(self.visit)

    async def say(self, words: str, wish: FirstWish | None = None, number: int = 0) -> None:
        """The visitor's turn. ``wish`` and ``number``: what a model would make of it."""
        self.heard(words)
        state = self.state()
        engine = self._engine_of(state)
        turned = await engine.answer(state, words, self.turn)
        if turned is None and wish is not None:
            turned = await engine.set_wish(state, wish)
        elif turned is None and number:
            turned = await engine.choose(state, number)
        elif turned is None:
            turned = Turned(await engine.question(state), state)
        await self.take(turned)

    async def take(self, turned: Turned[Any, Any]) -> None:
        """Save, say, tell what was delivered, and commit what was agreed to."""
        self._save(turned.state)
        self.outcome = turned.outcome
        if isinstance(turned.outcome, Agreed):
            self.agreed.append(self.saved)
            state = self.state()
            return await self.take(await self._engine_of(state).commit(state))
        self._say(turned)
        for saying in turned.say:
            if saying.readback is not None:
                state = self.state()
                self._save(self._engine_of(state).heard(state, saying.readback, self.turn))
        return None

    async def resume(self, saved: str) -> None:
        """Go on from a checkpoint of an earlier process."""
        self.visit.recorder.write(Kind.CONVERSATION_RESUMED, {"step": "booking", "visits": 2})
        self.saved = saved
        state = self.state()
        await self.take(await self._engine_of(state).resumed(state))

    def _save(self, state: State) -> None:
        self.saved = json.dumps(state.to_json(), ensure_ascii=False)
        assert json.loads(self.saved) == self.state().to_json()

    def _say(self, turned: Turned[Any, Any]) -> None:
        self.said = [saying.text for saying in turned.say]
        self.lines = [saying.line for saying in turned.say]
        for saying in turned.say:
            data = {"text": saying.text, "heard": saying.text, "line": saying.line}
            self.visit.recorder.write(Kind.AGENT_SAID, data)

    async def violations(self, checks: Sequence[Check] = JUDGED) -> list[str]:
        """What the checks of the timeline find in this visit, once it has ended."""
        if not self.visit.recorder.over:
            self.visit.recorder.end(self.span, Status.SUCCESS, {"reason": "test"})
        hospital = self.desk.front.hospital
        view = CallView(
            tuple(self.events),
            inbox=tuple(InboxRow.from_json(request_json(row)) for row in await self.desk.rows()),
            scope=scope_of(hospital, moment_of(NOW)),
            private=("850312", "1985-03-12"),
            names={d.id: d.name for d in hospital.departments}
            | {d.id: d.name for d in hospital.doctors},
        )
        return [f"{v.check}: {v.why}" for check in checks for v in CHECKS[check](view)]


@asynccontextmanager
async def desk_at(
    name: str, data: Path, faults: FaultPlan | None = None, **changed: object
) -> AsyncIterator[Desk]:
    """The front desk of a demo hospital. Closed with the checks of every visit."""
    clock = LoopClock(moment_of(NOW))
    hospital = hospital_named(name).model_copy(update=changed)
    office = await open_office(hospital, data, clock, faults=faults)
    desk = Desk(office, front_of(office, clock, CountingIds()))
    try:
        yield desk
    finally:
        await office.close()
