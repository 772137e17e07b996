"""Billing tools of a call: the way to the specialists, the billing agent's own (H1, H3, T4, D3).

``ask_specialist`` is the supervisor's where the hospital delegates, ``to_billing`` where it hands
the call over; the rest belong to the billing agent. Each has the gate in its first line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeVar

from livekit.agents import RunContext, llm
from pydantic import Field

from wonmu.call.flows.billing import beside, patient, tell_result, tools_for
from wonmu.call.flows.notes import leave_memo
from wonmu.call.flows.receipt import take_receipt
from wonmu.call.flows.refund import take_refund
from wonmu.call.flows.specialists import consult
from wonmu.call.flows.transfer import connect, leave_after
from wonmu.call.tools.base import Arguments, HandedTo, desk_tool
from wonmu.call.tools.gates import explain, passes, verdict_on
from wonmu.desk.agents.specialist import described
from wonmu.desk.billing.port import ReceiptKind
from wonmu.hospital.billing import BillingWay
from wonmu.korean.relations import relation_in
from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson
from wonmu.timeline.events import Kind, Status

if TYPE_CHECKING:
    from wonmu.call.session import Call


CHANGING = "owner"
"""Holds the floor while the talk changes hands; the new owner lets it go."""

LONGEST_CHANGE = 3.0
"""Seconds; a change that never comes must not hold the floor (N11)."""


class Words(Arguments):
    caller_words: str = Field(description="고객이 실제로 한 말 그대로")


class AskSpecialist(Words):
    specialists: list[Literal["billing", "certificates"]] = Field(
        description="물어볼 담당. 수납·환불·영수증은 billing, 제증명 서류는 certificates",
        min_length=1,
        max_length=2,
    )


class WithNumber(Words):
    number: int | None = Field(
        default=None, description="안내한 진료비의 번호. 하나뿐이면 비워 둔다"
    )


class ReceiptWords(WithNumber):
    kind: Literal["receipt", "detail", "year_end"] = Field(
        default="receipt", description="receipt 영수증, detail 세부내역서, year_end 연말정산 서류"
    )


class FeeWords(Words):
    name: str | None = Field(default=None, description="서류 이름, 고객의 말 그대로")


A = TypeVar("A", bound=Words)
Flow = Callable[[RunContext[None], A, "str | None"], Awaitable[Status]]


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
    return _door(call, "ask_specialist", Action.BILLING_ASK, AskSpecialist, flow, text)


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
        _changed(call, "desk", "billing")
        return HandedTo(agent)

    return desk_tool(call, "to_billing", call.lines.prompt("tool_to_billing"), Words, run)


def hand_back(call: Call) -> llm.Tool:
    """Back to the desk, which answers the caller's last words itself. Never refused: nobody may be
    kept at the billing desk."""

    async def run(ctx: RunContext[None], given: Words) -> Status | HandedTo:
        from wonmu.call.supervisor import Supervisor

        agent = Supervisor(call, back_from=call.session.current_agent.chat_ctx)
        _changed(call, "billing", "desk")
        return HandedTo(agent)

    return desk_tool(call, "back_to_desk", call.lines.prompt("tool_back_to_desk"), Words, run)


def _changed(call: Call, left: str, owner: str) -> None:
    billing = call.desk.hospital.billing
    agent = billing.agent if billing is not None and owner == "billing" else None
    data = {
        "from": left,
        "to": owner,
        "voice": agent.voice if agent is not None else None,
        "rights": [right.value for right in agent.rights] if agent is not None else None,
    }
    call.recorder.write(Kind.OWNER_CHANGED, data)
    # Between two owners nobody speaks, and nobody waits for the caller either.
    call.floor.hold(CHANGING)
    loop = asyncio.get_running_loop()
    loop.call_later(LONGEST_CHANGE, lambda: call.floor.release(CHANGING))


def _lookup_invoice(call: Call) -> llm.Tool:
    async def flow(ctx: RunContext[None], given: Words, who: str | None) -> Status:
        found = await patient(call, ctx, who)
        if isinstance(found, Status):
            return found
        tools = tools_for(call, found)
        result = await beside(call, ctx, tools.lookup_invoice)
        call.state.invoices_told = tools.listed
        return result if isinstance(result, Status) else await tell_result(call, ctx, result)

    return _own(call, "lookup_invoice", Action.BILLING_ASK, Words, flow)


def _refund_status(call: Call) -> llm.Tool:
    async def flow(ctx: RunContext[None], given: Words, who: str | None) -> Status:
        found = await patient(call, ctx, who)
        if isinstance(found, Status):
            return found
        result = await beside(call, ctx, tools_for(call, found).refund_status)
        return result if isinstance(result, Status) else await tell_result(call, ctx, result)

    return _own(call, "refund_status", Action.BILLING_ASK, Words, flow)


def _request_refund(call: Call) -> llm.Tool:
    async def flow(ctx: RunContext[None], given: WithNumber, who: str | None) -> Status:
        found = await patient(call, ctx, who)
        if isinstance(found, Status):
            return found
        return await take_refund(call, ctx, found, given.caller_words, given.number)

    return _own(call, "request_refund", Action.REFUND_REQUEST, WithNumber, flow)


def _receipt_request(call: Call) -> llm.Tool:
    async def flow(ctx: RunContext[None], given: ReceiptWords, who: str | None) -> Status:
        found = await patient(call, ctx, who)
        if isinstance(found, Status):
            return found
        kind = ReceiptKind(given.kind)
        return await take_receipt(call, ctx, found, kind, given.caller_words, given.number)

    return _own(call, "receipt_request", Action.RECEIPT_REQUEST, ReceiptWords, flow)


def _certificate_fee(call: Call) -> llm.Tool:
    async def flow(ctx: RunContext[None], given: FeeWords, who: str | None) -> Status:
        result = await beside(call, ctx, lambda: tools_for(call, None).certificate_fee(given.name))
        return result if isinstance(result, Status) else await tell_result(call, ctx, result)

    return _own(call, "certificate_fee", Action.BILLING_ASK, FeeWords, flow)


def _own(call: Call, name: str, action: Action, arguments: type[A], flow: Flow[A]) -> llm.Tool:
    return _door(call, name, action, arguments, flow, call.lines.prompt(f"tool_{name}"))


def _door(
    call: Call, name: str, action: Action, arguments: type[A], flow: Flow[A], text: str
) -> llm.Tool:
    """The gate first; in the other two modes the ledger is not touched (T7, N10)."""

    async def run(ctx: RunContext[None], given: A) -> Status:
        verdict = verdict_on(call, name, action, given.caller_words)
        match verdict:
            case Allow():
                with working(call, action):
                    said = " ".join(call.state.heard[call.state.evidence_from :])
                    status = await flow(ctx, given, relation_in(said))
                    await leave_after(call, ctx)
                return status
            case ByPerson():
                return await connect(call, ctx, given.caller_words, by_mode=True)
            case ByMemo():
                return await leave_memo(call, ctx, given.caller_words)
            case _:
                explain(call, action, verdict)
                return Status.EXITED

    return desk_tool(call, name, text, arguments, run)


@contextmanager
def working(call: Call, action: Action) -> Iterator[None]:
    """While inside no other tool runs; afterwards the words that led here are used up (T4)."""
    state = call.state
    state.tool_open, state.working_on = True, action
    try:
        yield
    finally:
        state.tool_open, state.working_on = False, None
        state.evidence_from = len(state.heard) - int(state.fresh is not None)
