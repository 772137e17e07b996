"""The embedded record system on a SQL database.

Decides nothing about a booking that its unique indexes do not also decide. Answers are what the
database holds at that moment by the clock handed in; a failure is an ``EmrFailure``, never an
empty answer (T11). Runs on SQLite and, by URL, on PostgreSQL.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from datetime import timedelta
from unicodedata import normalize

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from wonmu import postgres
from wonmu.clock import Clock
from wonmu.emr import rows, sql_booking
from wonmu.emr.port import (
    Appointment,
    AppointmentStatus,
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
    SlotStatus,
    Window,
)
from wonmu.emr.tables import (
    HEAD,
    MIGRATIONS,
    appointments,
    departments,
    doctors,
    metadata,
    patients,
    phones,
    slots,
)
from wonmu.errors import EmrFailure, EmrFault
from wonmu.ids import AppointmentId, BookingKey, DepartmentId, PatientId, SlotId
from wonmu.storage import close_engine, open_engine, reading, writing

MAX_PATIENTS = 5
"""More matches than this help nobody on a phone; the port's limit."""

HOLD_LIMIT = timedelta(seconds=120)
"""A read-back takes 15 to 30 s; a longer hold only keeps a slot from others."""


async def open_embedded(path_or_url: str, clock: Clock) -> SqlEmr:
    """The record system in a file (usually ``<data>/emr-<hospital>.sqlite``) or at a URL.

    Raises ``InputError`` when it cannot be used; see ``wonmu.storage.open_engine``.
    """
    return SqlEmr(await open_engine(path_or_url, metadata, HEAD, MIGRATIONS), clock)


class SqlEmr:
    """The port on SQL."""

    def __init__(self, engine: AsyncEngine, clock: Clock) -> None:
        self.engine = engine
        self._clock = clock

    async def capabilities(self) -> Capabilities:
        return Capabilities(can_book=True, can_hold=True, hold_limit=HOLD_LIMIT)

    async def find_patients(self, query: PatientQuery) -> tuple[Patient, ...]:
        wanted = select(patients).order_by(patients.c.id).limit(MAX_PATIENTS)
        if query.phone is not None:
            digits = rows.phone_digits(query.phone)
            wanted = wanted.where(
                patients.c.id.in_(select(phones.c.patient_id).where(phones.c.digits == digits))
            )
        if query.birth_date is not None:
            wanted = wanted.where(patients.c.birth_date == query.birth_date)
        if query.name is not None:
            wanted = wanted.where(patients.c.name == clean_name(query.name))
        async with self._reading("looking for a patient") as connection:
            return await _patients(connection, wanted)

    async def patients_of(self, ids: Collection[PatientId]) -> tuple[Patient, ...]:
        """For staff: the patients with these ids, as far as they are known."""
        wanted = select(patients).where(patients.c.id.in_(ids)).order_by(patients.c.id)
        async with self._reading("reading patients") as connection:
            return await _patients(connection, wanted)

    async def appointments(self, patient_id: PatientId, window: Window) -> tuple[Appointment, ...]:
        query = (
            select(appointments)
            .where(
                appointments.c.patient_id == patient_id,
                appointments.c.status == AppointmentStatus.BOOKED,
                appointments.c.start >= window.start,
                appointments.c.start < window.end,
            )
            .order_by(appointments.c.start, appointments.c.id)
        )
        async with self._reading("reading appointments") as connection:
            found = await connection.execute(query)
            return tuple(rows.appointment(row) for row in found.all())

    async def departments(self) -> tuple[Department, ...]:
        async with self._reading("reading departments") as connection:
            found = await connection.execute(select(departments).order_by(departments.c.id))
            return tuple(rows.department(row) for row in found.all())

    async def doctors(self, department_id: DepartmentId) -> tuple[Doctor, ...]:
        query = select(doctors).where(doctors.c.department_id == department_id)
        async with self._reading("reading doctors") as connection:
            found = await connection.execute(query.order_by(doctors.c.id))
            return tuple(rows.doctor(row) for row in found.all())

    async def find_slots(self, query: SlotQuery) -> SlotPage:
        now = self._clock.now()
        lapsed = slots.c.hold_until <= now
        async with self._reading("looking for free times") as connection:
            free = await _slots(connection, slot_search(query))
            again = await _slots(connection, slot_search(query, SlotStatus.HELD).where(lapsed))
        # Sorted here, since databases differ in how they order ids.
        in_order = sorted((*free, *again), key=lambda slot: (slot.start, slot.id))
        found = (sql_booking.as_free(slot) for slot in in_order[: query.limit])
        return SlotPage(tuple(found), as_of=now)

    async def read_slot(self, slot_id: SlotId) -> Slot | None:
        async with self._reading("reading a time") as connection:
            return await sql_booking.read_slot(connection, slot_id, self._clock.now())

    async def hold(self, slot: Slot, key: BookingKey, lasting: timedelta) -> HoldResult:
        """Holds longer than ``HOLD_LIMIT`` are cut to it; holding one's own again extends it."""
        now = self._clock.now()
        until = now + min(lasting, HOLD_LIMIT)
        async with self._writing("holding a time") as connection:
            return await sql_booking.hold(connection, slot, key, now, until)

    async def release(self, slot_id: SlotId, key: BookingKey) -> bool:
        async with self._writing("giving a time back") as connection:
            return await sql_booking.release(connection, slot_id, key, self._clock.now())

    async def book(self, intent: BookingIntent) -> BookResult:
        return await self._book(intent, replaces=None)

    async def reschedule(self, appointment_id: AppointmentId, intent: BookingIntent) -> BookResult:
        return await self._book(intent, replaces=appointment_id)

    async def cancel(self, appointment_id: AppointmentId, key: BookingKey) -> CancelResult:
        """Cancelling what is cancelled succeeds with ``already``; ``lookup_key`` finds it."""
        async with self._writing("cancelling") as connection:
            return await sql_booking.cancel(connection, appointment_id, key, self._clock.now())

    async def lookup_key(self, key: BookingKey) -> Appointment | None:
        """The appointment booked, moved to, or cancelled under this key."""
        async with self._reading("looking up a booking key") as connection:
            return await sql_booking.by_key(connection, key)

    async def read_appointment(self, appointment_id: AppointmentId) -> Appointment | None:
        async with self._reading("reading an appointment") as connection:
            return await sql_booking.read_appointment(connection, appointment_id)

    async def desk_book(self, slot_id: SlotId) -> bool:
        """Somebody at the desk takes a slot, hold or not; False if it was busy or is unknown."""
        async with self._writing("booking at the desk") as connection:
            return await sql_booking.desk_book(connection, slot_id)

    async def close(self) -> None:
        await close_engine(self.engine)

    async def _book(self, intent: BookingIntent, replaces: AppointmentId | None) -> BookResult:
        try:
            return await self._book_once(intent, replaces)
        except IntegrityError:
            # Somebody who writes past us was faster between our look and our insert: the second
            # look sees their row and answers properly.
            return await self._book_once(intent, replaces)

    async def _book_once(self, intent: BookingIntent, replaces: AppointmentId | None) -> BookResult:
        async with self._writing("booking") as connection:
            return await sql_booking.book(connection, intent, replaces, self._clock.now())

    @asynccontextmanager
    async def _reading(self, doing: str) -> AsyncIterator[AsyncConnection]:
        try:
            async with reading(self.engine) as connection:
                yield connection
        except (DBAPIError, PoolTimeout, OSError) as error:
            raise _failure(error, doing) from error

    @asynccontextmanager
    async def _writing(self, doing: str) -> AsyncIterator[AsyncConnection]:
        began = False
        try:
            async with writing(self.engine) as connection:
                began = True
                yield connection
        except IntegrityError:
            raise
        except (DBAPIError, PoolTimeout, OSError) as error:
            raise _failure(error, doing, outcome_known=not began) from error


def slot_search(
    query: SlotQuery, status: SlotStatus = SlotStatus.FREE
) -> Select[tuple[object, ...]]:
    """The statement of a slot search; public so that its query plan can be checked."""
    conditions: list[ColumnElement[bool]] = [
        slots.c.department_id == query.department_id,
        slots.c.status == status,
        slots.c.start >= query.start,
        slots.c.start < query.end,
    ]
    if query.doctor_id is not None:
        conditions.append(slots.c.doctor_id == query.doctor_id)
    ordered = select(slots).where(*conditions).order_by(slots.c.start, slots.c.id)
    return ordered.limit(query.limit)


def clean_name(name: str) -> str:
    """A name as it is stored and compared: composed letters, no spaces."""
    return "".join(normalize("NFC", name).split())


async def _patients(
    connection: AsyncConnection, wanted: Select[tuple[object, ...]]
) -> tuple[Patient, ...]:
    found = (await connection.execute(wanted)).all()
    numbers: dict[str, list[str]] = {row.id: [] for row in found}
    listed = select(phones).where(phones.c.patient_id.in_(numbers)).order_by(phones.c.digits)
    for phone in (await connection.execute(listed)).all() if found else ():
        numbers[phone.patient_id].append(phone.digits)
    return tuple(rows.patient(row, tuple(numbers[row.id])) for row in found)


async def _slots(
    connection: AsyncConnection, query: Select[tuple[object, ...]]
) -> tuple[Slot, ...]:
    return tuple(rows.slot(row) for row in (await connection.execute(query)).all())


def _failure(error: Exception, doing: str, *, outcome_known: bool = True) -> EmrFailure:
    known = outcome_known or (isinstance(error, DBAPIError) and postgres.certainly_undone(error))
    return EmrFailure(fault_of(error), doing, outcome_known=known)


def fault_of(error: Exception) -> EmrFault:
    """What a failure of the database means; ``error`` is a DBAPIError, PoolTimeout or OSError."""
    match error:
        case PoolTimeout():
            return EmrFault.TIMEOUT
        case DBAPIError() if postgres.waited_too_long(error):
            return EmrFault.TIMEOUT
        case DBAPIError() if not postgres.lost_connection(error):
            return EmrFault.BROKEN
        case _:
            return EmrFault.UNREACHABLE
