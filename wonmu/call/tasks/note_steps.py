"""The questions of a memo and of a call back (P2): what for, who, when, which number.

Each step writes what it took into the open note. A number is taken down only as a whole number and
is read back digit by digit before it counts as confirmed.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from wonmu.call.notes import OpenNote
from wonmu.call.people import LONGEST_TOPIC, known_phone
from wonmu.call.tasks.notes import GoOn, NotTaken, Spoken, Step, Taken
from wonmu.call.tasks.transfer import desk_name
from wonmu.desk.records import CallWindow
from wonmu.desk.windows import AnyTime, DeskClosed, Unclear, read_window
from wonmu.korean.answers import Answer, is_bare_yes, read_answer
from wonmu.korean.folding import fold
from wonmu.korean.names import read_name
from wonmu.korean.numbers import Phone, read_phone
from wonmu.lines import Value
from wonmu.policy.intent import Intent, read_intent

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn

SHORTEST_TOPIC = 2
"""Syllables below which an answer says nothing."""


def topic_step(note: OpenNote, line: str) -> Step:
    """What it is about, in the caller's own words."""

    def take(turn: CallerTurn) -> Taken | NotTaken:
        reading = read_answer(turn.text).answer
        empty = is_bare_yes(turn.text) or reading is Answer.REPEAT
        if empty or len(fold(turn.text)) < SHORTEST_TOPIC:
            return NotTaken()
        note.asked_topic = True
        if reading is not Answer.NO and read_intent(turn.text) is not Intent.PERSON:
            note.topic = _joined(note.topic, turn.text)
        return Taken()

    return Step(lambda: Spoken(line, {}), lambda: Spoken("memo.what_again", {}), take, free=True)


def _joined(before: str, words: str) -> str:
    """The request and what it is about; the later words are kept when both do not fit."""
    both = f"{before} / {words}" if before else words
    return both if len(both) <= LONGEST_TOPIC else words[:LONGEST_TOPIC]


def name_step(note: OpenNote) -> Step:
    """Whom to ask for. Left out when the patient is known."""

    def take(turn: CallerTurn) -> Taken | NotTaken:
        name = read_name(turn.raw)
        if name is None:
            return NotTaken()
        note.name = name
        return Taken()

    return Step(lambda: Spoken("memo.name", {}), lambda: Spoken("memo.name_again", {}), take)


def window_step(call: Call, note: OpenNote) -> Step:
    """When to call, inside the desk's hours; any time will do."""

    def take(turn: CallerTurn) -> Taken | NotTaken:
        desk = call.desk
        reading = read_window(
            turn.text, now=desk.clock.now(), times=desk.calendar, holidays=desk.holidays()
        )
        match reading:
            case CallWindow():
                note.window = reading
                return Taken()
            case AnyTime():
                return Taken()
            case DeskClosed(opens):
                return NotTaken(_closed(call, opens))
            case Unclear():
                return NotTaken()

    ask, again = "callback.when", "callback.when_again"
    return Step(lambda: Spoken(ask, {}), lambda: Spoken(again, {}), take)


def _closed(call: Call, opens: tuple[datetime, datetime] | None) -> Spoken:
    to = desk_name(call)
    if opens is None:
        return Spoken("callback.closed", {"desk": to})
    start, end = opens
    values: dict[str, Value] = {
        "desk": to,
        "day": start.date(),
        "start": start.time(),
        "end": end.time(),
    }
    return Spoken("callback.closed_then", values)


def phone_step(call: Call) -> Step:
    """The number, read back and agreed to; another one may be given."""
    number = _Number(call)
    return Step(
        number.ask, number.retry, number.take, must=True, secret=lambda words: _phone(words) != ""
    )


class _Number:
    """The number to call, and whether it was read back since it was last changed."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._digits = known_phone(call) or ""

    def ask(self) -> Spoken:
        if not self._digits:
            return Spoken("callback.phone", {})
        return Spoken("callback.phone_right", {"phone": Phone(self._digits)})

    def retry(self) -> Spoken:
        return self.ask() if self._digits else Spoken("callback.phone_again", {})

    def take(self, turn: CallerTurn) -> Taken | GoOn | NotTaken:
        reading = read_answer(turn.text).answer
        said = _phone(turn.raw)
        if said and (said != self._digits or reading is not Answer.YES):
            self._call.state.callback_phone = self._digits = said
            return GoOn(self.ask())
        if not self._digits:
            return NotTaken()
        if reading is Answer.NO:
            self._digits = ""
            return GoOn(Spoken("callback.phone_other", {}))
        return Taken() if reading is Answer.YES else NotTaken()


def _phone(words: str) -> str:
    said = read_phone(words)
    return said.digits if isinstance(said, Phone) else ""
