"""From "nobody could be reached" to a note that staff sees (P2, P3, N6).

Offers a call back or a memo, takes it, stores it and only then says so. Whatever way the caller
leaves in the middle, a request for a person is kept unless they took it back in so many words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import ExitCode, Exited
from wonmu.call.notes import OpenNote
from wonmu.call.people import Kept, keep, purpose_in, withdraw
from wonmu.call.tasks.callback import CallbackTaken, CallbackTask
from wonmu.call.tasks.memo import MemoTaken, MemoTask
from wonmu.call.tasks.offer_note import Choice, OfferNote
from wonmu.desk.records import RequestKind
from wonmu.timeline.events import Status
from wonmu.visit.asks import Got

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def offer_note(call: Call, ctx: RunContext[None]) -> Status:
    """After a person could not be reached: a call back, a memo, or neither."""
    if RequestKind.CALLBACK in call.state.kept:
        call.state.note = None
        call.say("callback.already")
        return Status.ESCALATED
    chosen = await call.lend(ctx, OfferNote(call, call.session.current_agent.chat_ctx))
    if isinstance(chosen, Exited):
        return await _left(call, chosen.code)
    match chosen:
        case Got(value=Choice.NEITHER):
            return _declined(call)
        case Got(value=Choice.MEMO):
            return await take_note(call, ctx, RequestKind.MEMO)
        case _:
            return await take_note(call, ctx, RequestKind.CALLBACK)


async def leave_memo(call: Call, ctx: RunContext[None], words: str) -> Status:
    """The hospital takes a memo for what the caller wants (T7)."""
    if RequestKind.MEMO in call.state.kept:
        call.say("memo.already")
        return Status.ESCALATED
    if call.state.note is None:
        call.state.note = OpenNote(RequestKind.MEMO, purpose_in(call, words), by_mode=True)
    return await take_note(call, ctx, RequestKind.MEMO)


async def take_note(call: Call, ctx: RunContext[None], kind: RequestKind) -> Status:
    """Take down one note and store it; says how that went."""
    note = call.state.note
    if note is None:
        note = call.state.note = OpenNote(kind, "")
    # Until a memo has words of its own, what is lost with a hang-up is the wish to be called.
    note.kind = kind if note.topic else RequestKind.CALLBACK
    context = call.session.current_agent.chat_ctx
    result: MemoTaken | CallbackTaken | Exited
    if kind is RequestKind.MEMO:
        result = await call.lend(ctx, MemoTask(call, note, context))
    else:
        result = await call.lend(ctx, CallbackTask(call, note, context))
    if isinstance(result, Exited):
        return await _left(call, result.code)
    note.kind = kind
    return await _stored(call, note)


async def _stored(call: Call, note: OpenNote) -> Status:
    """Store the whole note and say so; the words come after the fact (N6)."""
    match await keep(call):
        case Kept.STORED if note.kind is RequestKind.MEMO:
            call.say("memo.stored")
        case Kept.STORED:
            _say_callback(call, note)
        case other:
            return _not_stored(call, other)
    return Status.ESCALATED


def _say_callback(call: Call, note: OpenNote) -> None:
    window = note.window
    if window is None or window.start is None or window.end is None:
        call.say("callback.stored")
    elif window.start.date() == window.end.date():
        times = {"start": window.start.time(), "end": window.end.time()}
        call.say("callback.stored_at", day=window.start.date(), **times)
    else:
        call.say("callback.stored_between", first=window.start.date(), last=window.end.date())


def _not_stored(call: Call, kept: Kept) -> Status:
    number = call.desk.hospital.phone
    match kept:
        case Kept.ALREADY:
            call.say("callback.already")
            return Status.ESCALATED
        case Kept.NO_NUMBER:
            call.say("person.phone_missing", number=number)
        case _:
            call.say("person.not_kept", number=number)
    return Status.ERROR


def _declined(call: Call) -> Status:
    withdraw(call)
    call.say("callback.declined")
    return Status.CANCELLED


async def _left(call: Call, code: ExitCode) -> Status:
    """The caller left in the middle: keep what is known, then follow them."""
    if call.state.latch.closed or code is ExitCode.HANGUP:
        return Status.CANCELLED
    if code is ExitCode.CANCELLED_BY_CALLER:
        return _declined(call)
    kept = await keep(call)
    if code is ExitCode.EMERGENCY:
        return Status.EXITED
    goes_on = code in (ExitCode.END_CALL, ExitCode.OTHER_REQUEST)
    if kept is Kept.STORED:
        call.say("callback.kept" if goes_on else "callback.kept_more")
    elif not goes_on:
        return _not_stored(call, kept)
    if goes_on:
        call.answer_again()
        return Status.EXITED
    return Status.ESCALATED
