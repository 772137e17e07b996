"""Tools of the booking task. The first three are a model's; the rest only code calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext, llm

from wonmu.booking.result import ExitCode
from wonmu.call.said import or_named
from wonmu.call.tools.base import A, Handler, desk_tool
from wonmu.policy.evidence import really_said
from wonmu.policy.intent import Intent, read_intent
from wonmu.timeline.events import Status
from wonmu.visit.arguments import ChooseTime, LeaveBooking, Nothing, SetWish
from wonmu.visit.wishes import FirstWish

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.tasks.booking_work import BookingWork


def booking_tools(call: Call, work: BookingWork) -> list[llm.Tool]:
    """All tools of one booking task."""

    def said(words: str) -> bool:
        if really_said(words, call.state.heard, bare_yes_counts=True):
            return True
        call.say("call.say_again")
        return False

    async def no_search() -> None:
        """End the search under way and let its tool return: what comes now takes its place."""
        work.stop_looking()
        async with call.state.lock:
            pass

    async def set_wish(ctx: RunContext[None], arguments: SetWish) -> Status:
        if not said(arguments.caller_words):
            return Status.EXITED
        parts = FirstWish(
            _of(call, arguments.department),
            _of(call, arguments.doctor, closed=("상관없음",)),
            _whole_turn(call, _of(call, arguments.when)),
        )
        await work.wish(or_named(call, parts))
        return Status.SUCCESS

    async def choose_time(ctx: RunContext[None], arguments: ChooseTime) -> Status:
        if not said(arguments.caller_words):
            return Status.EXITED
        if await work.choose(arguments.number):
            return Status.SUCCESS
        call.say("booking.which_offer")
        return Status.EXITED

    async def leave_booking(ctx: RunContext[None], arguments: LeaveBooking) -> Status:
        if not said(arguments.caller_words):
            return Status.EXITED
        work.task.leave(_exit(call, ExitCode(arguments.reason)))
        return Status.EXITED

    async def confirm_booking(ctx: RunContext[None], arguments: Nothing) -> Status:
        if await work.confirm():
            return Status.SUCCESS
        call.say("booking.not_agreed")
        return Status.EXITED

    async def search_again(ctx: RunContext[None], arguments: Nothing) -> Status:
        await work.search_again()
        return Status.SUCCESS

    def model_tool(name: str, arguments: type[A], handler: Handler[A]) -> llm.Tool:
        prompt = call.lines.prompt(f"tool_{name}")
        return desk_tool(call, name, prompt, arguments, handler, first=no_search)

    return [
        model_tool("set_wish", SetWish, set_wish),
        model_tool("choose_time", ChooseTime, choose_time),
        model_tool("leave_booking", LeaveBooking, leave_booking),
        desk_tool(call, "confirm_booking", "", Nothing, confirm_booking),
        desk_tool(call, "search_again", "", Nothing, search_again),
    ]


def _of(call: Call, words: str | None, closed: tuple[str, ...] = ()) -> str | None:
    """A part of the wish, only if the caller really said it (T4, T9)."""
    if words is None or words in closed:
        return words
    return words if really_said(words, call.state.heard, bare_yes_counts=True) else None


def _whole_turn(call: Call, words: str | None) -> str | None:
    """The caller's whole last turn when the time words are cut from it.

    A model's cut loses what the reader of dates needs ("그 다음 주", "3시 말고 4시").
    """
    last = call.state.last
    if words is None or last is None or not really_said(words, [last.text]):
        return words
    return last.text


def _exit(call: Call, code: ExitCode) -> ExitCode:
    """Leaving for a person or for good needs the caller's own word for it."""
    last = call.state.last
    intent = read_intent(last.text) if last is not None else Intent.NONE
    if code is ExitCode.STAFF_CONNECTION and intent is not Intent.PERSON:
        return ExitCode.OTHER_REQUEST
    return code
