"""Asking specialists on behalf of a caller's agent: the loop guard, all at once, one event each.

Decides nothing itself: ``Asked`` says who may be asked, ``specialist`` asks. What goes back holds
no step of the specialists' work.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wonmu.desk.agents.answer import Answer, Answered, Failed, NeedsIdentity, Question
from wonmu.desk.agents.asked import Asked, Refusal, WhyRefused
from wonmu.desk.agents.specialist import SPECIALISTS, Workroom, ask_side_by_side
from wonmu.errors import ProgrammingError
from wonmu.lines import Lines
from wonmu.timeline.events import Kind


@dataclass(frozen=True, slots=True)
class Told:
    """What one specialist had to say in this turn.

    ``refused``: it was not asked now; ``answer`` is then its earlier one of this turn, or None.
    """

    name: str
    answer: Answer | None
    refused: WhyRefused | None = None

    def __post_init__(self) -> None:
        if self.answer is None and self.refused is None:
            raise ProgrammingError("a specialist that was asked has an answer")


class Consultation:
    """The specialists as one caller's agent may use them; one for each call."""

    def __init__(self, room: Workroom) -> None:
        self.room = room
        self._asked = Asked(room.limits)

    async def ask(self, question: Question, names: Iterable[str], *, turn: int) -> tuple[Told, ...]:
        """One entry for each name, in the order given; ProgrammingError for an unknown name."""
        wanted = tuple(dict.fromkeys(names))
        if unknown := [name for name in wanted if name not in SPECIALISTS]:
            raise ProgrammingError(f"no specialists {unknown}; there are {sorted(SPECIALISTS)}")
        admitted, refusals = self._asked.admit(wanted, turn=turn)
        for refusal in refusals:
            self._write(refusal, turn)
        told = {each.name: Told(each.name, each.earlier, each.why) for each in refusals}
        asked = tuple(SPECIALISTS[name] for name in admitted)
        for name, answer in await ask_side_by_side(asked, question, self.room, turn=turn):
            self._asked.answered(name, answer, turn=turn)
            told[name] = Told(name, answer)
        return tuple(told[name] for name in wanted)

    def identified(self) -> None:
        """Somebody was identified in this turn; see ``Asked.identified``."""
        self._asked.identified()

    def _write(self, refusal: Refusal, turn: int) -> None:
        data = {"name": refusal.name, "reason": refusal.why.value, "question_turn": turn}
        self.room.recorder.write(Kind.SPECIALIST_REFUSED, data)


def words_of(told: Told, lines: Lines) -> str:
    """One paragraph for a caller's agent: the last message, or a plain clause; never blank."""
    title = SPECIALISTS[told.name].title(lines)
    match told.answer:
        case Answered(text):
            return text
        case NeedsIdentity():
            return lines.say("specialist.needs_identity", title=title)
        case Failed(why):
            return lines.say(f"specialist.failed_{why.value}", title=title)
        case None:
            return lines.say("specialist.not_asked", title=title)
