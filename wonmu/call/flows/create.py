"""Making a booking, from the wish to the recorded request (B1, S6, S7).

Who first, then what and when, then the yes and the record; every way out is a code, and the code
decides what is said and what can be taken up again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.draft import Draft
from wonmu.booking.result import Completed, ExitCode, Exited
from wonmu.booking.wish import ThisDoctor
from wonmu.call.flows.person import fall_back, why_failed
from wonmu.call.flows.transfer import connect
from wonmu.call.flows.who import nobody, who_is
from wonmu.call.flows.written import tell_written
from wonmu.call.said import or_named, with_asides
from wonmu.call.tasks.ask import AskTask
from wonmu.call.tasks.booking import BookingTask
from wonmu.identity.facts import Level
from wonmu.policy.claims import Act
from wonmu.policy.evidence import really_said
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Status
from wonmu.visit.asks import Got
from wonmu.visit.bookings import OpenBooking
from wonmu.visit.insurance import Insurance, insurance_question
from wonmu.visit.party import closed_lists, party_of
from wonmu.visit.wishes import FirstWish, speak_wish
from wonmu.visit.written import Told

if TYPE_CHECKING:
    from wonmu.call.session import Call


@dataclass(frozen=True, slots=True)
class Wanted:
    """What came with the wish to book."""

    first: FirstWish
    relation: str | None
    """The caller's word for the patient, when that is somebody else (B7)."""


async def create(call: Call, ctx: RunContext[None], wanted: Wanted) -> Status:
    """Run one booking; says how it ended and returns it."""
    opened = _still_open(call, wanted)
    said = or_named(call, wanted.first)
    if opened is not None:
        said = _said_now(call, said)
    else:
        who = await who_is(call, ctx, Level.CREATE, wanted.relation)
        if isinstance(who, Exited):
            return await left(call, ctx, who)
        party = party_of(who)
        if party is None:
            return await nobody(call, ctx, who)
        lists = closed_lists(call)
        opened = OpenBooking(party, Draft(party.ref, lists), lists, wanted.relation)
        call.state.booking = opened
    went_on = await _insurance(call, ctx, opened)
    if isinstance(went_on, Exited):
        return await left(call, ctx, went_on)
    context = call.session.current_agent.chat_ctx
    first = with_asides(call, said)
    task = BookingTask(call, context, opened, first, went_on=went_on)
    result = await call.lend(ctx, task)
    if isinstance(result, Exited):
        return await left(call, ctx, result)
    return _done(call, result)


async def _insurance(call: Call, ctx: RunContext[None], opened: OpenBooking) -> bool | Exited:
    """Ask for the insurance kind where the hospital wants it, once a booking.

    True when the caller spoke of the visit instead; an unusable answer is as good as a skip (D5).
    """
    if opened.insurance_asked:
        return False
    if opened.relation is None and call.state.insurance is not None:
        opened.insurance, opened.insurance_asked = call.state.insurance, True
        return False
    question = insurance_question(call)
    if question is None:
        return False
    result = await call.lend(ctx, AskTask(call, question, call.session.current_agent.chat_ctx))
    opened.insurance_asked = True
    match result:
        case Got(value=Insurance() as answer):
            opened.insurance = answer.kind.name if answer.kind is not None else None
            if opened.relation is None:
                call.state.insurance = opened.insurance
            return answer.went_on
        case Exited(code=ExitCode.IDENTITY_INCOMPLETE | ExitCode.SILENCE | ExitCode.TURN_LIMIT):
            return False
        case _:
            return result


def _said_now(call: Call, first: FirstWish) -> FirstWish:
    """What of the wish was said since the booking was left.

    A model may hand in everything said in the call; older words are in the draft already, and
    "그 다음 주" laid a second time would mean another week.
    """
    turns = call.state.heard[call.state.evidence_from :]

    def kept(words: str | None) -> str | None:
        return words if words and really_said(words, turns, bare_yes_counts=True) else None

    any_doctor = any(call.desk.catalog.wants_any_doctor(turn) for turn in turns)
    doctor = first.doctor if any_doctor else kept(first.doctor)
    return FirstWish(kept(first.department), doctor, kept(first.when))


def _still_open(call: Call, wanted: Wanted) -> OpenBooking | None:
    """A booking left on the way is taken up again, unless it is for somebody else now (S7)."""
    opened = call.state.booking
    if opened is None or opened.replaces is not None:
        return None
    if wanted.relation and wanted.relation != opened.relation:
        return None
    return opened


def _done(call: Call, result: Completed) -> Status:
    booking = result.booking
    catalog = call.desk.catalog
    department = catalog.department(booking.department_id)
    doctor = catalog.doctor(booking.doctor_id)
    tell_written(
        call,
        "booking",
        Told(Act.BOOK, booking.start, result.written, result.reason),
        department=department.name if department else booking.department_id,
        doctor=doctor.spoken if doctor else booking.doctor_id,
        when=booking.start,
    )
    call.state.booking = None
    return Status.SUCCESS


def _wish_words(call: Call) -> str:
    """What the caller wanted, as far as it was said, for the person who calls back."""
    opened = call.state.booking
    if opened is None:
        return "-"
    wish, catalog = opened.draft.state.wish, call.desk.catalog
    department = catalog.department(wish.department) if wish.department else None
    doctor = catalog.doctor(wish.doctor.id) if isinstance(wish.doctor, ThisDoctor) else None
    parts = [
        department.name if department is not None else "",
        doctor.spoken if doctor is not None else "",
        speak_wish(call, wish.when) if wish.when is not None else "",
    ]
    return " ".join(part for part in parts if part) or "-"


async def left(call: Call, ctx: RunContext[None], exited: Exited) -> Status:
    """Take the path of the exit code (T10)."""
    match exited.code:
        case ExitCode.STAFF_CONNECTION:
            return await connect(call, ctx, call.state.last.text if call.state.last else "")
        case ExitCode.CANCELLED_BY_CALLER:
            call.state.booking = None
            call.say("booking.stopped")
            return Status.CANCELLED
        case ExitCode.OTHER_REQUEST | ExitCode.END_CALL:
            call.answer_again()
            return Status.EXITED
        case ExitCode.SYSTEM_ERROR | ExitCode.NO_CANDIDATE if exited.detail == "duplicate":
            call.state.booking = None
            return Status.EXITED
        case ExitCode.SYSTEM_ERROR:
            why = why_failed(call)
            note = call.lines.say("desk.note_failed", why=why, wish=_wish_words(call))
            await fall_back(call, ctx, "booking.failed", note)
            return Status.ERROR
        case ExitCode.EMERGENCY:
            return Status.EXITED
        case ExitCode.HANGUP:
            return Status.CANCELLED
        case _:
            call.offer("booking.cannot_go_on", Action.CONNECT_PERSON)
            return Status.EXITED
