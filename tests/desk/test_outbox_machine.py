"""Random histories of a direct desk: whatever dies, is lost or is taken, the books agree (B4, N2).

Callers book, change and cancel; replies get lost, requests never arrive, the record system fails,
the process dies at any step, the desk takes slots, the reconciler runs. Afterwards and in between
the invariants hold that a hospital relies on.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from outbox_parts import (
    CHOI,
    HOSPITAL,
    LEE,
    NOTES,
    NOW,
    EmrAround,
    TwoSteps,
    all_appointments,
    all_slots,
    as_port,
    book_at,
    cancel_request,
    open_records,
    request,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from wonmu.clock import FixedClock
from wonmu.desk.inbox import Inbox, open_inbox
from wonmu.desk.outbox.direct import DirectDesk
from wonmu.desk.outbox.entry import Step
from wonmu.desk.outbox.outcome import (
    Act,
    Confirmed,
    NotWritten,
    Outcome,
    RefusedByRule,
    Repeated,
    SlotGone,
)
from wonmu.desk.outbox.reconcile import Reconciler
from wonmu.desk.outbox.store import OutboxStore
from wonmu.desk.records import RequestState
from wonmu.emr.port import Appointment, AppointmentStatus, Emr, Slot, SlotStatus
from wonmu.emr.sql import SqlEmr, open_embedded
from wonmu.errors import EmrFailure, EmrFault
from wonmu.ids import BookingKey, SlotId
from wonmu.loop import INSTANT, CallLoop

pytestmark = pytest.mark.service

T = TypeVar("T")
WRITES = ("book", "reschedule", "cancel", "release")


class Died(BaseException):
    """The process ends here; nothing after it runs."""


class Trouble(StrEnum):
    NONE = "none"
    LOST = "lost"
    """Done, but the reply is lost."""
    NEVER = "never"
    """Not done, and nobody knows."""
    FAILED = "failed"
    """Certainly not done."""
    DIES_BEFORE = "dies before"
    DIES_AFTER = "dies after"
    DIES_WITHIN = "dies within"
    """A transaction: written, not committed."""


@dataclass(slots=True)
class Fate:
    """``trouble`` befalls step ``at`` (1 is the first) of whoever runs now."""

    trouble: Trouble = Trouble.NONE
    at: int = 1
    count: int = 0

    def next(self) -> Trouble:
        self.count += 1
        return self.trouble if self.count == self.at else Trouble.NONE


class Chaos(EmrAround):
    fate = Fate()

    async def around(self, name: str, ask: Callable[[], Awaitable[object]]) -> object:
        trouble = self.fate.next()
        if trouble is Trouble.DIES_BEFORE:
            raise Died
        if trouble in (Trouble.FAILED, Trouble.NEVER):
            unknown = trouble is Trouble.NEVER and name in WRITES
            raise EmrFailure(EmrFault.UNAVAILABLE, name, outcome_known=not unknown)
        answer = await ask()
        if trouble in (Trouble.DIES_AFTER, Trouble.DIES_WITHIN):
            raise Died
        if trouble is Trouble.LOST:
            raise EmrFailure(EmrFault.TIMEOUT, name, outcome_known=name not in WRITES)
        return answer


class Mortal(OutboxStore):
    chaos: Chaos

    def _writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._mortal(super()._writing())

    @asynccontextmanager
    async def _mortal(
        self, inner: AbstractAsyncContextManager[AsyncConnection]
    ) -> AsyncIterator[AsyncConnection]:
        trouble = self.chaos.fate.next()
        if trouble is Trouble.DIES_BEFORE:
            raise Died
        async with inner as connection:
            yield connection
            if trouble is Trouble.DIES_WITHIN:
                raise Died
        if trouble is Trouble.DIES_AFTER:
            raise Died


_BEGUN: list[Path] = []


def begun() -> Path:
    """A folder with a new record system and inbox, made once."""
    if not _BEGUN:
        folder = Path(tempfile.mkdtemp(prefix="wonmu-machine-"))

        async def make() -> None:
            await (await open_records(folder, FixedClock(NOW))).close()
            await (await open_inbox(str(folder / "desk.sqlite"))).close()

        with asyncio.Runner(loop_factory=lambda: CallLoop(INSTANT)) as runner:
            runner.run(make())
        _BEGUN.append(folder)
    return _BEGUN[0]


class Histories(RuleBasedStateMachine):
    """One hospital with few slots, two patients, and whatever happens."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="wonmu-machine-")) / "data"
        shutil.copytree(begun(), self.folder)
        self.runner = asyncio.Runner(loop_factory=lambda: CallLoop(INSTANT))
        self.clock = FixedClock(NOW)
        self.told: dict[str, Outcome | None] = {}
        self.wanted: dict[str, Act] = {}
        self.at_desk: set[SlotId] = set()
        self.number = 0
        self.records, self.inbox, self.slots = self.do(self._open())
        self.chaos = Chaos(self.records)
        self.store = Mortal(self.inbox.engine)
        self.store.chaos = self.chaos
        self.emr: Emr = as_port(self.chaos)
        self.start()

    async def _open(self) -> tuple[SqlEmr, Inbox, list[Slot]]:
        records = await open_embedded(str(self.folder / "emr.sqlite"), self.clock)
        inbox = await open_inbox(str(self.folder / "desk.sqlite"))
        free = [each for each in await all_slots(records) if each.status is SlotStatus.FREE]
        times = list({each.start: each for each in free}.values())
        await book_at(records, times[0], "lee", LEE)
        await book_at(records, times[1], "choi", CHOI)
        return records, inbox, times[:5]

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def start(self) -> None:
        """A new process: nothing in memory."""

        async def pause(seconds: float) -> None:
            self.clock.advance(seconds)

        self.desk = DirectDesk(self.emr, self.store, self.clock, pause, NOTES)
        self.reconciler = Reconciler(self.emr, self.store, self.clock, NOTES, HOSPITAL)

    @initialize(two_steps=st.booleans())
    def kind_of_record_system(self, two_steps: bool) -> None:
        self.emr = as_port(TwoSteps(as_port(self.chaos))) if two_steps else self.emr
        self.start()

    def live(self, act: Act, key: str, work: Coroutine[Any, Any, Outcome], fate: Fate) -> None:
        self.wanted[key] = act
        self.chaos.fate = fate
        try:
            self.told[key] = self.do(work)
        except Died:
            self.told[key] = None
            self.start()
        self.chaos.fate = Fate()

    def booked(self) -> list[Appointment]:
        """What the patients of this history have, as the record system has it."""
        found = self.do(all_appointments(self.records))
        ours = (LEE.id, CHOI.id)
        booked = AppointmentStatus.BOOKED
        return [each for each in found if each.patient_id in ours and each.status is booked]

    fates = st.builds(Fate, st.sampled_from(Trouble), st.integers(1, 7))

    @rule(which=st.integers(0, 4), who=st.sampled_from([LEE, CHOI]), fate=fates)
    def book(self, which: int, who: Any, fate: Fate) -> None:
        slot = self.slots[which]  # as it was offered once: perhaps long out of date
        self.number += 1
        key = f"k{self.number}"
        wish = request(slot, key, patient=who, created_at=self.clock.now())
        self.live(Act.BOOK, key, self.desk.book(wish, slot), fate)

    @precondition(lambda self: self.booked())
    @rule(which=st.integers(0, 3), whose=st.integers(0, 9), fate=fates)
    def change(self, which: int, whose: int, fate: Fate) -> None:
        there = self.booked()
        old = there[whose % len(there)]
        others = [each for each in self.slots if each.start != old.start]
        slot = self.do(self.records.read_slot(others[which].id))
        assert slot is not None
        self.number += 1
        key = f"k{self.number}"
        who = LEE if old.patient_id == LEE.id else CHOI
        now = self.clock.now()
        wish = request(slot, key, patient=who, replaces=old.id, created_at=now)
        self.live(Act.CHANGE, key, self.desk.change(wish, slot), fate)
        assert any(each.patient_id == old.patient_id for each in self.booked())

    @precondition(lambda self: self.booked())
    @rule(whose=st.integers(0, 9), fate=fates)
    def cancel(self, whose: int, fate: Fate) -> None:
        there = self.booked()
        old = there[whose % len(there)]
        self.number += 1
        key = f"k{self.number}"
        who = LEE if old.patient_id == LEE.id else CHOI
        wish = cancel_request(old, key, patient=who, created_at=self.clock.now())
        self.live(Act.CANCEL, key, self.desk.cancel(wish), fate)

    @rule(which=st.integers(0, 4))
    def desk_takes(self, which: int) -> None:
        slot = self.slots[which]
        if self.do(self.records.desk_book(slot.id)):
            self.at_desk.add(slot.id)

    @rule(seconds=st.sampled_from([0, 5, 30, 120, 700]), fate=fates)
    def reconcile(self, seconds: int, fate: Fate) -> None:
        self.clock.advance(seconds)
        before = len(self.booked())
        pending_cancels = sum(
            entry.act is Act.CANCEL and not entry.step.final
            for entry in self.do(self.store.entries())
        )
        self.chaos.fate = fate
        try:
            self.do(self.reconciler.run_once())
        except (Died, BaseExceptionGroup):
            self.start()
        self.chaos.fate = Fate()
        # Only consented cancellations take appointments away; a change never leaves fewer.
        assert len(self.booked()) >= before - pending_cancels - self._old_standing()

    def _old_standing(self) -> int:
        """Changes whose old appointment was still to be cancelled: one fewer is right for each."""
        return sum(each is Act.CHANGE for each in self.wanted.values())

    @invariant()
    def one_appointment_a_slot_and_a_key(self) -> None:
        found = self.do(all_appointments(self.records))
        booked = [each for each in found if each.status is AppointmentStatus.BOOKED]
        assert max(Counter(each.slot_id for each in booked).values(), default=0) <= 1
        keys = Counter(each.key for each in found if each.key is not None)
        assert max(keys.values(), default=0) <= 1

    def teardown(self) -> None:
        try:
            if hasattr(self, "desk"):
                self._settle()
        finally:
            self.do(self.inbox.close())
            self.do(self.records.close())
            self.runner.close()
            shutil.rmtree(self.folder.parent)

    def _settle(self) -> None:
        """Nothing fails any more and time passes: everything comes to its end, and all agree."""
        self.chaos.fate = Fate()
        for seconds in (150, 700, 700, 1000):
            self.clock.advance(seconds)
            self.do(self.reconciler.run_once())
        assert self.do(self.reconciler.run_once()) == ()
        entries = {entry.key: entry for entry in self.do(self.store.entries())}
        states = {row.key: row.state for row in self.do(self.inbox.rows())}
        found = self.do(all_appointments(self.records))
        by_key = {each.key: each for each in found}
        stands = {each.id for each in found if each.status is AppointmentStatus.BOOKED}
        for key, entry in entries.items():
            assert entry.step.final
            assert entry.due_at is None
            assert states[key] is _STATES[entry.step], (entry, states[key])
            self._as_told(key, entry.step, by_key.get(key))
            # A change has let the old one go, a cancellation the one it was about.
            assert entry.step is not Step.VERIFIED or entry.appointment_id not in stands
        self._slots_agree()

    def _as_told(self, key: BookingKey, step: Step, made: Appointment | None) -> None:
        """What the caller heard is what became true."""
        outcome = self.told[key]
        match outcome:
            case Confirmed():
                assert step in (Step.VERIFIED, Step.OLD_LEFT)
                assert made is not None or self.wanted[key] is Act.CANCEL
            case SlotGone() | Repeated():
                assert step is Step.GONE
                assert made is None
            case NotWritten() | RefusedByRule():
                # Cancelled by whomever is as good as cancelled by us.
                assert step is Step.STAFF or self.wanted[key] is Act.CANCEL
                assert made is None
            case _:
                pass

    def _slots_agree(self) -> None:
        booked = {each.slot_id for each in self.booked()}
        for slot in self.do(all_slots(self.records)):
            if slot.id in {each.id for each in self.slots}:
                busy = slot.id in booked or slot.id in self.at_desk
                assert slot.status is (SlotStatus.BUSY if busy else SlotStatus.FREE)


_STATES = {
    Step.VERIFIED: RequestState.DONE,
    Step.GONE: RequestState.DROPPED,
    Step.STAFF: RequestState.OPEN,
    Step.MISMATCH: RequestState.OPEN,
    Step.OLD_LEFT: RequestState.OPEN,
}

TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=40,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
