"""Finding out who the patient is, step by step (D1, D3, B7).

Carries out what ``identity.decide`` asks for: looks up, asks, confirms. Decides nothing about who
matches. It never speaks by itself; the tasks it opens do.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from livekit.agents import RunContext, llm

from wonmu.booking.result import ExitCode, Exited
from wonmu.call.tasks.ask import AskTask
from wonmu.call.tasks.birthdate import BirthdateTask
from wonmu.emr.port import Patient, PatientQuery
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
    outcome_name,
)
from wonmu.lines import Value
from wonmu.policy.modes import BILLING_ACTIONS
from wonmu.timeline.events import Kind
from wonmu.visit.asks import Got, Question
from wonmu.visit.lookups import Failed, Name, Stopped
from wonmu.visit.questions import (
    first_visit_question,
    name_question,
    phone_question,
    yes_no_question,
)

if TYPE_CHECKING:
    from wonmu.call.session import Call

V = TypeVar("V")

MOST_STEPS = 24
"""Far above any real identification; a loop in the decision must still end."""

INCOMPLETE = frozenset({ExitCode.IDENTITY_INCOMPLETE, ExitCode.SILENCE, ExitCode.TURN_LIMIT})
"""Exits of a question that mean: the caller does not give it."""


class Identify:
    """One identification in one call."""

    def __init__(
        self, call: Call, ctx: RunContext[None], rules: IdentityRules, facts: IdentityFacts
    ) -> None:
        self._call = call
        self._ctx = ctx
        self._rules = rules
        self._facts = facts
        self._hits: tuple[Patient, ...] | None = None

    async def settle(self) -> IdentityOutcome | Exited:
        """Go on until it is settled or the caller leaves for something else."""
        for _ in range(MOST_STEPS):
            step = next_step(self._facts, self._hits, self._rules)
            if isinstance(step, Settled):
                return self._settled(step.outcome)
            exited = await self._do(step)
            if isinstance(exited, IdentityError):
                return self._settled(exited)
            if exited is not None and exited.code in INCOMPLETE:
                self._facts = replace(self._facts, refused=True)
            elif exited is not None:
                return exited
        return self._settled(Escalated())

    def _settled(self, outcome: IdentityOutcome) -> IdentityOutcome:
        data = {"outcome": outcome_name(outcome).value}
        self._call.recorder.write(Kind.IDENTITY_SETTLED, data)
        return outcome

    async def _do(self, step: Step) -> Exited | IdentityError | None:
        match step:
            case LookUp(query):
                return await self._look_up(query)
            case AskBirth(again):
                return await self._birth(again)
            case AskName():
                got = await self._ask(name_question(for_other=self._facts.for_other))
                return self._lay(got, "name")
            case AskPhone():
                return self._lay(await self._ask(phone_question("identity.phone")), "phone")
            case AskIfNew():
                got_new = await self._ask(first_visit_question())
                return self._lay(got_new, "says_new")
            case ConfirmNew(name, birth_date, phone):
                values: dict[str, Value] = {"name": name, "birth": birth_date, "phone": phone}
                question = yes_no_question("confirm_new", "identity.confirm_new", values)
                return self._confirmed(await self._ask(question))
            case Settled():
                return None

    async def _look_up(self, query: PatientQuery) -> Exited | IdentityError | None:
        hits = await self._call.lookups.run(Name.PATIENT, lambda emr: emr.find_patients(query))
        match hits:
            case Stopped(code=code):
                return Exited(code, "while_reading")
            case Failed():
                return IdentityError()
            case _:
                self._hits = hits
                return None

    async def _birth(self, again: bool) -> Exited | None:
        said, self._call.state.birth_said = self._call.state.birth_said, None
        if said is not None and not again:
            self._new_birth(said)
            return None
        task = BirthdateTask(self._call, self._context(), line=self._birth_line(again))
        result = await self._call.lend(self._ctx, task)
        if isinstance(result, Exited):
            return result
        self._new_birth(result.value)
        return None

    def _birth_line(self, again: bool) -> str:
        if again:
            return "identity.birth_again"
        if self._call.state.working_on in BILLING_ACTIONS:
            return "identity.birth_billing"
        if self._rules.level is Level.READ:
            return "identity.birth_read"
        return "identity.birth_other" if self._facts.for_other else "identity.birth"

    def _new_birth(self, birth: date) -> None:
        self._hits = None
        self._facts = replace(
            self._facts,
            birth_date=birth,
            name=None,
            # Said with the wish, it still holds for the first date given.
            says_new=self._facts.says_new if self._facts.tries == 0 else None,
            confirmed=None,
            tries=self._facts.tries + 1,
        )

    async def _ask(self, question: Question[V]) -> Got[V] | Exited:
        task = AskTask(self._call, question, self._context())
        return await self._call.lend(self._ctx, task)

    def _lay(self, got: Got[V] | Exited, field: str) -> Exited | None:
        if isinstance(got, Exited):
            return got
        self._facts = replace(self._facts, **{field: got.value})  # type: ignore[arg-type]
        if field == "name" and self._facts.says_new is None:
            self._hits = None
        return None

    def _confirmed(self, got: Got[bool] | Exited) -> Exited | None:
        return self._lay(got, "confirmed")

    def _context(self) -> llm.ChatContext:
        return self._call.session.current_agent.chat_ctx
