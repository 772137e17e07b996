"""What a conversation leaves for the people of the desk (P2, P3, N7).

Puts a whole note into the inbox, once, under a key that the conversation and the turn it was
opened in decide: written again after a crash it is the same row. Decides nothing about words, but
that they come after the note is stored.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import Any

from wonmu.desk.records import CallWindow, DeskNote, RequestKind, RequestPatient
from wonmu.errors import StoreFailure
from wonmu.ids import BookingKey
from wonmu.korean.answers import is_bare_yes
from wonmu.policy.claims import Act
from wonmu.text.state import Form
from wonmu.text.talk import Talk
from wonmu.text.turn import Turn
from wonmu.timeline.events import Kind
from wonmu.visit.proof import done

LONGEST_TOPIC = 200
"""Characters of the visitor's words that are kept for staff."""


class Kept(StrEnum):
    """What came of keeping a note."""

    STORED = "stored"
    ALREADY = "already"
    NO_NUMBER = "no_number"
    FAILED = "failed"


def new_note(turn: Turn, kind: RequestKind, topic: str, **more: Any) -> Form:
    """A note as a form. ``opened`` makes its key."""
    return {
        "kind": "note",
        "note": kind.value,
        "topic": topic[:LONGEST_TOPIC],
        "opened": turn.memory.turn,
        **more,
    }


def purpose_in(talk: Talk, words: str) -> str:
    """What the visitor wants, in their words: the latest turn that says more than yes."""
    turns = [words, *reversed(talk.heard)]
    said = next((turn for turn in turns if turn.strip() and not is_bare_yes(turn)), "")
    return said[:LONGEST_TOPIC]


def known_phone(turn: Turn) -> str | None:
    """Where the visitor can be reached, as far as this conversation knows; digits."""
    who = turn.memory.who.who if turn.memory.who is not None else None
    known = (who.contact or who.phone) if who is not None else None
    return turn.talk.state.callback_phone or turn.talk.caller or known or None


async def keep(turn: Turn, form: Form) -> Kept:
    """Put the note into the inbox; the row is there when this says stored."""
    talk = turn.talk
    phone = form.get("phone") or known_phone(turn)
    if phone is None:
        return Kept.NO_NUMBER
    note = _desk_note(turn, form, phone)
    if note.key in talk.state.kept:
        return Kept.ALREADY
    try:
        recorded = await talk.desk.inbox.record_note(note)
    except StoreFailure:
        talk.recorder.write(Kind.FAULT, {"where": "inbox"})
        return Kept.FAILED
    talk.state.kept.add(note.key)
    talk.state.kept_kinds.add(note.kind.value)
    if recorded.row.call_id != talk.id:
        return Kept.ALREADY  # it was stored before this visit began
    data = {"key": recorded.row.key, "note_kind": note.kind.value}
    talk.recorder.write(Kind.MEMO_STORED, data)
    done(talk.visit, Act.MEMO)
    if note.kind is RequestKind.CALLBACK:
        done(talk.visit, Act.CALLBACK)
    return Kept.STORED


def _desk_note(turn: Turn, form: Form, phone: str) -> DeskNote:
    talk = turn.talk
    kind = RequestKind(form["note"])
    return DeskNote(
        kind=kind,
        key=BookingKey(note_key(talk.thread, kind, form["opened"])),
        hospital_id=talk.desk.hospital.id,
        call_id=talk.id,
        created_at=talk.desk.clock.now(),
        contact=phone,
        note=form["topic"],
        patient=_patient(turn, form),
        window=window_of(form),
    )


def _patient(turn: Turn, form: Form) -> RequestPatient | None:
    known = turn.memory.who
    if known is not None:
        return RequestPatient(known.name, None, known.who.phone, known.patient)
    name = form.get("name")
    return RequestPatient(name, None, "") if name else None


def note_key(thread: str, kind: RequestKind, opened: int) -> str:
    """The same note of the same conversation has the same key in every process."""
    made = hashlib.sha256(f"{thread}|{kind.value}|{opened}".encode()).hexdigest()
    return f"{kind.value}-{made[:24]}"


def window_of(form: Form) -> CallWindow | None:
    """When to call, if that was said."""
    found = form.get("window")
    if not found:
        return None
    start, end = found["start"], found["end"]
    if start is None or end is None:
        return CallWindow(found["words"])
    return CallWindow(found["words"], datetime.fromisoformat(start), datetime.fromisoformat(end))


def window_json(window: CallWindow) -> dict[str, str | None]:
    """A window as a form keeps it."""
    start, end = window.start, window.end
    return {
        "words": window.words,
        "start": start.isoformat() if start is not None else None,
        "end": end.isoformat() if end is not None else None,
    }
