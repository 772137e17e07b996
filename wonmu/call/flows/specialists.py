"""Asking specialists in a call (H1, A2, T12, N3).

They work beside the talk in windows of their own. Only their last messages come back, are checked
like every word of a model, and are spoken as one answer; what they found that can be asked for is
carried out by code, after a yes. Nobody is asked about a person who was not identified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.call.flows import receipt, refund
from wonmu.call.flows.billing import beside, failed, patient, tell_words
from wonmu.call.flows.notes import leave_memo
from wonmu.call.flows.transfer import connect
from wonmu.call.tools.gates import verdict_on
from wonmu.desk.agents.answer import NeedsIdentity, Question, ReceiptOffer, RefundOffer
from wonmu.desk.agents.consult import Told
from wonmu.desk.agents.specialist import BILLING
from wonmu.desk.billing.port import ReceiptKind
from wonmu.errors import EmrFault
from wonmu.identity.result import Verified
from wonmu.korean.billing_topics import is_personal
from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson
from wonmu.timeline.events import Status
from wonmu.visit.specialists import Heard, Wanted, consultation, heard_of

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def consult(
    call: Call, ctx: RunContext[None], names: tuple[str, ...], words: str, relation: str | None
) -> Status:
    """Ask the specialists of these names, at once, and answer once."""
    said = call.state.last.text if call.state.last is not None else words
    who: Verified | None = None
    if BILLING.name in names or is_personal(said):
        found = await patient(call, ctx, relation)
        if isinstance(found, Status):
            return found
        who = found
    told = await _ask(call, ctx, names, said, who)
    if not isinstance(told, Status) and who is None and _needs_identity(told):
        found = await patient(call, ctx, relation)
        if isinstance(found, Status):
            return found
        who = found
        if call.state.consultation is not None:
            call.state.consultation.identified()
        told = await _ask(call, ctx, names, said, who)
    if isinstance(told, Status):
        return told
    return await _answer(call, ctx, heard_of(call, told), who, words)


async def _ask(
    call: Call, ctx: RunContext[None], names: tuple[str, ...], said: str, who: Verified | None
) -> tuple[Told, ...] | Status:
    if call.state.consultation is None:
        call.state.consultation = consultation(call, call.desk.rungs, call.desk.limits)
    room, turn = call.state.consultation, call.state.turn
    question = Question(said, who.patient.id if who is not None else None)
    return await beside(call, ctx, lambda: room.ask(question, names, turn=turn))


def _needs_identity(told: tuple[Told, ...]) -> bool:
    return any(isinstance(each.answer, NeedsIdentity) for each in told)


async def _answer(
    call: Call, ctx: RunContext[None], heard: Heard, who: Verified | None, words: str
) -> Status:
    behind = [call.lines.say("billing.refund_still_unknown")] if call.state.refund_unknown else []
    if not heard.words and not behind:
        return await _nothing(call, ctx, heard)
    if heard.words and heard.failures:
        behind.insert(0, call.lines.say("billing.part_failed"))
    text = " ".join((*heard.words, *behind))
    if who is not None and heard.wanted is not None:
        return await _wanted(call, ctx, who, heard.wanted, text, words)
    return _told(call, text)


def _told(call: Call, text: str) -> Status:
    tell_words(call, f"{text} {call.lines.say('billing.more_help')}", "specialist.answer")
    return Status.SUCCESS


async def _nothing(call: Call, ctx: RunContext[None], heard: Heard) -> Status:
    """No specialist could answer: the ledger's failure has a way of its own, else a person."""
    if (failure := heard.ledger_failure) is not None:
        return await failed(call, ctx, failure.fault or EmrFault.BROKEN)
    call.offer("billing.no_answer", Action.CONNECT_PERSON)
    return Status.ERROR


async def _wanted(
    call: Call, ctx: RunContext[None], who: Verified, wanted: Wanted, text: str, words: str
) -> Status:
    """What can be asked for is asked for only if the caller did; else the answer alone is told."""
    match verdict_on(call, wanted.tool, wanted.action, words, after_work=True):
        case Allow():
            if wanted.offer is not None:
                # A choice is put by code in whole; its list need not be told twice.
                tell_words(call, text, "specialist.answer")
            return await _carry_out(call, ctx, who, wanted, words)
        case ByPerson():
            tell_words(call, text, "specialist.answer")
            return await connect(call, ctx, words, by_mode=True)
        case ByMemo():
            tell_words(call, text, "specialist.answer")
            return await leave_memo(call, ctx, words)
        case _:
            return _told(call, text)


async def _carry_out(
    call: Call, ctx: RunContext[None], who: Verified, wanted: Wanted, words: str
) -> Status:
    """A specialist can neither ask back nor ask for anything; the owner of the talk can."""
    match wanted:
        case Wanted(offer=RefundOffer() as offer):
            return await refund.offered(call, ctx, who, offer)
        case Wanted(offer=ReceiptOffer() as offer):
            return await receipt.offered(call, ctx, who, offer)
        case Wanted(which=ReceiptKind() as kind):
            return await receipt.take_receipt(call, ctx, who, kind, words, None)
        case _:
            return await refund.take_refund(call, ctx, who, words, None)
