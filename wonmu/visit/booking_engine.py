"""Making or moving one booking, one turn at a time and without a voice (B1–B4, T8, T9, N1, N2).

Reads the visitor's turn where code can (yes, no, again, leaving, the insurance kind) and leaves the
rest to a model. A yes counts only for the read-back that this process delivered whole in the turn
just before; nothing is written without one, and nothing twice under one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from wonmu.booking.consent import AskAgain, ChangedMind, Consented, Declined, judge_consent
from wonmu.booking.draft import Consent, Digest, Draft, Minted, Refused
from wonmu.booking.result import ExitCode, Exited
from wonmu.booking.wish import ThisDoctor
from wonmu.errors import ProgrammingError
from wonmu.korean.answers import Answer, is_bare_remark, read_answer
from wonmu.korean.dates import mentions_when
from wonmu.korean.mask import mask_text
from wonmu.korean.questions import is_question
from wonmu.timeline.events import Kind
from wonmu.visit.asks import Got, Question
from wonmu.visit.booking_commit import commit
from wonmu.visit.booking_state import Asked, BookingState, Open
from wonmu.visit.booking_steps import BookingEnd, BookingSteps
from wonmu.visit.insurance import Insurance, insurance_question
from wonmu.visit.keys import key_of
from wonmu.visit.leaving import wants_out
from wonmu.visit.own import OwnBooking
from wonmu.visit.party import closed_lists
from wonmu.visit.people import Who
from wonmu.visit.turned import Agreed, Saying, Turned
from wonmu.visit.typed import saying
from wonmu.visit.visit import Visit
from wonmu.visit.wishes import FirstWish, asks_other_doctor, named, names_care, over

__all__ = ["Asked", "BookingEnd", "BookingEngine", "BookingState", "Open"]

BookingTurned = Turned[BookingState, BookingEnd]

TURN_LIMIT = 24
"""The visitor's turns in one booking; one with every change of mind fits in half of it."""

_TYPED_NUMBER = re.compile(r"\s*(?P<number>[1-9])\s*[.)번]?\s*")
"""A bare number among offers is one of them; on the phone nobody says it like that."""


class BookingEngine:
    """Insurance, wish, offers, staging, read-back, consent, commit.

    Outcomes: ``Agreed`` (save the state, then ``commit``); ``Completed`` (what came of it is in
    ``say``); ``Exited``. Said by the engine itself: "stopped" for CANCELLED_BY_CALLER, "already"
    for (NO_CANDIDATE, "duplicate"). SYSTEM_ERROR is the owner's to fall back from
    (``booking.failed_callback``, ``booking.failed_person`` with ``why``), and so is a person.
    IDENTITY_INCOMPLETE: the patient could not be found again and must be identified anew.
    Every call takes the latest state and gives the next one.
    """

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    async def open(
        self,
        who: Who,
        first: FirstWish | None = None,
        *,
        asides: Sequence[str] = (),
        insurance: str | None = None,
        replaces: OwnBooking | None = None,
    ) -> BookingTurned:
        """Begin. ``first``: what the visitor has said of the wish already. ``asides``: turns about
        the visit said while identity was asked. ``insurance``: known from an earlier booking of
        the visitor's own. ``replaces``: the booking being moved."""
        wish = first or FirstWish()
        for words in asides:
            wish = over(wish, named(self._visit, words))
        draft = Draft(who.ref, closed_lists(self._visit))
        if replaces is not None:
            draft.set_department(replaces.department_id)
            draft.set_doctor(ThisDoctor(replaces.doctor_id))
        asked = insurance is not None or replaces is not None
        state = BookingState(who, draft.state, wish, insurance, asked, replaces)
        question = self._insurance(state)
        if question is None:
            return await self.set_wish(state, wish)
        state = replace(state, open=Open.INSURANCE)
        return Turned((saying(self._visit.lines, question.line, question.values),), state)

    async def set_wish(self, state: BookingState, wish: FirstWish) -> BookingTurned:
        """Lay words for department, doctor and time, and go on. The owner has checked that they
        were really said (T4)."""
        if (busy := _busy(state)) is not None:
            return busy
        steps = self._steps(replace(state, first=FirstWish(), insurance_asked=True))
        await steps.wish(wish)
        return _done(steps)

    async def choose(self, state: BookingState, number: int) -> BookingTurned:
        """The offer of that number; asks which when there is none."""
        if (busy := _busy(state)) is not None:
            return busy
        offers = state.draft.offers
        chosen = [o for o in offers.offers if o.number == number] if offers is not None else []
        if not chosen:
            return Turned((saying(self._visit.lines, "booking.which_offer"),), state)
        steps = self._steps(state)
        await steps.stage(chosen[0].slot)
        return _done(steps)

    async def answer(self, state: BookingState, words: str, turn: int) -> BookingTurned | None:
        """Code's reading of the visitor's turn number ``turn`` (1, 2, …, never used twice in a
        visit): yes, no, repeat, leaving, the insurance kind. None: a model must read it, offered
        set_wish, choose_time and leave_booking; after a side answer in words the owner puts
        ``question(state)`` behind them."""
        if (busy := _busy(state)) is not None:
            return busy
        state = replace(state, turns=state.turns + 1)
        if state.turns > TURN_LIMIT:
            return Turned((), state, Exited(ExitCode.TURN_LIMIT))
        insurance = self._insurance(state)
        if insurance is not None:
            return await self._kind(state, insurance, words)
        if (code := wants_out(words)) is not None:
            return self.leave(state, code)
        if state.draft.staged is not None:
            return await self._at_readback(state, words, turn)
        return await self._at_question(state, words)

    def heard(self, state: BookingState, digest: Digest, turn: int) -> BookingState:
        """The read-back was delivered whole, as the answer to the visitor's turn ``turn``. Writes
        booking.readback. Only a yes in turn ``turn + 1`` is a consent to it (N1)."""
        memory = self._visit.memory
        steps, text = self._steps(state), memory.composed.get(digest)
        # What this process has not read itself is read before it can be agreed to.
        if text is None or digest not in memory.staged:
            return state
        if isinstance(steps.draft.readback_started(digest, text, turn), Refused):
            return state
        steps.draft.readback_heard(digest)
        data = {"digest": digest, "text": text, "turn": turn}
        self._visit.recorder.write(Kind.BOOKING_READBACK, data)
        steps.keep()
        return steps.state

    async def question(self, state: BookingState) -> tuple[Saying, ...]:
        """The open question, to be put again; the whole read-back where one is open. Nothing is
        read for it but a patient's name after a restart."""
        insurance = self._insurance(state)
        if insurance is not None:
            return (saying(self._visit.lines, insurance.line, insurance.values),)
        steps = self._steps(state)
        if state.draft.staged is not None:
            await steps.read_back()
        elif state.question is not None:
            asked = state.question
            steps.say.append(saying(self._visit.lines, asked.line, asked.values))
        return tuple(steps.say)

    async def commit(self, state: BookingState) -> BookingTurned:
        """Write what was agreed to, under the key in the state. Again with the same state: the
        same outcome, nothing written twice."""
        steps = self._steps(state)
        await commit(steps)
        return _done(steps)

    async def resumed(self, state: BookingState) -> BookingTurned:
        """After a restart: the open question again; what was staged is read and read back anew;
        a write that had reached the inbox is told, one that had not needs a new yes."""
        if state.draft.minted is not None:
            return await self.commit(state)
        if state.open is Open.INSURANCE:
            return Turned(await self.question(state), state)
        steps = self._steps(state)
        steps.forget_agreement()
        await steps.ask_again()
        return _done(steps)

    def leave(
        self, state: BookingState, code: ExitCode = ExitCode.CANCELLED_BY_CALLER
    ) -> BookingTurned:
        """Stop; nothing is booked."""
        if (busy := _busy(state)) is not None:
            return busy
        stopped = "booking.stopped" if state.replaces is None else "own.kept"
        said = (saying(self._visit.lines, stopped),)
        return Turned(said if code is ExitCode.CANCELLED_BY_CALLER else (), state, Exited(code))

    def situation(self, state: BookingState) -> str:
        """The state of the work in words, for a model (prompt ``booking_situation``)."""
        steps = self._steps(state)
        return steps.words.situation(steps.draft, state.open.value)

    def _steps(self, state: BookingState) -> BookingSteps:
        return BookingSteps(self._visit, state)

    # Insurance -------------------------------------------------------------------------------

    def _insurance(self, state: BookingState) -> Question[Insurance] | None:
        return None if state.insurance_asked else insurance_question(self._visit)

    async def _kind(
        self, state: BookingState, question: Question[Insurance], words: str
    ) -> BookingTurned | None:
        """The insurance kind, a skip, or the visit itself; what cannot be used is a skip (D5)."""
        reading = question.read(words)
        if isinstance(reading, Got):
            kind = reading.value.kind
            first = state.first
            if reading.value.went_on:
                first = over(first, named(self._visit, words))
            state = replace(state, insurance=kind.name if kind is not None else None)
            return await self.set_wish(state, first)
        if (code := wants_out(words)) is not None:
            return self.leave(state, code)
        if read_answer(words).answer is Answer.REPEAT:
            return Turned(await self.question(state), state)
        if is_question(words):
            return None
        state = replace(state, misses=state.misses + 1)
        if state.misses >= question.tries:
            return await self.set_wish(state, state.first)
        return Turned((saying(self._visit.lines, question.retry, question.values),), state)

    # The visitor's answers -------------------------------------------------------------------

    async def _at_readback(
        self, state: BookingState, words: str, turn: int
    ) -> BookingTurned | None:
        steps, reading = self._steps(state), read_answer(words)
        if reading.answer is Answer.NONE and self._speaks_of_something(words):
            return await self._conditions(state, words)
        readback = steps.draft.state.readback
        judged = judge_consent(
            reading.answer,
            reading.rest,
            is_bare_remark(words),
            heard=readback is not None and readback.heard,
            # A side answer is always followed by the whole read-back in the same turn.
            side_answer_between=False,
        )
        match judged:
            case Consented():
                return await self._consent(steps, words, turn)
            case AskAgain():
                return await self._again(state)
            case Declined():
                return self._what_else(state)
            case ChangedMind():
                return await self._conditions(state, words)

    async def _consent(self, steps: BookingSteps, words: str, turn: int) -> BookingTurned:
        staged = steps.draft.state.staged
        if staged is None:
            raise ProgrammingError("a consent without a candidate")
        masked = mask_text(words, today=self._visit.desk.clock.now().date()).text
        given = steps.draft.consent(staged.digest, masked, turn - 1)
        if not isinstance(given, Consent):
            await steps.ask_again()
            return _done(steps)
        data = {"digest": given.digest, "words": given.words, "turn": turn}
        self._visit.recorder.write(Kind.BOOKING_CONSENT, data)
        act = "booking" if steps.state.replaces is None else "change"
        key = key_of(act, self._visit.recorder.call_id, given.digest, turn)
        minted = steps.draft.mint(given.digest, key)
        if not isinstance(minted, Minted):
            raise ProgrammingError("a consent that no key can be made for")
        steps.end = Agreed(minted.key)
        return _done(steps)

    async def _at_question(self, state: BookingState, words: str) -> BookingTurned | None:
        reading = read_answer(words)
        choosing = state.open is Open.CHOOSE
        if choosing and (number := _TYPED_NUMBER.fullmatch(words)) is not None:
            return await self.choose(state, int(number["number"]))
        if reading.answer is Answer.REPEAT:
            return await self._again(state)
        if reading.answer is Answer.YES and not reading.rest:
            return await self._plain_yes(state)
        if reading.answer is Answer.NO and not reading.rest and choosing:
            return self._what_else(state)
        return await self._conditions(state, words)

    async def _plain_yes(self, state: BookingState) -> BookingTurned:
        offers, asked = state.draft.offers, state.question
        if state.open is Open.RETRY:
            steps = self._steps(state)
            await steps.search()
            return _done(steps)
        if state.open is Open.CHOOSE and offers is not None:
            if len(offers.offers) == 1:
                return await self.choose(state, offers.offers[0].number)
            return Turned((saying(self._visit.lines, "booking.which_offer"),), state)
        if asked is not None and asked.line == "booking.none":
            # A yes to "another day or doctor?" says neither; the same words would ask the same.
            return self._what_else(state)
        return await self._again(state)

    async def _again(self, state: BookingState) -> BookingTurned:
        steps = self._steps(state)
        await steps.ask_again()
        return _done(steps)

    def _what_else(self, state: BookingState) -> BookingTurned:
        steps = self._steps(state)
        steps.ask(Open.WHEN, "booking.what_else")
        return _done(steps)

    async def _conditions(self, state: BookingState, words: str) -> BookingTurned | None:
        """The turn is about conditions: a model reads them, but for what models drop."""
        if not asks_other_doctor(words):
            return None
        when = words if mentions_when(words, now=self._visit.desk.clock.now()) else None
        return await self.set_wish(state, FirstWish(doctor=words, when=when))

    def _speaks_of_something(self, words: str) -> bool:
        """Whether the words are about a condition or a question, not an answer."""
        now = self._visit.desk.clock.now()
        return is_question(words) or mentions_when(words, now=now) or names_care(self._visit, words)


def _busy(state: BookingState) -> BookingTurned | None:
    """While a write is agreed and not done, nothing can be changed or left: it comes first."""
    minted, committed = state.draft.minted, state.draft.committed
    if minted is None or committed is not None or not minted.writing:
        return None
    return Turned((), state, Agreed(minted.key))


def _done(steps: BookingSteps) -> BookingTurned:
    steps.keep()
    return Turned(tuple(steps.say), steps.state, steps.end)
