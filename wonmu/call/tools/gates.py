"""The gate in a tool's first line: ask policy, write the verdict, say what follows from a no."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

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

if TYPE_CHECKING:
    from wonmu.call.session import Call

_WHICH = "gate.ask_intent"
_PROPOSE = {
    Action.BOOKING_CREATE: "gate.propose_booking",
    Action.BILLING_ASK: "gate.propose_billing",
    Action.REFUND_REQUEST: "gate.propose_refund",
    Action.RECEIPT_REQUEST: "gate.propose_receipt",
    Action.CONNECT_PERSON: "gate.propose_person",
    Action.END_CALL: "gate.propose_end",
}


def modes_of(call: Call) -> Modes:
    """The hospital's action modes in the words of policy."""
    actions, billing = call.desk.hospital.actions, call.desk.hospital.billing
    bills = {}
    if billing is not None and call.desk.ledger is not None:
        bills = {
            Action.BILLING_ASK: ActionMode.AUTO,
            Action.REFUND_REQUEST: ActionMode(billing.refunds.value),
            Action.RECEIPT_REQUEST: ActionMode(billing.receipts.value),
        }
    return bills | {
        Action.BOOKING_CREATE: ActionMode(actions.create.value),
        Action.BOOKING_INQUIRE: ActionMode(actions.inquire.value),
        Action.BOOKING_CHANGE: ActionMode(actions.change.value),
        Action.BOOKING_CANCEL: ActionMode(actions.cancel.value),
    }


def verdict_on(
    call: Call, tool: str, action: Action, words: str, *, after_work: bool = False
) -> Verdict:
    """The verdict, written to the timeline. ``after_work``: done only when the tool has ended."""
    state = call.state
    request = GateRequest(
        action=action,
        caller_words=words,
        heard_turns=tuple(state.heard[state.evidence_from :]),
        modes=modes_of(call),
        accepted=state.proposals.accepted,
        chosen_by_key=state.chosen,
        ended=state.latch.closed,
        task_open=state.tool_open and not after_work,
    )
    verdict = decide(request)
    call.recorder.write(
        Kind.GATE_VERDICT,
        {
            "tool": tool,
            "action": action.value,
            "verdict": type(verdict).__name__,
            "reason": getattr(verdict, "reason", ""),
        },
    )
    if isinstance(verdict, Allow | ByPerson | ByMemo):
        state.proposals.use(action)
        state.chosen = None
    return verdict


def passes(call: Call, tool: str, action: Action, words: str) -> bool:
    """True to go on. Otherwise the caller has been told or asked what comes of it."""
    verdict = verdict_on(call, tool, action, words)
    if isinstance(verdict, Allow):
        return True
    explain(call, action, verdict)
    return False


def explain(call: Call, action: Action, verdict: Verdict) -> None:
    """What the caller hears when the gate did not allow it."""
    match verdict:
        case Allow() | ByPerson() | ByMemo():
            return
        case AskIntent():
            last = call.last_words
            if last is not None and last.line == _WHICH and action in _PROPOSE:
                # The same question a second time would be a loop; it is narrowed instead.
                call.offer(_PROPOSE[action], action)
            else:
                call.say(_WHICH)
        case AskConsent():
            line = _PROPOSE.get(action)
            if line is None:
                call.say(_WHICH)
            else:
                call.offer(line, action)
        case NeedIdentity():
            call.say("gate.need_identity")
        case Refuse():
            call.say("gate.refused")
        case _:
            assert_never(verdict)
