"""The port, guarded: every request in time, and none to a record system that is down (A8, T11).

``GuardedEmr`` is what a call asks. Every request ends within its limit; ``step`` gives the same
record system with one cap on all requests of a step of the talk. A read that failed is sent again
where that may help. A write that ran out of time is ``Unknown``: nobody knows whether it took
effect. A write is never stopped half way: when the limit or the caller's hang-up ends the waiting,
the write itself goes on to its end, and ``close`` waits for it.

How a request is asked is in ``asking``; when the record system is left alone in ``breaker``; times
and pauses in ``budget``; what a fault means in ``failures``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from copy import copy
from datetime import timedelta
from typing import TypeVar

from wonmu.emr.asking import Asking, NoWatcher, Watcher, now
from wonmu.emr.breaker import Breaker, BreakerState
from wonmu.emr.budget import Budget, GuardRules
from wonmu.emr.port import (
    Appointment,
    BookingIntent,
    BookResult,
    CancelResult,
    Capabilities,
    Department,
    Doctor,
    Emr,
    HoldResult,
    Patient,
    PatientQuery,
    Slot,
    SlotPage,
    SlotQuery,
    Unknown,
    Window,
)
from wonmu.errors import EmrFailure
from wonmu.ids import AppointmentId, BookingKey, DepartmentId, PatientId, SlotId

__all__ = ["BreakerState", "GuardRules", "GuardedEmr", "Watcher"]

T = TypeVar("T")


def _no_chance() -> float:
    """Pauses without jitter: for one caller alone there is nobody to part from."""
    return 0.0


class GuardedEmr:
    """The port, around another one.

    ``breaker``: shared with the other calls to the same record system; one of its own if None.
    ``watcher``: told of failures, repetitions and what happens to the breaker. ``chance``: gives
    shares from 0 to 1 for the jitter of pauses.
    """

    def __init__(
        self,
        inner: Emr,
        rules: GuardRules | None = None,
        watcher: Watcher | None = None,
        *,
        breaker: Breaker | None = None,
        chance: Callable[[], float] = _no_chance,
    ) -> None:
        self.inner = inner
        self._asking = Asking(
            rules or GuardRules(), breaker or Breaker(), watcher or NoWatcher(), chance
        )
        self._step: Budget | None = None

    def step(self, seconds: float | None = None) -> GuardedEmr:
        """The same, for one step of the talk that begins now: all its requests together end within
        ``seconds`` (None: the rules' step). What is asked after that fails with a time-out at once.

        Within a step it cannot become longer than what is left of that step.
        """
        limit = self._asking.rules.step if seconds is None else seconds
        part = copy(self)
        part._step = (self._step or Budget()).part(now(), limit)
        return part

    async def capabilities(self) -> Capabilities:
        return await self._read("capabilities", self.inner.capabilities)

    async def find_patients(self, query: PatientQuery) -> tuple[Patient, ...]:
        return await self._read("find_patients", lambda: self.inner.find_patients(query))

    async def appointments(self, patient_id: PatientId, window: Window) -> tuple[Appointment, ...]:
        return await self._read("appointments", lambda: self.inner.appointments(patient_id, window))

    async def departments(self) -> tuple[Department, ...]:
        return await self._read("departments", self.inner.departments)

    async def doctors(self, department_id: DepartmentId) -> tuple[Doctor, ...]:
        return await self._read("doctors", lambda: self.inner.doctors(department_id))

    async def find_slots(self, query: SlotQuery) -> SlotPage:
        return await self._read("find_slots", lambda: self.inner.find_slots(query))

    async def read_slot(self, slot_id: SlotId) -> Slot | None:
        return await self._read("read_slot", lambda: self.inner.read_slot(slot_id))

    async def lookup_key(self, key: BookingKey) -> Appointment | None:
        return await self._read("lookup_key", lambda: self.inner.lookup_key(key))

    async def read_appointment(self, appointment_id: AppointmentId) -> Appointment | None:
        return await self._read(
            "read_appointment", lambda: self.inner.read_appointment(appointment_id)
        )

    async def hold(self, slot: Slot, key: BookingKey, lasting: timedelta) -> HoldResult:
        """Raises ``EmrFailure`` with ``outcome_known`` False when out of time; a hold lapses."""
        return await self._write("hold", lambda: self.inner.hold(slot, key, lasting))

    async def release(self, slot_id: SlotId, key: BookingKey) -> bool:
        """Raises like ``hold``."""
        return await self._write("release", lambda: self.inner.release(slot_id, key))

    async def book(self, intent: BookingIntent) -> BookResult:
        return await self._settle("book", intent.key, lambda: self.inner.book(intent))

    async def reschedule(self, appointment_id: AppointmentId, intent: BookingIntent) -> BookResult:
        return await self._settle(
            "reschedule", intent.key, lambda: self.inner.reschedule(appointment_id, intent)
        )

    async def cancel(self, appointment_id: AppointmentId, key: BookingKey) -> CancelResult:
        return await self._settle("cancel", key, lambda: self.inner.cancel(appointment_id, key))

    async def close(self) -> None:
        """Give writes still under way the limit of a request to end, then close the inner one."""
        await self._asking.writes_ended()
        await self.inner.close()

    async def _read(self, op: str, ask: Callable[[], Awaitable[T]]) -> T:
        return await self._asking.read(op, ask, self._budget())

    async def _write(self, op: str, ask: Callable[[], Awaitable[T]]) -> T:
        return await self._asking.write(op, ask, self._budget())

    async def _settle(
        self, op: str, key: BookingKey, ask: Callable[[], Awaitable[T]]
    ) -> T | Unknown:
        try:
            return await self._write(op, ask)
        except EmrFailure as failure:
            if failure.outcome_known:
                raise
            return Unknown(key)

    def _budget(self) -> Budget:
        """A request outside any step is a step of its own."""
        return self._step or Budget.of(now(), self._asking.rules.step)
