"""Asking for a receipt in a call: which bill, the yes, and what came of it (T8, B4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import Exited
from wonmu.call.flows.billing import beside, ledger_failed, ledger_of, tell_result, tools_for
from wonmu.call.flows.own_left import own_left
from wonmu.call.flows.person import leave_callback
from wonmu.call.flows.which_invoice import which
from wonmu.call.patience import waiting_for_write
from wonmu.call.people import known_phone
from wonmu.call.results import tell
from wonmu.call.tasks.confirm import Act as Agreed
from wonmu.call.tasks.confirm import ConfirmTask
from wonmu.desk.agents.answer import ReceiptOffer
from wonmu.desk.billing.port import ReceiptKind, ReceiptOrder
from wonmu.desk.billing.refund import Given, NotGiven, NotKept, NotKnown, carry_out_receipt
from wonmu.desk.billing.results import NotOffered, ReceiptOffered, WhyNot
from wonmu.desk.billing.words import kind_name
from wonmu.identity.result import Verified
from wonmu.ids import RefundKey
from wonmu.korean.answers import Topic
from wonmu.lines import Value
from wonmu.policy.claims import Act
from wonmu.timeline.events import Kind, Status
from wonmu.visit.proof import done

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def take_receipt(
    call: Call,
    ctx: RunContext[None],
    who: Verified,
    kind: ReceiptKind,
    words: str,
    number: int | None,
) -> Status:
    """From the wish to the outcome. ``number``: of the list last told, if the caller named one."""
    tools = tools_for(call, who)
    result = await beside(call, ctx, lambda: tools.receipt_request(kind, number))
    call.state.invoices_told = tools.listed
    match result:
        case Status():
            return result
        case ReceiptOffered(offer=offer):
            return await offered(call, ctx, who, offer)
        case NotOffered(why=WhyNot.WHICH_INVOICE, choices=choices):
            bill = await which(call, ctx, choices, "receipt", words)
            if isinstance(bill, Status):
                return bill
            return await offered(call, ctx, who, ReceiptOffer(bill, kind))
        case _:
            return await tell_result(call, ctx, result)


async def offered(call: Call, ctx: RunContext[None], who: Verified, offer: ReceiptOffer) -> Status:
    """Say which paper of which visit, take the yes, ask for it."""
    act = _act(call, who, offer)
    agreed = await call.lend(ctx, ConfirmTask(call, act, call.session.current_agent.chat_ctx))
    if isinstance(agreed, Exited):
        return await own_left(call, ctx, agreed, "billing.receipt_kept_off")
    if not agreed.value:
        call.say("billing.receipt_kept_off")
        return Status.CANCELLED
    return await _ask(call, ctx, who, offer, act.digest)


def _act(call: Call, who: Verified, offer: ReceiptOffer) -> Agreed:
    invoice = offer.invoice
    values: dict[str, Value] = {
        "patient": who.patient.name,
        "day": invoice.visit_day,
        "department": invoice.department,
        "what": invoice.what,
        "kind": kind_name(call.lines, offer.kind),
    }
    identity = (who.patient.id, invoice.id, offer.kind.value)
    return Agreed(
        "receipt",
        "billing.readback_receipt",
        values,
        Topic.BOOKING,
        identity,
        readback=Kind.REFUND_READBACK,
        consent=Kind.REFUND_CONSENT,
    )


async def _ask(
    call: Call, ctx: RunContext[None], who: Verified, offer: ReceiptOffer, digest: str
) -> Status:
    key = RefundKey(f"receipt-{call.recorder.call_id}-{digest}")
    order = ReceiptOrder(
        key=key,
        hospital_id=call.desk.hospital.id,
        patient_id=who.patient.id,
        invoice_id=offer.invoice.id,
        kind=offer.kind,
        call_id=call.recorder.call_id,
        at=call.desk.clock.now(),
        contact=known_phone(call) or "",
    )
    with call.writes.running(), waiting_for_write(call):
        async with call.state.lock:
            outcome = await carry_out_receipt(ledger_of(call), order)
    kind = kind_name(call.lines, offer.kind)
    match outcome:
        case Given(request=request) if request.key != key:
            call.say("billing.receipt_known")
            return Status.SUCCESS
        case Given(replayed=replayed):
            data = {"key": key, "digest": digest, "receipt": offer.kind.value, "replayed": replayed}
            call.recorder.write(Kind.RECEIPT_COMMITTED, data)
            done(call, Act.RECEIPT)
            tell(call, "billing.receipt_taken", wrote=True, kind=kind)
            return Status.SUCCESS
        case NotGiven():
            call.say("billing.receipt_refused")
            return Status.EXITED
        case NotKnown(fault=fault) | NotKept(fault=fault):
            ledger_failed(call, fault)
    stem = "receipt_unknown" if isinstance(outcome, NotKnown) else "receipt_failed"
    invoice = offer.invoice
    note = call.lines.say(
        f"billing.note_{stem}", kind=kind, day=invoice.visit_day, what=invoice.what
    )
    await leave_callback(call, ctx, f"billing.{stem}", note)
    return Status.ERROR
