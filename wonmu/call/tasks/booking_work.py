"""The working part of the booking task: draft, search, staging, commit (B1, B4, T9, T11, N1, N2).

Every change of the draft happens here, under the call's one lock. It says what came of each step
by named lines and leaves the task when it is done; it decides nothing about the caller's yes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from wonmu.booking.draft import Committed, Draft, Minted, Refused, Staged
from wonmu.booking.offer import OfferList
from wonmu.booking.result import ExitCode
from wonmu.booking.wish import Missing
from wonmu.call.moves import SayText
from wonmu.call.patience import waiting_for_write
from wonmu.call.voice import Utterance
from wonmu.clock import SEOUL
from wonmu.emr.failures import MEANING
from wonmu.emr.port import Slot
from wonmu.errors import EmrFault
from wonmu.ids import BookingKey
from wonmu.korean.speak import speak_when
from wonmu.korean.when import When
from wonmu.lines import Value
from wonmu.timeline.events import Kind
from wonmu.visit.booking_words import BookingWords
from wonmu.visit.bookings import OpenBooking
from wonmu.visit.lookups import Failed, Name, Stopped
from wonmu.visit.record import Kept, Lost, NotKept, Twice, record_booking
from wonmu.visit.search import Fitting, Nearest, Nothing, allowed, search
from wonmu.visit.slots import still_free
from wonmu.visit.wishes import (
    FirstWish,
    Remark,
    department_names,
    doctor_names,
    lay,
    refusal,
)

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.tasks.booking import BookingTask


class Open(StrEnum):
    """The question the caller is expected to answer."""

    NONE = "none"
    DEPARTMENT = "department"
    DOCTOR = "doctor"
    WHEN = "when"
    CHOOSE = "choose"
    CONFIRM = "confirm"
    RETRY = "retry"


_MISSING = {
    Missing.DEPARTMENT: (Open.DEPARTMENT, "booking.ask_department"),
    Missing.DOCTOR: (Open.DOCTOR, "booking.ask_doctor"),
    Missing.WHEN: (Open.WHEN, "booking.ask_when"),
}


class BookingWork:
    """Conditions in, questions and one recorded booking out."""

    def __init__(self, call: Call, task: BookingTask, opened: OpenBooking) -> None:
        self.call = call
        self.task = task
        self.opened = opened
        self.words = BookingWords(call)
        self.draft: Draft = opened.draft
        self.open = Open.NONE
        self._question: tuple[str, dict[str, Value]] | None = None
        self._failures = 0
        self._told: list[str] = []
        """What the caller must hear before the next question."""

    # Conditions ------------------------------------------------------------------------------

    async def wish(self, words: FirstWish) -> None:
        """Lay the caller's words into the draft and go on as far as that leads.

        A search for what was wished before is ended: only the present wish is offered (R81).
        """
        self.stop_looking()
        async with self.call.state.lock:
            remarks = lay(self.call, self.draft, words, self.opened.replaces)
            await self._advance(remarks)

    async def _advance(self, remarks: Sequence[Remark] = ()) -> None:
        asking = next((remark for remark in remarks if remark.asks), None)
        self._told = [
            self.call.lines.fill(remark.line, remark.values)
            for remark in remarks
            if not remark.asks
        ]
        if asking is not None:
            self._ask(self._open_of(asking), asking.line, asking.values)
            return
        missing = self.draft.state.wish.missing(self.task.lists)
        if missing:
            then, line = _MISSING[missing[0]]
            self._ask(then, line, self._values_of(missing[0]))
        else:
            await self._search()

    def _open_of(self, remark: Remark) -> Open:
        if "department" in remark.line:
            return Open.DEPARTMENT
        return Open.DOCTOR if "doctor" in remark.line else Open.WHEN

    def _values_of(self, missing: Missing) -> dict[str, Value]:
        match missing:
            case Missing.DEPARTMENT:
                return {"names": department_names(self.call)}
            case Missing.DOCTOR:
                return {"names": doctor_names(self.call, self.draft)}
            case Missing.WHEN:
                return {}

    # Search ----------------------------------------------------------------------------------

    @property
    def looking(self) -> bool:
        """Times are being looked for; the caller is answered meanwhile and may change the wish."""
        return self.call.lookups.running(Name.SLOTS)

    def stop_looking(self) -> None:
        """End the search under way; nothing of it is told (A5)."""
        self.call.lookups.stop(ExitCode.OTHER_REQUEST, Name.SLOTS)

    async def search_again(self) -> None:
        async with self.call.state.lock:
            await self._search()

    async def _search(self) -> None:
        wish = self.draft.state.wish
        if wish.when is not None and (remark := refusal(self.call, wish.when)) is not None:
            self._ask(Open.WHEN, remark.line, remark.values)
            return
        found = await self.call.lookups.run(Name.SLOTS, lambda emr: search(self.call, emr, wish))
        match found:
            case Fitting(exact=Slot() as slot):
                await self._stage(slot)
            case Fitting(offers=offers):
                self._offer("booking.offer", offers)
            case Nearest() | Nothing() if self._booked_already(wish.when):
                self.call.say("booking.already")
                self.task.leave(ExitCode.NO_CANDIDATE, "duplicate")
            case Nearest(offers=offers):
                self._offer("booking.nearest", offers)
            case Nothing():
                self._ask(Open.WHEN, "booking.none", {"wish": self.words.wish(self.draft)})
            case Failed(fault=fault):
                self._not_checked(fault)
            case Stopped():
                pass

    def _booked_already(self, when: When | None) -> bool:
        """The time wished for is not free because this very patient has just been given it."""
        if when is None or not when.point or when.one_day is None or when.time_from is None:
            return False
        start = datetime.combine(when.one_day, when.time_from, SEOUL)
        return (self.opened.party.ref, start) in self.call.state.booked

    def _not_checked(self, fault: EmrFault) -> None:
        self._failures += 1
        if self._failures > 1 or not MEANING[fault].again:
            self.task.leave(ExitCode.SYSTEM_ERROR, f"search: {fault.value}")
        else:
            why = self.call.lines.say(f"fault.{fault.value}")
            self._ask(Open.RETRY, "booking.search_failed", {"why": why})

    def _offer(self, line: str, offers: OfferList) -> None:
        if not offers.offers:
            self._ask(Open.WHEN, "booking.none", {"wish": self.words.wish(self.draft)})
            return
        self.draft.offer(offers)
        one = len(offers.offers) == 1
        values: dict[str, Value] = {"options": self.words.options(self.draft, offers.offers)}
        self._ask(Open.CHOOSE, f"{line}_one" if one else line, values)

    # Staging ---------------------------------------------------------------------------------

    async def choose(self, number: int) -> bool:
        """Stage the offer of that number; False when there is none."""
        async with self.call.state.lock:
            offers = self.draft.state.offers
            chosen = (
                next((o for o in offers.offers if o.number == number), None) if offers else None
            )
            if chosen is None:
                return False
            await self._stage(chosen.slot)
            return True

    async def _stage(self, slot: Slot) -> None:
        fresh = await self.call.lookups.run(
            Name.SLOTS, lambda emr: still_free(self.call, emr, slot)
        )
        if isinstance(fresh, Stopped):
            return
        if isinstance(fresh, Failed):
            self._not_checked(fresh.fault)
            return
        if fresh is None:
            await self._taken(slot, "stage")
            return
        staged = self.draft.stage(fresh, allowed(self.call))
        if not isinstance(staged, Staged):
            self._refused(staged)
            return
        data = {
            "digest": staged.digest,
            "slot_id": fresh.id,
            "start": fresh.start.astimezone(SEOUL).isoformat(),
            "department": fresh.department_id,
            "doctor": fresh.doctor_id,
        }
        self.call.recorder.write(Kind.BOOKING_STAGED, data)
        for told in self._told:
            self._speak(Utterance(told, line="booking.told"))
        self._told = []
        self._speak(_utterance(self.readback_move()))

    def _refused(self, refused: Refused) -> None:
        self.call.recorder.write(Kind.BOOKING_REFUSED, {"why": refused.why.value})
        self._ask(Open.WHEN, "booking.not_possible", {})

    async def _taken(self, slot: Slot, when: str) -> None:
        """Somebody was faster: say so once and offer what is left (R22, K04)."""
        self.call.recorder.write(Kind.BOOKING_TAKEN, {"slot_id": slot.id, "when": when})
        gone = speak_when(slot.start.astimezone(SEOUL))
        text = self.call.lines.say("booking.taken", gone=gone)
        self._speak(Utterance(text, line="booking.taken"))
        await self._search_without(slot)

    async def _search_without(self, slot: Slot) -> None:
        wish = self.draft.state.wish
        found = await self.call.lookups.run(
            Name.SLOTS, lambda emr: search(self.call, emr, wish, without=slot.id)
        )
        match found:
            case Fitting(offers=offers) | Nearest(offers=offers):
                self._offer("booking.nearest", offers)
            case Nothing():
                self._ask(Open.WHEN, "booking.none", {"wish": self.words.wish(self.draft)})
            case Failed(fault=fault):
                self._not_checked(fault)
            case Stopped():
                pass

    # Read-back -------------------------------------------------------------------------------

    def readback_move(self) -> SayText:
        """The question that code composed for the staged candidate, word for word (B1)."""
        staged = self.draft.state.staged
        if staged is None:
            return self.question_move() or self._ask_when()
        slot = staged.slot
        text = self.words.readback(self.opened, slot)
        self.open = Open.CONFIRM
        digest = staged.digest

        def begun() -> None:
            self.draft.readback_started(digest, text, self.call.state.speeches)
            data = {"digest": digest, "text": text, "turn": self.call.state.turn}
            self.call.recorder.write(Kind.BOOKING_READBACK, data)

        def ended(full: bool) -> None:
            if full:
                self.draft.readback_heard(digest)
            else:
                self.draft.interrupted(digest)

        return SayText(text, "booking.readback", begun, ended)

    # Commit ----------------------------------------------------------------------------------

    async def confirm(self) -> bool:
        """Record what was consented to; False when there is no matching consent."""
        async with self.call.state.lock:
            staged, consent = self.draft.state.staged, self.draft.state.consent
            if staged is None or consent is None:
                return False
            key = BookingKey(self.call.desk.ids.new("booking"))
            minted = self.draft.mint(staged.digest, key)
            if not isinstance(minted, Minted):
                return False
            await self._record(staged, minted)
            return True

    @property
    def writing(self) -> bool:
        """A write is under way: nothing may be changed or left now."""
        minted = self.draft.state.minted
        return minted is not None and minted.writing

    async def _record(self, staged: Staged, minted: Minted) -> None:
        with self.call.writes.running():
            await self._write(staged, minted)

    async def _write(self, staged: Staged, minted: Minted) -> None:
        with waiting_for_write(self.call):
            result = await record_booking(self.call, self.opened, staged.slot, minted.key)
        match result:
            case Kept(booking=booking, replayed=replayed):
                committed = self.draft.commit(staged.digest, minted.key)
                if not isinstance(committed, Committed):
                    self.task.leave(ExitCode.SYSTEM_ERROR, "commit")
                    return
                data = {
                    "key": minted.key,
                    "mode": booking.booking.mode.value,
                    "digest": staged.digest,
                    "replayed": replayed,
                    "written": booking.written.value,
                }
                if self.opened.replaces is not None:
                    data["replaces"] = self.opened.replaces.ref
                self.call.recorder.write(Kind.BOOKING_COMMITTED, data)
                self.call.state.booked.add((self.opened.party.ref, staged.slot.start))
                self.task.finish(booking)
            case Lost():
                self.draft.slot_lost(staged.digest)
                await self._taken(staged.slot, "commit")
            case Twice():
                self.draft.write_failed(staged.digest, outcome_known=True)
                self.call.say("booking.already")
                self.task.leave(ExitCode.NO_CANDIDATE, "duplicate")
            case NotKept():
                self.draft.write_failed(staged.digest, outcome_known=True)
                self.task.leave(ExitCode.SYSTEM_ERROR, "record")

    # Questions -------------------------------------------------------------------------------

    @property
    def asked_line(self) -> str | None:
        """The line of the open question."""
        return self._question[0] if self._question is not None else None

    def asked(self, then: Open, line: str, values: dict[str, Value] | None = None) -> None:
        self.open = then
        self._question = (line, dict(values or {}))

    def _ask(
        self,
        then: Open,
        line: str,
        values: dict[str, Value],
    ) -> None:
        self.asked(then, line, values)
        told, self._told = self._told, []
        text = " ".join([*told, self.call.lines.fill(line, values)])
        self._speak(Utterance(text, line=line))

    def _speak(self, utterance: Utterance) -> None:
        """Speak, unless the caller has left this task while something was looked up."""
        if not self.task.done():
            self.call.speak(utterance)

    def _ask_when(self) -> SayText:
        self.asked(Open.WHEN, "booking.ask_when")
        return SayText(self.call.lines.say("booking.ask_when"), "booking.ask_when")

    def question_move(self) -> SayText | None:
        """The open question, to be put again."""
        if self.draft.state.staged is not None:
            return self.readback_move()
        if self._question is None:
            return None
        line, values = self._question
        return SayText(self.call.lines.fill(line, values), line)

    def situation(self) -> str:
        return self.words.situation(self.draft, self.open.value)


def _utterance(move: SayText) -> Utterance:
    return Utterance(move.text, line=move.line, on_start=move.on_start, on_end=move.on_end)
