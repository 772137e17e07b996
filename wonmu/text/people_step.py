"""The person step: nobody can be dialled from a text, so a call back or a memo is taken (P2)."""

from __future__ import annotations

from wonmu.desk.records import RequestKind
from wonmu.text.notes import open_callback, open_memo
from wonmu.text.state import Step
from wonmu.text.turn import Done, Turn
from wonmu.timeline.events import Status

_TAKEN = {"note": "being_taken"}


async def by_person(turn: Turn, words: str) -> Done:
    """A person shall do it, because the visitor or the hospital wants it so."""
    turn.go(Step.PERSON)
    turn.leave_said(*await open_callback(turn, words, opening="text.by_person"))
    return Done(Status.ESCALATED, _TAKEN, "staff_connection")


async def by_memo(turn: Turn, words: str) -> Done:
    """The hospital takes a memo for it (T7)."""
    turn.go(Step.PERSON)
    turn.leave_said(*await open_memo(turn, words))
    return Done(Status.ESCALATED, _TAKEN)


async def leave_note(turn: Turn, words: str) -> Done:
    """A note beside the call back that was taken already, or the call back itself."""
    if RequestKind.CALLBACK.value in turn.talk.state.kept_kinds:
        return await by_memo(turn, words)
    return await by_person(turn, words)
