"""The way to a person, as far as this version goes (T5, T11, S7).

There is no transfer yet: the caller is told so, and a note to be called back is kept, once a call.
The words come after the note is stored, never before (N6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import Exited
from wonmu.call.tasks.ask import AskTask
from wonmu.call.tasks.questions import phone_question
from wonmu.desk.records import DeskNote, RequestKind, RequestPatient
from wonmu.errors import StoreFailure
from wonmu.identity.result import NewPatient, Verified
from wonmu.ids import BookingKey
from wonmu.policy.claims import Act
from wonmu.timeline.events import Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def leave_callback(call: Call, ctx: RunContext[None], line: str, note: str) -> bool:
    """Keep a call-back note and say ``line``; True when the note is kept.

    ``line`` is spoken first part of the truth ("nobody can be put through now"); it may be empty.
    """
    phone = call.state.caller_phone or call.state.callback_phone
    if phone is None:
        question = phone_question("person.ask_phone")
        result = await call.lend(ctx, AskTask(call, question, call.session.current_agent.chat_ctx))
        if isinstance(result, Exited):
            call.say("person.no_phone", number=call.desk.hospital.phone)
            return False
        phone = call.state.callback_phone = result.value
    try:
        recorded = await call.desk.inbox.record_note(_note(call, phone, note))
    except StoreFailure:
        call.say("person.not_kept", number=call.desk.hospital.phone)
        return False
    key = recorded.row.key
    if not recorded.replayed:
        data = {"key": key, "note_kind": RequestKind.CALLBACK.value}
        call.recorder.write(Kind.MEMO_STORED, data)
        call.receipt(Act.MEMO)
        call.receipt(Act.CALLBACK)
    call.say("person.already_kept" if recorded.replayed else line)
    return True


def _note(call: Call, phone: str, note: str) -> DeskNote:
    return DeskNote(
        kind=RequestKind.CALLBACK,
        # One a call: asking twice for a person must not make two notes.
        key=BookingKey(f"callback-{call.recorder.call_id}"),
        hospital_id=call.desk.hospital.id,
        call_id=call.recorder.call_id,
        created_at=call.desk.clock.now(),
        contact=phone,
        note=note,
        patient=_patient(call),
    )


def _patient(call: Call) -> RequestPatient | None:
    match call.state.identity:
        case Verified(patient=found):
            phone = found.phones[0] if found.phones else ""
            return RequestPatient(found.name, found.birth_date, phone, found.id)
        case NewPatient(name=name, birth_date=birth, phone=phone):
            return RequestPatient(name, birth, phone)
        case _:
            return None
