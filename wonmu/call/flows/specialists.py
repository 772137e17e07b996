"""Asking specialists in a call (H1, A2, T12, N3).

They work beside the talk in windows of their own. Only their last messages come back, are checked
like every word of a model, and are spoken as one answer; what they found that can be asked back is
carried out by code, after a yes. Nobody is asked about a person who was not identified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from livekit.agents import RunContext

from wonmu.call.flows import receipt, refund
from wonmu.call.flows.billing import beside, failed, learned, ledger_of, patient, tell_words
from wonmu.call.flows.notes import leave_memo
from wonmu.call.flows.transfer import connect
from wonmu.call.tools.gates import verdict_on
from wonmu.desk.agents.answer import (
    Answered,
    Facts,
    Failed,
    NeedsIdentity,
    Question,
    ReceiptOffer,
    RefundOffer,
    WhyFailed,
)
from wonmu.desk.agents.consult import Consultation, Told
from wonmu.desk.agents.specialist import BILLING, Workroom
from wonmu.desk.billing.port import ReceiptKind
from wonmu.hospital.billing import SpecialistLimits
from wonmu.identity.result import Verified
from wonmu.korean.billing_topics import is_personal
from wonmu.policy.claims import Blocked, check_sentence
from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson
from wonmu.timeline.events import Kind, Status

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
        # The first asking of this turn came to nothing; it is not held against the second.
        call.state.consultation = None
        told = await _ask(call, ctx, names, said, who)
    if isinstance(told, Status):
        return told
    return await _answer(call, ctx, told, who, words)


async def _ask(
    call: Call, ctx: RunContext[None], names: tuple[str, ...], said: str, who: Verified | None
) -> tuple[Told, ...] | Status:
    question = Question(said, who.patient.id if who is not None else None)
    room, turn = consultation_of(call), call.state.turn
    return await beside(call, ctx, lambda: room.ask(question, names, turn=turn))


def consultation_of(call: Call) -> Consultation:
    """The specialists of this call."""
    if call.state.consultation is None:
        desk = call.desk
        billing = desk.hospital.billing
        limits = billing.limits if billing is not None else SpecialistLimits()
        call.state.consultation = Consultation(
            Workroom(
                hospital=desk.hospital.name,
                ledger=ledger_of(call),
                lines=call.lines,
                recorder=call.recorder,
                clock=desk.clock,
                rungs=desk.rungs,
                certificates=billing.certificates if billing is not None else (),
                limits=limits,
                model_limits=desk.limits,
            )
        )
    return call.state.consultation


def _needs_identity(told: tuple[Told, ...]) -> bool:
    return any(isinstance(each.answer, NeedsIdentity) for each in told)


class _Heard(NamedTuple):
    """What of the answers may be spoken, and what was not answered."""

    words: tuple[str, ...]
    facts: tuple[Facts, ...]
    failures: tuple[Failed, ...]


async def _answer(
    call: Call, ctx: RunContext[None], told: tuple[Told, ...], who: Verified | None, words: str
) -> Status:
    heard = _heard(call, told)
    if not heard.words:
        return await _nothing(call, ctx, heard.failures)
    if who is not None and (which := _which(heard)) is not None:
        action = Action.REFUND_REQUEST if which == "refund" else Action.RECEIPT_REQUEST
        if isinstance(verdict_on(call, "ask_which", action, words, after_work=True), Allow):
            return await _ask_which(call, ctx, who, which, words)
    text = " ".join(heard.words)
    if heard.failures:
        text = f"{text} {call.lines.say('billing.part_failed')}"
    offer = next((facts.offer for facts in heard.facts if facts.offer is not None), None)
    if who is not None and offer is not None:
        return await _offered(call, ctx, who, offer, text, words)
    if call.state.refund_unknown:
        # What a specialist read does not hold what nobody knows (T11).
        text = f"{text} {call.lines.say('billing.refund_still_unknown')}"
    tell_words(call, f"{text} {call.lines.say('billing.more_help')}", "specialist.answer")
    return Status.SUCCESS


def _which(heard: _Heard) -> Literal["refund"] | ReceiptKind | None:
    """Several bills come into question, and nothing else was answered."""
    alone = heard.facts[0] if len(heard.facts) == 1 and not heard.failures else None
    return alone.which if alone is not None and alone.offer is None else None


async def _ask_which(
    call: Call,
    ctx: RunContext[None],
    who: Verified,
    which: Literal["refund"] | ReceiptKind,
    words: str,
) -> Status:
    """A specialist cannot ask back; the owner of the talk can."""
    if which == "refund":
        return await refund.take_refund(call, ctx, who, words, None)
    return await receipt.take_receipt(call, ctx, who, which, words, None)


def _heard(call: Call, told: tuple[Told, ...]) -> _Heard:
    words: list[str] = []
    facts: list[Facts] = []
    failures: list[Failed] = []
    for each in told:
        match each.answer:
            case Answered(text=text, facts=found):
                learned(call, found.read)
                if _true(call, text):
                    words.append(text)
                    facts.append(found)
                else:
                    failures.append(Failed(WhyFailed.UNTRUE))
            case Failed() as failure:
                failures.append(failure)
            case _:
                failures.append(Failed(WhyFailed.EMPTY))
    return _Heard(tuple(words), tuple(facts), tuple(failures))


def _true(call: Call, text: str) -> bool:
    """Whether this call can prove what the answer claims (T12); amounts were checked before."""
    verdict = check_sentence(text, call.state.receipts)
    if isinstance(verdict, Blocked):
        call.recorder.write(Kind.CLAIM_BLOCKED, {"kind": verdict.kind.value})
        return False
    return True


async def _nothing(call: Call, ctx: RunContext[None], failures: tuple[Failed, ...]) -> Status:
    """No specialist could answer: the ledger's failure has a way of its own, else a person."""
    for failure in failures:
        if failure.why is WhyFailed.LEDGER and failure.fault is not None:
            return await failed(call, ctx, failure.fault)
    call.offer("billing.no_answer", Action.CONNECT_PERSON)
    return Status.ERROR


async def _offered(
    call: Call,
    ctx: RunContext[None],
    who: Verified,
    offer: RefundOffer | ReceiptOffer,
    text: str,
    words: str,
) -> Status:
    """What can be asked for is asked for only if the caller did; else the answer alone is told."""
    refunds = isinstance(offer, RefundOffer)
    action = Action.REFUND_REQUEST if refunds else Action.RECEIPT_REQUEST
    name = "request_refund" if refunds else "receipt_request"
    match verdict_on(call, name, action, words, after_work=True):
        case Allow():
            tell_words(call, text, "specialist.answer")
            if isinstance(offer, RefundOffer):
                return await refund.offered(call, ctx, who, offer)
            return await receipt.offered(call, ctx, who, offer)
        case ByPerson():
            tell_words(call, text, "specialist.answer")
            return await connect(call, ctx, words, by_mode=True)
        case ByMemo():
            tell_words(call, text, "specialist.answer")
            return await leave_memo(call, ctx, words)
        case _:
            tell_words(call, f"{text} {call.lines.say('billing.more_help')}", "specialist.answer")
            return Status.SUCCESS
