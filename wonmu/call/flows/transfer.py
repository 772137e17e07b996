"""Putting the caller through to a person (P1–P3, T5, T8, N4).

The one way to a person, whoever opened it: an explicit request, an accepted offer, or the
hospital's mode. Decides whether to dial at all and what is said of the outcome; a person is
dialled once a request. What comes after an outcome that is not *connected* is in ``notes``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.result import ExitCode, Exited
from wonmu.call.flows.notes import offer_note
from wonmu.call.hold import Hold, TransferEnd, settled
from wonmu.call.people import Kept, keep, known_phone, purpose_in, want_person, withdraw
from wonmu.call.tasks.transfer import TransferTask, desk_name
from wonmu.desk.windows import next_times
from wonmu.hospital.config import DeskSettings
from wonmu.identity.result import Verified
from wonmu.timeline.events import Status
from wonmu.transfer.consult import Limits
from wonmu.transfer.port import BriefedPatient, Briefing, Outcome, StaffLine

if TYPE_CHECKING:
    from wonmu.call.session import Call


async def connect(
    call: Call, ctx: RunContext[None], words: str, *, by_mode: bool = False
) -> Status:
    """One request for a person, from the first word to its end. ``words``: the caller's."""
    want_person(call, words)
    if by_mode and call.desk.staff is None:
        call.say("transfer.by_person", desk=desk_name(call))
    with _working(call):
        end = await _transfer(call, ctx, words, by_mode=by_mode)
        return await _after(call, ctx, end)


async def _transfer(call: Call, ctx: RunContext[None], words: str, *, by_mode: bool) -> TransferEnd:
    """Dial, if there is anybody to dial now. A transfer that was not dialled settles as well."""
    desk, line = call.desk.hospital.desk, call.desk.staff
    if desk is not None and not call.desk.calendar.desk_open(call.desk.clock.now()):
        return _undialled(call, TransferEnd(Outcome.OUTSIDE_HOURS))
    if desk is None or line is None:
        return _undialled(call, TransferEnd(Outcome.FAILED, "no_line"))
    return await _dial(call, ctx, line, desk, words, by_mode=by_mode)


def _undialled(call: Call, end: TransferEnd) -> TransferEnd:
    settled(call, end)
    return end


async def _dial(
    call: Call,
    ctx: RunContext[None],
    line: StaffLine,
    desk: DeskSettings,
    words: str,
    *,
    by_mode: bool,
) -> TransferEnd:
    hold = Hold(call, line, desk.number, desk.name, Limits(desk.ring_seconds))
    context = call.session.current_agent.chat_ctx
    told = "transfer.connecting_by_mode" if by_mode else "transfer.connecting"
    task = TransferTask(call, hold, briefing_of(call, words), context, line=told)
    call.at_close.append(hold.caller_left)
    try:
        result = await call.lend(ctx, task)
    finally:
        call.at_close.remove(hold.caller_left)
    if isinstance(result, Exited):
        hold.stop(result.code.value)
        return hold.end or TransferEnd(Outcome.FAILED, result.code.value)
    return result


async def _after(call: Call, ctx: RunContext[None], end: TransferEnd) -> Status:
    match end:
        case TransferEnd(outcome=Outcome.CONNECTED):
            return Status.ESCALATED
        case TransferEnd(outcome=Outcome.CALLER_LEFT):
            # Only the line noticed it: the call has to be closed as well.
            call.caller_gone()
            return Status.CANCELLED
        case _ if call.state.latch.closed:
            return Status.CANCELLED
        case TransferEnd(reason="cancelled_by_caller"):
            withdraw(call)
            call.say("transfer.called_off")
            return Status.CANCELLED
        case TransferEnd(reason="end_call"):
            if await keep(call) is Kept.STORED:
                call.say("callback.kept")
            call.answer_again()
            return Status.EXITED
    _tell(call, end)
    return await offer_note(call, ctx)


def _tell(call: Call, end: TransferEnd) -> None:
    """The truth about the outcome, in words of its own (T11, T12)."""
    to = desk_name(call)
    match end.outcome:
        case Outcome.OUTSIDE_HOURS:
            _tell_hours(call, to)
        case Outcome.FAILED if end.reason == "no_line":
            call.say("transfer.unavailable")
        case Outcome.FAILED:
            call.say("transfer.failed")
        case Outcome.DECLINED:
            call.say("transfer.declined")
        case Outcome.NO_ANSWER:
            call.say("transfer.unanswered", desk=to)
        case outcome:
            call.say(f"transfer.{outcome.value}", desk=to)


async def leave_after(call: Call, ctx: RunContext[None]) -> None:
    """Do what the caller asked for while a write was under way and could not be ended (A5)."""
    code, call.state.left_meanwhile = call.state.left_meanwhile, None
    if code is None or call.state.latch.closed:
        return
    if code is ExitCode.STAFF_CONNECTION:
        await connect(call, ctx, call.state.last.text if call.state.last else "")
    else:
        call.answer_again()


def _tell_hours(call: Call, to: str) -> None:
    now = call.desk.clock.now()
    opens = next_times(now.date(), call.desk.calendar, now)
    # The desk may be open and the line say otherwise: then its hours are no news.
    if opens is None or opens[0] <= now:
        call.say("transfer.outside_hours", desk=to)
    else:
        day, start = opens[0].date(), opens[0].time()
        call.say("transfer.outside_hours_until", desk=to, day=day, start=start)


def briefing_of(call: Call, words: str) -> Briefing:
    """What staff needs to go on: the wish, the patient if verified, what was done (P1, N3)."""
    state, lines = call.state, call.lines
    patient = None
    if isinstance(state.identity, Verified):
        found = state.identity.patient
        patient = BriefedPatient(found.name, found.birth_date, found.id)
    marks = (
        (patient is not None, "transfer.done_identity"),
        (state.booking is not None, "transfer.done_started"),
        (bool(state.booked), "transfer.done_booked"),
        (bool(state.kept), "transfer.done_note"),
    )
    done = tuple(lines.say(line) for true, line in marks if true)
    return Briefing(purpose_in(call, words), patient, done, known_phone(call))


@contextmanager
def _working(call: Call) -> Iterator[None]:
    """While inside no other tool runs; afterwards the words that led here are used up (T4)."""
    state = call.state
    before, state.tool_open = state.tool_open, True
    try:
        yield
    finally:
        state.tool_open = before
        state.evidence_from = len(state.heard) - int(state.fresh is not None)
