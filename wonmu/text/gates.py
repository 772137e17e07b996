"""The gate in a text tool's first line: ask policy, write the verdict, say what follows (T3–T8)."""

from __future__ import annotations

from wonmu.policy.gate import GateRequest
from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson, Verdict
from wonmu.text.talk import Talk
from wonmu.text.turn import Turn
from wonmu.visit.gates import follows, judged, modes_of

_OFFERS = {
    Action.BOOKING_CREATE: "gate.propose_booking",
    Action.BILLING_ASK: "text.propose_billing",
    Action.REFUND_REQUEST: "text.propose_refund",
    Action.RECEIPT_REQUEST: "text.propose_receipt",
    Action.CONNECT_PERSON: "text.propose_person",
    Action.END_CALL: "text.propose_end",
}


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
    verdict = judged(talk.recorder, tool, request)
    if isinstance(verdict, Allow | ByPerson | ByMemo):
        talk.proposals.use(action)
    return verdict


def explain(turn: Turn, action: Action, verdict: Verdict) -> None:
    """What the visitor reads when the gate did not allow it."""
    last = turn.talk.last
    said = follows(verdict, action, last.line if last is not None else None, _OFFERS)
    if said is None:
        return
    if said.offers is None:
        turn.leave(said.line)
    else:
        turn.leave_offer(said.line, said.offers)
