"""Finding out who the patient is, one question at a time and without a voice (D1–D3, B7).

Carries out what ``identity.decide`` asks for, as ``call.flows.identify`` does for a call. Decides
nothing about who matches, and says nothing about an outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from wonmu.booking.result import Exited
from wonmu.emr.port import Patient, PatientQuery
from wonmu.errors import ProgrammingError
from wonmu.identity.decide import (
    AskBirth,
    AskIfNew,
    AskName,
    AskPhone,
    ConfirmNew,
    LookUp,
    Settled,
    Step,
    next_step,
)
from wonmu.identity.facts import IdentityFacts, IdentityRules, Level
from wonmu.identity.result import (
    Escalated,
    IdentityError,
    IdentityOutcome,
    Verified,
    outcome_name,
)
from wonmu.korean.answers import Answer, read_answer
from wonmu.korean.dates import mentions_when
from wonmu.korean.mask import mask_text
from wonmu.korean.questions import is_question
from wonmu.lines import Value
from wonmu.timeline.events import Kind
from wonmu.visit.asks import Got, Not, Question
from wonmu.visit.identity_state import Asking, IdentityState
from wonmu.visit.leaving import wants_out
from wonmu.visit.lookups import Failed, Name, Stopped
from wonmu.visit.questions import (
    birth_in,
    first_visit_question,
    name_question,
    phone_question,
    says_first_visit,
    yes_no_question,
)
from wonmu.visit.turned import Saying, Turned
from wonmu.visit.typed import saying, typed
from wonmu.visit.visit import Visit
from wonmu.visit.wishes import names_care

__all__ = ["Asking", "IdentityEnd", "IdentityEngine", "IdentityState"]

IdentityEnd = IdentityOutcome | Exited
IdentityTurned = Turned[IdentityState, IdentityEnd]

MOST_STEPS = 24
"""Far above any real identification; a loop in the decision must still end."""
TURN_LIMIT = 8
"""The visitor's turns at one question."""

_ASKED: dict[type[Step], Asking] = {
    AskBirth: Asking.BIRTH,
    AskName: Asking.NAME,
    AskPhone: Asking.PHONE,
    AskIfNew: Asking.IF_NEW,
    ConfirmNew: Asking.CONFIRM_NEW,
}
_FIELD = {
    Asking.NAME: "name",
    Asking.PHONE: "phone",
    Asking.IF_NEW: "says_new",
    Asking.CONFIRM_NEW: "confirmed",
}


class IdentityEngine:
    """Asks birth date, name, phone, first visit; looks up; ends in a typed outcome.

    Outcome: an ``IdentityOutcome`` (``people.who_of`` makes of ``Verified`` and ``NewPatient`` what
    a booking is opened with), or ``Exited`` with STAFF_CONNECTION, CANCELLED_BY_CALLER, END_CALL or
    OTHER_REQUEST when the visitor wants something else, or the code that stopped a read. Nothing is
    said about an outcome: that is the owner's (``identity.*_callback``, ``identity.*_person``).
    """

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    async def start(
        self,
        level: Level,
        relation: str | None = None,
        caller_phone: str | None = None,
        *,
        birth: date | None = None,
        heard: Sequence[str] = (),
        takes_asides: bool = False,
    ) -> IdentityTurned:
        """Begin. ``relation``: the word for the patient when that is somebody else
        (``korean.relations.relation_in``). ``caller_phone``: digits; a hint, no proof. ``birth``:
        already given in this conversation. ``heard``: the visitor's turns so far; a first visit
        said unasked is not asked again. ``takes_asides``: the work that follows takes up what is
        said about the visit meanwhile (create, change)."""
        self._visit.memory.hits.clear()
        facts = IdentityFacts(
            caller_phone=caller_phone,
            birth_date=birth,
            for_other=relation is not None,
            relation=relation,
            says_new=True if says_first_visit(" ".join(heard)) else None,
            tries=1 if birth is not None else 0,
        )
        return await self._go_on(IdentityState(level, facts, takes_asides=takes_asides))

    async def answer(self, state: IdentityState, raw: str) -> IdentityTurned | None:
        """The visitor's raw words. None: a side question; a model answers it without tools, and
        the owner puts ``question(state)`` behind the answer."""
        question = self._question(state)
        if question is None:
            raise ProgrammingError("nothing was asked")
        private = self.private_text(state, raw)
        state = replace(state, turns=state.turns + 1)
        if state.turns > TURN_LIMIT:
            return replace(await self._given_up(state), private=private)
        reading = question.read(raw)
        if isinstance(reading, Got):
            turned = await self._go_on(_laid(state, reading.value))
        elif (code := wants_out(raw)) is not None:
            return Turned((), state.settled(), Exited(code, question.name), private)
        else:
            missed = await self._missed(state, question, reading, raw)
            if missed is None:
                return None
            turned = missed
        return replace(turned, private=private)

    def private_text(self, state: IdentityState, raw: str) -> str | None:
        """What must be stored and shown to models instead of these words; None: masked words.
        To be asked before the words are written anywhere (N8)."""
        question = self._question(state)
        if question is None or question.secret is None:
            return None
        reading = question.read(raw)
        holds = isinstance(reading, Got) or reading.line is not None
        return self._visit.lines.say(question.secret) if holds else None

    def question(self, state: IdentityState) -> Saying | None:
        """The open question, to be put again."""
        question = self._question(state)
        if question is None:
            return None
        return self._said(question, question.short or question.line)

    # Steps -----------------------------------------------------------------------------------

    async def _go_on(self, state: IdentityState) -> IdentityTurned:
        """Do steps until the visitor must be asked or it is settled."""
        for _ in range(MOST_STEPS):
            step = await self._next(state)
            match step:
                case Exited():
                    return Turned((), state.settled(), step)
                case IdentityError():
                    return self._settle(state, step)
                case Settled(outcome=outcome):
                    return self._settle(state, outcome)
                case AskBirth(again=True) if state.facts.birth_date is not None:
                    state = replace(state, facts=_without_birth(state.facts))
                case _:
                    return self._ask(state, step)
        return self._settle(state, Escalated())

    async def _next(self, state: IdentityState) -> Step | IdentityError | Exited:
        """The next step, with what it looks up looked up."""
        rules = self._rules(state.level)
        step = next_step(state.facts, None, rules)
        if not isinstance(step, LookUp):
            return step
        hits = await self._hits(step.query)
        match hits:
            case Stopped(code=code):
                return Exited(code, "while_reading")
            case Failed():
                return IdentityError()
            case _:
                return next_step(state.facts, hits, rules)

    async def _hits(self, query: PatientQuery) -> tuple[Patient, ...] | Stopped | Failed:
        known = self._visit.memory.hits.get(query)
        if known is not None:
            return known
        hits = await self._visit.lookups.run(Name.PATIENT, lambda emr: emr.find_patients(query))
        if not isinstance(hits, Stopped | Failed):
            self._visit.memory.hits[query] = hits
        return hits

    def _settle(self, state: IdentityState, outcome: IdentityOutcome) -> IdentityTurned:
        memory = self._visit.memory
        memory.hits.clear()
        if isinstance(outcome, Verified):
            memory.people[outcome.patient.id] = outcome.patient
        data = {"outcome": outcome_name(outcome).value}
        self._visit.recorder.write(Kind.IDENTITY_SETTLED, data)
        return Turned((), state.settled(), outcome)

    async def _given_up(self, state: IdentityState) -> IdentityTurned:
        """The visitor does not give what is asked."""
        return await self._go_on(replace(state, facts=replace(state.facts, refused=True)))

    def _ask(self, state: IdentityState, step: Step) -> IdentityTurned:
        state = replace(state, asking=_ASKED[type(step)], misses=0, turns=0)
        question = self._question(state)
        if question is None:
            raise ProgrammingError(f"no question for {step}")
        return Turned((self._said(question, question.line),), state)

    # Answers ---------------------------------------------------------------------------------

    async def _missed(
        self, state: IdentityState, question: Question[object], reading: Not, raw: str
    ) -> IdentityTurned | None:
        line = reading.line
        if line is None and read_answer(raw).answer is Answer.REPEAT:
            return Turned((self._said(question, question.line),), state)
        if line is None and is_question(raw):
            return None
        if self._about_the_visit(raw) and line is None:
            return self._put_aside(state, question, raw)
        state = replace(state, misses=state.misses + 1)
        if state.misses >= question.tries:
            return await self._given_up(state)
        return Turned((self._said(question, line or question.retry),), state)

    def _about_the_visit(self, raw: str) -> bool:
        now = self._visit.desk.clock.now()
        return names_care(self._visit, raw) or mentions_when(raw, now=now)

    def _put_aside(
        self, state: IdentityState, question: Question[object], raw: str
    ) -> IdentityTurned:
        """What was said about the visit is kept, the question waits, and no try is lost (S4)."""
        again = self._said(question, question.short or question.line)
        if not state.takes_asides:
            return Turned((again,), state)
        masked = mask_text(raw, today=self._visit.desk.clock.now().date()).text
        kept = saying(self._visit.lines, "call.kept_aside")
        return Turned((kept, again), replace(state, asides=(*state.asides, masked)))

    # Questions -------------------------------------------------------------------------------

    def _rules(self, level: Level) -> IdentityRules:
        tries = self._visit.desk.hospital.identity.attempts
        return IdentityRules(level=level, tries_limit=tries, escalate=level is Level.READ)

    def _question(self, state: IdentityState) -> Question[object] | None:
        """The open question. ``object``: each answer has a type of its own; ``_laid`` sorts them
        into the facts."""
        facts = state.facts
        found: Question[date] | Question[str] | Question[bool]
        match state.asking:
            case Asking.NOTHING:
                return None
            case Asking.BIRTH:
                found = self._birth_question(state)
            case Asking.NAME:
                found = name_question(for_other=facts.for_other)
            case Asking.PHONE:
                found = phone_question("identity.phone")
            case Asking.IF_NEW:
                found = first_visit_question()
            case Asking.CONFIRM_NEW:
                found = yes_no_question("confirm_new", "identity.confirm_new", _new_values(facts))
        return found  # type: ignore[return-value]

    def _birth_question(self, state: IdentityState) -> Question[date]:
        today = self._visit.desk.clock.now().date()
        digits = self._visit.desk.hospital.keypad.digits
        return Question(
            name="birthdate",
            line=self._birth_line(state),
            retry="identity.birth_retry",
            short="identity.birth_short",
            read=lambda words: birth_in(words, today),
            values={"digits": self._visit.lines.say(f"identity.digits_{digits}")},
            secret="call.hidden_birth",
        )

    def _birth_line(self, state: IdentityState) -> str:
        if state.facts.tries > 0:
            return "identity.birth_again"
        if state.level is Level.READ:
            return "identity.birth_read"
        return "identity.birth_other" if state.facts.for_other else "identity.birth"

    def _said(self, question: Question[object], line: str) -> Saying:
        return Saying(typed(self._visit.lines, line, question.values), line)


def _new_values(facts: IdentityFacts) -> dict[str, Value]:
    if facts.name is None or facts.birth_date is None:
        raise ProgrammingError("a new patient is read back once name and birth date are known")
    phone = facts.phone or facts.caller_phone or ""
    return {"name": facts.name, "birth": facts.birth_date, "phone": phone}


def _without_birth(facts: IdentityFacts) -> IdentityFacts:
    """An answer that led nowhere is forgotten before it is asked again."""
    return replace(facts, birth_date=None, name=None, confirmed=None)


def _laid(state: IdentityState, value: object) -> IdentityState:
    """The facts with the answer to the open question."""
    facts = state.facts
    if state.asking is Asking.BIRTH and isinstance(value, date):
        facts = replace(
            facts,
            birth_date=value,
            name=None,
            # Said with the wish, it still holds for the first date given.
            says_new=facts.says_new if facts.tries == 0 else None,
            confirmed=None,
            tries=facts.tries + 1,
        )
    else:
        facts = replace(facts, **{_FIELD[state.asking]: value})  # type: ignore[arg-type]
    return replace(state, facts=facts, asking=Asking.NOTHING)
