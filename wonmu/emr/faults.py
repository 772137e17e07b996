"""A record system that fails on purpose, to a plan (A7, A8, A9, B4).

Stands between the guard and a real record system and makes happen what real ones do: slowness,
refusals, hangs, replies lost after the write, slots taken meanwhile, lists out of date, nonsense,
empty answers. What it answers is otherwise the inner one's; it invents no patient and no slot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Protocol, TypeVar

from wonmu.emr.failures import failure
from wonmu.emr.fault_plan import (
    WRITES,
    FaultKind,
    FaultPlan,
    FaultRule,
    load_faults,
)
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
    Window,
)
from wonmu.errors import EmrFailure, EmrFault
from wonmu.ids import AppointmentId, BookingKey, DepartmentId, PatientId, SlotId

__all__ = ["DeskSide", "FaultKind", "FaultPlan", "FaultRule", "FaultyEmr", "load_faults"]

T = TypeVar("T")


class DeskSide(Protocol):
    """The desk's own way to book, past the port; ``SqlEmr`` has it."""

    async def desk_book(self, slot_id: SlotId) -> bool: ...


class FaultyEmr:
    """The port with faults. Counts requests, so one plan serves one record system.

    ``desk``: needed for taken_slot and stale_list, which otherwise do nothing.
    """

    def __init__(self, inner: Emr, plan: FaultPlan, desk: DeskSide | None = None) -> None:
        self.inner = inner
        self._desk = desk
        self._seen = [0] * len(plan.rules)
        self._plan = plan

    async def capabilities(self) -> Capabilities:
        return await self.inner.capabilities()

    async def find_patients(self, query: PatientQuery) -> tuple[Patient, ...]:
        return await self._ask("find_patients", lambda: self.inner.find_patients(query), ())

    async def appointments(self, patient_id: PatientId, window: Window) -> tuple[Appointment, ...]:
        return await self._ask(
            "appointments", lambda: self.inner.appointments(patient_id, window), ()
        )

    async def departments(self) -> tuple[Department, ...]:
        return await self._ask("departments", self.inner.departments, ())

    async def doctors(self, department_id: DepartmentId) -> tuple[Doctor, ...]:
        return await self._ask("doctors", lambda: self.inner.doctors(department_id), ())

    async def find_slots(self, query: SlotQuery) -> SlotPage:
        strikes = self._strikes("find_slots")
        page = await self._carry_out(
            "find_slots", strikes, lambda: self.inner.find_slots(query), None
        )
        if any(rule.kind is FaultKind.EMPTY for rule in strikes):
            return SlotPage((), page.as_of)
        for rule in strikes:
            if rule.kind is FaultKind.STALE_LIST:
                for slot in page.slots[: rule.count]:
                    await self._desk_takes(slot.id)
        return page

    async def read_slot(self, slot_id: SlotId) -> Slot | None:
        return await self._ask("read_slot", lambda: self.inner.read_slot(slot_id), None, slot_id)

    async def lookup_key(self, key: BookingKey) -> Appointment | None:
        return await self._ask("lookup_key", lambda: self.inner.lookup_key(key), None)

    async def read_appointment(self, appointment_id: AppointmentId) -> Appointment | None:
        return await self._ask(
            "read_appointment", lambda: self.inner.read_appointment(appointment_id), None
        )

    async def hold(self, slot: Slot, key: BookingKey, lasting: timedelta) -> HoldResult:
        return await self._do("hold", lambda: self.inner.hold(slot, key, lasting), slot.id)

    async def release(self, slot_id: SlotId, key: BookingKey) -> bool:
        return await self._do("release", lambda: self.inner.release(slot_id, key))

    async def book(self, intent: BookingIntent) -> BookResult:
        return await self._do("book", lambda: self.inner.book(intent), intent.slot_id)

    async def reschedule(self, appointment_id: AppointmentId, intent: BookingIntent) -> BookResult:
        return await self._do(
            "reschedule", lambda: self.inner.reschedule(appointment_id, intent), intent.slot_id
        )

    async def cancel(self, appointment_id: AppointmentId, key: BookingKey) -> CancelResult:
        return await self._do("cancel", lambda: self.inner.cancel(appointment_id, key))

    async def close(self) -> None:
        await self.inner.close()

    async def _ask(
        self,
        op: str,
        ask: Callable[[], Awaitable[T]],
        empty: T,
        slot_id: SlotId | None = None,
    ) -> T:
        strikes = self._strikes(op)
        answer = await self._carry_out(op, strikes, ask, slot_id)
        return empty if any(rule.kind is FaultKind.EMPTY for rule in strikes) else answer

    async def _do(
        self, op: str, act: Callable[[], Awaitable[T]], slot_id: SlotId | None = None
    ) -> T:
        return await self._carry_out(op, self._strikes(op), act, slot_id)

    def _strikes(self, op: str) -> tuple[FaultRule, ...]:
        """The rules that strike this request, in the file's order; counts it for each."""
        found = []
        for number, rule in enumerate(self._plan.rules):
            if not rule.concerns(op):
                continue
            self._seen[number] += 1
            turn = self._seen[number] - rule.after
            if turn > 0 and (rule.times is None or turn <= rule.times):
                found.append(rule)
        return tuple(found)

    async def _carry_out(
        self,
        op: str,
        strikes: tuple[FaultRule, ...],
        ask: Callable[[], Awaitable[T]],
        slot_id: SlotId | None,
    ) -> T:
        for rule in strikes:
            await self._before(op, rule, slot_id)
        answer = await ask()
        for rule in strikes:
            if rule.kind is FaultKind.LOST_REPLY:
                await _silence(rule, f"the reply to {op} was lost")
        return answer

    async def _before(self, op: str, rule: FaultRule, slot_id: SlotId | None) -> None:
        match rule.kind:
            case FaultKind.LATENCY:
                await asyncio.sleep(rule.seconds or 0.0)
            case FaultKind.ERROR:
                raise _error(op, rule)
            case FaultKind.INVALID:
                raise failure(EmrFault.INVALID, op, write=op in WRITES)
            case FaultKind.HANG:
                await _silence(rule, f"{op} was never answered")
            case FaultKind.TAKEN_SLOT:
                if slot_id is not None:
                    await self._desk_takes(slot_id)
            case FaultKind.LOST_REPLY | FaultKind.STALE_LIST | FaultKind.EMPTY:
                pass

    async def _desk_takes(self, slot_id: SlotId) -> None:
        if self._desk is not None:
            await self._desk.desk_book(slot_id)


def _error(op: str, rule: FaultRule) -> EmrFailure:
    """The error of a rule, with what whoever gets it can know.

    Unreachable at once means that no connection was made, so a write certainly did not happen;
    one that broke is a ``hang`` or a ``lost_reply``.
    """
    open_end = op in WRITES and rule.error is not EmrFault.UNREACHABLE
    return failure(rule.error, op, write=open_end, retry_after=rule.retry_after)


async def _silence(rule: FaultRule, what: str) -> None:
    """Nothing comes; after ``seconds``, if given, the connection breaks."""
    if rule.seconds is None:
        await asyncio.Event().wait()
    await asyncio.sleep(rule.seconds or 0.0)
    raise TimeoutError(what)
