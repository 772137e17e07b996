"""Moving one of the caller's bookings: the old one stays until the new one is safe (B3, R23, R29).

Choose and confirm which, find the new time with the same task as a new booking, read back old and
new, and leave a change request. The old booking is never touched here.
"""

from __future__ import annotations

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
from wonmu.lines import Value
from wonmu.policy.claims import Act
from wonmu.timeline.events import Status
from wonmu.visit.bookings import OpenBooking
from wonmu.visit.own import OwnBooking
from wonmu.visit.party import closed_lists, party_of
from wonmu.visit.questions import yes_no_question
from wonmu.visit.target import said_meanwhile, where_to
from wonmu.visit.written import Told

if TYPE_CHECKING:
    from wonmu.call.session import Call


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
    first = where_to(call, words, when)
    asides, call.state.asides = call.state.asides, []
    first = said_meanwhile(call, first, chosen, asides)
    task = BookingTask(call, call.session.current_agent.chat_ctx, opened, first)
    result = await call.lend(ctx, task)
    if isinstance(result, Exited):
        return await own_left(call, ctx, result, "own.kept")
    stem = "own.change_old_stands" if result.old_stands else "own.change"
    new = result.booking.start
    told = Told(Act.CHANGE, new, result.written, result.reason)
    tell_written(call, stem, told, old=chosen.start, when=new)
    return Status.SUCCESS


async def _sure(call: Call, ctx: RunContext[None], chosen: OwnBooking) -> bool | Exited:
    values: dict[str, Value] = {
        "when": chosen.start,
        "department": chosen.department,
        "doctor": chosen.doctor,
    }
    question = yes_no_question("which_change", "own.confirm_change", values)
    result = await call.lend(ctx, AskTask(call, question, call.session.current_agent.chat_ctx))
    return result if isinstance(result, Exited) else result.value
