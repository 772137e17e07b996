"""The gate in a tool's first line: ask policy, write the verdict, say what follows from a no."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wonmu.policy.gate import GateRequest
from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson, Verdict
from wonmu.visit.gates import follows, judged, modes_of

if TYPE_CHECKING:
    from wonmu.call.session import Call

_OFFERS = {
    Action.BOOKING_CREATE: "gate.propose_booking",
    Action.BILLING_ASK: "gate.propose_billing",
    Action.REFUND_REQUEST: "gate.propose_refund",
    Action.RECEIPT_REQUEST: "gate.propose_receipt",
    Action.CONNECT_PERSON: "gate.propose_person",
    Action.END_CALL: "gate.propose_end",
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
        modes=modes_of(call.desk.hospital),
        accepted=state.proposals.accepted,
        chosen_by_key=state.chosen,
        ended=state.latch.closed,
        task_open=state.tool_open and not after_work,
    )
    verdict = judged(call.recorder, tool, request)
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
    last = call.last_words
    said = follows(verdict, action, last.line if last is not None else None, _OFFERS)
    if said is None:
        return
    if said.offers is None:
        call.say(said.line)
    else:
        call.offer(said.line, said.offers)
