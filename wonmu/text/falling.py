"""The other path when a record system or the ledger gives no answer (A8, T11)."""

from __future__ import annotations

from wonmu.errors import EmrFault
from wonmu.hospital.config import Fallback
from wonmu.policy.verdict import Action
from wonmu.text.notes import leave_failure
from wonmu.text.said import Said
from wonmu.text.turn import Turn


def why_failed(turn: Turn) -> str:
    """The clause that says why there was no answer."""
    fault = turn.talk.state.fault or EmrFault.BROKEN
    return turn.talk.lines.say(f"fault.{fault.value}")


async def fall_back(turn: Turn, stem: str, note: str, ending: str = "") -> list[Said]:
    """Say why, and take the hospital's other path: an offer of a person, or a note.

    ``stem``: the lines ``<stem>_callback`` and ``<stem>_person``, each with ``ending``.
    """
    why = why_failed(turn)
    match turn.talk.desk.hospital.emr.fallback:
        case Fallback.PERSON:
            line = f"{stem}_person{ending}"
            return [turn.talk.offer(line, Action.CONNECT_PERSON, why=why)]
        case Fallback.MEMO:
            return await leave_failure(turn, note, f"{stem}_callback{ending}", {"why": why})
