"""What the caller does: words, keys of the menu, and what only looks like words (T4, T6, R54, R71).

Turns each into one turn of the call, or into a note when it is none. Decides nothing about what a
turn means; it must never let a number that is a secret out, nor noise into the talk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wonmu.call.people import withdraw
from wonmu.call.results import repeat_owed
from wonmu.call.state import CallerTurn, Choice
from wonmu.call.voice import Utterance
from wonmu.korean.answers import is_recogniser_noise
from wonmu.korean.mask import Secret, mask_text
from wonmu.korean.numbers import BirthOk, birth_from_words
from wonmu.policy.emergency import red_flag
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.proposals import Accepted, Closed, Declined, ProposalReading
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call


def is_noise(words: str) -> bool:
    """Whether a recogniser made these words of silence. A plain wish among them is none."""
    wish = read_intent(words) is not Intent.NONE or red_flag(words) is not None
    return is_recogniser_noise(words) and not wish


class Caller:
    """The caller's side of one call."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def says(self, raw: str, *, barge_in: bool) -> None:
        call, state = self._call, self._call.state
        if state.latch.closed:
            self._note(raw, barge_in=True, late=True)
            return
        if is_noise(raw):
            # No turn: no consent, no goodbye, no reply (R54).
            self._note(raw, barge_in=False, noise=True)
            return
        call.silence.broken()
        call.keypad.spoke()
        if barge_in:
            # Noted before the caller's words, because that is the order in which it happened.
            call.voice.cut()
            call.interrupt()
        state.turn += 1
        text = self._private_text(raw)
        turn = CallerTurn(state.turn, state.speeches, text, raw, barge_in)
        state.fresh = state.last = turn
        state.chosen = None
        state.heard.append(text)
        self._note_birth(raw)
        state.said_in_turn = 0
        data = {"text": text, "turn": turn.number, "barge_in": barge_in}
        call.recorder.write(Kind.CALLER_HEARD, data)
        self._read_proposal(state.proposals.caller_turn(text, turn.after))
        if red_flag(text) is None:
            self._say_owed()
            if barge_in:
                repeat_owed(call, text)
        call.ask(words=text)

    def chooses(self, choice: Choice) -> None:
        """A key of the menu: a turn without words (T6)."""
        call, state = self._call, self._call.state
        self.talks_over()
        state.turn += 1
        turn = CallerTurn(state.turn, state.speeches, choice.words, choice.words, choice=choice)
        state.fresh = state.last = turn
        state.chosen, state.said_in_turn = choice.action, 0
        self._read_proposal(state.proposals.drop())
        self._say_owed()
        if choice.action is None:
            call.ask(words=choice.words, tools="none")
        else:
            call.ask()

    def talks_over(self) -> None:
        """A key breaks into what is being said, if anything is."""
        if self._call.voice.speaking is not None:
            self._call.voice.cut()
            self._call.interrupt()

    def _note(self, raw: str, *, barge_in: bool, **why: bool) -> None:
        call = self._call
        data = {"text": call.masked(raw), "turn": call.state.turn, "barge_in": barge_in, **why}
        call.recorder.write(Kind.CALLER_HEARD, data)

    def _note_birth(self, raw: str) -> None:
        """A birth date given before it was asked for is kept, not asked again (S4)."""
        if self._call.masked(raw) == raw:
            return
        today = self._call.desk.clock.now().date()
        found = mask_text(raw, today=today).found
        if not any(secret.kind is Secret.BIRTH for secret in found):
            return
        reading = birth_from_words(raw, today=today)
        if isinstance(reading, BirthOk):
            self._call.state.birth_said = reading.value

    def _private_text(self, raw: str) -> str:
        """What of the caller's words may leave: a task that asks for a secret hides all of it."""
        reader = getattr(self._call.session.current_agent, "private_text", None)
        hidden = reader(raw) if reader is not None else None
        return hidden if hidden is not None else self._call.masked(raw)

    def _read_proposal(self, reading: ProposalReading) -> None:
        self._call.state.reading = reading
        match reading:
            case Declined(Action.CONNECT_PERSON) if not self._call.state.tool_open:
                withdraw(self._call)
                self._closed(Action.CONNECT_PERSON, reading)
            case Accepted(action) | Declined(action) | Closed(action):
                self._closed(action, reading)
            case _:
                pass

    def _closed(self, action: Action, reading: ProposalReading) -> None:
        data = {"action": action.value, "how": type(reading).__name__.lower()}
        self._call.recorder.write(Kind.PROPOSAL_CLOSED, data)

    def _say_owed(self) -> None:
        """What every caller must hear and was talked over comes before the answer (R71)."""
        owed, self._call.state.notice_owed = self._call.state.notice_owed, ""
        if owed:
            self._call.speak(Utterance(owed, line="greeting.notice", aside=True))
