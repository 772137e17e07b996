"""Time limits and typed failures around any record system (A8, T11).

Every request ends within the limit. A read then raises ``EmrFailure``; a read that failed quickly
is asked once more inside the same limit. A write that ran out of time is ``Unknown``: nobody knows
whether it took effect. A write is never stopped half way: when the limit or the caller's hang-up
ends the waiting, the write itself goes on to its end, and ``close`` waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

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
from wonmu.errors import EmrFailure, EmrFault
from wonmu.ids import AppointmentId, BookingKey, DepartmentId, PatientId, SlotId

T = TypeVar("T")

DEFAULT_LIMIT = 3.0
"""Seconds a request may take (A8)."""

OnFailure = Callable[[str, EmrFault], None]
"""Told once per failed request: the port's method and the fault."""


class GuardedEmr:
    """The port, around another one. ``limit`` is seconds per request, tries included."""

    def __init__(
        self, inner: Emr, limit: float = DEFAULT_LIMIT, on_failure: OnFailure | None = None
    ) -> None:
        self.inner = inner
        self._limit = limit
        self._on_failure = on_failure
        self._writes: set[asyncio.Task[object]] = set()

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
        """Give writes still under way the limit to end, then close the inner one."""
        if self._writes:
            _, late = await asyncio.wait(set(self._writes), timeout=self._limit)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self.inner.close()

    async def _read(self, op: str, ask: Callable[[], Awaitable[T]]) -> T:
        try:
            async with asyncio.timeout(self._limit):
                try:
                    return await _translated(op, ask, outcome_known=True)
                except EmrFailure as failure:
                    if not failure.retryable:
                        raise
                return await _translated(op, ask, outcome_known=True)
        except TimeoutError:
            self._report(op, EmrFault.TIMEOUT)
            raise EmrFailure(EmrFault.TIMEOUT, op) from None
        except EmrFailure as failure:
            self._report(op, failure.fault)
            raise

    async def _settle(
        self, op: str, key: BookingKey, ask: Callable[[], Awaitable[T]]
    ) -> T | Unknown:
        try:
            return await self._write(op, ask)
        except EmrFailure as failure:
            if failure.outcome_known:
                raise
            return Unknown(key)

    async def _write(self, op: str, ask: Callable[[], Awaitable[T]]) -> T:
        task = asyncio.ensure_future(_translated(op, ask, outcome_known=False))
        self._writes.add(task)
        task.add_done_callback(self._written)
        try:
            async with asyncio.timeout(self._limit):
                return await asyncio.shield(task)
        except TimeoutError:
            self._report(op, EmrFault.TIMEOUT)
            raise EmrFailure(EmrFault.TIMEOUT, op, outcome_known=False) from None
        except EmrFailure as failure:
            self._report(op, failure.fault)
            raise

    def _written(self, task: asyncio.Task[object]) -> None:
        self._writes.discard(task)
        if not task.cancelled():
            task.exception()  # seen; a failure nobody waits for any more is not an error of ours

    def _report(self, op: str, fault: EmrFault) -> None:
        if self._on_failure is not None:
            self._on_failure(op, fault)


async def _translated(op: str, ask: Callable[[], Awaitable[T]], *, outcome_known: bool) -> T:
    """Ask once; what a driver or a network raises becomes an ``EmrFailure``."""
    try:
        return await ask()
    except TimeoutError as error:
        raise EmrFailure(EmrFault.TIMEOUT, op, outcome_known=outcome_known) from error
    except OSError as error:
        raise EmrFailure(EmrFault.UNREACHABLE, op, outcome_known=outcome_known) from error
    except SQLAlchemyError as error:
        raise EmrFailure(EmrFault.BROKEN, op, outcome_known=outcome_known) from error
