"""The four doors to a booking (T2–T7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext, llm

from wonmu.call.flows.cancel import cancel
from wonmu.call.flows.change import change
from wonmu.call.flows.create import Wanted, create
from wonmu.call.flows.inquire import inquire
from wonmu.call.tools.doors import door
from wonmu.policy.evidence import really_said
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Status
from wonmu.visit.arguments import ChangeBooking, CreateBooking, Words
from wonmu.visit.wishes import FirstWish

if TYPE_CHECKING:
    from wonmu.call.session import Call


def create_booking(call: Call) -> llm.Tool:
    """A new booking."""

    async def flow(ctx: RunContext[None], arguments: CreateBooking, who: str | None) -> Status:
        first = FirstWish(
            _still_said(call, arguments.department),
            _still_said(call, arguments.doctor),
            _still_said(call, arguments.when),
        )
        return await create(call, ctx, Wanted(first, who))

    return door(call, "create_booking", Action.BOOKING_CREATE, CreateBooking, flow)


def _still_said(call: Call, words: str | None) -> str | None:
    """Words for a part of the wish, if the caller said them since the last piece of work ended.

    A model's memory is longer: a booking that was stopped must not come back with its old day.
    """
    said = call.state.heard[call.state.evidence_from :]
    return words if words and really_said(words, said) else None


def inquire_booking(call: Call) -> llm.Tool:
    """The caller's own coming bookings."""

    async def flow(ctx: RunContext[None], arguments: Words, who: str | None) -> Status:
        return await inquire(call, ctx, who)

    return door(call, "inquire_booking", Action.BOOKING_INQUIRE, Words, flow)


def change_booking(call: Call) -> llm.Tool:
    """Another time for one of them."""

    async def flow(ctx: RunContext[None], arguments: ChangeBooking, who: str | None) -> Status:
        return await change(call, ctx, who, arguments.caller_words, arguments.when)

    return door(call, "change_booking", Action.BOOKING_CHANGE, ChangeBooking, flow)


def cancel_booking(call: Call) -> llm.Tool:
    """One of them less."""

    async def flow(ctx: RunContext[None], arguments: Words, who: str | None) -> Status:
        return await cancel(call, ctx, who, arguments.caller_words)

    return door(call, "cancel_booking", Action.BOOKING_CANCEL, Words, flow)
