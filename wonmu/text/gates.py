"""The gate in a text tool's first line: ask policy, write the verdict, say what follows (T3–T8)."""

from __future__ import annotations

from typing import assert_never

from wonmu.hospital.billing import BillingMode
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
from wonmu.text.talk import Talk
from wonmu.text.turn import Turn
from wonmu.timeline.events import Kind

_WHICH = "gate.ask_intent"
_PROPOSE = {
    Action.BOOKING_CREATE: "gate.propose_booking",
    Action.BILLING_ASK: "text.propose_billing",
    Action.REFUND_REQUEST: "text.propose_refund",
    Action.RECEIPT_REQUEST: "text.propose_receipt",
    Action.CONNECT_PERSON: "text.propose_person",
    Action.END_CALL: "text.propose_end",
}


def modes_of(hospital: Hospital) -> Modes:
    """The hospital's action modes in the words of policy."""
    actions = hospital.actions
    modes = {
        Action.BOOKING_CREATE: ActionMode(actions.create.value),
        Action.BOOKING_INQUIRE: ActionMode(actions.inquire.value),
        Action.BOOKING_CHANGE: ActionMode(actions.change.value),
        Action.BOOKING_CANCEL: ActionMode(actions.cancel.value),
    }
    billing = hospital.billing
    if billing is not None:
        modes[Action.BILLING_ASK] = ActionMode(BillingMode.AUTO.value)
        modes[Action.REFUND_REQUEST] = ActionMode(billing.refunds.value)
        modes[Action.RECEIPT_REQUEST] = ActionMode(billing.receipts.value)
    return modes


def verdict_on(talk: Talk, tool: str, action: Action, words: str) -> Verdict:
    """The verdict, written to the timeline."""
    request = GateRequest(
        action=action,
        caller_words=words,
        heard_turns=tuple(talk.heard[talk.evidence_from :]),
        modes=modes_of(talk.desk.hospital),
        accepted=talk.proposals.accepted,
        ended=talk.state.latch.closed,
    )
    verdict = decide(request)
    talk.recorder.write(
        Kind.GATE_VERDICT,
        {
            "tool": tool,
            "action": action.value,
            "verdict": type(verdict).__name__,
            "reason": getattr(verdict, "reason", ""),
        },
    )
    if isinstance(verdict, Allow | ByPerson | ByMemo):
        talk.proposals.use(action)
    return verdict


def explain(turn: Turn, action: Action, verdict: Verdict) -> None:
    """What the visitor reads when the gate did not allow it."""
    match verdict:
        case Allow() | ByPerson() | ByMemo():
            return
        case AskIntent():
            last = turn.talk.last
            if last is not None and last.line == _WHICH and action in _PROPOSE:
                # The same question a second time would be a loop; it is narrowed instead.
                turn.leave_offer(_PROPOSE[action], action)
            else:
                turn.leave(_WHICH)
        case AskConsent():
            line = _PROPOSE.get(action)
            if line is None:
                turn.leave(_WHICH)
            else:
                turn.leave_offer(line, action)
        case NeedIdentity():
            turn.leave("gate.need_identity")
        case Refuse():
            turn.leave("gate.refused")
        case _:
            assert_never(verdict)
