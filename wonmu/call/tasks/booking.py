"""The booking task: department, doctor, time and the final yes, in one (S8, B1).

Code asks, searches, offers, stages and reads back; a model only turns the caller's words into
``set_wish``, ``choose_time`` or ``leave_booking``, and answers side questions. The yes is read by
code, against the read-back that was heard to its end. Nothing here hangs up or transfers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import llm

from wonmu.booking.consent import (
    AskAgain,
    ChangedMind,
    Consented,
    Declined,
    judge_consent,
)
from wonmu.booking.draft import Consent
from wonmu.booking.result import Completed, Exited
from wonmu.call.meanwhile import answer_meanwhile, asks_if_there
from wonmu.call.moves import AskModel, Move, SayText, UseTool
from wonmu.call.tasks.base import DeskTask
from wonmu.call.tasks.booking_tools import booking_tools
from wonmu.call.tasks.booking_work import BookingWork, Open
from wonmu.korean.answers import Answer, is_bare_remark, read_answer
from wonmu.korean.dates import mentions_when
from wonmu.korean.questions import is_question
from wonmu.timeline.events import Kind
from wonmu.visit.bookings import OpenBooking
from wonmu.visit.wishes import FirstWish, asks_other_doctor

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn


class BookingTask(DeskTask[Completed]):
    """One booking for one party."""

    name = "booking"
    hidden_tools = frozenset({"confirm_booking", "search_again"})

    def __init__(
        self,
        call: Call,
        context: llm.ChatContext,
        opened: OpenBooking,
        first: FirstWish,
        *,
        went_on: bool = False,
    ) -> None:
        self.work = BookingWork(call, self, opened)
        self.lists = opened.lists
        self._first = first
        self._went_on = went_on
        prompt = call.lines.prompt(
            "booking",
            hospital=call.desk.hospital.name,
            facts=call.published.facts.text,
        )
        super().__init__(
            call, instructions=prompt, context=context, tools=booking_tools(call, self.work)
        )

    async def begin(self) -> None:
        if self._went_on:
            # The caller's last words were already about the visit: answer them, do not ask anew.
            self.call.answer_again()
        else:
            await self.work.wish(self._first)

    def situation(self) -> str:
        return self.work.situation()

    # Turns -----------------------------------------------------------------------------------

    def decide(self, turn: CallerTurn) -> Move:
        if self.work.writing:
            return answer_meanwhile(self.call, turn)
        return super().decide(turn)

    def finish(self, result: Completed | Exited) -> None:
        super().finish(result)
        self.work.stop_looking()

    def take(self, turn: CallerTurn) -> Move:
        if self.work.looking:
            return self._while_looking(turn)
        if asks_if_there(turn.text):
            return self._again()
        state = self.work.draft.state
        if state.staged is not None:
            return self._at_readback(turn)
        reading = read_answer(turn.text)
        if reading.answer is Answer.REPEAT:
            return self._again()
        if reading.answer is Answer.YES and not reading.rest:
            return self._plain_yes(turn)
        if reading.answer is Answer.NO and not reading.rest and self.work.open is Open.CHOOSE:
            return self._line("booking.what_else", Open.WHEN)
        return self._conditions(turn)

    def _while_looking(self, turn: CallerTurn) -> Move:
        """A question is answered; a new wish ends the search and begins another."""
        if mentions_when(turn.text, now=self.call.desk.clock.now()) or self.call.names_care(
            turn.text
        ):
            return self._conditions(turn)
        return answer_meanwhile(self.call, turn)

    def _at_readback(self, turn: CallerTurn) -> Move:
        readback = self.work.draft.state.readback
        reading = read_answer(turn.text)
        if reading.answer is Answer.NONE and self._speaks_of_something(turn):
            return self._conditions(turn)
        judged = judge_consent(
            reading.answer,
            reading.rest,
            is_bare_remark(turn.text),
            heard=readback is not None and readback.heard,
            # A side answer is always followed by the whole read-back in the same breath.
            side_answer_between=False,
        )
        match judged:
            case Consented():
                return self._consent(turn)
            case AskAgain():
                return self.work.readback_move()
            case Declined():
                return self._line("booking.what_else", Open.WHEN)
            case ChangedMind():
                return self._conditions(turn)

    def _conditions(self, turn: CallerTurn) -> Move:
        """The turn is about conditions: a model reads them, but for what models drop."""
        if not asks_other_doctor(turn.text):
            return AskModel()
        now = self.call.desk.clock.now()
        when = turn.text if mentions_when(turn.text, now=now) else None
        return UseTool("set_wish", {"caller_words": turn.text, "doctor": turn.text, "when": when})

    def _consent(self, turn: CallerTurn) -> Move:
        staged = self.work.draft.state.staged
        if staged is None:
            return self._again()
        given = self.work.draft.consent(staged.digest, turn.text, turn.after)
        if not isinstance(given, Consent):
            return self.work.readback_move()
        data = {"digest": given.digest, "words": given.words, "turn": turn.number}
        self.call.recorder.write(Kind.BOOKING_CONSENT, data)
        return UseTool("confirm_booking")

    def _plain_yes(self, turn: CallerTurn) -> Move:
        offers = self.work.draft.state.offers
        if self.work.open is Open.RETRY:
            return UseTool("search_again")
        if self.work.open is Open.CHOOSE and offers is not None and len(offers.offers) == 1:
            return UseTool("choose_time", {"caller_words": turn.text, "number": 1})
        if self.work.open is Open.CHOOSE:
            return SayText(self.call.lines.say("booking.which_offer"), "booking.which_offer")
        if self.work.asked_line == "booking.none":
            # A yes to "another day or doctor?" says neither; the same words would ask the same.
            return self._line("booking.what_else", Open.WHEN)
        return self._again()

    def _again(self) -> Move:
        """The open question once more (a "네?", or a yes to something that is no yes-question)."""
        return self.work.question_move() or AskModel()

    def _line(self, line: str, then: Open) -> SayText:
        self.work.asked(then, line)
        return SayText(self.call.lines.say(line), line)

    def _speaks_of_something(self, turn: CallerTurn) -> bool:
        """Whether the words are about a condition or a question, not an answer."""
        words = turn.text
        return (
            is_question(words)
            or mentions_when(words, now=self.call.desk.clock.now())
            or self.call.names_care(words)
        )

    def open_question(self) -> SayText | None:
        return self.work.question_move()

    def asks_again(self, turn: CallerTurn) -> bool:
        # At the read-back a model's own question would take the place of the one that counts.
        return is_question(turn.text) or self.work.draft.state.staged is not None

    def follow_up(self, turn: CallerTurn, answered: str) -> SayText | None:
        """After a side answer the open question comes again, whole (R17)."""
        if answered.endswith("?") or self.work.writing or self.work.looking:
            return None
        if self.work.draft.state.staged is not None:
            return self.work.readback_move()
        return self.work.question_move()
