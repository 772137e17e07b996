"""Which of several bills is meant: choose first, and only then confirm (T9)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from wonmu.desk.billing.results import Numbered
from wonmu.korean.ordinals import read_ordinal, wants_all
from wonmu.korean.won import read_won
from wonmu.lines import Lines
from wonmu.text import forms
from wonmu.text.confirm import REFUND
from wonmu.text.moves import Move, Speak, Use
from wonmu.text.said import Said
from wonmu.text.state import Form
from wonmu.text.turn import Turn

Choice = Mapping[str, Any]

_DAY = re.compile(r"(?:(?P<month>1[0-2]|0?[1-9])\s*월\s*)?(?P<day>3[01]|[12]\d|0?[1-9])\s*일")
"""A day of a bill lies in the past, where the reader of wishes for a visit does not look."""


def which_form(turn: Turn, act: str, after: Use, choices: Sequence[Numbered]) -> Use | Said:
    """The one that the words name already, or the question. ``after``: what is done with it."""
    listed = [_choice(each) for each in choices]
    named = fitting(listed, turn.text)
    if len(named) == 1 and not wants_all(turn.text):
        return _with_number(after.tool, after.arguments, named[0])
    form = {
        "kind": "which",
        "act": act,
        "tool": after.tool,
        "arguments": dict(after.arguments),
        "choices": listed,
        "heard": forms.evidence(turn),
    }
    return forms.put(turn, form)


def _choice(each: Numbered) -> dict[str, Any]:
    invoice = each.invoice
    return {
        "number": each.number,
        "day": invoice.visit_day.isoformat(),
        "department": invoice.department,
        "amounts": [invoice.refundable, invoice.amount],
    }


def _with_number(tool: str, arguments: Mapping[str, object], choice: Choice) -> Use:
    return Use(tool, {**arguments, "number": choice["number"]})


def fitting(choices: Sequence[Choice], words: str) -> list[Choice]:
    """The bills that these words can mean: by amount, by the day of the visit, by department."""
    amounts = set(read_won(words))
    by_amount = [each for each in choices if set(each["amounts"]) & amounts]
    if by_amount:
        return by_amount
    by_day = [each for each in choices if _names_day(each, words)]
    if by_day:
        return by_day
    folded = "".join(words.split())
    return [each for each in choices if "".join(each["department"].split()) in folded]


def _names_day(choice: Choice, words: str) -> bool:
    visit = date.fromisoformat(choice["day"])
    return any(
        int(found["day"]) == visit.day
        and (not found["month"] or int(found["month"]) == visit.month)
        for found in _DAY.finditer(words)
    )


class WhichBill:
    """The owner of forms of the kind ``which``."""

    def area(self, form: Form) -> str:
        return forms.BILLING

    def free(self, form: Form) -> bool:
        return False

    def private(self, turn: Turn, form: Form, raw: str) -> str | None:
        return None

    def question(self, turn: Turn, form: Form) -> Said:
        line = f"billing.which_{form['act']}"
        return turn.talk.words(line, options=_options(turn.talk.lines, form))

    def retry(self, turn: Turn, form: Form) -> Said:
        line = f"billing.which_{form['act']}_retry"
        return turn.talk.words(line, options=_options(turn.talk.lines, form))

    async def answer(self, turn: Turn, form: Form) -> Move | None:
        choices: list[Choice] = form["choices"]
        if wants_all(turn.text):
            line = f"billing.which_{form['act']}_one"
            return Speak((turn.talk.words(line, options=_options(turn.talk.lines, form)),))
        place = read_ordinal(turn.text)
        found = fitting(choices, turn.text)
        if place is not None and 1 <= place <= len(choices):
            found = [choices[place - 1]]
        if len(found) != 1:
            return None
        turn.memory.form = None
        return _with_number(form["tool"], form["arguments"], found[0])

    async def give_up(self, turn: Turn, form: Form) -> Move:
        return Speak((turn.talk.words("billing.stopped"),))

    def stopped(self, turn: Turn, form: Form) -> Said:
        return turn.talk.words("billing.stopped")

    async def leave(self, turn: Turn, form: Form) -> list[Said]:
        return []


def _options(lines: Lines, form: Form) -> str:
    """What comes back where a refund is chosen, else what each bill came to."""
    at = 0 if form["act"] == REFUND else 1
    return ", ".join(
        lines.say(
            "billing.option",
            day=date.fromisoformat(each["day"]),
            department=each["department"],
            amount=each["amounts"][at],
        )
        for each in form["choices"]
    )


forms.register("which", WhichBill())
