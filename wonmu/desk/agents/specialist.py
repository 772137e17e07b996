"""The specialists of the billing desk, asked one question at a time (H1).

Decides who the specialists are, and that every question ends in an ``Answer`` within its limits and
with exactly one end in the timeline. A specialist starts with an empty window, talks to nobody and
remembers nothing; its steps go to the timeline, its last message alone comes back, and only if its
tools can prove it. Importing this module imports no LangChain; the first question does, and takes
seconds over it, so whoever serves callers does it before with ``prepare``.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field

from wonmu.clock import Clock
from wonmu.desk.agents.answer import Answer, Answered, Failed, NeedsIdentity, Question, WhyFailed
from wonmu.desk.agents.proof import judged
from wonmu.desk.billing.port import Ledger
from wonmu.desk.billing.work import BillingTools
from wonmu.errors import EmrFault, LedgerFailure, ModelFailure
from wonmu.hospital.billing import Certificate, SpecialistLimits
from wonmu.lines import Lines
from wonmu.model.ladder import Limits
from wonmu.model.port import Rung
from wonmu.timeline.events import Kind, Status
from wonmu.timeline.record import Recorder

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Specialist:
    """``tools``: names of the tools it may use, of those in ``wonmu.desk.billing.work``.

    Its prompt is ``specialist_<name>``, its title and description are the lines
    ``specialist.<name>_title`` and ``specialist.<name>_about``.
    """

    name: str
    tools: tuple[str, ...]

    def title(self, lines: Lines) -> str:
        return lines.say(f"specialist.{self.name}_title")

    def about(self, lines: Lines) -> str:
        """What it can be asked, for the model that may ask it."""
        return lines.say(f"specialist.{self.name}_about")


BILLING = Specialist(
    "billing", ("lookup_invoice", "refund_status", "request_refund", "receipt_request")
)
CERTIFICATES = Specialist("certificates", ("certificate_fee", "receipt_request"))

SPECIALISTS: Mapping[str, Specialist] = {each.name: each for each in (BILLING, CERTIFICATES)}


def described(lines: Lines) -> str:
    """The specialists by name, for the model that may ask them."""
    return ", ".join(f"{each.name}({each.about(lines)})" for each in SPECIALISTS.values())


@dataclass(frozen=True, slots=True)
class Workroom:
    """What specialists of one call work with. ``rungs``: models before the built-in one."""

    hospital: str
    """The hospital's name as it is spoken."""
    ledger: Ledger
    lines: Lines
    recorder: Recorder
    clock: Clock
    rungs: tuple[Rung, ...] = ()
    certificates: tuple[Certificate, ...] = ()
    limits: SpecialistLimits = field(default_factory=SpecialistLimits)
    model_limits: Limits = field(default_factory=Limits)


@dataclass(slots=True)
class Tally:
    """How often the models were asked for one question."""

    model_calls: int = 0


class Stopped(Exception):
    """The answer is settled before the agent has finished. Not an error."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(type(answer).__name__)
        self.answer = answer


def prepare() -> None:
    """Import what the first question would import; blocks for some seconds."""
    import wonmu.desk.agents.window  # noqa: F401


async def ask(specialist: Specialist, question: Question, room: Workroom, *, turn: int) -> Answer:
    """Ask it once. May be cancelled at any moment; nothing of it goes on after that.

    ``turn``: number of the caller's turn that the question is from. It must have come back before
    the call's last event is written.
    """
    recorder, began = room.recorder, room.clock.mono()
    tally = Tally()
    started = {"name": specialist.name, "question_turn": turn}
    span = recorder.start(Kind.SPECIALIST_STARTED, started)
    status, outcome = Status.CANCELLED, "cancelled"
    try:
        answer = await _settled(specialist, question, room, tally)
        status, outcome = outcome_of(answer)
        return answer
    finally:
        seconds = round(room.clock.mono() - began, 3)
        ended = {"name": specialist.name, "outcome": outcome}
        recorder.end(span, status, {**ended, "model_calls": tally.model_calls, "seconds": seconds})


async def ask_side_by_side(
    specialists: tuple[Specialist, ...], question: Question, room: Workroom, *, turn: int
) -> tuple[tuple[str, Answer], ...]:
    """Ask all of them at once; as many answers as specialists, in their order."""
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(ask(each, question, room, turn=turn)) for each in specialists]
    return tuple((s.name, task.result()) for s, task in zip(specialists, asked, strict=True))


async def _settled(
    specialist: Specialist, question: Question, room: Workroom, tally: Tally
) -> Answer:
    scope = asyncio.timeout(room.limits.seconds)
    try:
        async with scope:
            return await _worked(specialist, question, room, tally)
    except Stopped as stopped:
        return stopped.answer
    except ModelFailure:
        return Failed(WhyFailed.MODEL)
    except LedgerFailure as failure:
        return Failed(WhyFailed.LEDGER, failure.fault)
    except Exception as error:  # noqa: BLE001 - a specialist is a tool, and this is its boundary
        if scope.expired():
            return Failed(WhyFailed.SECONDS)
        # Without the message, which may hold what a caller said.
        way = "".join(traceback.format_tb(error.__traceback__))
        log.error("specialist %s failed: %s\n%s", specialist.name, type(error).__name__, way)
        where = f"specialist.{specialist.name}"
        room.recorder.write(Kind.FAULT, {"where": where, "error": type(error).__name__})
        return Failed(WhyFailed.LEDGER, EmrFault.BROKEN)


async def _worked(
    specialist: Specialist, question: Question, room: Workroom, tally: Tally
) -> Answer:
    from wonmu.desk.agents.window import last_words

    tools = BillingTools(room.ledger, question.patient, certificates=room.certificates)
    return judged(await last_words(specialist, question, room, tools, tally), tools)


def outcome_of(answer: Answer) -> tuple[Status, str]:
    """How the timeline calls it."""
    match answer:
        case Answered():
            return Status.SUCCESS, "answered"
        case NeedsIdentity():
            return Status.EXITED, "needs_identity"
        case Failed(why):
            return Status.ERROR, why.value
