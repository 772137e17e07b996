"""A refund in a call: which one, the yes to exactly that, and what came of it (T8, T9, N1, B4).

No model takes part: what can be asked back comes from the ledger, the amount is read back to the
won, and only a yes to that read-back asks for it. An outcome nobody knows is told as such and left
to staff.
"""

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
from wonmu.call.tasks.refund import RefundTask
from wonmu.desk.agents.answer import RefundOffer
from wonmu.desk.billing.refund import (
    NotConsented,
    NotKept,
    NotKnown,
    Open,
    RefundDraft,
    RefundOutcome,
    Rejected,
    Staged,
    Taken,
    carry_out,
)
from wonmu.desk.billing.results import NotOffered, RefundOffered, WhyNot
from wonmu.identity.result import Verified
from wonmu.ids import RefundKey
from wonmu.policy.claims import Act
from wonmu.timeline.events import Kind, Status
from wonmu.visit.proof import done, refund_unknown

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def take_refund(
    call: Call, ctx: RunContext[None], who: Verified, words: str, number: int | None
) -> Status:
    """From the wish to the outcome. ``number``: of the list last told, if the caller named one."""
    tools = tools_for(call, who)
    result = await beside(call, ctx, lambda: tools.request_refund(number))
    call.state.invoices_told = tools.listed
    match result:
        case Status():
            return result
        case RefundOffered(offer=offer):
            return await offered(call, ctx, who, offer)
        case NotOffered(why=WhyNot.WHICH_INVOICE, choices=choices):
            bill = await which(call, ctx, choices, "refund", words)
            if isinstance(bill, Status):
                return bill
            return await offered(call, ctx, who, RefundOffer(bill, bill.refundable))
        case _:
            return await tell_result(call, ctx, result)


async def offered(call: Call, ctx: RunContext[None], who: Verified, offer: RefundOffer) -> Status:
    """Read the refund back, take the yes, ask for it."""
    draft = RefundDraft(who.patient.id)
    staged = draft.stage(offer.invoice, offer.amount)
    if not isinstance(staged, Staged):
        call.say("billing.refund_changed")
        return Status.EXITED
    data = {"digest": staged.digest, "invoice": staged.invoice.id, "amount": staged.amount}
    call.recorder.write(Kind.REFUND_STAGED, data)
    context = call.session.current_agent.chat_ctx
    agreed = await call.lend(ctx, RefundTask(call, draft, staged, who.patient.name, context))
    if isinstance(agreed, Exited):
        return await own_left(call, ctx, agreed, "billing.refund_kept_off")
    if not agreed.value:
        call.say("billing.refund_kept_off")
        return Status.CANCELLED
    return await _ask(call, ctx, draft, staged)


async def _ask(call: Call, ctx: RunContext[None], draft: RefundDraft, staged: Staged) -> Status:
    # The same consented refund twice in one call is one request.
    key = RefundKey(f"refund-{call.recorder.call_id}-{staged.digest}")
    with call.writes.running(), waiting_for_write(call):
        async with call.state.lock:
            outcome = await carry_out(
                ledger_of(call),
                draft,
                key=key,
                hospital_id=call.desk.hospital.id,
                call_id=call.recorder.call_id,
                at=call.desk.clock.now(),
                contact=known_phone(call) or "",
            )
            if isinstance(outcome, Taken):
                _committed(call, key, staged, outcome)
    return await _told(call, ctx, staged, outcome)


def _committed(call: Call, key: RefundKey, staged: Staged, outcome: Taken) -> None:
    data = {
        "key": key,
        "digest": staged.digest,
        "amount": staged.amount,
        "replayed": outcome.replayed,
    }
    call.recorder.write(Kind.REFUND_COMMITTED, data)
    done(call, Act.REFUND)


async def _told(
    call: Call, ctx: RunContext[None], staged: Staged, outcome: RefundOutcome
) -> Status:
    invoice = staged.invoice
    match outcome:
        case Taken(refund=refund):
            tell(
                call,
                "billing.refund_taken",
                wrote=True,
                day=invoice.visit_day,
                what=invoice.what,
                amount=refund.amount,
            )
            return Status.SUCCESS
        case Open():
            call.say("billing.refund_open")
            return Status.SUCCESS
        case Rejected() | NotConsented():
            call.say("billing.refund_changed")
            return Status.EXITED
        case NotKnown(fault=fault):
            ledger_failed(call, fault)
            refund_unknown(call)
            stem, status = "billing.refund_unknown", Status.ERROR
        case NotKept(fault=fault):
            ledger_failed(call, fault)
            stem, status = "billing.refund_failed", Status.ERROR
    note = call.lines.say(
        "billing.note_" + stem.removeprefix("billing."),
        day=invoice.visit_day,
        what=invoice.what,
        amount=staged.amount,
    )
    await leave_callback(call, ctx, stem, note)
    return status
