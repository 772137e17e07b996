"""The birth date, by keypad or by voice (D1, D2, D4).

A fixed announcement; keys end the entry at the last digit, at ``#`` or after a pause; ``*`` clears.
Spoken digits are taken as well, also half and half. Never reaches a model, a log or an event.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from livekit.agents import llm

from wonmu.booking.result import ExitCode
from wonmu.call.moves import Move, StaySilent
from wonmu.call.tasks.ask import AskTask
from wonmu.call.voice import Utterance
from wonmu.korean.numbers import (
    birth_from_keys,
    read_digits,
)
from wonmu.visit.asks import Got, Not, Question, Reading
from wonmu.visit.questions import birth_in, reading_of

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn

LONGEST = 8
OVERLONG_SECONDS = 1.0
"""After the last digit: time for a digit too many to show itself. An entry that is too long is
refused whole, never cut to a date (R108), and its tail must not begin another entry (R104)."""
_LONG_YEARS = ("19", "20")
"""How an eight-digit entry begins. Six digits may too (2019-…), so then the pause decides."""


class BirthdateTask(AskTask[date]):
    """Collects one birth date."""

    def __init__(self, call: Call, context: llm.ChatContext, *, line: str) -> None:
        self._today = call.desk.clock.now().date()
        question = Question(
            name="birthdate",
            line=line,
            retry="identity.birth_retry",
            short="identity.birth_short",
            read=self._read_words,
            values={
                "digits": call.lines.say(f"identity.digits_{call.desk.hospital.keypad.digits}")
            },
            secret="call.hidden_birth",
        )
        super().__init__(call, question, context)
        self._digits = ""
        self._empty = 0

    async def begin(self) -> None:
        self.call.keypad.collect(self)
        self._announce(self.question.line)

    def ended(self) -> None:
        self._digits = ""
        self.call.keypad.stop(self)

    def _announce(self, line: str) -> None:
        # The wait for a first key begins when the words are over, not while they are spoken.
        words = self.ask_again(line).text
        self.call.speak(Utterance(words, line=line, on_done=self._wait_first))

    def _wait_first(self) -> None:
        if not self.done() and not self._digits:
            rules = self.call.desk.hospital.keypad
            self.call.keypad.arm(rules.first_seconds, self._nothing_came, busy=False)

    # Keys ------------------------------------------------------------------------------------

    def ends_with(self, key: str) -> bool:
        return key == "#" or (key != "*" and self._complete(self._digits + key))

    def key(self, key: str) -> None:
        if self.done():
            return
        if self.call.voice.speaking is not None:
            self.call.interrupt()
        if key == "*":
            self._digits = ""
        elif key == "#":
            self._entered()
            return
        else:
            self._digits += key
        if self._digits:
            rules = self.call.desk.hospital.keypad
            whole = self._complete(self._digits)
            seconds = OVERLONG_SECONDS if whole else rules.between_seconds
            self.call.keypad.arm(seconds, self._entered, busy=True)
        else:
            self._wait_first()

    def _complete(self, digits: str) -> bool:
        """Whether no further digit can belong to it. More are taken in, to be refused whole."""
        if self.call.desk.hospital.keypad.digits == 6 and len(digits) == 6:
            return not digits.startswith(_LONG_YEARS)
        return len(digits) > LONGEST or (len(digits) == LONGEST and digits.startswith(_LONG_YEARS))

    def _entered(self) -> None:
        self.call.keypad.disarm()
        digits, self._digits = self._digits, ""
        if not digits:
            self._nothing_came()
            return
        match reading_of(birth_from_keys(digits, today=self._today)):
            case Got() as got:
                self.finish(got)
            case Not(line):
                self._miss(line or self.question.retry)

    def _miss(self, line: str) -> None:
        self._misses += 1
        if self._misses >= self.question.tries:
            self.leave(ExitCode.IDENTITY_INCOMPLETE, "birthdate")
        else:
            self._announce(line)

    def _nothing_came(self) -> None:
        """No key: the announcement once more, then by voice, then a person (D2)."""
        if self.done() or self.call.state.latch.closed:
            return
        self._empty += 1
        if self._empty == 1:
            self._announce("identity.birth_nothing")
        elif self._empty == 2:
            self._announce("identity.birth_by_voice")
        else:
            self.leave(ExitCode.SILENCE, "birthdate")

    # Words -----------------------------------------------------------------------------------

    def spoke(self) -> None:
        if not self._digits:
            self.call.keypad.disarm()

    def _read_words(self, words: str) -> Reading[date]:
        return birth_in(words, self._today)

    def take(self, turn: CallerTurn) -> Move:
        if not self._digits:
            return super().take(turn)
        # Half keys, half words is one entry (R105); any other words over keys are muttering
        # and must not end it (R106).
        digits = self._digits + (read_digits(turn.raw) or "")
        reading = reading_of(birth_from_keys(digits, today=self._today))
        if isinstance(reading, Got) and len(digits) > len(self._digits):
            self._digits = ""
            self.finish(reading)
            return StaySilent()
        return StaySilent(on_purpose=True)

    def private_text(self, raw: str) -> str | None:
        if self._digits and read_digits(raw):
            return self.call.lines.say("call.hidden_birth")
        return super().private_text(raw)
