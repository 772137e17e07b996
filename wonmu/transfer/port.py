"""The line to the people of the desk (P1): what is dialled, told and answered.

Decides only the shapes. Ordinary outcomes are values; a line raises nothing for a person who is
busy, away or unwilling. Only a person can accept: picking up is not accepting, and what is private
is said after a person was heard (a machine must never be told it, R127).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Protocol


class Outcome(StrEnum):
    """How a transfer ended (P1)."""

    CONNECTED = "connected"
    """A person accepted and was joined with the caller."""
    NO_ANSWER = "no_answer"
    """Nobody picked up, or nobody accepted, within the time limit."""
    BUSY = "busy"
    DECLINED = "declined"
    VOICEMAIL = "voicemail"
    FAILED = "failed"
    """No line, a technical fault, or the caller called it off (the reason tells which)."""
    CALLER_LEFT = "caller_left"
    OUTSIDE_HOURS = "outside_hours"
    """The people of the desk are not there now; nobody was dialled."""


@dataclass(frozen=True, slots=True)
class BriefedPatient:
    """A verified patient, as far as staff needs it to open the right file."""

    name: str
    birth_date: date
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Briefing:
    """What staff is told in private before they accept.

    ``purpose``: the caller's own words, masked. ``patient``: only after identity was verified.
    ``done``: what was done in this call so far, oldest first. ``caller_phone``: digits, or None
    when withheld.
    """

    purpose: str
    patient: BriefedPatient | None = None
    done: tuple[str, ...] = ()
    caller_phone: str | None = None


@dataclass(frozen=True, slots=True)
class NotReached:
    """Nobody picked up. ``reason`` is for the timeline, without personal data."""

    outcome: Outcome
    reason: str = ""

    def __post_init__(self) -> None:
        if self.outcome is Outcome.CONNECTED:
            raise ValueError("a line that reached nobody is not connected")


class Presence(StrEnum):
    """Who picked up."""

    PERSON = "person"
    MACHINE = "machine"
    GONE = "gone"
    """The line dropped before anybody could be told apart."""


class Decision(StrEnum):
    """What the person said or keyed after the briefing."""

    ACCEPTED = "accepted"
    DECLINED = "declined"
    GONE = "gone"


class StaffLeg(Protocol):
    """A line that was picked up. Everything is private until ``join``."""

    async def presence(self) -> Presence:
        """Ask, without saying anything private, whether a person is there."""
        ...

    async def brief(self, briefing: Briefing) -> None:
        """Tell the person; returns when it was told or the line dropped."""
        ...

    async def decision(self) -> Decision:
        """Wait for a spoken or keyed yes or no. A machine's silence or greeting is neither."""
        ...

    async def join(self) -> Outcome:
        """Put caller and person together: CONNECTED, CALLER_LEFT or FAILED."""
        ...

    async def release(self) -> None:
        """Hang up this leg. Harmless when it is gone already; never called after a join."""
        ...


class StaffLine(Protocol):
    """A way to dial the people of the desk."""

    async def dial(self, number: str) -> StaffLeg | NotReached:
        """Ring ``number`` until somebody picks up. Cancelling it stops the ringing."""
        ...
