"""The door to a booking (T2–T7): gate, then the flow, then its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from livekit.agents import RunContext, llm
from pydantic import Field

from wonmu.call.flows.create import Wanted, create
from wonmu.call.flows.person import leave_callback
from wonmu.call.tasks.wishes import FirstWish
from wonmu.call.tools.base import Arguments, desk_tool
from wonmu.call.tools.gates import explain, verdict_on
from wonmu.korean.relations import relation_in
from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson
from wonmu.timeline.events import Status

if TYPE_CHECKING:
    from wonmu.call.session import Call


class CreateBooking(Arguments):
    caller_words: str = Field(description="예약을 원한다고 고객이 실제로 한 말 그대로")
    department: str | None = Field(default=None, description="고객이 말한 진료과, 고객의 말 그대로")
    doctor: str | None = Field(default=None, description="고객이 말한 의사, 고객의 말 그대로")
    when: str | None = Field(default=None, description="고객이 말한 날짜나 시각, 고객의 말 그대로")
    patient: Literal["self", "other"] = Field(
        default="self", description="본인 예약이면 self, 가족 등 다른 사람이면 other"
    )


def create_booking(call: Call) -> llm.Tool:
    """The tool with which a model asks for a new booking."""

    async def run(ctx: RunContext[None], arguments: CreateBooking) -> Status:
        action = Action.BOOKING_CREATE
        verdict = verdict_on(call, "create_booking", action, arguments.caller_words)
        match verdict:
            case Allow():
                return await _create(call, ctx, arguments)
            case ByPerson() | ByMemo():
                kept = await leave_callback(call, ctx, "person.by_mode", arguments.caller_words)
                return Status.ESCALATED if kept else Status.ERROR
            case _:
                explain(call, action, verdict)
                return Status.EXITED

    text = call.lines.prompt("tool_create_booking")
    return desk_tool(call, "create_booking", text, CreateBooking, run)


async def _create(call: Call, ctx: RunContext[None], arguments: CreateBooking) -> Status:
    state = call.state
    state.tool_open = True
    try:
        first = FirstWish(arguments.department, arguments.doctor, arguments.when)
        said = " ".join(state.heard[state.evidence_from :])
        # Whose booking it is comes from the caller's words, not from the model's argument.
        return await create(call, ctx, Wanted(first, relation_in(said)))
    finally:
        state.tool_open = False
        # What led here is used up; after an exit for another matter the last words still count.
        state.evidence_from = len(state.heard) - int(state.fresh is not None)
