"""Bookings in a step of the text desk: the doors, the engines, and what follows from how they end.

The engines ask, search, read back and write (B1–B4, N1, N2); here their words are handed on, their
states are kept in the checkpoint, and each exit is followed. A consent that an engine took is
stored before it is carried out. Nothing is decided about times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wonmu.booking.draft import Digest
from wonmu.booking.result import Completed, ExitCode, Exited
from wonmu.identity.facts import Level
from wonmu.policy.evidence import really_said
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.verdict import Action
from wonmu.text.falling import fall_back, why_failed
from wonmu.text.identity import require
from wonmu.text.moves import Ask, Move, Speak, Use
from wonmu.text.notes import leave_failure
from wonmu.text.said import Said
from wonmu.text.state import Known
from wonmu.text.turn import Done, Turn
from wonmu.timeline.events import Status
from wonmu.visit.booking_engine import BookingEngine, BookingState
from wonmu.visit.own_engine import CancelDone, Listed, OwnEngine, OwnState
from wonmu.visit.people import KnownWho
from wonmu.visit.turned import Agreed, Turned
from wonmu.visit.wishes import FirstWish, named

CONFIRM = "confirm_booking"
"""The tool that only code calls, after a yes."""

NEEDS_IDENTITY = Done(Status.EXITED, {"error": "identity_needed"}, "identity")
_NEW, _OWN = "new", "own"

AnyTurned = Turned[BookingState, Any] | Turned[OwnState, Any]


@dataclass(frozen=True, slots=True)
class Open:
    """The piece of work in the checkpoint, ready to be asked."""

    kind: str
    state: BookingState | OwnState

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Open:
        if found["kind"] == _NEW:
            return cls(_NEW, BookingState.from_json(found["state"]))
        return cls(_OWN, OwnState.from_json(found["state"]))

    @property
    def finds_a_time(self) -> bool:
        """Whether a model is offered the booking tools."""
        return isinstance(self.state, BookingState) or self.state.booking is not None


def opened(turn: Turn) -> Open | None:
    """What is open and not laid aside."""
    found = turn.memory.booking
    return Open.of(found) if found is not None and not found.get("aside") else None


# The doors ---------------------------------------------------------------------------------


async def create(
    turn: Turn, words: str, first: FirstWish, relation: str | None, given: Mapping[str, object]
) -> Done:
    """A new booking, or the one that was laid aside."""
    who = await _who(turn, Level.CREATE, relation, Use("create_booking", given))
    if who is None:
        return NEEDS_IDENTITY
    engine = BookingEngine(turn.talk.visit)
    said = FirstWish(
        _still_said(turn, first.department),
        _still_said(turn, first.doctor),
        _still_said(turn, first.when),
    )
    if said == FirstWish():
        # A model that calls the right tool with empty hands must not make anybody say it again.
        said = named(turn.talk.visit, turn.text)
    aside = turn.memory.booking
    if aside is not None and aside["kind"] == _NEW and relation == aside.get("relation"):
        state = BookingState.from_json(aside["state"])
        if said == FirstWish():
            turned = await engine.resumed(state)
        else:
            turned = await engine.set_wish(state, said)
    else:
        turned = await engine.open(who.who, said, asides=_asides(turn))
    return await _ended(turn, _NEW, turned, relation)


async def inquire(turn: Turn, words: str, relation: str | None) -> Done:
    """The bookings that lie ahead."""
    who = await _known(turn, relation, Use("inquire_booking", {"caller_words": words}))
    if who is None:
        return NEEDS_IDENTITY
    return await _ended(turn, _OWN, await OwnEngine(turn.talk.visit).inquire(who), relation)


async def change(turn: Turn, words: str, when: str | None, relation: str | None) -> Done:
    """Another time for one of them."""
    use = Use("change_booking", {"caller_words": words, "when": when})
    who = await _known(turn, relation, use)
    if who is None:
        return NEEDS_IDENTITY
    engine = OwnEngine(turn.talk.visit)
    turned = await engine.change(who, words, _still_said(turn, when), _asides(turn))
    return await _ended(turn, _OWN, turned, relation)


async def cancel(turn: Turn, words: str, relation: str | None) -> Done:
    """One of them less."""
    who = await _known(turn, relation, Use("cancel_booking", {"caller_words": words}))
    if who is None:
        return NEEDS_IDENTITY
    return await _ended(turn, _OWN, await OwnEngine(turn.talk.visit).cancel(who, words), relation)


async def _who(turn: Turn, level: Level, relation: str | None, after: Use) -> Known | None:
    return await require(turn, level, relation, after)


async def _known(turn: Turn, relation: str | None, after: Use) -> KnownWho | None:
    known = await require(turn, Level.READ, relation, after)
    return known.who if known is not None and isinstance(known.who, KnownWho) else None


def _still_said(turn: Turn, words: str | None) -> str | None:
    """Words for a part of the wish, if the visitor said them since the last work ended (T4)."""
    said = turn.talk.heard[turn.talk.evidence_from :]
    return words if words and really_said(words, said) else None


def _asides(turn: Turn) -> tuple[str, ...]:
    asides, turn.talk.asides = turn.talk.asides, ()
    return asides


# While one is open -------------------------------------------------------------------------


async def answer(turn: Turn) -> Move | None:
    """Code's reading of the visitor's words against what is open; None: a model reads them."""
    now = opened(turn)
    if now is None:
        return None
    turned = await _answered(turn, now)
    if turned is None:
        return Ask() if now.finds_a_time else Ask("none")
    return await _moved(turn, now.kind, turned, _relation(turn))


async def _answered(turn: Turn, now: Open) -> AnyTurned | None:
    talk = turn.talk
    if isinstance(now.state, BookingState):
        return await BookingEngine(talk.visit).answer(now.state, talk.raw, talk.turn)
    return await OwnEngine(talk.visit).answer(now.state, talk.raw, talk.turn)


async def question(turn: Turn) -> list[Said]:
    """What is open, to be put again."""
    now = opened(turn)
    if now is None:
        return []
    if isinstance(now.state, BookingState):
        sayings = await BookingEngine(turn.talk.visit).question(now.state)
    else:
        sayings = await OwnEngine(turn.talk.visit).question(now.state)
    return [_said(each) for each in sayings]


def situation(turn: Turn) -> str:
    """The state of the work in words, for a model."""
    now = opened(turn)
    if now is None:
        return ""
    if isinstance(now.state, BookingState):
        return BookingEngine(turn.talk.visit).situation(now.state)
    return OwnEngine(turn.talk.visit).situation(now.state)


async def set_wish(turn: Turn, wish: FirstWish) -> Done:
    """Lay the visitor's words for department, doctor and time."""
    now = opened(turn)
    if now is None:
        return _nothing_open(turn)
    if isinstance(now.state, BookingState):
        turned: AnyTurned = await BookingEngine(turn.talk.visit).set_wish(now.state, wish)
    else:
        turned = await OwnEngine(turn.talk.visit).set_wish(now.state, wish)
    return await _ended(turn, now.kind, turned, _relation(turn))


async def choose(turn: Turn, number: int) -> Done:
    """The offer of that number."""
    now = opened(turn)
    if now is None:
        return _nothing_open(turn)
    if isinstance(now.state, BookingState):
        turned: AnyTurned = await BookingEngine(turn.talk.visit).choose(now.state, number)
    else:
        turned = await OwnEngine(turn.talk.visit).choose(now.state, number)
    return await _ended(turn, now.kind, turned, _relation(turn))


async def leave(turn: Turn, code: ExitCode) -> Done:
    """A model read a wish to leave; a person needs the visitor's own word for it."""
    now = opened(turn)
    if now is None:
        return _nothing_open(turn)
    if code is ExitCode.STAFF_CONNECTION and read_intent(turn.text) is not Intent.PERSON:
        code = ExitCode.OTHER_REQUEST
    if isinstance(now.state, BookingState):
        turned: AnyTurned = BookingEngine(turn.talk.visit).leave(now.state, code)
    else:
        turned = OwnEngine(turn.talk.visit).leave(now.state, code)
    return await _ended(turn, now.kind, turned, _relation(turn))


async def confirm(turn: Turn) -> Done:
    """Write what was agreed to. Only code calls this, with the agreement in the checkpoint."""
    now = opened(turn)
    if now is None:
        return _nothing_open(turn)
    if isinstance(now.state, BookingState):
        turned: AnyTurned = await BookingEngine(turn.talk.visit).commit(now.state)
    else:
        turned = await OwnEngine(turn.talk.visit).commit(now.state)
    return await _ended(turn, now.kind, turned, _relation(turn))


def heard(turn: Turn, digest: str) -> None:
    """A read-back was said whole: from now on a yes can be one to it."""
    now = opened(turn)
    if now is None or turn.memory.booking is None:
        return
    talk = turn.talk
    state: BookingState | OwnState
    if isinstance(now.state, BookingState):
        state = BookingEngine(talk.visit).heard(now.state, Digest(digest), talk.turn)
    else:
        state = OwnEngine(talk.visit).heard(now.state, Digest(digest), talk.turn)
    turn.memory.booking = {**turn.memory.booking, "state": state.to_json()}


async def resumed(turn: Turn) -> list[Said]:
    """The words with which an open piece of work goes on in another visit."""
    now = opened(turn)
    if now is None:
        return []
    if isinstance(now.state, BookingState):
        turned: AnyTurned = await BookingEngine(turn.talk.visit).resumed(now.state)
    else:
        turned = await OwnEngine(turn.talk.visit).resumed(now.state)
    move = await _moved(turn, now.kind, turned, _relation(turn))
    return list(move.said) if isinstance(move, Speak) else []


def lay_aside(turn: Turn) -> None:
    """What is open waits until it is asked for again (S7)."""
    if turn.memory.booking is not None:
        turn.memory.booking = {**turn.memory.booking, "aside": True}


def agreed(turn: Turn) -> bool:
    """Whether a consent is waiting to be carried out."""
    return bool(turn.memory.booking and turn.memory.booking.get("agreed"))


# How it went on ----------------------------------------------------------------------------


def _said(saying: Any) -> Said:
    return Said(saying.text, saying.line, readback=saying.readback)


def _relation(turn: Turn) -> str | None:
    found = turn.memory.booking
    return found.get("relation") if found is not None else None


def _nothing_open(turn: Turn) -> Done:
    turn.leave("call.say_again")
    return Done(Status.EXITED, {"refused": "no_open_booking"})


def _keep(turn: Turn, kind: str, turned: AnyTurned, relation: str | None, **more: bool) -> None:
    state = turned.state.to_json()
    turn.memory.booking = {"kind": kind, "state": state, "relation": relation, **more}


async def _ended(turn: Turn, kind: str, turned: AnyTurned, relation: str | None) -> Done:
    """The same for a tool: what is to be said is left, and what a model may see comes back."""
    move = await _moved(turn, kind, turned, relation)
    if isinstance(move, Ask):
        # Left for another matter, the last words still count.
        turn.talk.evidence_from = len(turn.talk.heard) - 1
    elif turned.outcome is not None and not isinstance(turned.outcome, Agreed):
        turn.talk.used_up = True
    match move:
        case Speak(said):
            turn.leave_said(*said)
        case Use(tool):
            turn.memory.then = tool
        case Ask():
            pass
    match turned.outcome:
        case None:
            return Done(Status.SUCCESS, {"booking": "open"})
        case Completed():
            return Done(Status.SUCCESS, {"booking": "taken"})
        case CancelDone():
            return Done(Status.SUCCESS, {"booking": "cancel_taken"})
        case Listed(count=count):
            return Done(Status.SUCCESS, {"bookings": count})
        case Agreed():
            return Done(Status.SUCCESS, {"booking": "agreed"})
        case Exited(code=ExitCode.SYSTEM_ERROR):
            return Done(Status.ERROR, {"error": "system_error"}, "system_error")
        case Exited(code=code):
            return Done(Status.EXITED, {"booking": "left", "reason": code.value}, code.value)
        case _:
            return Done(Status.EXITED, {"booking": "left"})


async def _moved(turn: Turn, kind: str, turned: AnyTurned, relation: str | None) -> Move:
    said = tuple(map(_said, turned.say))
    match turned.outcome:
        case None:
            _keep(turn, kind, turned, relation)
            return Speak(said)
        case Agreed():
            _keep(turn, kind, turned, relation, agreed=True)
            return Use(CONFIRM)
        case Exited(code=code, detail=detail):
            return await _left(turn, kind, turned, relation, code, detail or "", said)
        case Completed() | CancelDone():
            turn.memory.booking = None
            turn.talk.state.written = said[-1] if said else None
            return Speak(said)
        case _:
            turn.memory.booking = None
            return Speak(said)


async def _left(
    turn: Turn,
    kind: str,
    turned: AnyTurned,
    relation: str | None,
    code: ExitCode,
    detail: str,
    said: tuple[Said, ...],
) -> Move:
    """Take the path of the exit code (T10, S7)."""
    words = {"caller_words": turn.text}
    turn.memory.booking = None
    match code:
        case ExitCode.STAFF_CONNECTION:
            return Use("to_person", words)
        case ExitCode.END_CALL:
            return Use("end_conversation", words)
        case ExitCode.OTHER_REQUEST:
            if kind == _NEW:
                _keep(turn, kind, turned, relation, aside=True)
            return Ask()
        case ExitCode.CANCELLED_BY_CALLER:
            return Speak(said) if said else Ask()
        case ExitCode.SYSTEM_ERROR:
            return Speak((*said, *await _failed(turn, kind, detail)))
        case ExitCode.NO_CANDIDATE if said:
            return Speak(said)
        case _:
            offer = turn.talk.offer("booking.cannot_go_on", Action.CONNECT_PERSON)
            return Speak((*said, offer))


async def _failed(turn: Turn, kind: str, detail: str) -> list[Said]:
    """The record system or the inbox failed: why, and the hospital's other path (T11)."""
    if detail == "cancel":
        return await leave_failure(turn, "예약 취소 요청 기록 실패", "own.cancel_failed")
    if detail == "bookings":
        return await fall_back(turn, "own.failed", "예약 조회 실패")
    wish = turn.talk.heard[-1] if turn.talk.heard else "-"
    note = turn.talk.lines.say("desk.note_failed", why=why_failed(turn), wish=wish)
    return await fall_back(turn, "booking.failed", note)
