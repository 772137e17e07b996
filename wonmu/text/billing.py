"""Bills, refunds, receipts and fees in a step of the text desk (H2, T7, T9, T11).

The specialist's tools read; what they returned is said by code. A refund or a receipt only gets as
far as its read-back here; ``billing_writes`` carries it out after the yes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

from wonmu.desk.agents.answer import Facts, ReceiptOffer, RefundOffer
from wonmu.desk.billing.port import Ledger, ReceiptKind
from wonmu.desk.billing.results import (
    BillingResult,
    IdentityNeeded,
    LedgerDown,
    NotOffered,
    ReceiptOffered,
    RefundOffered,
    RefundsRead,
    WhyNot,
)
from wonmu.desk.billing.words import told
from wonmu.desk.billing.work import BillingTools
from wonmu.errors import EmrFault, ProgrammingError
from wonmu.identity.facts import Level
from wonmu.ids import PatientId
from wonmu.text.confirm import REFUND, receipt_form, refund_form
from wonmu.text.falling import fall_back
from wonmu.text.identity import require
from wonmu.text.moves import Use
from wonmu.text.said import Said
from wonmu.text.state import Known
from wonmu.text.turn import Done, Turn
from wonmu.text.which import which_form
from wonmu.timeline.events import Kind, Status
from wonmu.visit.lookups import Failed, Name, Stopped
from wonmu.visit.proof import learned_bills

R = TypeVar("R", bound=BillingResult)

NEEDS_IDENTITY = Done(Status.EXITED, {"error": "identity_needed"}, "identity")


def ledger_of(turn: Turn) -> Ledger:
    """The hospital's ledger. Its tools are offered only where there is one."""
    ledger = turn.talk.desk.ledger
    if ledger is None:
        raise ProgrammingError("a billing tool without a ledger")
    return ledger


def tools_for(turn: Turn, patient: PatientId | None) -> BillingTools:
    """The specialist tools; the numbers are those of the list last told."""
    billing = turn.talk.desk.hospital.billing
    certificates = billing.certificates if billing is not None else ()
    listed = turn.memory.listed
    return BillingTools(ledger_of(turn), patient, certificates=certificates, listed=listed)


async def lookup_invoice(turn: Turn, words: str, relation: str | None) -> Done:
    """The bills of whoever was identified."""
    who = await _who(turn, Use("lookup_invoice", {"caller_words": words}), relation)
    if who is None:
        return NEEDS_IDENTITY
    tools = tools_for(turn, who.patient)
    result = await _read(turn, tools.lookup_invoice())
    turn.memory.listed = tools.listed
    return await tell(turn, result)


async def refund_status(turn: Turn, words: str, relation: str | None) -> Done:
    """What became of refunds."""
    who = await _who(turn, Use("refund_status", {"caller_words": words}), relation)
    if who is None:
        return NEEDS_IDENTITY
    return await tell(turn, await _read(turn, tools_for(turn, who.patient).refund_status()))


async def certificate_fee(turn: Turn, name: str | None) -> Done:
    """Published fees; nobody need be identified."""
    return await tell(turn, await _read(turn, tools_for(turn, None).certificate_fee(name)))


async def request_refund(turn: Turn, words: str, number: int | None, relation: str | None) -> Done:
    """From the wish to the read-back."""
    use = Use("request_refund", {"caller_words": words, "number": number})
    who = await _who(turn, use, relation)
    if who is None or who.patient is None:
        return NEEDS_IDENTITY
    tools = tools_for(turn, who.patient)
    result = await _read(turn, tools.request_refund(number))
    turn.memory.listed = tools.listed
    match result:
        case RefundOffered(offer=offer):
            return offer_refund(turn, who, offer, result.body)
        case NotOffered(why=WhyNot.WHICH_INVOICE, choices=choices):
            return await _which(turn, REFUND, use, result, choices, relation)
        case _:
            return await tell(turn, result)


async def request_receipt(
    turn: Turn, words: str, kind: ReceiptKind, number: int | None, relation: str | None
) -> Done:
    """From the wish to the read-back."""
    given = {"caller_words": words, "kind": kind.value, "number": number}
    use = Use("receipt_request", given)
    who = await _who(turn, use, relation)
    if who is None or who.patient is None:
        return NEEDS_IDENTITY
    tools = tools_for(turn, who.patient)
    result = await _read(turn, tools.receipt_request(kind, number))
    turn.memory.listed = tools.listed
    match result:
        case ReceiptOffered(offer=offer):
            return offer_receipt(turn, who, offer, result.body)
        case NotOffered(why=WhyNot.WHICH_INVOICE, choices=choices):
            return await _which(turn, "receipt", use, result, choices, relation)
        case _:
            return await tell(turn, result)


def offer_refund(turn: Turn, who: Known, offer: RefundOffer, body: Mapping[str, object]) -> Done:
    """Read it back; code takes the yes."""
    said = None if who.patient is None else refund_form(turn, who.patient, who.name, offer)
    if said is None:
        turn.leave("billing.refund_changed")
        return Done(Status.EXITED, body)
    turn.leave_said(said)
    return Done(Status.SUCCESS, body)


def offer_receipt(turn: Turn, who: Known, offer: ReceiptOffer, body: Mapping[str, object]) -> Done:
    """The same for a receipt."""
    if who.patient is None:
        return NEEDS_IDENTITY
    turn.leave_said(receipt_form(turn, who.patient, who.name, offer))
    return Done(Status.SUCCESS, body)


async def _which(
    turn: Turn,
    act: str,
    use: Use,
    result: NotOffered,
    choices: tuple[Any, ...],
    relation: str | None,
) -> Done:
    found = which_form(turn, act, use, choices)
    if isinstance(found, Said):
        turn.leave_said(found)
        return Done(Status.EXITED, result.body)
    number = found.arguments["number"]
    words = str(found.arguments["caller_words"])
    if not isinstance(number, int):
        raise ProgrammingError("a choice has a number")
    if act == REFUND:
        return await request_refund(turn, words, number, relation)
    kind = ReceiptKind(str(found.arguments["kind"]))
    return await request_receipt(turn, words, kind, number, relation)


async def _who(turn: Turn, use: Use, relation: str | None) -> Known | None:
    return await require(turn, Level.READ, relation, use)


async def _read(turn: Turn, work: Awaitable[R]) -> R | LedgerDown:
    """Read within the limits of a visit; one end in the timeline whatever comes."""

    async def read(_emr: object) -> R:
        return await work

    match await turn.talk.visit.lookups.run(Name.BILLING, read):
        case Stopped():
            return LedgerDown(EmrFault.TIMEOUT)
        case Failed(fault=fault):
            return LedgerDown(fault)
        case result:
            return result


async def tell(turn: Turn, result: BillingResult) -> Done:
    """Leave what was read to be said, in words of code, and note what may be said of it."""
    match result:
        case LedgerDown(fault=fault):
            return await failed(turn, fault, result.body)
        case IdentityNeeded():
            turn.leave("gate.need_identity")
            return NEEDS_IDENTITY
        case RefundOffered() | ReceiptOffered():
            raise ProgrammingError("an offer is not told but asked for")
        case _:
            learned(turn, result.facts)
            lines = turn.talk.lines
            words = told(lines, result)
            if isinstance(result, RefundsRead) and turn.talk.state.refund_unknown:
                # That there is none would be untrue of what nobody knows (T11).
                unknown = lines.say("billing.refund_still_unknown")
                words = f"{words} {unknown}" if result.refunds else unknown
            text = f"{words} {lines.say('billing.more_help')}"
            turn.leave_said(Said(text, "billing.told"))
            return Done(Status.SUCCESS, result.body)


async def failed(turn: Turn, fault: EmrFault, body: Mapping[str, object]) -> Done:
    """The ledger gave no answer: why, and the hospital's other path; never "none" (T11)."""
    turn.talk.state.fault = fault
    turn.talk.recorder.write(Kind.LEDGER_FAILED, {"fault": fault.value})
    note = turn.talk.lines.say("billing.note_ask")
    turn.leave_said(*await fall_back(turn, "billing.failed", note))
    return Done(Status.ERROR, body, "system_error")


def learned(turn: Turn, facts: Facts) -> None:
    """These amounts may be stated, and "there is none" of what was read (T11, T12)."""
    turn.talk.state.amounts |= facts.amounts
    learned_bills(turn.talk.visit, facts.read)
