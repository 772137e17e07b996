"""The typed events of one call (E1, E2).

An event has a kind, an optional status and span, and data. A *span* is something that starts and
ends: every span has exactly one start and exactly one end (``Status``). Which kinds are spans is
in ``SPANS``. Which data fields are personal is in ``PERSONAL``; they are masked by whatever leaves
the process (logs, exports), and kept in the store because the desk needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from wonmu.ids import CallId

SCHEMA_VERSION = 1


class Kind(StrEnum):
    """Every kind of event. The terminal contract relies on these names."""

    CALL_STARTED = "call.started"
    CALL_ENDED = "call.ended"
    TURN_WAITING = "turn.waiting"
    CALLER_HEARD = "caller.heard"
    KEYPAD_PRESSED = "keypad.pressed"
    AGENT_SPEAKING = "agent.speaking"
    AGENT_SAID = "agent.said"
    GATE_VERDICT = "gate.verdict"
    TOOL_STARTED = "tool.started"
    TOOL_ENDED = "tool.ended"
    TASK_ENTERED = "task.entered"
    TASK_LEFT = "task.left"
    IDENTITY_SETTLED = "identity.settled"
    SEARCH_STARTED = "search.started"
    SEARCH_SETTLED = "search.settled"
    BOOKING_SEARCHED = "booking.searched"
    BOOKING_REFUSED = "booking.refused"
    BOOKING_STAGED = "booking.staged"
    BOOKING_READBACK = "booking.readback"
    BOOKING_CONSENT = "booking.consent"
    BOOKING_TAKEN = "booking.taken"
    BOOKING_COMMITTED = "booking.committed"
    LOOKUP_STARTED = "lookup.started"
    LOOKUP_STEP = "lookup.step"
    LOOKUP_FILLER = "lookup.filler"
    LOOKUP_REFUSED = "lookup.refused"
    LOOKUP_SETTLED = "lookup.settled"
    TRANSFER_STARTED = "transfer.started"
    TRANSFER_HOLD = "transfer.hold"
    TRANSFER_BRIEFED = "transfer.briefed"
    TRANSFER_SETTLED = "transfer.settled"
    MEMO_STORED = "memo.stored"
    EMERGENCY_SPOKEN = "emergency.spoken"
    CLAIM_BLOCKED = "claim.blocked"
    PROPOSAL_OPENED = "proposal.opened"
    PROPOSAL_CLOSED = "proposal.closed"
    TERMINAL_LATCHED = "terminal.latched"
    MODEL_FALLBACK = "model.fallback"
    EMR_FAILED = "emr.failed"
    LEDGER_FAILED = "ledger.failed"
    EMR_RETRIED = "emr.retried"
    BREAKER_CHANGED = "breaker.changed"
    COMMIT_STEP = "commit.step"
    COMMIT_SETTLED = "commit.settled"
    SPECIALIST_STARTED = "specialist.started"
    SPECIALIST_STEP = "specialist.step"
    SPECIALIST_ENDED = "specialist.ended"
    SPECIALIST_REFUSED = "specialist.refused"
    STEP_CHANGED = "step.changed"
    OWNER_CHANGED = "owner.changed"
    CONVERSATION_RESUMED = "conversation.resumed"
    REFUND_STAGED = "refund.staged"
    REFUND_READBACK = "refund.readback"
    REFUND_CONSENT = "refund.consent"
    REFUND_COMMITTED = "refund.committed"
    RECEIPT_COMMITTED = "receipt.committed"
    RECORDING_REFUSED = "recording.refused"
    HANGUP = "caller.hangup"
    FAULT = "fault"


class Status(StrEnum):
    """How a started thing ended (E2)."""

    SUCCESS = "success"
    EXITED = "exited"
    ESCALATED = "escalated"
    CANCELLED = "cancelled"
    ERROR = "error"


SPANS: Mapping[Kind, Kind] = {
    Kind.CALL_STARTED: Kind.CALL_ENDED,
    Kind.TOOL_STARTED: Kind.TOOL_ENDED,
    Kind.TASK_ENTERED: Kind.TASK_LEFT,
    Kind.LOOKUP_STARTED: Kind.LOOKUP_SETTLED,
    Kind.SEARCH_STARTED: Kind.SEARCH_SETTLED,
    Kind.SPECIALIST_STARTED: Kind.SPECIALIST_ENDED,
}
"""Start kind → end kind."""

PERSONAL: Mapping[Kind, frozenset[str]] = {
    Kind.CALL_STARTED: frozenset({"caller"}),
    Kind.CALLER_HEARD: frozenset({"text"}),
    Kind.AGENT_SPEAKING: frozenset({"text"}),
    Kind.AGENT_SAID: frozenset({"text", "heard"}),
    Kind.BOOKING_READBACK: frozenset({"text"}),
    Kind.BOOKING_CONSENT: frozenset({"words"}),
    Kind.REFUND_READBACK: frozenset({"text"}),
    Kind.REFUND_CONSENT: frozenset({"words"}),
    Kind.TRANSFER_BRIEFED: frozenset({"purpose", "patient", "caller"}),
}
"""Fields with words about a person, by kind. ``heard`` of agent.said is masked with its text."""


@dataclass(frozen=True, slots=True)
class Event:
    """One fact of one call. ``at`` is UTC, ``mono`` seconds since the call was answered."""

    call_id: CallId
    seq: int
    at: datetime
    mono: float
    kind: Kind
    status: Status | None
    span: str | None
    data: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The event as the terminal contract prints it: one flat object, data under ``data``."""
        out: dict[str, Any] = {
            "v": SCHEMA_VERSION,
            "call_id": self.call_id,
            "seq": self.seq,
            "at": self.at.isoformat(),
            "mono": round(self.mono, 4),
            "kind": self.kind.value,
        }
        if self.status is not None:
            out["status"] = self.status.value
        if self.span is not None:
            out["span"] = self.span
        out["data"] = dict(self.data)
        return out
