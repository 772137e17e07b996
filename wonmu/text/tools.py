"""The tools of the text desk: what each is handed, its gate, and what it does (T2–T9, H2).

Each has the gate in its first line where it acts, and evidence of the visitor's own words where it
only leads on. What it answers is JSON for a model; what is said of it is left by code. Nothing here
knows LangGraph; ``toolbox`` hands these to it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from wonmu.booking.result import ExitCode
from wonmu.desk.billing.port import ReceiptKind
from wonmu.korean.relations import relation_in
from wonmu.policy.evidence import really_said
from wonmu.policy.terminal import TerminalReason
from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson
from wonmu.text import billing, billing_writes, booking, people_step, specialists
from wonmu.text.confirm import CARRY_OUT
from wonmu.text.gates import explain, verdict_on
from wonmu.text.said import Said
from wonmu.text.state import Step
from wonmu.text.steps import ASK, END, TO
from wonmu.text.turn import Done, Turn
from wonmu.timeline.events import Kind, Status
from wonmu.visit.arguments import (
    Arguments,
    AskSpecialist,
    ChangeBooking,
    ChooseTime,
    CreateBooking,
    FeeWords,
    LeaveBooking,
    Nothing,
    ReceiptWords,
    SetWish,
    WithNumber,
    Words,
)
from wonmu.visit.wishes import FirstWish, named

A = TypeVar("A", bound=Arguments)
W = TypeVar("W", bound=Words)
Run = Callable[[Turn, A], Awaitable[Done]]


@dataclass(frozen=True, slots=True)
class TextTool:
    """One tool. ``prompt``: name of its description; "" for those that only code calls."""

    name: str
    prompt: str
    arguments: type[Arguments]
    run: Callable[[Turn, Any], Awaitable[Done]]

    @property
    def only_code(self) -> bool:
        return not self.prompt


def _relation(turn: Turn) -> str | None:
    """Whose matter it is comes from the visitor's words, not from a model's argument."""
    return relation_in(" ".join(turn.talk.heard[turn.talk.evidence_from :]))


def _gated(name: str, action: Action, run: Run[W]) -> Run[W]:
    """The gate first; in the other two modes nothing behind it is touched (T7, N10)."""

    async def gated(turn: Turn, given: W) -> Done:
        verdict = verdict_on(turn.talk, name, action, given.caller_words)
        match verdict:
            case Allow():
                return await run(turn, given)
            case ByPerson():
                return await people_step.by_person(turn, given.caller_words)
            case ByMemo():
                return await people_step.by_memo(turn, given.caller_words)
            case _:
                explain(turn, action, verdict)
                return Done(Status.EXITED, {"refused": type(verdict).__name__})

    return gated


# Steps -------------------------------------------------------------------------------------


def _leads_to(step: Step) -> Run[Words]:
    async def run(turn: Turn, given: Words) -> Done:
        turn.memory.hops += 1
        if turn.memory.hops > turn.talk.text_desk.rules.hops:
            turn.leave("text.too_many")
            return Done(Status.EXITED, {"refused": "too_many_steps"})
        if not _said(turn, given.caller_words):
            return Done(Status.EXITED, {"refused": "not_said"})
        turn.go(step)
        return Done(Status.SUCCESS, {"step": step.value})

    return run


def _said(turn: Turn, words: str) -> bool:
    """Whether these words were really said in this visit (T4); a bare yes counts for an answer."""
    if really_said(words, turn.talk.heard, bare_yes_counts=True):
        return True
    turn.leave("call.say_again")
    return False


async def _to_person(turn: Turn, given: Words) -> Done:
    return await people_step.by_person(turn, given.caller_words)


async def _leave_note(turn: Turn, given: Words) -> Done:
    if not _said(turn, given.caller_words):
        return Done(Status.EXITED, {"refused": "not_said"})
    return await people_step.leave_note(turn, given.caller_words)


async def _end(turn: Turn, given: Words) -> Done:
    talk = turn.talk
    if talk.state.latch.close(TerminalReason.CALL_ENDING):
        talk.recorder.write(Kind.TERMINAL_LATCHED, {"reason": TerminalReason.CALL_ENDING.value})
        talk.end_reason = END
    text = talk.lines.say("text.goodbye", hospital=talk.desk.hospital.name)
    turn.leave_said(Said(text, "text.goodbye", final=True))
    return Done(Status.SUCCESS, {"conversation": "ended"})


# Bills -------------------------------------------------------------------------------------


async def _lookup_invoice(turn: Turn, given: Words) -> Done:
    return await billing.lookup_invoice(turn, given.caller_words, _relation(turn))


async def _refund_status(turn: Turn, given: Words) -> Done:
    return await billing.refund_status(turn, given.caller_words, _relation(turn))


async def _request_refund(turn: Turn, given: WithNumber) -> Done:
    return await billing.request_refund(turn, given.caller_words, given.number, _relation(turn))


async def _receipt_request(turn: Turn, given: ReceiptWords) -> Done:
    kind = ReceiptKind(given.kind)
    return await billing.request_receipt(
        turn, given.caller_words, kind, given.number, _relation(turn)
    )


async def _certificate_fee(turn: Turn, given: FeeWords) -> Done:
    return await billing.certificate_fee(turn, given.name)


async def _ask_specialist(turn: Turn, given: AskSpecialist) -> Done:
    turn.memory.hops += 1
    if turn.memory.hops > turn.talk.text_desk.rules.hops:
        turn.leave("text.too_many")
        return Done(Status.EXITED, {"refused": "asked_already"})
    names = tuple(given.specialists)
    return await specialists.consult(turn, names, given.caller_words, _relation(turn))


async def _carry_out(turn: Turn, given: Nothing) -> Done:
    return await billing_writes.carry_out_request(turn)


# Bookings ----------------------------------------------------------------------------------


async def _create_booking(turn: Turn, given: CreateBooking) -> Done:
    first = FirstWish(given.department, given.doctor, given.when)
    arguments = given.model_dump()
    return await booking.create(turn, given.caller_words, first, _relation(turn), arguments)


async def _inquire_booking(turn: Turn, given: Words) -> Done:
    return await booking.inquire(turn, given.caller_words, _relation(turn))


async def _change_booking(turn: Turn, given: ChangeBooking) -> Done:
    return await booking.change(turn, given.caller_words, given.when, _relation(turn))


async def _cancel_booking(turn: Turn, given: Words) -> Done:
    return await booking.cancel(turn, given.caller_words, _relation(turn))


async def _set_wish(turn: Turn, given: SetWish) -> Done:
    if not _said(turn, given.caller_words):
        return Done(Status.EXITED, {"refused": "not_said"})
    parts = FirstWish(
        _part(turn, given.department),
        _part(turn, given.doctor, closed=("상관없음",)),
        _whole_turn(turn, _part(turn, given.when)),
    )
    if parts == FirstWish():
        parts = named(turn.talk.visit, turn.text)
    return await booking.set_wish(turn, parts)


def _part(turn: Turn, words: str | None, closed: tuple[str, ...] = ()) -> str | None:
    """A part of the wish, only if the visitor really said it (T4, T9)."""
    if words is None or words in closed:
        return words
    return words if really_said(words, turn.talk.heard, bare_yes_counts=True) else None


def _whole_turn(turn: Turn, words: str | None) -> str | None:
    """The whole last turn when the time words are cut from it: a model's cut loses what the
    reader of dates needs ("그 다음 주", "3시 말고 4시")."""
    if words is None or not really_said(words, [turn.text]):
        return words
    return turn.text


async def _choose_time(turn: Turn, given: ChooseTime) -> Done:
    if not _said(turn, given.caller_words):
        return Done(Status.EXITED, {"refused": "not_said"})
    return await booking.choose(turn, given.number)


async def _leave_booking(turn: Turn, given: LeaveBooking) -> Done:
    if not _said(turn, given.caller_words):
        return Done(Status.EXITED, {"refused": "not_said"})
    done = await booking.leave(turn, ExitCode(given.reason))
    if turn.memory.step is Step.BOOKING and not turn.memory.pending and not turn.memory.then:
        turn.memory.hops += 1
        turn.go(Step.TRIAGE)
    return done


async def _confirm_booking(turn: Turn, given: Nothing) -> Done:
    return await booking.confirm(turn)


def _all() -> tuple[TextTool, ...]:
    steps = tuple(
        TextTool(name, f"text_tool_{name}", Words, _leads_to(step))
        for step, name in TO.items()
        if step is not Step.PERSON
    )
    to_person = _gated(TO[Step.PERSON], Action.CONNECT_PERSON, _to_person)
    ask = Action.BILLING_ASK
    return (
        *steps,
        TextTool(TO[Step.PERSON], "text_tool_to_person", Words, to_person),
        TextTool(END, "text_tool_end_conversation", Words, _gated(END, Action.END_CALL, _end)),
        TextTool("leave_note", "text_tool_leave_note", Words, _leave_note),
        _own("lookup_invoice", ask, Words, _lookup_invoice),
        _own("refund_status", ask, Words, _refund_status),
        _own("request_refund", Action.REFUND_REQUEST, WithNumber, _request_refund),
        _own("receipt_request", Action.RECEIPT_REQUEST, ReceiptWords, _receipt_request),
        _own("certificate_fee", ask, FeeWords, _certificate_fee),
        _own(ASK, ask, AskSpecialist, _ask_specialist),
        _own("create_booking", Action.BOOKING_CREATE, CreateBooking, _create_booking),
        _own("inquire_booking", Action.BOOKING_INQUIRE, Words, _inquire_booking),
        _own("change_booking", Action.BOOKING_CHANGE, ChangeBooking, _change_booking),
        _own("cancel_booking", Action.BOOKING_CANCEL, Words, _cancel_booking),
        TextTool("set_wish", "tool_set_wish", SetWish, _set_wish),
        TextTool("choose_time", "tool_choose_time", ChooseTime, _choose_time),
        TextTool("leave_booking", "tool_leave_booking", LeaveBooking, _leave_booking),
        TextTool(booking.CONFIRM, "", Nothing, _confirm_booking),
        TextTool(CARRY_OUT, "", Nothing, _carry_out),
    )


def _own(name: str, action: Action, arguments: type[W], run: Run[W]) -> TextTool:
    return TextTool(name, f"tool_{name}", arguments, _gated(name, action, run))


TOOLS: Mapping[str, TextTool] = {tool.name: tool for tool in _all()}
"""Every tool by its name."""
