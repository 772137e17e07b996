"""A visitor's own bookings: told, moved, cancelled, one turn at a time (B3, T8, N1, N3).

Reads them only for somebody whose identity was settled, chooses before it confirms, and never
touches a booking without a yes to its read-back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wonmu.booking.commit import Written
from wonmu.booking.draft import Digest
from wonmu.booking.result import ExitCode, Exited
from wonmu.errors import ProgrammingError
from wonmu.korean.answers import Answer, read_answer
from wonmu.korean.dates import mentions_when
from wonmu.korean.mask import mask_text
from wonmu.korean.ordinals import read_ordinal
from wonmu.korean.questions import is_question
from wonmu.lines import Value
from wonmu.visit import own_cancel
from wonmu.visit.asks import Got, Not, Question, Reading
from wonmu.visit.booking_engine import BookingEngine, BookingTurned
from wonmu.visit.booking_state import BookingState
from wonmu.visit.choosing import fitting, marked
from wonmu.visit.leaving import means_cancelling, wants_out
from wonmu.visit.lookups import Failed, Name, Stopped
from wonmu.visit.own import OwnBooking
from wonmu.visit.own_bookings import own_bookings
from wonmu.visit.own_cancel import OwnTurned
from wonmu.visit.own_state import CancelDone, Doing, Listed, OwnEnd, OwnState, Stage
from wonmu.visit.parties import person
from wonmu.visit.people import KnownWho
from wonmu.visit.proof import learned
from wonmu.visit.questions import yes_no_question
from wonmu.visit.target import said_meanwhile, where_to
from wonmu.visit.turned import Agreed, Saying, Turned
from wonmu.visit.typed import saying, typed
from wonmu.visit.visit import Visit
from wonmu.visit.wishes import FirstWish, names_care

__all__ = ["CancelDone", "Doing", "Listed", "OwnEnd", "OwnEngine", "OwnState", "Stage"]

TURN_LIMIT = 8
"""The visitor's turns at one question."""

_DIGITS = frozenset("123456789")


class OwnEngine:
    """Inquire, change, cancel. The owner has settled identity at level READ.

    Said by the engine: the list, "none", every question, results, "kept" for a stop. SYSTEM_ERROR
    is the owner's to fall back from (``own.failed_*`` for detail "bookings…" and "patient…",
    ``booking.failed_*`` for "search…" and "record", ``own.cancel_failed`` for "cancel").
    IDENTITY_INCOMPLETE: the question was not answered, or (detail "patient") the patient could not
    be found again. While ``state.booking`` is set, ``set_wish`` and ``choose`` work as in
    ``BookingEngine`` and a model gets the booking tools; otherwise it gets none.
    """

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._bookings = BookingEngine(visit)

    async def inquire(self, who: KnownWho) -> OwnTurned:
        """Tell the coming bookings."""
        return await self._read(OwnState(Doing.INQUIRE, who))

    async def change(
        self, who: KnownWho, words: str, when: str | None = None, asides: Sequence[str] = ()
    ) -> OwnTurned:
        """``words``: the visitor's wish to change, which may name the booking and where to.
        ``when``: a model's cut of it. ``asides``: said while identity was asked."""
        return await self._read(OwnState(Doing.CHANGE, who, words, when, tuple(asides)))

    async def cancel(self, who: KnownWho, words: str) -> OwnTurned:
        """``words``: the visitor's wish to cancel, which may name the booking."""
        return await self._read(OwnState(Doing.CANCEL, who, words))

    async def answer(self, state: OwnState, words: str, turn: int) -> OwnTurned | None:
        """As ``BookingEngine.answer``."""
        if state.booking is not None:
            return await self._at_booking(state, state.booking, words, turn)
        if state.key is not None:
            return Turned((), state, Agreed(state.key))
        question = self._question(state)
        if question is None:
            raise ProgrammingError("nothing was asked")
        state = replace(state, turns=state.turns + 1)
        if state.turns > TURN_LIMIT:
            return Turned((), state, Exited(ExitCode.TURN_LIMIT))
        reading = question.read(words)
        if isinstance(reading, Got):
            return await self._got(state, reading.value, words, turn)
        if (code := wants_out(words)) is not None:
            return self._left(state, code, words)
        return await self._missed(state, question, words)

    async def set_wish(self, state: OwnState, wish: FirstWish) -> OwnTurned:
        """As ``BookingEngine.set_wish``; only while ``state.booking`` is set."""
        if state.booking is None:
            raise ProgrammingError("no new time is being looked for")
        return _wrapped(state, await self._bookings.set_wish(state.booking, wish))

    async def choose(self, state: OwnState, number: int) -> OwnTurned:
        """As ``BookingEngine.choose``; only while ``state.booking`` is set."""
        if state.booking is None:
            raise ProgrammingError("no new time is being looked for")
        return _wrapped(state, await self._bookings.choose(state.booking, number))

    def heard(self, state: OwnState, digest: Digest, turn: int) -> OwnState:
        """As ``BookingEngine.heard``."""
        if state.booking is not None:
            return replace(state, booking=self._bookings.heard(state.booking, digest, turn))
        return own_cancel.heard(self._visit, state, digest, turn)

    async def question(self, state: OwnState) -> tuple[Saying, ...]:
        """The open question, to be put again."""
        if state.booking is not None:
            return await self._bookings.question(state.booking)
        if state.stage is Stage.CONFIRM:
            return (await own_cancel.read_back(self._visit, state)).say
        question = self._question(state)
        return () if question is None else (self._said(question, question.line),)

    async def commit(self, state: OwnState) -> OwnTurned:
        """As ``BookingEngine.commit``."""
        if state.booking is not None:
            return _wrapped(state, await self._bookings.commit(state.booking))
        return await own_cancel.commit(self._visit, state)

    async def resumed(self, state: OwnState) -> OwnTurned:
        """After a restart. The bookings are read anew; what was chosen stays chosen if it is still
        there. Otherwise as ``BookingEngine.resumed``."""
        if state.booking is not None:
            return _wrapped(state, await self._bookings.resumed(state.booking))
        if state.key is not None:
            return await self.commit(state)
        return await self._read(state)

    def leave(self, state: OwnState, code: ExitCode = ExitCode.CANCELLED_BY_CALLER) -> OwnTurned:
        """Stop; every booking stays as it is."""
        if state.booking is not None:
            return _wrapped(state, self._bookings.leave(state.booking, code))
        if state.key is not None:
            return Turned((), state, Agreed(state.key))
        said = (saying(self._visit.lines, "own.kept"),)
        return Turned(said if code is ExitCode.CANCELLED_BY_CALLER else (), state, Exited(code))

    def situation(self, state: OwnState) -> str:
        """As ``BookingEngine.situation``; empty while no new time is being looked for."""
        return self._bookings.situation(state.booking) if state.booking is not None else ""

    # Reading and choosing --------------------------------------------------------------------

    async def _read(self, state: OwnState) -> OwnTurned:
        visit = self._visit
        patient = await person(visit, state.who)
        if isinstance(patient, Exited):
            return Turned((), state, patient)
        found = await visit.lookups.run(
            Name.BOOKINGS, lambda emr: own_bookings(visit, emr, patient), len
        )
        match found:
            case Stopped(code=code):
                return Turned((), state, Exited(code, "while_reading"))
            case Failed(fault=fault):
                failed = Exited(ExitCode.SYSTEM_ERROR, f"bookings: {fault.value}")
                return Turned((), state, failed)
            case _:
                learned(visit, (each.start for each in found))
                return await self._with(replace(state, bookings=found))

    async def _with(self, state: OwnState) -> OwnTurned:
        lines, found = self._visit.lines, state.bookings
        if not found:
            return Turned((saying(lines, "own.none"),), state, Listed(0))
        if state.doing is Doing.INQUIRE:
            values: dict[str, Value] = {"options": self._options(state), "count": len(found)}
            return Turned((saying(lines, "own.told", values),), state, Listed(len(found)))
        if state.doing is Doing.CANCEL:
            open_ones = tuple(each for each in found if not each.cancelling)
            if not open_ones:
                known = CancelDone(Written.REQUESTED, known=True)
                return Turned((saying(lines, "own.cancel_known"),), state, known)
            state = replace(state, bookings=open_ones)
        return await self._picked(state, self._named(state))

    def _named(self, state: OwnState) -> OwnBooking | None:
        """The one that is meant, as far as it is known: chosen before, the only one, or named."""
        found, chosen = state.bookings, state.chosen
        if chosen is not None and chosen.ref in {each.ref for each in found}:
            return next(each for each in found if each.ref == chosen.ref)
        if len(found) == 1:
            return found[0]
        named = fitting(self._visit, found, state.words)
        return named[0] if len(named) == 1 else None

    async def _picked(self, state: OwnState, chosen: OwnBooking | None) -> OwnTurned:
        state = replace(state, chosen=chosen, misses=0, turns=0)
        if chosen is None:
            return self._ask(replace(state, stage=Stage.PICK))
        if state.doing is Doing.CANCEL:
            return await own_cancel.read_back(self._visit, state)
        return self._ask(replace(state, stage=Stage.SURE))

    def _ask(self, state: OwnState) -> OwnTurned:
        question = self._question(state)
        said = () if question is None else (self._said(question, question.line),)
        return Turned(said, state)

    async def _found_new_time(self, state: OwnState, chosen: OwnBooking) -> OwnTurned:
        """It is the one to be changed: from here on it is a booking that replaces it."""
        first = where_to(self._visit, state.words, state.when)
        first = said_meanwhile(self._visit, first, chosen, state.asides)
        state = replace(state, stage=Stage.BOOKING, asides=())
        return _wrapped(state, await self._bookings.open(state.who, first, replaces=chosen))

    # The visitor's answers -------------------------------------------------------------------

    async def _at_booking(
        self, state: OwnState, booking: BookingState, words: str, turn: int
    ) -> OwnTurned | None:
        turned = await self._bookings.answer(booking, words, turn)
        if turned is None:
            return None
        match turned.outcome:
            case Exited(code=ExitCode.CANCELLED_BY_CALLER) if self._cancels(state, words):
                return Turned((), state, Exited(ExitCode.OTHER_REQUEST, "cancel"))
            case _:
                return _wrapped(state, turned)

    async def _got(self, state: OwnState, value: object, words: str, turn: int) -> OwnTurned:
        match state.stage:
            case Stage.PICK if isinstance(value, OwnBooking):
                return await self._picked(state, value)
            case Stage.SURE if value is True and state.chosen is not None:
                return await self._found_new_time(state, state.chosen)
            case Stage.CONFIRM if value is True:
                return await own_cancel.agreed(self._visit, state, words, turn)
            case _:
                return self._left(state, ExitCode.CANCELLED_BY_CALLER, "")

    def _left(self, state: OwnState, code: ExitCode, words: str) -> OwnTurned:
        if code is ExitCode.CANCELLED_BY_CALLER and self._cancels(state, words):
            return Turned((), state, Exited(ExitCode.OTHER_REQUEST, "cancel"))
        return self.leave(state, code)

    def _cancels(self, state: OwnState, words: str) -> bool:
        return means_cancelling(words, cancels=state.doing is Doing.CANCEL)

    async def _missed(
        self, state: OwnState, question: Question[object], words: str
    ) -> OwnTurned | None:
        if read_answer(words).answer is Answer.REPEAT:
            return Turned(await self.question(state), state)
        if is_question(words):
            return None
        if state.stage is Stage.SURE and self._about_the_visit(words):
            # Words about where to: kept, and the question waits (S4).
            state = replace(state, asides=(*state.asides, self._masked(words)))
            kept = saying(self._visit.lines, "call.kept_aside")
            return Turned((kept, self._said(question, question.line)), state)
        state = replace(state, misses=state.misses + 1)
        if state.misses >= question.tries:
            return Turned((), state, Exited(ExitCode.IDENTITY_INCOMPLETE, question.name))
        if state.stage is Stage.CONFIRM:
            return Turned(await self.question(state), state)
        return Turned((self._said(question, question.retry),), state)

    def _about_the_visit(self, words: str) -> bool:
        now = self._visit.desk.clock.now()
        return names_care(self._visit, words) or mentions_when(words, now=now)

    def _masked(self, words: str) -> str:
        return mask_text(words, today=self._visit.desk.clock.now().date()).text

    # Questions -------------------------------------------------------------------------------

    def _question(self, state: OwnState) -> Question[object] | None:
        found: Question[OwnBooking] | Question[bool]
        match state.stage:
            case Stage.PICK:
                found = self._which(state)
            case Stage.SURE if (chosen := state.chosen) is not None:
                values: dict[str, Value] = {
                    "when": chosen.start,
                    "department": chosen.department,
                    "doctor": chosen.doctor,
                }
                found = yes_no_question("which_change", "own.confirm_change", values)
            case Stage.CONFIRM:
                found = own_cancel.readback_question()
            case _:
                return None
        return found  # type: ignore[return-value]

    def _which(self, state: OwnState) -> Question[OwnBooking]:
        bookings = state.bookings

        def read(said: str) -> Reading[OwnBooking]:
            number = int(said) if said.strip() in _DIGITS else read_ordinal(said)
            if number is not None:
                return Got(bookings[number - 1]) if 1 <= number <= len(bookings) else Not()
            found = fitting(self._visit, bookings, said)
            return Got(found[0]) if len(found) == 1 else Not()

        line = f"own.which_{state.doing.value}"
        values: dict[str, Value] = {"options": self._options(state)}
        return Question("which_booking", line, f"{line}_retry", read, values, visit=False)

    def _options(self, state: OwnState) -> str:
        return ", ".join(marked(self._visit, each) for each in state.bookings)

    def _said(self, question: Question[object], line: str) -> Saying:
        return Saying(typed(self._visit.lines, line, question.values), line)


def _wrapped(state: OwnState, turned: BookingTurned) -> OwnTurned:
    outcome: OwnEnd | None = turned.outcome
    return Turned(turned.say, replace(state, booking=turned.state), outcome)
