"""The other path when a record system or the ledger gives no answer (A8, T11)."""

from __future__ import annotations

from wonmu.errors import EmrFault
from wonmu.text.notes import leave_failure
from wonmu.text.said import Said
from wonmu.text.turn import Turn


def why_failed(turn: Turn) -> str:
    """The clause that says why there was no answer."""
    fault = turn.talk.state.fault or EmrFault.BROKEN
    return turn.talk.lines.say(f"fault.{fault.value}")


async def fall_back(turn: Turn, stem: str, note: str, ending: str = "") -> list[Said]:
    """Say why, and leave a note for staff: whatever path the hospital has for the phone, nobody can
    be put through from a text, and a visitor who leaves at an offer would be lost (N7).

    ``stem``: the line ``<stem>_callback`` with ``ending``.
    """
    why = why_failed(turn)
    return await leave_failure(turn, note, f"{stem}_callback{ending}", {"why": why})
