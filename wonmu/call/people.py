"""What is kept for the people of the desk while a call goes on (P2, P3, N7).

A request for a person, or a memo begun, is an *open note* from the moment it is heard. It ends in
exactly one of: the caller was put through, the caller took it back, or it lies in the inbox – also
when the caller hangs up in the middle. Decides nothing about what is said.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from wonmu.call.notes import OpenNote
from wonmu.desk.records import DeskNote, RequestKind, RequestPatient
from wonmu.errors import StoreFailure
from wonmu.identity.result import NewPatient, Verified
from wonmu.ids import BookingKey
from wonmu.korean.answers import is_bare_yes
from wonmu.policy.claims import Act
from wonmu.timeline.events import Kind
from wonmu.visit.proof import done

if TYPE_CHECKING:
    from wonmu.call.session import Call

LONGEST_TOPIC = 200
"""Characters of the caller's words that are kept for staff."""


class Kept(StrEnum):
    """What came of keeping a note."""

    STORED = "stored"
    ALREADY = "already"
    """This call has left such a note before; it was not written again."""
    NO_NUMBER = "no_number"
    FAILED = "failed"


def want_person(call: Call, words: str) -> None:
    """The caller asked for a person: from now on that is not lost."""
    if call.state.note is None:
        call.state.note = OpenNote(RequestKind.CALLBACK, purpose_in(call, words))


def withdraw(call: Call) -> None:
    """The caller took the request back; nothing is kept of it."""
    if call.state.note is not None:
        call.state.note = None
        call.recorder.write(Kind.PROPOSAL_CLOSED, {"action": "note", "how": "declined"})


def purpose_in(call: Call, words: str) -> str:
    """What the caller wants, in their words: the latest turn that says more than yes."""
    turns = [words, *reversed(call.state.heard)]
    said = next((turn for turn in turns if turn.strip() and not is_bare_yes(turn)), "")
    return said[:LONGEST_TOPIC]


def known_phone(call: Call) -> str | None:
    """Where the caller can be reached, as far as this call knows; digits."""
    return call.state.callback_phone or call.state.caller_phone


def patient_known(call: Call) -> RequestPatient | None:
    """The patient this call has established, if any."""
    match call.state.identity:
        case Verified(patient=found):
            phone = found.phones[0] if found.phones else ""
            return RequestPatient(found.name, found.birth_date, phone, found.id)
        case NewPatient(name=name, birth_date=birth, phone=phone):
            return RequestPatient(name, birth, phone)
        case _:
            return None


async def keep(call: Call) -> Kept:
    """Put the open note into the inbox, once a call and kind; it is closed unless that failed."""
    async with call.state.lock:
        note, phone = call.state.note, known_phone(call)
        if note is None:
            return Kept.ALREADY
        if phone is None:
            return Kept.NO_NUMBER
        again = note.kind in call.state.kept
        if again and (not note.failed or note.topic in call.state.topics):
            call.state.note = None
            return Kept.ALREADY
        return await _store(call, note, phone)


async def _store(call: Call, note: OpenNote, phone: str) -> Kept:
    try:
        recorded = await call.desk.inbox.record_note(_desk_note(call, note, phone))
    except StoreFailure:
        call.recorder.write(Kind.FAULT, {"where": "inbox"})
        return Kept.FAILED
    call.state.note = None
    call.state.kept.add(note.kind)
    call.state.topics.append(note.topic)
    data = {"key": recorded.row.key, "note_kind": note.kind.value}
    call.recorder.write(Kind.MEMO_STORED, data)
    done(call, Act.MEMO)
    if note.kind is RequestKind.CALLBACK:
        done(call, Act.CALLBACK)
    return Kept.STORED


def _desk_note(call: Call, note: OpenNote, phone: str) -> DeskNote:
    named = RequestPatient(note.name, None, "") if note.name else None
    return DeskNote(
        kind=note.kind,
        key=BookingKey(_key(call, note.kind)),
        hospital_id=call.desk.hospital.id,
        call_id=call.recorder.call_id,
        created_at=call.desk.clock.now(),
        contact=phone,
        note=note.topic,
        patient=patient_known(call) or named,
        window=note.window,
    )


def _key(call: Call, kind: RequestKind) -> str:
    """One key a note, so that the same note written twice is one row."""
    key = f"{kind.value}-{call.recorder.call_id}"
    return f"{key}-{len(call.state.topics) + 1}" if kind in call.state.kept else key


async def keep_at_close(call: Call) -> None:
    """The call closes: whatever is still open is kept, if a number is known."""
    if call.state.note is not None:
        await keep(call)
