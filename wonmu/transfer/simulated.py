"""A staff line that does what a script says, in the running loop's time (P1, V3).

Decides nothing: each dialling plays the next attempt of its plan. It keeps a record of what staff
would have noticed, so that a test can ask who was rung, told, joined and released.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from enum import StrEnum

from wonmu.transfer.port import (
    Briefing,
    Decision,
    NotReached,
    Outcome,
    Presence,
    StaffLeg,
)

RING_SECONDS = 4.0
CONSULT_SECONDS = 3.0
BUSY_SECONDS = 1.0
"""A busy line answers at once (SIP 486)."""
JOIN_SECONDS = 0.3
FOREVER = 24 * 3600.0
"""Longer than any limit of a caller's patience or of ours."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One dialling. ``ring_seconds`` until something happens, ``consult_seconds`` from picking up
    to the answer. None: the line's own figure (a line that nobody answers rings for ever)."""

    outcome: Outcome
    ring_seconds: float | None = None
    consult_seconds: float | None = None


class Noted(StrEnum):
    """What staff noticed, in ``ScriptedLine.record``."""

    RUNG = "rung"
    STOPPED_RINGING = "stopped_ringing"
    ANSWERED = "answered"
    BRIEFED = "briefed"
    JOINED = "joined"
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class Note:
    """``at``: loop time. ``briefing`` only with BRIEFED."""

    what: Noted
    at: float
    briefing: Briefing | None = None


@dataclass(slots=True)
class ScriptedLine:
    """Plays ``attempts`` in order; the last one is repeated."""

    attempts: tuple[Attempt, ...]
    record: list[Note] = field(default_factory=list)
    dialled: int = 0

    def __post_init__(self) -> None:
        if not self.attempts:
            raise ValueError("a scripted line needs at least one attempt")

    def note(self, what: Noted, briefing: Briefing | None = None) -> None:
        self.record.append(Note(what, asyncio.get_running_loop().time(), briefing))

    def noted(self, what: Noted) -> int:
        """How often staff noticed it."""
        return sum(1 for note in self.record if note.what is what)

    async def dial(self, number: str) -> StaffLeg | NotReached:
        attempt = self.attempts[min(self.dialled, len(self.attempts) - 1)]
        self.dialled += 1
        if attempt.outcome is Outcome.OUTSIDE_HOURS:
            return NotReached(attempt.outcome, "line")
        self.note(Noted.RUNG)
        answered = False
        try:
            await asyncio.sleep(_ringing(attempt))
            answered = attempt.outcome not in _UNANSWERED
        finally:
            if not answered:
                self.note(Noted.STOPPED_RINGING)
        if not answered:
            return NotReached(attempt.outcome)
        self.note(Noted.ANSWERED)
        return _ScriptedLeg(self, attempt)


_UNANSWERED = frozenset({Outcome.NO_ANSWER, Outcome.BUSY, Outcome.FAILED})


def _ringing(attempt: Attempt) -> float:
    if attempt.ring_seconds is not None:
        return attempt.ring_seconds
    match attempt.outcome:
        case Outcome.NO_ANSWER:
            return FOREVER
        case Outcome.BUSY | Outcome.FAILED:
            return BUSY_SECONDS
        case _:
            return RING_SECONDS


class _ScriptedLeg:
    """The leg of one attempt that was picked up."""

    def __init__(self, line: ScriptedLine, attempt: Attempt) -> None:
        self._line = line
        self._outcome = attempt.outcome
        seconds = attempt.consult_seconds
        # Half of it passes before the briefing, half after: the time of the whole is the script's.
        self._half = (CONSULT_SECONDS if seconds is None else seconds) / 2

    async def presence(self) -> Presence:
        await asyncio.sleep(self._half)
        return Presence.MACHINE if self._outcome is Outcome.VOICEMAIL else Presence.PERSON

    async def brief(self, briefing: Briefing) -> None:
        self._line.note(Noted.BRIEFED, briefing)

    async def decision(self) -> Decision:
        await asyncio.sleep(self._half)
        declined = self._outcome is Outcome.DECLINED
        return Decision.DECLINED if declined else Decision.ACCEPTED

    async def join(self) -> Outcome:
        await asyncio.sleep(JOIN_SECONDS)
        if self._outcome is Outcome.CONNECTED:
            self._line.note(Noted.JOINED)
        return self._outcome

    async def release(self) -> None:
        self._line.note(Noted.RELEASED)
