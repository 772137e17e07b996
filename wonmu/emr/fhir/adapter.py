"""The port on a FHIR R4 server.

``open_fhir`` makes no request; the first write, and ``capabilities``, ask the server once what it
can do. Raises and returns what the port says and nothing else: no FHIR type leaves this package.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta

import httpx

from wonmu.clock import Clock
from wonmu.emr.port import (
    Appointment,
    BookingIntent,
    BookResult,
    CancelResult,
    Capabilities,
    Department,
    Doctor,
    HoldResult,
    Patient,
    PatientQuery,
    Slot,
    SlotPage,
    SlotQuery,
    Window,
)
from wonmu.hospital.config import FhirSettings
from wonmu.ids import AppointmentId, BookingKey, DepartmentId, PatientId, SlotId

Wait = Callable[[float], Awaitable[object]]
"""How to let seconds pass between looking a lost write up; ``asyncio.sleep`` or a test's own."""


def open_fhir(
    settings: FhirSettings,
    clock: Clock,
    *,
    env: Mapping[str, str] = os.environ,
    transport: httpx.AsyncBaseTransport | None = None,
    wait: Wait = asyncio.sleep,
) -> FhirEmr:
    """The port on the server that ``settings`` name. Makes no request yet.

    ``env``: where the token is read from, once. ``transport``: another way to the server than the
    network, for tests (httpx.MockTransport, httpx.ASGITransport).

    Raises ``InputError`` when the settings cannot work: a URL that is none, a token that is not
    there.
    """
    raise NotImplementedError


class FhirEmr:
    """The port. ``skipped`` counts list entries that could not be read and were left out."""

    skipped: int

    async def capabilities(self) -> Capabilities:
        """Asks ``/metadata`` once; a failure is not kept, so the next call asks again."""
        raise NotImplementedError

    async def find_patients(self, query: PatientQuery) -> tuple[Patient, ...]:
        raise NotImplementedError

    async def appointments(self, patient_id: PatientId, window: Window) -> tuple[Appointment, ...]:
        raise NotImplementedError

    async def departments(self) -> tuple[Department, ...]:
        raise NotImplementedError

    async def doctors(self, department_id: DepartmentId) -> tuple[Doctor, ...]:
        raise NotImplementedError

    async def find_slots(self, query: SlotQuery) -> SlotPage:
        raise NotImplementedError

    async def read_slot(self, slot_id: SlotId) -> Slot | None:
        raise NotImplementedError

    async def hold(self, slot: Slot, key: BookingKey, lasting: timedelta) -> HoldResult:
        raise NotImplementedError

    async def release(self, slot_id: SlotId, key: BookingKey) -> bool:
        """Also frees a slot that a booking under ``key`` claimed and never came to use."""
        raise NotImplementedError

    async def book(self, intent: BookingIntent) -> BookResult:
        raise NotImplementedError

    async def reschedule(self, appointment_id: AppointmentId, intent: BookingIntent) -> BookResult:
        """``Booked`` also when the old appointment could not be cancelled: read it again; the
        same call under the same key goes on with that."""
        raise NotImplementedError

    async def cancel(self, appointment_id: AppointmentId, key: BookingKey) -> CancelResult:
        """The same call again frees a slot that an earlier one did not come to free."""
        raise NotImplementedError

    async def lookup_key(self, key: BookingKey) -> Appointment | None:
        raise NotImplementedError

    async def read_appointment(self, appointment_id: AppointmentId) -> Appointment | None:
        raise NotImplementedError

    async def close(self) -> None:
        raise NotImplementedError
