"""Which of several bills is meant: choose, and only then confirm (B3's way, for invoices)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import Exited
from wonmu.call.tasks.ask import AskTask
from wonmu.desk.billing.results import Numbered
from wonmu.desk.billing.words import options
from wonmu.korean.ordinals import read_ordinal, wants_all
from wonmu.korean.won import read_won
from wonmu.visit.asks import Got, Not, Question, Reading

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def which(
    call: Call, ctx: RunContext[None], choices: tuple[Numbered, ...], line: str, words: str
) -> Numbered | Exited:
    """The one meant. ``words``: what the caller said already, which may name it."""
    named = fitting(choices, words)
    if len(named) == 1 and not wants_all(words):
        return named[0]

    def read(said: str) -> Reading[Numbered]:
        if wants_all(said):
            return Not(f"{line}_one")
        place = read_ordinal(said)
        if place is not None:
            return Got(choices[place - 1]) if 1 <= place <= len(choices) else Not()
        found = fitting(choices, said)
        return Got(found[0]) if len(found) == 1 else Not()

    question = Question(
        "which_invoice",
        line,
        f"{line}_retry",
        read,
        {"options": options(call.lines, choices, refunds="refund" in line)},
        visit=False,
    )
    result = await call.lend(ctx, AskTask(call, question, call.session.current_agent.chat_ctx))
    return result if isinstance(result, Exited) else result.value


def fitting(choices: tuple[Numbered, ...], words: str) -> list[Numbered]:
    """The bills that these words can mean: by amount, by the day of the visit, by department."""
    amounts = set(read_won(words))
    by_amount = [c for c in choices if {c.invoice.refundable, c.invoice.amount} & amounts]
    if by_amount:
        return by_amount
    by_day = [c for c in choices if _names_day(c, words)]
    if by_day:
        return by_day
    folded = "".join(words.split())
    return [c for c in choices if "".join(c.invoice.department.split()) in folded]


_DAY = re.compile(r"(?:(?P<month>1[0-2]|0?[1-9])\s*월\s*)?(?P<day>3[01]|[12]\d|0?[1-9])\s*일")
"""A day of a bill lies in the past, where the reader of wishes for a visit does not look."""


def _names_day(choice: Numbered, words: str) -> bool:
    visit = choice.invoice.visit_day
    return any(
        int(found["day"]) == visit.day
        and (not found["month"] or int(found["month"]) == visit.month)
        for found in _DAY.finditer(words)
    )
