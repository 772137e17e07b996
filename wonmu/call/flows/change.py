"""Moving one of the caller's bookings: the old one stays until the new one is safe (B3, R23, R29).

Choose and confirm which, find the new time with the same task as a new booking, read back old and
new, and leave a change request. The old booking is never touched here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from livekit.agents import RunContext

from wonmu.booking.draft import Draft
from wonmu.booking.result import Exited
from wonmu.booking.wish import ThisDoctor
from wonmu.call.flows.inquire import bookings_of
from wonmu.call.flows.own_left import own_left
from wonmu.call.flows.pick import pick
from wonmu.call.flows.written import tell_written
from wonmu.call.tasks.ask import AskTask
from wonmu.call.tasks.booking import BookingTask
from wonmu.clock import SEOUL
from wonmu.hospital.catalog import Found
from wonmu.korean.dates import Understood, mentions_when, read_when
from wonmu.lines import Value
from wonmu.policy.claims import Act
from wonmu.timeline.events import Status
from wonmu.visit.bookings import OpenBooking
from wonmu.visit.own import OwnBooking
from wonmu.visit.party import closed_lists, party_of
from wonmu.visit.questions import yes_no_question
from wonmu.visit.wishes import FirstWish, asks_other_doctor
from wonmu.visit.written import Told

if TYPE_CHECKING:
    from wonmu.call.session import Call

_TARGET = re.compile(
    r"(으로|로|뒤로|늦게|일찍|에서)\s*(좀|다시|그냥)?\s*(예약)?(을|를)?\s*"
    r"(변경|바꾸|바꿔|바꿀|옮기|옮겨|옮길|미루|미뤄|당기|당겨|연기|하고|해|할)"
)

_NEW_TIME = re.compile(rf"{_TARGET.pattern}|(?:으로|로|에)\s*(?:요|갈게요|부탁\S*)?[\s.!]*$")
"""A time that says where to; "금요일 거요" only says which."""


async def change(
    call: Call, ctx: RunContext[None], relation: str | None, words: str, when: str | None
) -> Status:
    """Identify, choose, confirm which, find the new time, take the yes, record."""
    found = await bookings_of(call, ctx, relation, "own.kept")
    if isinstance(found, Status):
        return found
    who, bookings = found
    chosen = await pick(call, ctx, bookings, "own.which_change", words)
    if isinstance(chosen, Exited):
        return await own_left(call, ctx, chosen, "own.kept")
    sure = await _sure(call, ctx, chosen)
    if isinstance(sure, Exited):
        return await own_left(call, ctx, sure, "own.kept")
    party = party_of(who)
    if not sure or party is None:
        call.say("own.kept")
        return Status.CANCELLED
    lists = closed_lists(call)
    draft = Draft(party.ref, lists)
    draft.set_department(chosen.department_id)
    draft.set_doctor(ThisDoctor(chosen.doctor_id))
    opened = OpenBooking(party, draft, lists, relation, insurance_asked=True, replaces=chosen)
    # A model that called with empty hands must not make the caller say the time again (S4).
    first = FirstWish(when=(when or words) if _names_a_time(call, when or words, words) else None)
    first = _with_said_meanwhile(call, first, chosen)
    task = BookingTask(call, call.session.current_agent.chat_ctx, opened, first)
    result = await call.lend(ctx, task)
    if isinstance(result, Exited):
        return await own_left(call, ctx, result, "own.kept")
    stem = "own.change_old_stands" if result.old_stands else "own.change"
    new = result.booking.start
    told = Told(Act.CHANGE, new, result.written, result.reason)
    tell_written(call, stem, told, old=chosen.start, when=new)
    return Status.SUCCESS


def _names_a_time(call: Call, when: str, words: str) -> bool:
    """Whether the words say where to; "금요일 예약을 바꿔 주세요" only says which."""
    return bool(_TARGET.search(words)) and mentions_when(when, now=call.desk.clock.now())


def _with_said_meanwhile(call: Call, first: FirstWish, chosen: OwnBooking) -> FirstWish:
    """What was said meanwhile of where to: the latest of each counts, and is taken up once (S4).

    Words that fit the present booking only say which one is meant.
    """
    asides, call.state.asides = call.state.asides, []
    for words in asides:
        first = FirstWish(
            words if _other_department(call, words, chosen) else first.department,
            words if _other_doctor(call, words, chosen) else first.doctor,
            words if _new_time(call, words, chosen) else first.when,
        )
    return first


def _other_department(call: Call, words: str, chosen: OwnBooking) -> bool:
    found = call.desk.catalog.find_department(words)
    return isinstance(found, Found) and found.id != chosen.department_id


def _other_doctor(call: Call, words: str, chosen: OwnBooking) -> bool:
    catalog = call.desk.catalog
    if catalog.wants_any_doctor(words) or asks_other_doctor(words):
        return True
    found = catalog.find_doctor(words)
    return isinstance(found, Found) and found.id != chosen.doctor_id


def _new_time(call: Call, words: str, chosen: OwnBooking) -> bool:
    """Whether the words say where to: by their form, or because they are not the old time."""
    now = call.desk.clock.now()
    if not mentions_when(words, now=now):
        return False
    reading = read_when(words, now=now, open_times=call.desk.calendar)
    old = isinstance(reading, Understood) and reading.when.holds(chosen.start.astimezone(SEOUL))
    return bool(_NEW_TIME.search(words)) or not old


async def _sure(call: Call, ctx: RunContext[None], chosen: OwnBooking) -> bool | Exited:
    values: dict[str, Value] = {
        "when": chosen.start,
        "department": chosen.department,
        "doctor": chosen.doctor,
    }
    question = yes_no_question("which_change", "own.confirm_change", values)
    result = await call.lend(ctx, AskTask(call, question, call.session.current_agent.chat_ctx))
    return result if isinstance(result, Exited) else result.value
