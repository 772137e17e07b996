"""One question with one typed answer (D1, D2, D4).

Code puts the question and reads the answer; a model is asked only for what is beside the point (a
parking question), and then the question is put again in the same breath. Nothing the caller says
here reaches a model when the answer is a secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from livekit.agents import llm

from wonmu.booking.result import ExitCode
from wonmu.call.moves import AskModel, Move, SayText, StaySilent
from wonmu.call.tasks.asides import USES_ASIDES
from wonmu.call.tasks.base import DeskTask
from wonmu.korean.answers import Answer, read_answer
from wonmu.korean.dates import mentions_when
from wonmu.korean.questions import is_question
from wonmu.visit.asks import Got, Not, Question

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn

V = TypeVar("V")


class AskTask(DeskTask[Got[V]], Generic[V]):
    """Puts one question until it is answered, given up or left."""

    turn_limit = 8
    seconds_limit = 180.0

    def __init__(self, call: Call, question: Question[V], context: llm.ChatContext) -> None:
        self.question = question
        self.name = question.name
        self._misses = 0
        super().__init__(call, instructions=prompt_for(call), context=context)

    async def begin(self) -> None:
        self.call.say(self.question.line, **self.question.values)

    def private_text(self, raw: str) -> str | None:
        """What of the caller's words may leave: nothing of them, if they hold the secret."""
        if self.question.secret is not None and isinstance(self.question.read(raw), Got):
            return self.call.lines.say(self.question.secret)
        return None

    def answers(self, turn: CallerTurn) -> bool:
        return isinstance(self.question.read(turn.raw), Got)

    def take(self, turn: CallerTurn) -> Move:
        match self.question.read(turn.raw):
            case Got() as got:
                self.finish(got)
                return StaySilent()
            case Not(line):
                return self.missed(turn, line)

    def missed(self, turn: CallerTurn, line: str | None) -> Move:
        if line is None and read_answer(turn.text).answer is Answer.REPEAT:
            return self.ask_again(self.question.line)
        if line is None and is_question(turn.text):
            return AskModel("none")
        if self._keep_aside(turn) and line is None:
            # What was said about the visit is kept; the question waits, and no try is lost.
            again = self.ask_again(self.question.short or self.question.line)
            if self.call.state.working_on not in USES_ASIDES:
                return again
            kept = self.call.lines.say("call.kept_aside")
            return SayText(f"{kept} {again.text}", again.line, again.on_start, again.on_end)
        self._misses += 1
        if self._misses >= self.question.tries:
            self.leave(ExitCode.IDENTITY_INCOMPLETE, self.question.name)
            return StaySilent()
        return self.ask_again(line or self.question.retry)

    def _keep_aside(self, turn: CallerTurn) -> bool:
        """Words about the visit instead of an answer are kept, so as not to be asked for (S4)."""
        if not self.question.visit:
            return False
        now = self.call.desk.clock.now()
        about = self.call.names_care(turn.text) or mentions_when(turn.text, now=now)
        if about and self.call.state.working_on in USES_ASIDES:
            self.call.state.asides.append(turn.text)
        return about

    def ask_again(self, line: str) -> SayText:
        values = self.question.values
        wanted = self.call.lines.placeholders(line)
        kept = {key: value for key, value in values.items() if key in wanted}
        return SayText(self.call.lines.fill(line, kept), line)

    def open_question(self) -> SayText | None:
        return self.ask_again(self.question.line)

    def asks_again(self, turn: CallerTurn) -> bool:
        return True

    def follow_up(self, turn: CallerTurn, answered: str) -> SayText | None:
        return self.ask_again(self.question.short or self.question.line)


def prompt_for(call: Call) -> str:
    """Instructions of a task whose model only answers side questions."""
    desk = call.desk
    return call.lines.prompt(
        "side_question",
        hospital=desk.hospital.name,
        facts=call.published.facts.text,
    )
