"""The four doors to a booking (T2–T7): gate, then the flow, then its result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal, TypeVar

from livekit.agents import RunContext, llm
from pydantic import Field

from wonmu.call.flows.cancel import cancel
from wonmu.call.flows.change import change
from wonmu.call.flows.create import Wanted, create
from wonmu.call.flows.inquire import inquire
from wonmu.call.flows.notes import leave_memo
from wonmu.call.flows.transfer import connect, leave_after
from wonmu.call.tools.base import Arguments, desk_tool
from wonmu.call.tools.gates import explain, verdict_on
from wonmu.korean.relations import relation_in
from wonmu.policy.evidence import really_said
from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson
from wonmu.timeline.events import Status
from wonmu.visit.wishes import FirstWish

if TYPE_CHECKING:
    from wonmu.call.session import Call


class BookingArguments(Arguments):
    caller_words: str = Field(description="고객이 실제로 한 말 그대로")


class CreateBooking(BookingArguments):
    department: str | None = Field(default=None, description="고객이 말한 진료과, 고객의 말 그대로")
    doctor: str | None = Field(default=None, description="고객이 말한 의사, 고객의 말 그대로")
    when: str | None = Field(default=None, description="고객이 말한 날짜나 시각, 고객의 말 그대로")
    patient: Literal["self", "other"] = Field(
        default="self", description="본인 예약이면 self, 가족 등 다른 사람이면 other"
    )


class ChangeBooking(BookingArguments):
    when: str | None = Field(
        default=None, description="옮기고 싶은 새 날짜나 시각, 고객의 말 그대로"
    )


A = TypeVar("A", bound=BookingArguments)
Flow = Callable[[RunContext[None], A, "str | None"], Awaitable[Status]]


def create_booking(call: Call) -> llm.Tool:
    """A new booking."""

    async def flow(ctx: RunContext[None], arguments: CreateBooking, who: str | None) -> Status:
        first = FirstWish(
            _still_said(call, arguments.department),
            _still_said(call, arguments.doctor),
            _still_said(call, arguments.when),
        )
        return await create(call, ctx, Wanted(first, who))

    return _door(call, "create_booking", Action.BOOKING_CREATE, CreateBooking, flow)


def _still_said(call: Call, words: str | None) -> str | None:
    """Words for a part of the wish, if the caller said them since the last piece of work ended.

    A model's memory is longer: a booking that was stopped must not come back with its old day.
    """
    said = call.state.heard[call.state.evidence_from :]
    return words if words and really_said(words, said) else None


def inquire_booking(call: Call) -> llm.Tool:
    """The caller's own coming bookings."""

    async def flow(ctx: RunContext[None], arguments: BookingArguments, who: str | None) -> Status:
        return await inquire(call, ctx, who)

    return _door(call, "inquire_booking", Action.BOOKING_INQUIRE, BookingArguments, flow)


def change_booking(call: Call) -> llm.Tool:
    """Another time for one of them."""

    async def flow(ctx: RunContext[None], arguments: ChangeBooking, who: str | None) -> Status:
        return await change(call, ctx, who, arguments.caller_words, arguments.when)

    return _door(call, "change_booking", Action.BOOKING_CHANGE, ChangeBooking, flow)


def cancel_booking(call: Call) -> llm.Tool:
    """One of them less."""

    async def flow(ctx: RunContext[None], arguments: BookingArguments, who: str | None) -> Status:
        return await cancel(call, ctx, who, arguments.caller_words)

    return _door(call, "cancel_booking", Action.BOOKING_CANCEL, BookingArguments, flow)


def _door(call: Call, name: str, action: Action, arguments: type[A], flow: Flow[A]) -> llm.Tool:
    """One door: the gate first; in the other two modes nothing behind it is touched (T7, N10)."""

    async def run(ctx: RunContext[None], given: A) -> Status:
        verdict = verdict_on(call, name, action, given.caller_words)
        match verdict:
            case Allow():
                return await _through(call, ctx, action, given, flow)
            case ByPerson():
                return await connect(call, ctx, given.caller_words, by_mode=True)
            case ByMemo():
                return await leave_memo(call, ctx, given.caller_words)
            case _:
                explain(call, action, verdict)
                return Status.EXITED

    return desk_tool(call, name, call.lines.prompt(f"tool_{name}"), arguments, run)


async def _through(
    call: Call, ctx: RunContext[None], action: Action, given: A, flow: Flow[A]
) -> Status:
    state = call.state
    state.tool_open, state.working_on = True, action
    try:
        # Whose booking it is comes from the caller's words, not from a model's argument.
        said = " ".join(state.heard[state.evidence_from :])
        status = await flow(ctx, given, relation_in(said))
        await leave_after(call, ctx)
        return status
    finally:
        state.tool_open, state.working_on = False, None
        # What led here is used up; after an exit for another matter the last words still count.
        state.evidence_from = len(state.heard) - int(state.fresh is not None)
