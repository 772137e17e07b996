"""A read-back of an act and the caller's yes to exactly that (T8, B3, N1).

The words are composed by code and count only when they were heard to their end and nothing was
said in between. Anything but a plain yes is no consent.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from livekit.agents import llm

from wonmu.call.moves import Move, SayText, StaySilent
from wonmu.call.tasks.ask import AskTask
from wonmu.call.voice import Utterance
from wonmu.korean.answers import Answer, Topic, read_answer
from wonmu.lines import Value
from wonmu.timeline.events import Kind
from wonmu.visit.asks import Got, Not, Question, Reading

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn


@dataclass(frozen=True, slots=True)
class Act:
    """What is to be agreed to: the line that says it, and what makes it this very act."""

    name: str
    line: str
    values: dict[str, Value]
    topic: Topic
    identity: tuple[str, ...]
    readback: Kind = Kind.BOOKING_READBACK
    consent: Kind = Kind.BOOKING_CONSENT
    of: str = ""
    """The digest, where the act has one already; ``identity`` is then not looked at."""

    @property
    def digest(self) -> str:
        if self.of:
            return self.of
        framed = "".join(f"{len(part)}:{part}" for part in (self.name, *self.identity))
        return hashlib.sha256(framed.encode()).hexdigest()[:24]


class ConfirmTask(AskTask[bool]):
    """Completes with True only on a yes to the read-back that was heard in full."""

    def __init__(self, call: Call, act: Act, context: llm.ChatContext) -> None:
        self._act = act
        self._heard_as: int | None = None
        question: Question[bool] = Question(
            act.name, act.line, act.line, self._read, dict(act.values), tries=4
        )
        super().__init__(call, question, context)

    async def begin(self) -> None:
        move = self.ask_again(self.question.line)
        words = Utterance(move.text, line=move.line, on_start=move.on_start, on_end=move.on_end)
        self.call.speak(words)

    def ask_again(self, line: str) -> SayText:
        said = super().ask_again(line)
        return SayText(said.text, said.line, lambda: self._begun(said.text), self._ended)

    def begun(self, text: str) -> None:
        """The read-back begins to be spoken; for whoever keeps a draft of the act."""

    def ended_speaking(self, full: bool) -> None:
        """The read-back is over, heard in full or not."""

    def agreed(self, turn: CallerTurn) -> bool:
        """Whether the draft of the act takes this yes, which code has read as one."""
        return True

    def _begun(self, text: str) -> None:
        self._heard_as = None
        self.begun(text)
        data = {
            "digest": self._act.digest,
            "text": text,
            "turn": self.call.state.turn,
            "act": self._act.name,
        }
        self.call.recorder.write(self._act.readback, data)

    def _ended(self, full: bool) -> None:
        self._heard_as = self.call.state.speeches if full else None
        self.ended_speaking(full)

    def _read(self, words: str) -> Reading[bool]:
        match read_answer(words, topic=self._act.topic):
            case reading if reading.answer is Answer.YES and not reading.rest.strip():
                return Got(True)
            case reading if reading.answer is Answer.NO:
                return Got(False)
            case _:
                return Not()

    def take(self, turn: CallerTurn) -> Move:
        reading = self._read(turn.raw)
        if not (isinstance(reading, Got) and reading.value):
            return super().take(turn)
        if self._heard_as is None or self._heard_as != turn.after or not self.agreed(turn):
            return self.ask_again(self.question.line)
        data = {
            "digest": self._act.digest,
            "words": turn.text,
            "turn": turn.number,
            "act": self._act.name,
        }
        self.call.recorder.write(self._act.consent, data)
        self.finish(reading)
        return StaySilent()
