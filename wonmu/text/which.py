"""Which of several bills is meant, as a form: choose first, and only then confirm (T9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wonmu.desk.billing.choosing import All, Choice, chosen, named, options
from wonmu.desk.billing.results import Numbered
from wonmu.text import forms
from wonmu.text.confirm import REFUND
from wonmu.text.moves import Move, Speak, Use
from wonmu.text.said import Said
from wonmu.text.state import Form
from wonmu.text.turn import Turn


def which_form(turn: Turn, act: str, after: Use, bills: Sequence[Numbered]) -> Use | Said:
    """The one that the words name already, or the question. ``after``: what is done with it."""
    choices = [Choice.of(each) for each in bills]
    if (known := named(choices, turn.text)) is not None:
        return _with_number(after.tool, after.arguments, known)
    form = {
        "kind": "which",
        "act": act,
        "tool": after.tool,
        "arguments": dict(after.arguments),
        "choices": [each.to_json() for each in choices],
        "heard": forms.evidence(turn),
    }
    return forms.put(turn, form)


def _with_number(tool: str, arguments: Mapping[str, object], choice: Choice) -> Use:
    return Use(tool, {**arguments, "number": choice.number})


class WhichBill:
    """The owner of forms of the kind ``which``."""

    def area(self, form: Form) -> str:
        return forms.BILLING

    def free(self, form: Form) -> bool:
        return False

    def private(self, turn: Turn, form: Form, raw: str) -> str | None:
        return None

    def question(self, turn: Turn, form: Form) -> Said:
        return self._put(turn, form)

    def retry(self, turn: Turn, form: Form) -> Said:
        return self._put(turn, form, "_retry")

    def _put(self, turn: Turn, form: Form, ending: str = "") -> Said:
        told = options(turn.talk.lines, _choices(form), refunds=form["act"] == REFUND)
        return turn.talk.words(f"billing.which_{form['act']}{ending}", options=told)

    async def answer(self, turn: Turn, form: Form) -> Move | None:
        match chosen(_choices(form), turn.text):
            case All():
                return Speak((self._put(turn, form, "_one"),))
            case Choice() as choice:
                turn.memory.form = None
                return _with_number(form["tool"], form["arguments"], choice)
            case None:
                return None

    async def give_up(self, turn: Turn, form: Form) -> Move:
        return Speak((turn.talk.words("billing.stopped"),))

    def stopped(self, turn: Turn, form: Form) -> Said:
        return turn.talk.words("billing.stopped")

    async def leave(self, turn: Turn, form: Form) -> list[Said]:
        return []


def _choices(form: Form) -> list[Choice]:
    return [Choice.from_json(each) for each in form["choices"]]


forms.register("which", WhichBill())
