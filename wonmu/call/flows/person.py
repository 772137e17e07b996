"""The short note that code leaves by itself when automatic handling stops (T11, A8).

Nobody asked for a person here: a record system failed, or identity stayed open. The words come
after the note is stored, never before (N6). A request for a person goes to ``transfer``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import Exited
from wonmu.call.notes import OpenNote
from wonmu.call.people import LONGEST_TOPIC, Kept, keep, known_phone
from wonmu.call.results import offer, tell
from wonmu.call.tasks.ask import AskTask
from wonmu.desk.records import RequestKind
from wonmu.errors import EmrFault
from wonmu.hospital.config import Fallback
from wonmu.lines import Value
from wonmu.policy.verdict import Action
from wonmu.visit.questions import phone_question

if TYPE_CHECKING:
    from wonmu.call.session import Call


def why_failed(call: Call) -> str:
    """The clause that says why the record system last gave no answer."""
    return call.lines.say(f"fault.{(call.state.fault or EmrFault.BROKEN).value}")


async def fall_back(
    call: Call, ctx: RunContext[None], stem: str, note: str, ending: str = ""
) -> None:
    """The record system failed: say why, and take the hospital's other path (A8, T11).

    ``stem``: the lines ``<stem>_callback`` and ``<stem>_person``, each with ``ending``.
    """
    why = why_failed(call)
    match call.desk.hospital.emr.fallback:
        case Fallback.PERSON:
            # Whoever hangs up at the offer is called back; a no takes that back (N7).
            if call.state.note is None:
                call.state.note = failure_note(call, note)
            offer(call, f"{stem}_person{ending}", Action.CONNECT_PERSON, why=why)
        case Fallback.MEMO:
            await leave_callback(call, ctx, f"{stem}_callback{ending}", note, why=why)


def failure_note(call: Call, note: str) -> OpenNote:
    """What staff reads: what failed, and what the caller had said of the wish, masked."""
    said = " / ".join(call.state.heard[call.state.evidence_from :])
    words = f"{note} ({said})" if said else note
    return OpenNote(RequestKind.CALLBACK, words[:LONGEST_TOPIC], failed=True)


async def leave_callback(
    call: Call, ctx: RunContext[None], line: str, note: str, /, **values: Value
) -> bool:
    """Keep a call-back note, once a call, and say ``line``; True when a note is kept."""
    if call.state.note is None:
        call.state.note = failure_note(call, note)
    if known_phone(call) is None:
        question = phone_question("person.ask_phone")
        result = await call.lend(ctx, AskTask(call, question, call.session.current_agent.chat_ctx))
        if isinstance(result, Exited):
            call.state.note = None
            call.say("person.phone_missing", number=call.desk.hospital.phone)
            return False
        call.state.callback_phone = result.value
    match await keep(call):
        case Kept.STORED:
            tell(call, line, wrote=True, **values)
        case Kept.ALREADY:
            call.say("person.already_kept")
        case _:
            call.say("person.not_kept", number=call.desk.hospital.phone)
            return False
    return True
