"""Finding out who the patient is, one question at a time and without a voice (D1–D3, B7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from wonmu.booking.result import Exited
from wonmu.identity.facts import IdentityFacts, Level
from wonmu.identity.result import IdentityOutcome
from wonmu.visit.turned import Saying, Turned
from wonmu.visit.visit import Visit

IdentityEnd = IdentityOutcome | Exited


@dataclass(frozen=True, slots=True)
class IdentityState:
    """The snapshot. Once settled it holds no fact about anybody."""

    level: Level
    facts: IdentityFacts
    asides: tuple[str, ...] = ()
    """What was said about the visit instead of an answer (masked), for the booking to take up."""

    def to_json(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> IdentityState:
        raise NotImplementedError


class IdentityEngine:
    """Asks birth date, name, phone, first visit; looks up; ends in a typed outcome.

    Outcome: an ``IdentityOutcome`` (``people.who_of`` makes of ``Verified`` and ``NewPatient`` what
    a booking is opened with), or ``Exited`` with STAFF_CONNECTION, CANCELLED_BY_CALLER, END_CALL or
    OTHER_REQUEST when the visitor wants something else. Nothing is said about an outcome: that is
    the owner's (``identity.*_callback``, ``identity.*_person``).
    """

    def __init__(self, visit: Visit) -> None: ...

    async def start(
        self,
        level: Level,
        relation: str | None = None,
        caller_phone: str | None = None,
        *,
        birth: date | None = None,
        heard: Sequence[str] = (),
        takes_asides: bool = False,
    ) -> Turned[IdentityState, IdentityEnd]:
        """Begin. ``relation``: the word for the patient when that is somebody else
        (``korean.relations.relation_in``). ``caller_phone``: digits; a hint, no proof. ``birth``:
        already proven in this conversation. ``heard``: the visitor's turns so far; a first visit
        said unasked is not asked again. ``takes_asides``: the work that follows takes up what is
        said about the visit meanwhile (create, change)."""
        raise NotImplementedError

    async def answer(
        self, state: IdentityState, raw: str
    ) -> Turned[IdentityState, IdentityEnd] | None:
        """The visitor's raw words. None: a side question; a model answers it without tools, and
        the owner puts ``question(state)`` behind the answer."""
        raise NotImplementedError

    def private_text(self, state: IdentityState, raw: str) -> str | None:
        """What must be stored and shown to models instead of these words; None: masked words.
        To be asked before the words are written anywhere (N8)."""
        raise NotImplementedError

    def question(self, state: IdentityState) -> Saying | None:
        """The open question, to be put again."""
        raise NotImplementedError
