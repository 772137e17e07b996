"""What of a conversation lies in its checkpoint (H2): the step and everything code has open.

Data only. Every value but the messages is plain JSON, so that a checkpoint of an older program can
be read and nothing is made from a class named in a store. Nothing the visitor typed lies here
unmasked but what an open form has taken (a birth date, a number to call), because the form must
still have it in the next process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NotRequired

from langchain.agents import AgentState

from wonmu.identity.facts import Level
from wonmu.ids import InvoiceId, PatientId
from wonmu.text.said import Said
from wonmu.visit.people import KnownWho, Who, who_from_json, who_to_json


class Step(StrEnum):
    """Where a conversation is; decides prompt and tools."""

    TRIAGE = "triage"
    BILLING = "billing"
    CERTIFICATE = "certificate"
    BOOKING = "booking"
    PERSON = "person"


class DeskState(AgentState[None]):
    """The channels of the graph."""

    current_step: NotRequired[str]
    hospital: NotRequired[str]
    """Whose conversation it is; of another hospital's nothing is known."""
    pending: NotRequired[list[dict[str, Any]]]
    """Words of code that a tool left to be said."""
    form: NotRequired[dict[str, Any] | None]
    """The open question of code, by ``kind``; at most one."""
    who: NotRequired[dict[str, Any] | None]
    """Who was identified, and when."""
    booking: NotRequired[dict[str, Any] | None]
    """The booking being made."""
    listed: NotRequired[list[str]]
    """The invoices that a model knows as 1, 2, …"""
    hops: NotRequired[int]
    asked: NotRequired[int]
    turn: NotRequired[int]
    visit: NotRequired[str]
    """The visit (call id) that the last turn belongs to."""
    seen_from: NotRequired[int]
    """The first turn that a model may still see."""
    then: NotRequired[str]
    """A tool that code runs next."""


@dataclass(frozen=True, slots=True)
class Known:
    """Whose matters these are. ``at``: when identity was settled (aware). ``level``: what for.

    ``own``: the visitor's own identity; another person's counts for one piece of work only (R39).
    ``name`` is said in read-backs.
    """

    who: Who
    name: str
    level: Level
    own: bool
    at: datetime

    @property
    def patient(self) -> PatientId | None:
        """None for somebody who is not on file."""
        return self.who.patient_id if isinstance(self.who, KnownWho) else None

    def to_json(self) -> dict[str, Any]:
        return {
            "who": who_to_json(self.who),
            "name": self.name,
            "level": self.level.value,
            "own": self.own,
            "at": self.at.isoformat(),
        }

    @classmethod
    def of_json(cls, found: Mapping[str, Any]) -> Known:
        who, at = who_from_json(found["who"]), datetime.fromisoformat(found["at"])
        return cls(who, found["name"], Level(found["level"]), found["own"], at)


Form = dict[str, Any]
"""An open question of code: ``kind`` says whose, the rest is its owner's."""


@dataclass(slots=True)
class Memory:
    """The same in the hands of one turn: changed by code, written back at the end of each node."""

    step: Step = Step.TRIAGE
    pending: list[Said] = field(default_factory=list)
    form: Form | None = None
    who: Known | None = None
    booking: dict[str, Any] | None = None
    listed: tuple[InvoiceId, ...] = ()
    hops: int = 0
    asked: int = 0
    turn: int = 0
    visit: str = ""
    seen_from: int = 0
    then: str = ""
    """A tool that code runs next, before anything is said."""

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Memory:
        who = state.get("who")
        return cls(
            step=Step(state.get("current_step") or Step.TRIAGE),
            pending=[Said.of_json(each) for each in state.get("pending") or ()],
            form=_copied(state.get("form")),
            who=Known.of_json(who) if who else None,
            booking=_copied(state.get("booking")),
            listed=tuple(InvoiceId(each) for each in state.get("listed") or ()),
            hops=state.get("hops") or 0,
            asked=state.get("asked") or 0,
            turn=state.get("turn") or 0,
            visit=state.get("visit") or "",
            seen_from=state.get("seen_from") or 0,
            then=state.get("then") or "",
        )

    def channels(self) -> dict[str, Any]:
        """The values of all channels but the messages."""
        return {
            "current_step": self.step.value,
            "pending": [each.to_json() for each in self.pending],
            "form": self.form,
            "who": self.who.to_json() if self.who is not None else None,
            "booking": self.booking,
            "listed": list(self.listed),
            "hops": self.hops,
            "asked": self.asked,
            "turn": self.turn,
            "visit": self.visit,
            "seen_from": self.seen_from,
            "then": self.then,
        }

    def form_of(self, kind: str) -> Form | None:
        """The open form if it is of this kind."""
        return self.form if self.form is not None and self.form["kind"] == kind else None


def _copied(found: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return dict(found) if found else None
