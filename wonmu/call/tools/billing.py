"""Billing tools of a call: the way to the specialists, the billing agent's own (H1, H3, T4, D3).

``ask_specialist`` is the supervisor's where the hospital delegates, ``to_billing`` where it hands
the call over; the rest belong to the billing agent. Each has the gate in its first line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext, llm

from wonmu.call.flows.billing import beside, patient, tell_result, tools_for
from wonmu.call.flows.receipt import take_receipt
from wonmu.call.flows.refund import take_refund
from wonmu.call.flows.specialists import consult
from wonmu.call.owner import changes_owner
from wonmu.call.tools.base import HandedTo, desk_tool
from wonmu.call.tools.doors import door
from wonmu.call.tools.gates import passes
from wonmu.desk.agents.specialist import described
from wonmu.desk.billing.port import ReceiptKind
from wonmu.hospital.billing import BillingWay
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Status
from wonmu.visit.arguments import AskSpecialist, FeeWords, ReceiptWords, WithNumber, Words

if TYPE_CHECKING:
    from wonmu.call.session import Call


def billing_doors(call: Call) -> list[llm.Tool]:
    """What the owner of the call is given for billing: one tool, or none without a billing desk."""
    billing = call.desk.hospital.billing
    if billing is None or call.desk.ledger is None:
        return []
    delegates = billing.voice is BillingWay.DELEGATE
    return [_ask_specialist(call) if delegates else _to_billing(call)]


def billing_tools(call: Call) -> list[llm.Tool]:
    """The billing agent's own work."""
    return [
        _lookup_invoice(call),
        _refund_status(call),
        _request_refund(call),
        _receipt_request(call),
        _certificate_fee(call),
    ]


def _ask_specialist(call: Call) -> llm.Tool:
    """Delegate: the specialists work in windows of their own, and code speaks their answer (H1)."""

    async def flow(ctx: RunContext[None], given: AskSpecialist, who: str | None) -> Status:
        return await consult(call, ctx, tuple(given.specialists), given.caller_words, who)

    text = call.lines.prompt("tool_ask_specialist", specialists=described(call.lines))
    return door(call, "ask_specialist", Action.BILLING_ASK, AskSpecialist, flow, text)


def _to_billing(call: Call) -> llm.Tool:
    """Hand over: the billing agent owns the talk from now on (H3)."""

    async def run(ctx: RunContext[None], given: Words) -> Status | HandedTo:
        if not passes(call, "to_billing", Action.BILLING_ASK, given.caller_words):
            return Status.EXITED
        if call.state.handed_in == call.state.turn:
            # Handed back within this very turn: once more would be a loop (R132).
            call.offer("billing.no_answer", Action.CONNECT_PERSON)
            return Status.EXITED
        call.state.handed_in = call.state.turn
        from wonmu.call.billing_agent import BillingAgent

        agent = BillingAgent(call, call.session.current_agent.chat_ctx)
        changes_owner(call, "desk", "billing")
        return HandedTo(agent)

    return desk_tool(call, "to_billing", call.lines.prompt("tool_to_billing"), Words, run)


def hand_back(call: Call) -> llm.Tool:
    """Back to the desk, which answers the caller's last words itself. Never refused: nobody may be
    kept at the billing desk."""

    async def run(ctx: RunContext[None], given: Words) -> Status | HandedTo:
        from wonmu.call.supervisor import Supervisor

        agent = Supervisor(call, back_from=call.session.current_agent.chat_ctx)
        changes_owner(call, "billing", "desk")
        return HandedTo(agent)

    return desk_tool(call, "back_to_desk", call.lines.prompt("tool_back_to_desk"), Words, run)


def _lookup_invoice(call: Call) -> llm.Tool:
    async def flow(ctx: RunContext[None], given: Words, who: str | None) -> Status:
        found = await patient(call, ctx, who)
        if isinstance(found, Status):
            return found
        tools = tools_for(call, found)
        result = await beside(call, ctx, tools.lookup_invoice)
        call.state.invoices_told = tools.listed
        return result if isinstance(result, Status) else await tell_result(call, ctx, result)

    return door(call, "lookup_invoice", Action.BILLING_ASK, Words, flow)


def _refund_status(call: Call) -> llm.Tool:
    async def flow(ctx: RunContext[None], given: Words, who: str | None) -> Status:
        found = await patient(call, ctx, who)
        if isinstance(found, Status):
            return found
        result = await beside(call, ctx, tools_for(call, found).refund_status)
        return result if isinstance(result, Status) else await tell_result(call, ctx, result)

    return door(call, "refund_status", Action.BILLING_ASK, Words, flow)


def _request_refund(call: Call) -> llm.Tool:
    async def flow(ctx: RunContext[None], given: WithNumber, who: str | None) -> Status:
        found = await patient(call, ctx, who)
        if isinstance(found, Status):
            return found
        return await take_refund(call, ctx, found, given.caller_words, given.number)

    return door(call, "request_refund", Action.REFUND_REQUEST, WithNumber, flow)


def _receipt_request(call: Call) -> llm.Tool:
    async def flow(ctx: RunContext[None], given: ReceiptWords, who: str | None) -> Status:
        found = await patient(call, ctx, who)
        if isinstance(found, Status):
            return found
        kind = ReceiptKind(given.kind)
        return await take_receipt(call, ctx, found, kind, given.caller_words, given.number)

    return door(call, "receipt_request", Action.RECEIPT_REQUEST, ReceiptWords, flow)


def _certificate_fee(call: Call) -> llm.Tool:
    async def flow(ctx: RunContext[None], given: FeeWords, who: str | None) -> Status:
        result = await beside(call, ctx, lambda: tools_for(call, None).certificate_fee(given.name))
        return result if isinstance(result, Status) else await tell_result(call, ctx, result)

    return door(call, "certificate_fee", Action.BILLING_ASK, FeeWords, flow)
