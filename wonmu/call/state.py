"""What one call knows about itself. Data only; who may change it is said at each field."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import date, datetime

from wonmu.booking.result import ExitCode
from wonmu.call.moves import SayText
from wonmu.call.notes import OpenNote
from wonmu.call.results import Owed
from wonmu.call.voice import Utterance
from wonmu.desk.agents.consult import Consultation
from wonmu.desk.records import RequestKind
from wonmu.errors import EmrFault
from wonmu.identity.facts import Level
from wonmu.identity.result import IdentityOutcome
from wonmu.ids import InvoiceId
from wonmu.policy.claims import Receipts
from wonmu.policy.proposals import ProposalReading, Proposals
from wonmu.policy.terminal import Latch
from wonmu.policy.verdict import Action
from wonmu.visit.bookings import OpenBooking


@dataclass(frozen=True, slots=True)
class Choice:
    """What a key of the menu stands for: an action, or (None) the question in ``words``.

    ``words`` stand for the caller's, for staff and for a model; nobody said them.
    """

    action: Action | None
    words: str


@dataclass(frozen=True, slots=True)
class CallerTurn:
    """One thing the caller said. ``text`` is masked and may leave; ``raw`` stays in the process."""

    number: int
    after: int
    """Number of the agent's speech that was the last one before these words."""
    text: str
    raw: str
    barge_in: bool = False
    choice: Choice | None = None
    """Set when the turn is a key of the menu and not words."""


@dataclass(slots=True)
class CallState:
    """The call's own memory, beside the draft's and the proposals' own rules."""

    caller_phone: str | None
    turn: int = 0
    """The caller's turns so far."""
    speeches: int = 0
    """The agent's speeches begun so far; what draft and proposals count as the agent's turns."""
    heard: list[str] = field(default_factory=list)
    """The caller's turns, masked, oldest first. Evidence is looked up here (T4)."""
    fresh: CallerTurn | None = None
    """The caller's turn that no agent has taken up yet; taken exactly once."""
    last: CallerTurn | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Serialises every change of booking state (T9, N10)."""
    proposals: Proposals = field(default_factory=Proposals)
    reading: ProposalReading = None
    """How the caller's last turn answered what was proposed."""
    chosen: Action | None = None
    """What the caller's last key chose, as long as it was not used and nothing else was said."""
    notice_owed: str = ""
    """What callers must be told and was talked over in the greeting (R71)."""
    latch: Latch = field(default_factory=Latch)
    receipts: Receipts = field(default_factory=Receipts)
    note: OpenNote | None = None
    """A request for a person, or a memo begun, that is not in the inbox yet (P3)."""
    kept: set[RequestKind] = field(default_factory=set)
    """Kinds of this call's notes in the inbox; one of each, but for different failures."""
    topics: list[str] = field(default_factory=list)
    """What those notes say."""
    transfers: int = 0
    """How often a person was dialled."""
    booking: OpenBooking | None = None
    """The booking being made, kept over an exit so that it can be taken up again (S7)."""
    identity: IdentityOutcome | None = None
    identity_level: Level = Level.CREATE
    own_identity: bool = False
    """Whether ``identity`` is the caller's own."""
    birth_said: date | None = None
    """A birth date the caller gave before being asked (S4). Never leaves the process."""
    said_in_turn: int = 0
    """Speeches heard or begun since the caller's last turn."""
    replying: Utterance = field(default_factory=lambda: Utterance(""))
    """The reply to the last turn, as far as it has words."""
    recording_refused: bool = False
    """The caller objected; nothing of this call may be recorded from then on."""
    callback_phone: str | None = None
    """A number the caller gave to be called back at; digits. Never leaves the process."""
    booked: set[tuple[str, datetime]] = field(default_factory=set)
    """Whom this call has booked, by patient and start; the same again is the same wish (B4)."""
    insurance: str | None = None
    """The caller's own insurance kind, not asked again for a second booking."""
    asides: list[str] = field(default_factory=list)
    """Turns about the visit that came while something else was asked; masked, oldest first."""
    evidence_from: int = 0
    """Index into ``heard``: earlier turns no longer justify an action (T4)."""
    tool_open: bool = False
    working_on: Action | None = None
    """What the open door to a booking is for; None while none is open."""
    left_meanwhile: ExitCode | None = None
    """What the caller asked for while a write was under way; done when that has ended (A5)."""
    written: SayText | None = None
    """What was last told of something written; told again to a caller who asks if it is done."""
    invoices_told: tuple[InvoiceId, ...] = ()
    """The invoices that a model knows as 1, 2, …: those of the list last read."""
    refund_unknown: bool = False
    """A refund was asked for, and nobody knows whether the ledger has taken it."""
    handovers: int = 0
    """How often the talk has changed hands between owners."""
    handed_in: int = -1
    """The caller's turn in which the call was last handed to the billing agent."""
    consultation: Consultation | None = None
    """The specialists of this call, once they were asked (H1)."""
    owed: Owed | None = None
    """A result that the caller must hear and has not yet heard."""
    fault: EmrFault | None = None
    """Why the record system last gave no answer in this call."""
    rephrased: int = 0
    """How often in a row the caller was asked to say it again."""
    emergency_at: int = -1
