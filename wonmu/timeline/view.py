"""What the checks look at: one call's events beside what the stores really hold (N1–N11).

Plain values, so that the checks depend on no store, no hospital file and no telephone library.
Whoever runs a check fills in what it has. ``None`` (or an empty tuple) means *not looked at*, and
a check that needs it then answers "not checked"; it is never read as "there is none".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from wonmu.ids import CallId
from wonmu.timeline.events import Event, Kind

REQUEST_KINDS = frozenset({"booking_request", "change_request", "cancel_request"})
NOTE_KINDS = frozenset({"memo", "callback"})
CLOSED_STATES = frozenset({"dropped", "cancelled", "withdrawn", "rejected", "expired"})
"""States in which an inbox row or an appointment no longer claims its slot."""

SHORTEST_PRIVATE = 4
"""A shorter string occurs everywhere by chance and would prove nothing."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One thing staff has to work off. ``department`` and ``doctor`` are spoken names or ids."""

    kind: str
    key: str
    call_id: str
    state: str = "open"
    patient: str = ""
    department: str = ""
    doctor: str = ""
    start: datetime | None = None
    slot_id: str = ""

    @property
    def open(self) -> bool:
        return self.state not in CLOSED_STATES

    @property
    def slot(self) -> str:
        """What two rows must not share: the slot, or the doctor at a time if no id is known."""
        named = f"{self.department} {self.doctor} {self.start}" if self.start else ""
        return self.slot_id or named

    @classmethod
    def from_json(cls, row: Mapping[str, object]) -> InboxRow:
        """A row as ``wonmu inbox --json`` prints it; unknown fields are ignored."""
        start = row.get("start")
        return cls(
            kind=_text(row.get("kind")),
            key=_text(row.get("key")),
            call_id=_text(row.get("call_id")),
            state=_text(row.get("state")) or "open",
            patient=_person(row.get("patient")),
            department=_text(row.get("department")),
            doctor=_text(row.get("doctor")),
            start=datetime.fromisoformat(start) if isinstance(start, str) and start else None,
            slot_id=_text(row.get("slot_id")),
        )


@dataclass(frozen=True, slots=True)
class AppointmentRow:
    """One appointment of the record system, whoever made it."""

    id: str
    patient: str
    slot_id: str
    start: datetime
    status: str = "booked"
    key: str = ""

    @property
    def open(self) -> bool:
        return self.status not in CLOSED_STATES


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What was sent to a model, as text, after the event with number ``after_seq``."""

    after_seq: int
    text: str


@dataclass(frozen=True, slots=True)
class Scope:
    """The closed lists and the window of the hospital (N9).

    ``departments`` and ``doctors`` hold every allowed id *and* name. ``earliest`` and ``latest``
    are both inclusive. ``doctor_department`` maps an id or name to the department ids or names
    it belongs to; empty when unknown.
    """

    departments: frozenset[str]
    doctors: frozenset[str]
    earliest: datetime
    latest: datetime
    doctor_departments: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CallView:
    """One finished call. ``secrets``: strings of the record system about a person (names, booked
    times as they would be spoken) that must not go out before identity. ``private``: keypad
    digits, birth dates and resident numbers in every spelling that counts as a leak (see
    ``spellings.py``). ``names``: id → spoken name. ``modes``: action → auto | transfer |
    leave_memo. ``logs``: the log lines of the call.
    """

    events: tuple[Event, ...]
    inbox: tuple[InboxRow, ...] | None = None
    appointments: tuple[AppointmentRow, ...] | None = None
    scope: Scope | None = None
    secrets: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    model_requests: tuple[ModelRequest, ...] = ()
    logs: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    modes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if any(len(text.strip()) < SHORTEST_PRIVATE for text in self.private):
            raise ValueError(f"a private string needs at least {SHORTEST_PRIVATE} characters")
        if any(len(text.strip()) < 2 for text in self.secrets):
            raise ValueError("a secret needs at least two characters")

    @property
    def call_id(self) -> CallId | None:
        return self.events[0].call_id if self.events else None

    def own_rows(self, kinds: frozenset[str] = REQUEST_KINDS | NOTE_KINDS) -> tuple[InboxRow, ...]:
        """Inbox rows that this call left."""
        rows = self.inbox or ()
        return tuple(row for row in rows if row.call_id == self.call_id and row.kind in kinds)


def of_earlier_visit(view: CallView, commit: Event) -> bool:
    """Whether a record was left by an earlier visit of a resumed conversation and is only told
    again here; its consent is in that visit's timeline. The store says whose it is, not the
    event."""
    if not any(event.kind is Kind.CONVERSATION_RESUMED for event in view.events):
        return False
    key, own = commit.data.get("key"), view.call_id
    return any(row.key == key and row.call_id not in ("", own) for row in view.inbox or ())


def is_cancellation(view: CallView, commit: Event) -> bool:
    """Whether a commit cancels. The record decides; the event's word counts only without one."""
    for row in view.inbox or ():
        if row.key == commit.data.get("key"):
            return row.kind == "cancel_request"
    return commit.data.get("act") == "cancel"


class Check(StrEnum):
    """The eleven things that must never happen."""

    N1 = "N1"
    N2 = "N2"
    N3 = "N3"
    N4 = "N4"
    N5 = "N5"
    N6 = "N6"
    N7 = "N7"
    N8 = "N8"
    N9 = "N9"
    N10 = "N10"
    N11 = "N11"


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that must never happen, and did. ``seq``: the event that shows it, if one does."""

    check: Check
    why: str
    seq: int | None = None


class NotChecked(Exception):
    """Raised by a check that has not got what it needs. Never counted as passed."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Passed:
    pass


@dataclass(frozen=True, slots=True)
class Violated:
    violations: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """Not checked, and why."""

    reason: str


CheckResult = Passed | Violated | Skipped


@dataclass(frozen=True, slots=True)
class Report:
    """The result of every check; ``clean`` only when nothing was violated."""

    results: Mapping[Check, CheckResult]

    @property
    def violations(self) -> tuple[Violation, ...]:
        found = (r.violations for r in self.results.values() if isinstance(r, Violated))
        return tuple(violation for many in found for violation in many)

    @property
    def passed(self) -> tuple[Check, ...]:
        return tuple(check for check, r in self.results.items() if isinstance(r, Passed))

    @property
    def not_checked(self) -> Mapping[Check, str]:
        return {c: r.reason for c, r in self.results.items() if isinstance(r, Skipped)}

    @property
    def clean(self) -> bool:
        """Nothing was violated. Says nothing about what was not checked."""
        return not self.violations


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _person(value: object) -> str:
    """One comparable string for a patient: name, birth date and phone."""
    if isinstance(value, Mapping):
        parts = (value.get("name"), value.get("birth_date"), value.get("phone"))
        return "|".join(_text(part) for part in parts) if any(parts) else ""
    return _text(value)
