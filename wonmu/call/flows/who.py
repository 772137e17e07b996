"""Who the patient of this piece of work is (D1, D3, B7, T11).

Identifies once a call and level, keeps the caller's own identity for a second piece of work, and
takes the other path when nobody is established.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import Exited
from wonmu.call.flows.identify import Identify
from wonmu.call.flows.person import fall_back, leave_callback
from wonmu.identity.facts import IdentityFacts, IdentityRules, Level
from wonmu.identity.result import (
    AmbiguousPatient,
    Escalated,
    IdentityError,
    IdentityOutcome,
    Incomplete,
    NewPatient,
    Verified,
)
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Status
from wonmu.visit.questions import says_first_visit

if TYPE_CHECKING:
    from wonmu.call.session import Call

_WISHES: dict[Action | None, str] = {
    Action.BOOKING_INQUIRE: "예약 확인",
    Action.BOOKING_CHANGE: "예약 변경",
    Action.BOOKING_CANCEL: "예약 취소",
    Action.BILLING_ASK: "수납 문의",
    Action.REFUND_REQUEST: "환불 신청",
    Action.RECEIPT_REQUEST: "영수증 신청",
}
"""What staff reads a caller wanted with something of their own."""


async def who_is(
    call: Call, ctx: RunContext[None], level: Level, relation: str | None
) -> IdentityOutcome | Exited:
    """The patient, for work of this level. ``relation``: the caller speaks for somebody else."""
    state = call.state
    # Only the caller's own identity is kept for a second piece of work: a child's must never
    # pass for the caller's (R39).
    known = state.identity if state.own_identity and relation is None else None
    if known is not None and (level is Level.CREATE or state.identity_level is Level.READ):
        return known
    tries = call.desk.hospital.identity.attempts
    rules = IdentityRules(level=level, tries_limit=tries, escalate=level is Level.READ)
    facts = IdentityFacts(
        caller_phone=state.caller_phone,
        for_other=relation is not None,
        relation=relation,
        says_new=True if says_first_visit(" ".join(state.heard)) else None,
    )
    if isinstance(known, Verified):
        # Known well enough to book: only what telling needs beyond that is still asked.
        facts = replace(facts, birth_date=known.patient.birth_date, tries=1)
    outcome = await Identify(call, ctx, rules, facts).settle()
    if isinstance(outcome, Verified | NewPatient):
        state.identity, state.identity_level = outcome, level
        state.own_identity = relation is None
    return outcome


async def nobody(call: Call, ctx: RunContext[None], who: IdentityOutcome) -> Status:
    """Nobody is established: automatic handling stops and the other path is taken (T11)."""
    wish = _WISHES.get(call.state.working_on)
    own = "" if wish is None else "_own"
    match who:
        case IdentityError():
            note = f"{wish or '예약'}: 환자 조회 실패"
            await fall_back(call, ctx, "identity.failed", note, own)
            return Status.ERROR
        case AmbiguousPatient() | Escalated() | Incomplete():
            note = f"{wish or '예약'}: 본인 확인 필요"
            await leave_callback(call, ctx, f"identity.open_callback{own}", note)
            return Status.ESCALATED
        case _:
            return Status.ERROR
