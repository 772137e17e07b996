"""Bills, refunds, receipts and certificates in a call (H1, H3, T11, D3).

What the supervisor's delegate and the billing agent share: who is asked about, the reading beside
the talk, the telling, and the other path when the ledger fails. It decides nothing about a refund;
that is ``flows/refund.py``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from livekit.agents import RunContext

from wonmu.booking.result import Exited
from wonmu.call.flows.own_left import own_left
from wonmu.call.flows.person import fall_back
from wonmu.call.flows.who import nobody, who_is
from wonmu.call.moves import SayText
from wonmu.call.results import Owed
from wonmu.call.voice import Utterance
from wonmu.desk.billing.results import (
    BillingResult,
    IdentityNeeded,
    LedgerDown,
    ReceiptOffered,
    RefundOffered,
    RefundsRead,
)
from wonmu.desk.billing.words import told
from wonmu.desk.billing.work import BillingTools
from wonmu.errors import EmrFault, ProgrammingError
from wonmu.identity.facts import Level
from wonmu.identity.result import Verified
from wonmu.korean.won import spell_won
from wonmu.policy.undoing import takes_back_the_last
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Kind, Status
from wonmu.visit.lookups import Failed, Name, Stopped
from wonmu.visit.proof import learned_bills

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn
    from wonmu.desk.billing.port import Ledger

T = TypeVar("T")
R = TypeVar("R", bound=BillingResult)

STOPPED = "billing.stopped"


def ledger_of(call: Call) -> Ledger:
    """The hospital's ledger. Its tools are offered only where there is one."""
    if call.desk.ledger is None:
        raise ProgrammingError("a billing tool without a ledger")
    return call.desk.ledger


def tools_for(call: Call, who: Verified | None) -> BillingTools:
    """The specialist tools for one patient, or for nobody; the numbers of the list last told."""
    billing = call.desk.hospital.billing
    return BillingTools(
        ledger_of(call),
        who.patient.id if who is not None else None,
        certificates=billing.certificates if billing is not None else (),
        listed=call.state.invoices_told,
    )


async def patient(call: Call, ctx: RunContext[None], relation: str | None) -> Verified | Status:
    """Whose bills they are; else how it ended, told already. Nothing is read before (D3)."""
    who = await who_is(call, ctx, Level.READ, relation)
    if isinstance(who, Exited):
        return await own_left(call, ctx, who, STOPPED)
    return who if isinstance(who, Verified) else await nobody(call, ctx, who)


async def beside(call: Call, ctx: RunContext[None], read: Callable[[], Awaitable[T]]) -> T | Status:
    """Read beside the talk (A2); a read that was ended or ran out of time is told here."""
    result = await call.lookups.run(Name.BILLING, lambda _emr: read())
    match result:
        case Stopped(code=code):
            return await own_left(call, ctx, Exited(code, "while_reading"), STOPPED)
        case Failed(fault=fault):
            return await failed(call, ctx, fault)
        case _:
            return result


def ledger_failed(call: Call, fault: EmrFault) -> None:
    """The ledger gave no answer, or none that is known."""
    call.state.fault = fault
    call.recorder.write(Kind.LEDGER_FAILED, {"fault": fault.value})


async def failed(call: Call, ctx: RunContext[None], fault: EmrFault) -> Status:
    """The ledger gave no answer: why, and the hospital's other path; never "none" (T11)."""
    ledger_failed(call, fault)
    await fall_back(call, ctx, "billing.failed", call.lines.say("billing.note_ask"))
    return Status.ERROR


async def tell_result(call: Call, ctx: RunContext[None], result: BillingResult) -> Status:
    """Say what was read, in words of code, and leave the receipts for it."""
    match result:
        case LedgerDown(fault=fault):
            return await failed(call, ctx, fault)
        case IdentityNeeded():
            call.say("gate.need_identity")
            return Status.EXITED
        case RefundOffered() | ReceiptOffered():
            raise ProgrammingError("an offer is not told but asked for")
        case _:
            learned_bills(call, result.facts.read)
            text = told(call.lines, result)
            if isinstance(result, RefundsRead) and call.state.refund_unknown:
                # That there is none would be untrue of what nobody knows (T11).
                unknown = call.lines.say("billing.refund_still_unknown")
                text = f"{text} {unknown}" if result.refunds else unknown
            tell_words(call, f"{text} {call.lines.say('billing.more_help')}", "billing.told")
            return Status.SUCCESS


def tell_words(call: Call, text: str, line: str) -> None:
    """Speak a result that a caller must hear; talked over, it is said once more."""
    utterance = Utterance(spell_won(text), line=line)
    call.state.owed = Owed(utterance, wrote=False)
    call.speak(utterance)


def undoes_request(call: Call, turn: CallerTurn) -> SayText | None:
    """ "방금 그거 취소해 주세요" behind a refund or a receipt: a person's work, no booking's."""
    written = call.state.written
    if written is None or not written.line.startswith("billing."):
        return None
    if not takes_back_the_last(turn.text):
        return None
    line = "billing.undo"
    return SayText(
        call.lines.say(line),
        line,
        on_end=lambda full: call.propose(Action.CONNECT_PERSON) if full else None,
    )
