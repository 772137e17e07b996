"""Taking down a note for staff, question by question (P2, S6).

One task for memo and call back: each step asks one thing, most can be left out, and what is known
is not asked. The caller may stop, end the call or turn to something else at any step; what was
taken so far stays in the open note. It never stores and never says that something was stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from livekit.agents import llm

from wonmu.booking.result import ExitCode
from wonmu.call.moves import AskModel, Move, SayText, StaySilent
from wonmu.call.notes import OpenNote
from wonmu.call.tasks.ask import prompt_for
from wonmu.call.tasks.base import DeskTask
from wonmu.korean.answers import Answer, read_answer
from wonmu.korean.questions import is_question
from wonmu.lines import Value
from wonmu.policy.holding import calls_off
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.stopping import says_goodbye, wants_to_stop

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn

R = TypeVar("R")

_OTHER_WISHES = frozenset({Intent.CREATE, Intent.INQUIRE, Intent.CHANGE, Intent.CANCEL})


@dataclass(frozen=True, slots=True)
class Spoken:
    """A line with its values."""

    line: str
    values: dict[str, Value]


@dataclass(frozen=True, slots=True)
class Taken:
    """The step is done."""


@dataclass(frozen=True, slots=True)
class NotTaken:
    """No usable answer; ``say`` tells why, or None for the step's retry line."""

    say: Spoken | None = None


@dataclass(frozen=True, slots=True)
class GoOn:
    """Something was taken and has to be put to the caller before the step is done."""

    say: Spoken


@dataclass(frozen=True, slots=True)
class Step:
    """One question. ``ask`` is composed each time, because the number read back may change.

    ``free``: the answer is the caller's own words, so a question or a wish is an answer as well.
    ``must``: without it the task cannot end well; any other step is left out after two misses.
    """

    ask: Callable[[], Spoken]
    retry: Callable[[], Spoken]
    take: Callable[[CallerTurn], Taken | GoOn | NotTaken]
    free: bool = False
    must: bool = False
    secret: Callable[[str], bool] = lambda words: False


SKIP_AFTER = 2
GIVE_UP_AFTER = 3


class NoteTask(DeskTask[R]):
    """Asks ``steps`` in turn and finishes with ``result()``."""

    turn_limit = 18
    seconds_limit = 300.0

    def __init__(self, call: Call, note: OpenNote, context: llm.ChatContext) -> None:
        self.note = note
        self._misses = 0
        self._steps: list[Step] = []
        super().__init__(call, instructions=prompt_for(call), context=context)

    def steps(self) -> list[Step]:
        """What has to be asked, in order."""
        raise NotImplementedError

    def result(self) -> R:
        """The whole note; called when every step is done."""
        raise NotImplementedError

    async def begin(self) -> None:
        self._steps = self.steps()
        self._put(self._now().ask())

    # No property: LiveKit reads every property of an agent while it is being built.
    def _now(self) -> Step:
        return self._steps[0]

    def _put(self, spoken: Spoken) -> None:
        self.call.say(spoken.line, **spoken.values)

    def _text(self, spoken: Spoken) -> SayText:
        return SayText(self.call.lines.fill(spoken.line, spoken.values), spoken.line)

    def private_text(self, raw: str) -> str | None:
        if self._steps and self._now().secret(raw):
            return self.call.lines.say("callback.hidden")
        return None

    # Turns -----------------------------------------------------------------------------------

    def take(self, turn: CallerTurn) -> Move:
        match self._now().take(turn):
            case Taken():
                return self._next()
            case GoOn(say):
                self._misses = 0
                return self._text(say)
            case NotTaken(say):
                return self._missed(turn, say)

    def _next(self) -> Move:
        self._steps.pop(0)
        self._misses = 0
        if self._steps:
            return self._text(self._now().ask())
        self.finish(self.result())
        return StaySilent()

    def _missed(self, turn: CallerTurn, say: Spoken | None) -> Move:
        if say is None and read_answer(turn.text).answer is Answer.REPEAT:
            return self._text(self._now().ask())
        if say is None and is_question(turn.text):
            return AskModel("none")
        self._misses += 1
        if not self._now().must and self._misses >= SKIP_AFTER:
            return self._next()
        if self._misses >= GIVE_UP_AFTER:
            self.leave(ExitCode.IDENTITY_INCOMPLETE, "number")
            return StaySilent()
        return self._text(say or self._now().retry())

    def _wants_out(self, turn: CallerTurn) -> ExitCode | None:
        intent = read_intent(turn.text)
        if intent is Intent.END_CALL:
            return ExitCode.END_CALL
        if calls_off(turn.text):
            return ExitCode.CANCELLED_BY_CALLER
        if self._now().free:
            return None
        if wants_to_stop(turn.text):
            return ExitCode.CANCELLED_BY_CALLER
        # Asking for a person again is what this note is about (one request, one transfer).
        other = intent in _OTHER_WISHES or says_goodbye(turn.text)
        return ExitCode.OTHER_REQUEST if other else None

    def open_question(self) -> SayText | None:
        return self._text(self._now().ask()) if self._steps and not self.done() else None

    def asks_again(self, turn: CallerTurn) -> bool:
        return True

    def follow_up(self, turn: CallerTurn, answered: str) -> SayText | None:
        return self._text(self._now().ask())
