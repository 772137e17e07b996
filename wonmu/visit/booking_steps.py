"""One step of a booking: draft, search, staging (B1, B4, T9, T11, N1).

The same steps as a call's booking work, with what must be said gathered instead of spoken. Decides
nothing about the visitor's yes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from wonmu.booking.draft import Draft, DraftState, Refused, Staged
from wonmu.booking.offer import OfferList
from wonmu.booking.result import Completed, ExitCode, Exited
from wonmu.booking.wish import ClosedLists, Missing
from wonmu.clock import SEOUL
from wonmu.emr.failures import MEANING
from wonmu.emr.port import Slot
from wonmu.errors import EmrFault
from wonmu.korean.speak import speak_when
from wonmu.korean.when import When
from wonmu.lines import Value
from wonmu.timeline.events import Kind
from wonmu.visit.booking_state import Asked, BookingState, Open
from wonmu.visit.booking_words import BookingWords
from wonmu.visit.bookings import OpenBooking
from wonmu.visit.lookups import Failed, Name, Stopped
from wonmu.visit.parties import party
from wonmu.visit.party import closed_lists
from wonmu.visit.search import Fitting, Nearest, Nothing, SearchResult, allowed, search
from wonmu.visit.slots import still_free
from wonmu.visit.turned import Agreed, Saying
from wonmu.visit.typed import saying, typed
from wonmu.visit.visit import Visit
from wonmu.visit.wishes import FirstWish, Remark, department_names, doctor_names, lay, refusal

BookingEnd = Completed | Exited | Agreed

_MISSING = {
    Missing.DEPARTMENT: (Open.DEPARTMENT, "booking.ask_department"),
    Missing.DOCTOR: (Open.DOCTOR, "booking.ask_doctor"),
    Missing.WHEN: (Open.WHEN, "booking.ask_when"),
}


class BookingSteps:
    """The work of one turn on one booking. Used once; ``state`` and ``say`` are its result."""

    def __init__(self, visit: Visit, state: BookingState) -> None:
        self.visit = visit
        self.say: list[Saying] = []
        self.end: BookingEnd | None = None
        self.words = BookingWords(visit)
        self.lists: ClosedLists = closed_lists(visit)
        self.draft = Draft.resumed(self.lists, _with_memory(visit, state))
        self._state = state

    @property
    def state(self) -> BookingState:
        """The state after what was done so far."""
        return replace(self._state, draft=self.draft.state)

    def keep(self) -> None:
        """Keep in the process what must not be in a snapshot."""
        memory, draft = self.visit.memory, self.draft.state
        memory.readbacks.clear()
        if draft.readback is not None:
            memory.readbacks[draft.readback.digest] = draft.readback
        if draft.consent is not None and draft.minted is not None:
            memory.consents[draft.minted.key] = draft.consent

    def forget_agreement(self) -> None:
        """Nobody here has seen the yes: the candidate is read and read back anew."""
        draft = replace(self.draft.state, minted=None, consent=None, readback=None)
        self.draft = Draft.resumed(self.lists, draft)
        if draft.staged is not None:
            self.visit.memory.staged.discard(draft.staged.digest)

    # Conditions ------------------------------------------------------------------------------

    async def wish(self, words: FirstWish) -> None:
        """Lay the words into the draft and go on as far as that leads."""
        await self.advance(lay(self.visit, self.draft, words, self._state.replaces))

    async def advance(self, remarks: Sequence[Remark] = ()) -> None:
        asking = next((remark for remark in remarks if remark.asks), None)
        told = [typed(self.visit.lines, r.line, r.values) for r in remarks if not r.asks]
        self._state = replace(self._state, told=tuple(told))
        if asking is not None:
            self.ask(_open_of(asking), asking.line, asking.values)
            return
        missing = self.draft.state.wish.missing(self.lists)
        if missing:
            then, line = _MISSING[missing[0]]
            self.ask(then, line, self._values_of(missing[0]))
        else:
            await self.search()

    def _values_of(self, missing: Missing) -> dict[str, Value]:
        match missing:
            case Missing.DEPARTMENT:
                return {"names": department_names(self.visit)}
            case Missing.DOCTOR:
                return {"names": doctor_names(self.visit, self.draft)}
            case Missing.WHEN:
                return {}

    # Search ----------------------------------------------------------------------------------

    async def search(self) -> None:
        wish = self.draft.state.wish
        if wish.when is not None and (remark := refusal(self.visit, wish.when)) is not None:
            self.ask(Open.WHEN, remark.line, remark.values)
            return
        found = await self._searched()
        match found:
            case Fitting(exact=Slot() as slot):
                await self.stage(slot)
            case Fitting(offers=offers):
                self._offer("booking.offer", offers)
            case Nearest() | Nothing() if self._booked_already(wish.when):
                self.duplicate()
            case Nearest(offers=offers):
                self._offer("booking.nearest", offers)
            case Nothing():
                self._none()
            case Failed(fault=fault):
                self._not_checked(fault)
            case Stopped(code=code):
                self.end = Exited(code, "while_reading")

    async def _searched(self, without: Slot | None = None) -> SearchResult | Stopped | Failed:
        wish, gone = self.draft.state.wish, without.id if without is not None else None
        return await self.visit.lookups.run(
            Name.SLOTS, lambda emr: search(self.visit, emr, wish, without=gone)
        )

    def duplicate(self) -> None:
        """The same booking stands already."""
        self.say.append(saying(self.visit.lines, "booking.already"))
        self.end = Exited(ExitCode.NO_CANDIDATE, "duplicate")

    def _booked_already(self, when: When | None) -> bool:
        """The time wished for is not free because this very patient has just been given it."""
        if when is None or not when.point or when.one_day is None or when.time_from is None:
            return False
        start = datetime.combine(when.one_day, when.time_from, SEOUL)
        return (self._state.who.ref, start) in self.visit.memory.booked

    def _not_checked(self, fault: EmrFault) -> None:
        self._state = replace(self._state, failures=self._state.failures + 1)
        if self._state.failures > 1 or not MEANING[fault].again:
            self.end = Exited(ExitCode.SYSTEM_ERROR, f"search: {fault.value}")
        else:
            why = self.visit.lines.say(f"fault.{fault.value}")
            self.ask(Open.RETRY, "booking.search_failed", {"why": why})

    def _none(self) -> None:
        self.ask(Open.WHEN, "booking.none", {"wish": self.words.wish(self.draft)})

    def _offer(self, line: str, offers: OfferList) -> None:
        if not offers.offers:
            self._none()
            return
        self.draft.offer(offers)
        one = len(offers.offers) == 1
        values: dict[str, Value] = {"options": self.words.options(self.draft, offers.offers)}
        self.ask(Open.CHOOSE, f"{line}_one" if one else line, values)

    # Staging ---------------------------------------------------------------------------------

    async def stage(self, slot: Slot) -> None:
        """Read the slot again and put the question whose yes is the consent."""
        fresh = await self.visit.lookups.run(
            Name.SLOTS, lambda emr: still_free(self.visit, emr, slot)
        )
        match fresh:
            case Stopped(code=code):
                self.end = Exited(code, "while_reading")
            case Failed(fault=fault):
                self._not_checked(fault)
            case None:
                await self.taken(slot, "stage")
            case _:
                await self._staged(fresh)

    async def _staged(self, fresh: Slot) -> None:
        staged = self.draft.stage(fresh, allowed(self.visit))
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
        self.visit.recorder.write(Kind.BOOKING_STAGED, data)
        self.visit.memory.staged.add(staged.digest)
        self._tell()
        await self.read_back()

    def _tell(self) -> None:
        self.say += [Saying(text, "booking.told") for text in self._state.told]
        self._state = replace(self._state, told=())

    def _refused(self, refused: Refused) -> None:
        self.visit.recorder.write(Kind.BOOKING_REFUSED, {"why": refused.why.value})
        self.ask(Open.WHEN, "booking.not_possible", {})

    async def taken(self, slot: Slot, when: str) -> None:
        """Somebody was faster: say so once and offer what is left (R22, K04)."""
        self.visit.recorder.write(Kind.BOOKING_TAKEN, {"slot_id": slot.id, "when": when})
        gone = speak_when(slot.start.astimezone(SEOUL))
        self.say.append(saying(self.visit.lines, "booking.taken", {"gone": gone}))
        found = await self._searched(without=slot)
        match found:
            case Fitting(offers=offers) | Nearest(offers=offers):
                self._offer("booking.nearest", offers)
            case Nothing():
                self._none()
            case Failed(fault=fault):
                self._not_checked(fault)
            case Stopped(code=code):
                self.end = Exited(code, "while_reading")

    # Questions -------------------------------------------------------------------------------

    async def opened(self) -> OpenBooking | None:
        """The booking with its party; None when that could not be read, which ends the work."""
        found = await party(self.visit, self._state.who)
        if isinstance(found, Exited):
            self.end = found
            return None
        state = self._state
        return OpenBooking(
            found,
            self.draft,
            self.lists,
            state.who.relation,
            state.insurance,
            state.insurance_asked,
            state.replaces,
        )

    async def read_back(self) -> None:
        """The question that code composes for the staged candidate, word for word (B1)."""
        staged, opened = self.draft.state.staged, await self.opened()
        if staged is None or opened is None:
            return
        text = self.words.readback(opened, staged.slot)
        self._state = replace(self._state, open=Open.CONFIRM)
        self.visit.memory.composed = {staged.digest: text}
        self.say.append(Saying(text, "booking.readback", staged.digest))

    def ask(self, then: Open, line: str, values: dict[str, Value] | None = None) -> None:
        """Put a question; it is the open one from now on."""
        asked = Asked(line, dict(values or {}))
        told = self._state.told
        self._state = replace(self._state, open=then, question=asked, told=())
        text = " ".join([*told, typed(self.visit.lines, line, asked.values)])
        self.say.append(Saying(text, line))

    async def ask_again(self) -> None:
        """The open question once more. A candidate this process did not read is read first."""
        staged, asked = self.draft.state.staged, self._state.question
        if staged is not None and staged.digest in self.visit.memory.staged:
            await self.read_back()
        elif staged is not None:
            await self.stage(staged.slot)
        elif asked is not None:
            self.say.append(saying(self.visit.lines, asked.line, asked.values))
        else:
            await self.advance()


def _open_of(remark: Remark) -> Open:
    if "department" in remark.line:
        return Open.DEPARTMENT
    return Open.DOCTOR if "doctor" in remark.line else Open.WHEN


def _with_memory(visit: Visit, state: BookingState) -> DraftState:
    """The draft with the read-back and consent that this process has seen for it."""
    draft, memory = state.draft, visit.memory
    readback = memory.readbacks.get(draft.staged.digest) if draft.staged is not None else None
    consent = memory.consents.get(draft.minted.key) if draft.minted is not None else None
    return replace(draft, readback=readback, consent=consent)
