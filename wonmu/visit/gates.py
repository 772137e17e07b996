"""The gate as every channel asks it: modes, the verdict's event, what follows from it (T3–T8).

``policy.gate`` decides. Here a hospital's settings become its modes, and a verdict that is no leave
to go on becomes a line to say or an offer to make. It opens nothing and says nothing itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from wonmu.hospital.config import Hospital
from wonmu.policy.gate import GateRequest, decide
from wonmu.policy.modes import ActionMode, Modes
from wonmu.policy.verdict import (
    Action,
    Allow,
    AskConsent,
    AskIntent,
    ByMemo,
    ByPerson,
    NeedIdentity,
    Refuse,
    Verdict,
)
from wonmu.timeline.events import Kind
from wonmu.timeline.record import Recorder

WHICH = "gate.ask_intent"
"""The question that leaves it to the caller which action is meant."""


@dataclass(frozen=True, slots=True)
class Follows:
    """What is said of a verdict; with ``offers`` a yes to it counts for that action."""

    line: str
    offers: Action | None = None


def modes_of(hospital: Hospital) -> Modes:
    """The hospital's action modes in the words of policy. Without a billing desk its actions have
    no mode, and go to a person."""
    actions, billing = hospital.actions, hospital.billing
    bookings = {
        Action.BOOKING_CREATE: ActionMode(actions.create.value),
        Action.BOOKING_INQUIRE: ActionMode(actions.inquire.value),
        Action.BOOKING_CHANGE: ActionMode(actions.change.value),
        Action.BOOKING_CANCEL: ActionMode(actions.cancel.value),
    }
    if billing is None:
        return bookings
    return bookings | {
        Action.BILLING_ASK: ActionMode.AUTO,
        Action.REFUND_REQUEST: ActionMode(billing.refunds.value),
        Action.RECEIPT_REQUEST: ActionMode(billing.receipts.value),
    }


def judged(recorder: Recorder, tool: str, request: GateRequest) -> Verdict:
    """The verdict, written to the timeline."""
    verdict = decide(request)
    data = {
        "tool": tool,
        "action": request.action.value,
        "verdict": type(verdict).__name__,
        "reason": getattr(verdict, "reason", ""),
    }
    recorder.write(Kind.GATE_VERDICT, data)
    return verdict


def follows(
    verdict: Verdict, action: Action, last_line: str | None, offers: Mapping[Action, str]
) -> Follows | None:
    """What is said when the gate did not allow it; None when it did.

    ``last_line``: what was said last. ``offers``: by action, the line that offers it.
    """
    line = offers.get(action)
    match verdict:
        case Allow() | ByPerson() | ByMemo():
            return None
        case AskIntent():
            # The same question a second time would be a loop; it is narrowed instead.
            return Follows(line, action) if line and last_line == WHICH else Follows(WHICH)
        case AskConsent():
            return Follows(line, action) if line else Follows(WHICH)
        case NeedIdentity():
            return Follows("gate.need_identity")
        case Refuse():
            return Follows("gate.refused")
        case _:
            assert_never(verdict)
