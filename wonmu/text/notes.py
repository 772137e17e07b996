"""Taking down a note for staff in text, question by question (P2, D4, S6).

Nobody can be dialled from a text: a wish for a person becomes a call back, and what the hospital
takes by memo a memo. What is known is not asked; the number is read back before it counts. It is
told only after it is stored (N6), and a number is never shown unmasked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from wonmu.desk.records import CallWindow, RequestKind
from wonmu.desk.windows import AnyTime, DeskClosed, Unclear, read_window
from wonmu.korean.answers import Answer, is_bare_yes, read_answer
from wonmu.korean.folding import fold
from wonmu.korean.names import read_name
from wonmu.korean.numbers import Phone, read_phone
from wonmu.lines import Value
from wonmu.policy.intent import Intent, read_intent
from wonmu.text import forms
from wonmu.text.moves import Move, Speak
from wonmu.text.people import (
    LONGEST_TOPIC,
    Kept,
    keep,
    known_phone,
    new_note,
    purpose_in,
    window_json,
    window_of,
)
from wonmu.text.said import Said
from wonmu.text.state import Form
from wonmu.text.turn import Turn
from wonmu.timeline.events import Kind

SHORTEST_TOPIC = 2
"""Syllables below which an answer says nothing."""

SKIP_AFTER = 2
"""Misses after which a question that can be left out is left out."""

Open = Mapping[str, Any]
_TOPIC, _NAME, _WINDOW, _PHONE = "topic", "name", "window", "phone"


async def open_callback(turn: Turn, words: str, *, opening: str | None = None) -> list[Said]:
    """A wish for a person: from now on it is not lost. The words that begin to take it down."""
    if RequestKind.CALLBACK.value in turn.talk.state.kept_kinds:
        return [turn.talk.words("text.note_already")]
    topic = purpose_in(turn.talk, words)
    # The wish for a person alone says nothing of what it is about.
    only_person = read_intent(topic) is Intent.PERSON
    form = new_note(turn, RequestKind.CALLBACK, topic, asked=[] if only_person else [_TOPIC])
    said = [turn.talk.words(opening)] if opening is not None else []
    return [*said, *await go_on(turn, form)]


async def open_memo(turn: Turn, words: str) -> list[Said]:
    """The hospital takes a memo for what the visitor wants (T7)."""
    if RequestKind.MEMO.value in turn.talk.state.kept_kinds:
        return [turn.talk.words("memo.already")]
    topic = purpose_in(turn.talk, words)
    form = new_note(turn, RequestKind.MEMO, topic, asked=[_WINDOW], by_mode=True)
    return await go_on(turn, form)


async def leave_failure(
    turn: Turn, topic: str, line: str, values: Mapping[str, str] | None = None
) -> list[Said]:
    """Something failed and nobody asked for a person: a note that code leaves by itself (T11).

    ``line`` is said once it is stored; only a number that is not known is asked for.
    """
    said = " / ".join(turn.talk.heard[turn.talk.evidence_from :])
    words = f"{topic} ({said})" if said else topic
    form = new_note(
        turn,
        RequestKind.CALLBACK,
        words,
        asked=[_TOPIC, _NAME, _WINDOW],
        failed=True,
        line=line,
        values=dict(values or {}),
    )
    if known_phone(turn) is None:
        return [forms.put(turn, form)]
    return await _store(turn, form)


async def go_on(turn: Turn, form: Form) -> list[Said]:
    """The next question that is open, or the stored note."""
    if _step(turn, form) is None:
        return await _store(turn, form)
    return [forms.put(turn, form)]


def _step(turn: Turn, form: Open) -> str | None:
    """What is asked now; None when the note is whole."""
    asked = form.get("asked", ())
    if _TOPIC not in asked:
        return _TOPIC
    if _NAME not in asked and turn.memory.who is None and not form.get("name"):
        return _NAME
    if _WINDOW not in asked:
        return _WINDOW
    if form.get("failed"):
        return None if known_phone(turn) or form.get("phone") else _PHONE
    return None if form.get("phone_right") else _PHONE


async def _store(turn: Turn, form: Form) -> list[Said]:
    """Store the whole note and say so; the words come after the fact (N6)."""
    turn.memory.form = None
    number = turn.talk.desk.hospital.phone
    match await keep(turn, form):
        case Kept.STORED:
            return [_stored(turn, form)]
        case Kept.ALREADY:
            return [turn.talk.words("text.note_already")]
        case Kept.NO_NUMBER:
            return [turn.talk.words("person.phone_missing", number=number)]
        case Kept.FAILED:
            return [turn.talk.words("person.not_kept", number=number)]


def _stored(turn: Turn, form: Form) -> Said:
    words = turn.talk.words
    if (line := form.get("line")) is not None:
        return words(line, **form.get("values", {}))
    if form["note"] == RequestKind.MEMO.value:
        return words("memo.stored")
    window = window_of(form)
    if window is None or window.start is None or window.end is None:
        return words("callback.stored")
    if window.start.date() == window.end.date():
        times: dict[str, Value] = {"start": window.start.time(), "end": window.end.time()}
        return words("callback.stored_at", day=window.start.date(), **times)
    first, last = window.start.date(), window.end.date()
    return words("callback.stored_between", first=first, last=last)


class Notes:
    """The owner of forms of the kind ``note``."""

    def area(self, form: Form) -> str:
        return forms.PERSON

    def free(self, form: Form) -> bool:
        return _TOPIC not in form.get("asked", ())

    def private(self, turn: Turn, form: Form, raw: str) -> str | None:
        if _step(turn, form) == _PHONE and _phone(raw):
            return turn.talk.lines.say("call.hidden_phone")
        return None

    def question(self, turn: Turn, form: Form) -> Said:
        match _step(turn, form):
            case "topic" if form["note"] == RequestKind.MEMO.value:
                line = "memo.what" if form.get("by_mode") else "memo.what_after"
                return turn.talk.words(line)
            case "topic":
                return turn.talk.words("callback.what")
            case "name":
                return turn.talk.words("memo.name")
            case "window":
                return turn.talk.words("callback.when")
            case _:
                return self._number(turn, form)

    def _number(self, turn: Turn, form: Form) -> Said:
        if form.get("failed"):
            return turn.talk.words("text.ask_phone")
        digits = _digits(turn, form)
        if not digits:
            return turn.talk.words("callback.phone")
        return turn.talk.words("callback.phone_right", phone=Phone(digits))

    def retry(self, turn: Turn, form: Form) -> Said:
        match _step(turn, form):
            case "topic":
                return turn.talk.words("memo.what_again")
            case "name":
                return turn.talk.words("memo.name_again")
            case "window":
                return turn.talk.words("callback.when_again")
            case _:
                known = _digits(turn, form) and not form.get("failed")
                line = "callback.phone_again"
                return self._number(turn, form) if known else turn.talk.words(line)

    async def answer(self, turn: Turn, form: Form) -> Move | None:
        takers: dict[str, Callable[[Turn, Form], Form | Said | None]] = {
            _TOPIC: _take_topic,
            _NAME: _take_name,
            _WINDOW: _take_window,
            _PHONE: _take_phone,
        }
        step = _step(turn, form)
        if step in (_NAME, _WINDOW) and (said := _phone(turn.talk.raw)):
            # Given before it was asked for, it is not asked for again; only read back.
            turn.talk.state.callback_phone = said
            return Speak(tuple(await go_on(turn, {**form, "phone": said})))
        taken = takers[step](turn, form) if step is not None else form
        if isinstance(taken, Said):
            return Speak((taken,))
        if taken is not None:
            return Speak(tuple(await go_on(turn, {**taken, "misses": 0})))
        may_be_left = step in (_NAME, _WINDOW) and form.get("misses", 0) + 1 >= SKIP_AFTER
        if may_be_left and read_answer(turn.text).answer is not Answer.REPEAT:
            left = {**form, "asked": [*form["asked"], step], "misses": 0}
            return Speak(tuple(await go_on(turn, left)))
        return None

    async def give_up(self, turn: Turn, form: Form) -> Move:
        if form.get("phone") or known_phone(turn):
            return Speak(tuple(await _store(turn, form)))
        number = turn.talk.desk.hospital.phone
        return Speak((turn.talk.words("person.phone_missing", number=number),))

    def stopped(self, turn: Turn, form: Form) -> Said:
        data = {"action": "note", "how": "declined"}
        turn.talk.recorder.write(Kind.PROPOSAL_CLOSED, data)
        return turn.talk.words("callback.declined")

    async def leave(self, turn: Turn, form: Form) -> list[Said]:
        """A request for a person is not lost because something else is wanted now (N7)."""
        match await keep(turn, form):
            case Kept.STORED:
                return [turn.talk.words("callback.kept")]
            case _:
                return []


def _take_topic(turn: Turn, form: Form) -> Form | None:
    reading = read_answer(turn.text).answer
    empty = is_bare_yes(turn.text) or reading is Answer.REPEAT
    if empty or len(fold(turn.text)) < SHORTEST_TOPIC:
        return None
    taken = {**form, "asked": [*form.get("asked", ()), _TOPIC]}
    if reading is not Answer.NO and read_intent(turn.text) is not Intent.PERSON:
        taken["topic"] = _joined(form["topic"], turn.text)
    return taken


def _joined(before: str, words: str) -> str:
    """The request and what it is about; the later words are kept when both do not fit."""
    both = f"{before} / {words}" if before else words
    return both if len(both) <= LONGEST_TOPIC else words[:LONGEST_TOPIC]


def _take_name(turn: Turn, form: Form) -> Form | None:
    name = read_name(turn.talk.raw)
    return None if name is None else {**form, "name": name, "asked": [*form["asked"], _NAME]}


def _take_window(turn: Turn, form: Form) -> Form | Said | None:
    desk = turn.talk.desk
    reading = read_window(
        turn.text, now=desk.clock.now(), times=desk.calendar, holidays=desk.holidays()
    )
    asked = [*form["asked"], _WINDOW]
    match reading:
        case CallWindow():
            return {**form, "window": window_json(reading), "asked": asked}
        case AnyTime():
            return {**form, "asked": asked}
        case DeskClosed(opens):
            return _closed(turn, opens)
        case Unclear():
            return None


def _closed(turn: Turn, opens: tuple[datetime, datetime] | None) -> Said:
    hospital = turn.talk.desk.hospital
    lines = turn.talk.lines
    name = hospital.desk.name if hospital.desk is not None else lines.say("transfer.desk_name")
    if opens is None:
        return turn.talk.words("callback.closed", desk=name)
    start, end = opens
    times: dict[str, Value] = {"day": start.date(), "start": start.time(), "end": end.time()}
    return turn.talk.words("callback.closed_then", desk=name, **times)


def _take_phone(turn: Turn, form: Form) -> Form | Said | None:
    reading = read_answer(turn.text).answer
    said = _phone(turn.talk.raw)
    known = _digits(turn, form)
    if said and (said != known or reading is not Answer.YES):
        taken = {**form, "phone": said, "misses": 0}
        turn.talk.state.callback_phone = said
        if form.get("failed"):
            return taken
        return forms.put(turn, taken)
    if not known:
        return None
    if reading is Answer.NO:
        turn.memory.form = {**form, "phone": "", "phone_wrong": True, "misses": 0}
        return turn.talk.words("callback.phone_other")
    return {**form, "phone": known, "phone_right": True} if reading is Answer.YES else None


def _digits(turn: Turn, form: Open) -> str:
    """The number to call as far as it is known; none right after one was called wrong."""
    if form.get("phone"):
        return str(form["phone"])
    return "" if form.get("phone_wrong") else known_phone(turn) or ""


def _phone(words: str) -> str:
    said = read_phone(words)
    return said.digits if isinstance(said, Phone) else ""


forms.register("note", Notes())
