"""Knowing whose matters these are, before anything about a person is read (D1, D3, B7, T11).

Asks through the engine, remembers what was settled for a set time, and goes on with what was
wanted when it is. It never says which fact did not match, and nothing asked for here is shown to a
model or the timeline.
"""

from __future__ import annotations

from typing import Any

from wonmu.booking.result import ExitCode, Exited
from wonmu.identity.facts import Level
from wonmu.identity.result import (
    AmbiguousPatient,
    Escalated,
    IdentityError,
    IdentityOutcome,
    Incomplete,
    NewPatient,
    Verified,
)
from wonmu.korean.numbers import Phone, read_phone
from wonmu.text import forms
from wonmu.text.falling import fall_back
from wonmu.text.moves import Ask, Move, Speak, Use
from wonmu.text.notes import leave_failure
from wonmu.text.said import Said
from wonmu.text.state import Form, Known
from wonmu.text.turn import Turn
from wonmu.timeline.events import Kind
from wonmu.visit.identity_engine import IdentityEnd, IdentityEngine, IdentityState
from wonmu.visit.people import who_of
from wonmu.visit.turned import Turned

_WISHES = {
    "inquire_booking": "예약 확인",
    "change_booking": "예약 변경",
    "cancel_booking": "예약 취소",
    "create_booking": "예약",
}
"""What staff reads a visitor wanted; every other work is about a bill."""


def remembered(turn: Turn, level: Level, relation: str | None) -> Known | None:
    """The identity that still counts for this work; another person's never does (R39)."""
    known = turn.memory.who
    if known is None:
        return None
    if relation is not None or not known.own:
        # Another person's identity counts for the work it was asked for, in that very turn.
        just_now = turn.talk.settled_in == turn.talk.turn and relation is not None
        return known if just_now and not known.own else None
    enough = level is Level.CREATE or (known.level is Level.READ and known.patient is not None)
    return known if enough else None


def forget_if_old(turn: Turn) -> bool:
    """Forget an identity whose time is over, and what of it a model could still see."""
    known = turn.memory.who
    if known is None:
        return False
    age = turn.talk.desk.clock.now() - known.at
    if age <= turn.talk.text_desk.rules.identity:
        return False
    turn.memory.who = None
    turn.memory.seen_from = turn.memory.turn + 1
    turn.memory.listed = ()
    turn.memory.booking = None
    form = turn.memory.form
    if form is not None and forms.owner_of(form).area(form) != forms.PERSON:
        turn.memory.form = None
    return True


async def require(turn: Turn, level: Level, relation: str | None, after: Use) -> Known | None:
    """Who it is; None: a question or the other path was left to be said, and ``after`` is done
    once it is known."""
    if (known := remembered(turn, level, relation)) is not None:
        return known
    talk = turn.talk
    birth, talk.state.birth_said = talk.state.birth_said, None
    engine = IdentityEngine(talk.visit)
    turned = await engine.start(
        level,
        relation,
        talk.caller or _given_phone(turn, relation),
        birth=_proven_birth(turn, relation) or birth,
        heard=tuple(talk.heard),
        takes_asides=after.tool in ("create_booking", "change_booking"),
    )
    form: Form = {
        "kind": "identity",
        "tool": after.tool,
        "arguments": dict(after.arguments),
        "level": level.value,
        "relation": relation,
        "heard": forms.evidence(turn),
    }
    move = await _went_on(turn, form, turned)
    match move:
        case Speak(said):
            turn.leave_said(*said)
            return None
        case Use():
            return turn.memory.who
        case Ask():
            turn.leave("gate.need_identity")
            return None


def _proven_birth(turn: Turn, relation: str | None) -> Any:
    """Known well enough to book: only what telling needs beyond that is still asked."""
    known = turn.memory.who
    if known is None or not known.own or relation is not None or known.patient is None:
        return None
    person = turn.talk.visit.memory.people.get(known.patient)
    return person.birth_date if person is not None else None


def _given_phone(turn: Turn, relation: str | None) -> str | None:
    """A number given for an earlier piece of work is not asked for again."""
    known = turn.memory.who
    if known is None or not known.own or relation is not None:
        return None
    return known.who.contact or known.who.phone or None


class Identities:
    """The owner of forms of the kind ``identity``."""

    def area(self, form: Form) -> str:
        return forms.BOOKING if form["tool"] in _WISHES else forms.BILLING

    def free(self, form: Form) -> bool:
        return False

    def private(self, turn: Turn, form: Form, raw: str) -> str | None:
        return IdentityEngine(turn.talk.visit).private_text(_state(form), raw)

    def question(self, turn: Turn, form: Form) -> Said:
        saying = IdentityEngine(turn.talk.visit).question(_state(form))
        if saying is None:
            return turn.talk.words("gate.need_identity")
        return Said(saying.text, saying.line)

    def retry(self, turn: Turn, form: Form) -> Said:
        return self.question(turn, form)

    async def answer(self, turn: Turn, form: Form) -> Move | None:
        turned = await IdentityEngine(turn.talk.visit).answer(_state(form), turn.talk.raw)
        return await _went_on(turn, form, turned) if turned is not None else Ask("none")

    async def give_up(self, turn: Turn, form: Form) -> Move:
        return Speak(tuple(await _nobody(turn, form, Escalated())))

    def stopped(self, turn: Turn, form: Form) -> Said:
        return turn.talk.words("text.stopped")

    async def leave(self, turn: Turn, form: Form) -> list[Said]:
        return []


def _state(form: Form) -> IdentityState:
    return IdentityState.from_json(form["state"])


async def _went_on(
    turn: Turn, form: Form, turned: Turned[IdentityState, IdentityEnd]
) -> Speak | Use | Ask:
    said = tuple(Said(each.text, each.line) for each in turned.say)
    match turned.outcome:
        case None:
            turn.memory.form = {**form, "state": turned.state.to_json(), "misses": 0}
            return Speak(said)
        case Verified() | NewPatient() as found:
            turn.memory.form = None
            turn.talk.asides = turned.state.asides
            turn.memory.who, turn.talk.settled_in = _known(turn, form, found), turn.talk.turn
            return Use(form["tool"], form["arguments"])
        case Exited(code=code):
            turn.memory.form = None
            return _left(turn, code, said)
        case nobody:
            turn.memory.form = None
            return Speak((*said, *await _nobody(turn, form, nobody)))


def _known(turn: Turn, form: Form, found: Verified | NewPatient) -> Known:
    name = found.patient.name if isinstance(found, Verified) else found.name
    at = turn.talk.desk.clock.now()
    return Known(who_of(found), name, Level(form["level"]), form["relation"] is None, at)


def _left(turn: Turn, code: ExitCode, said: tuple[Said, ...]) -> Speak | Use | Ask:
    words = {"caller_words": turn.text}
    match code:
        case ExitCode.STAFF_CONNECTION:
            return Use("to_person", words)
        case ExitCode.END_CALL:
            return Use("end_conversation", words)
        case ExitCode.CANCELLED_BY_CALLER:
            return Speak(said or (turn.talk.words("text.stopped"),))
        case _:
            return Ask()


async def _nobody(turn: Turn, form: Form, who: IdentityOutcome) -> list[Said]:
    """Nobody is established: automatic handling stops and the other path is taken (T11)."""
    wish = _WISHES.get(form["tool"], "수납 문의")
    own = "" if form["tool"] == "create_booking" else "_own"
    match who:
        case IdentityError():
            _keep_phone(turn, form)
            return await fall_back(turn, "identity.failed", f"{wish}: 환자 조회 실패", own)
        case AmbiguousPatient() | Escalated() | Incomplete():
            _keep_phone(turn, form)
            line = f"identity.open_callback{own}"
            return await leave_failure(turn, f"{wish}: 본인 확인 필요", line)
        case _:
            return [turn.talk.words("call.system_error")]


def _keep_phone(turn: Turn, form: Form) -> None:
    """A number given to be reached at is one to call back, whoever gave it."""
    said = read_phone(turn.talk.raw)
    phone = said.digits if isinstance(said, Phone) else None
    if phone is None and "state" in form:
        phone = _state(form).facts.phone
    if phone and turn.talk.state.callback_phone is None:
        turn.talk.state.callback_phone = phone


def recall(turn: Turn) -> None:
    """An identity of an earlier visit that still counts is a fact of this visit's timeline too."""
    known = turn.memory.who
    if known is None or known.patient is None:
        return
    data = {"outcome": "verified", "remembered": True}
    turn.talk.recorder.write(Kind.IDENTITY_SETTLED, data)


forms.register("identity", Identities())
