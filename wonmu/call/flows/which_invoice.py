"""Which of several bills is meant: choose, and only then confirm (B3's way, for invoices)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import Exited
from wonmu.call.flows.identify import INCOMPLETE
from wonmu.call.flows.own_left import own_left
from wonmu.call.tasks.ask import AskTask
from wonmu.desk.billing.choosing import All, Choice, chosen, named, options
from wonmu.desk.billing.port import Invoice
from wonmu.desk.billing.results import Numbered
from wonmu.lines import Value
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Status
from wonmu.visit.asks import Got, Not, Question, Reading

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def which(
    call: Call, ctx: RunContext[None], bills: tuple[Numbered, ...], act: str, words: str
) -> Invoice | Status:
    """The one meant; else how it ended, told already. ``act``: refund or receipt; ``words``: what
    the caller said already, which may name it."""
    choices = tuple(Choice.of(each) for each in bills)
    by_number = {each.number: each.invoice for each in bills}
    if (known := named(choices, words)) is not None:
        return by_number[known.number]
    line = f"billing.which_{act}"

    def read(said: str) -> Reading[Choice]:
        match chosen(choices, said):
            case Choice() as choice:
                return Got(choice)
            case All():
                return Not(f"{line}_one")
            case None:
                return Not()

    told: dict[str, Value] = {"options": options(call.lines, choices, refunds=act == "refund")}
    question = Question("which_invoice", line, f"{line}_retry", read, told, visit=False)
    result = await call.lend(ctx, AskTask(call, question, call.session.current_agent.chat_ctx))
    match result:
        case Exited(code=code) if code in INCOMPLETE:
            call.offer("billing.no_answer", Action.CONNECT_PERSON)
            return Status.EXITED
        case Exited():
            return await own_left(call, ctx, result, f"billing.{act}_kept_off")
        case Got(value=choice):
            return by_number[choice.number]
