"""Writes of the embedded record system, each a step inside one write transaction.

A slot changes hands by compare-and-set: free at the version that was offered, or held under the
caller's own key, or held by a hold that has run out. Nothing here opens or ends a transaction, so
that whoever calls can put steps together, and a refusal is decided before the first write.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from sqlalchemy import ColumnElement, and_, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from wonmu.emr import rows
from wonmu.emr.port import (
    Appointment,
    AppointmentStatus,
    Booked,
    BookingIntent,
    BookResult,
    Cancelled,
    CancelResult,
    Held,
    HoldResult,
    NotThere,
    Rejected,
    Slot,
    SlotStatus,
    Taken,
)
from wonmu.emr.tables import appointments, patients, slots
from wonmu.ids import AppointmentId, BookingKey, PatientId, SlotId, Version

FREE, HELD, BUSY = SlotStatus.FREE, SlotStatus.HELD, SlotStatus.BUSY

_TOO_LONG = 10
"""Digits that a whole number of a database may not be able to hold."""


def _number(version: Version) -> int:
    """A version of ours as its column holds it; anything else matches no row."""
    ours = version.isascii() and version.isdigit() and len(version) < _TOO_LONG
    return int(version) if ours else -1


def _next(version: Version) -> Version:
    return Version(str(_number(version) + 1))


def as_free(slot: Slot) -> Slot:
    """A slot whose hold has run out, as the rest of the house should see it."""
    return slot if slot.status is FREE else replace(slot, status=FREE)


async def read_slot(connection: AsyncConnection, slot_id: SlotId, now: datetime) -> Slot | None:
    """The slot as it is; a hold that has run out counts as free."""
    row = (await connection.execute(select(slots).where(slots.c.id == slot_id))).one_or_none()
    if row is None:
        return None
    lapsed = row.status == HELD and row.hold_until <= now
    return as_free(rows.slot(row)) if lapsed else rows.slot(row)


async def by_key(connection: AsyncConnection, key: BookingKey) -> Appointment | None:
    same = or_(appointments.c.key == key, appointments.c.cancel_key == key)
    row = (await connection.execute(select(appointments).where(same))).one_or_none()
    return None if row is None else rows.appointment(row)


async def book(
    connection: AsyncConnection,
    intent: BookingIntent,
    replaces: AppointmentId | None,
    now: datetime,
) -> BookResult:
    """Book, or with ``replaces`` move: claim the new slot, then let the old one go, then insert."""
    standing = await by_key(connection, intent.key)
    if standing is not None:
        return _replay(standing, intent)
    slot = await read_slot(connection, intent.slot_id, now)
    old = None if replaces is None else await read_appointment(connection, replaces)
    reason = await _refusal(connection, intent, slot, old, replaces, now)
    if reason is not None:
        return Rejected(reason)
    if slot is None:
        return Rejected("unknown_slot")
    if not await _claim(connection, slot.id, intent.slot_version, intent.key, now):
        return Rejected("stale_version") if slot.status is FREE else Taken(slot.id)
    if old is not None:
        await _let_go(connection, old, None)
    return Booked(await _insert(connection, intent, slot))


async def cancel(
    connection: AsyncConnection, appointment_id: AppointmentId, key: BookingKey, now: datetime
) -> CancelResult:
    found = await read_appointment(connection, appointment_id)
    if found is None:
        return NotThere()
    if found.status is AppointmentStatus.CANCELLED:
        return Cancelled(found, already=True)
    other = await by_key(connection, key)
    if other is not None:
        return Rejected("key_reused")
    if found.start <= now:
        return Rejected("past")
    return Cancelled(await _let_go(connection, found, key))


async def hold(
    connection: AsyncConnection, slot: Slot, key: BookingKey, now: datetime, until: datetime
) -> HoldResult:
    standing = await read_slot(connection, slot.id, now)
    if standing is None:
        return Rejected("unknown_slot")
    if standing.start <= now:
        return Rejected("past")
    change = {"status": HELD, "hold_key": key, "hold_until": until}
    claimed = await _change(connection, _ours(slot.id, slot.version, key, now), change)
    if not claimed:
        return Rejected("stale_version") if standing.status is FREE else Taken(slot.id)
    return Held(replace(standing, status=HELD, version=_next(standing.version)), until)


async def release(
    connection: AsyncConnection, slot_id: SlotId, key: BookingKey, now: datetime
) -> bool:
    mine = and_(
        slots.c.id == slot_id,
        slots.c.status == HELD,
        slots.c.hold_key == key,
        slots.c.hold_until > now,
    )
    return await _change(connection, mine, _cleared(FREE))


async def desk_book(connection: AsyncConnection, slot_id: SlotId) -> bool:
    return await _change(
        connection, and_(slots.c.id == slot_id, slots.c.status != BUSY), _cleared(BUSY)
    )


def _replay(standing: Appointment, intent: BookingIntent) -> BookResult:
    wanted = (intent.key, intent.patient_id, intent.slot_id)
    if (standing.key, standing.patient_id, standing.slot_id) != wanted:
        return Rejected("key_reused")
    if standing.status is AppointmentStatus.CANCELLED:
        return Rejected("key_cancelled")
    return Booked(standing, replayed=True)


async def _refusal(
    connection: AsyncConnection,
    intent: BookingIntent,
    slot: Slot | None,
    old: Appointment | None,
    replaces: AppointmentId | None,
    now: datetime,
) -> str | None:
    """The rule that forbids this booking, if one does. Nothing has been written yet."""
    if slot is None:
        return "unknown_slot"
    if slot.start <= now:
        return "past"
    if not await _is_patient(connection, intent.patient_id):
        return "unknown_patient"
    if replaces is not None:
        if old is None or old.status is not AppointmentStatus.BOOKED:
            return "no_appointment"
        if old.patient_id != intent.patient_id:
            return "not_this_patient"
        if old.slot_id == intent.slot_id:
            return "same_slot"
    if await _is_elsewhere(connection, intent.patient_id, slot.start, replaces):
        return "patient_busy"
    return None


async def _is_patient(connection: AsyncConnection, patient_id: PatientId) -> bool:
    query = select(patients.c.id).where(patients.c.id == patient_id)
    return (await connection.execute(query)).first() is not None


async def _is_elsewhere(
    connection: AsyncConnection,
    patient_id: PatientId,
    start: datetime,
    apart_from: AppointmentId | None,
) -> bool:
    query = select(appointments.c.id).where(
        appointments.c.patient_id == patient_id,
        appointments.c.start == start,
        appointments.c.status == AppointmentStatus.BOOKED,
    )
    return any(row.id != apart_from for row in (await connection.execute(query)).all())


async def read_appointment(
    connection: AsyncConnection, appointment_id: AppointmentId
) -> Appointment | None:
    query = select(appointments).where(appointments.c.id == appointment_id)
    row = (await connection.execute(query)).one_or_none()
    return None if row is None else rows.appointment(row)


async def _claim(
    connection: AsyncConnection, slot_id: SlotId, version: Version, key: BookingKey, now: datetime
) -> bool:
    return await _change(connection, _ours(slot_id, version, key, now), _cleared(BUSY))


def _ours(slot_id: SlotId, version: Version, key: BookingKey, now: datetime) -> ColumnElement[bool]:
    """The slot may be had: free or lapsed at the version offered, or held under our key."""
    mine = and_(slots.c.status == HELD, slots.c.hold_key == key, slots.c.hold_until > now)
    lapsed = and_(slots.c.status == HELD, slots.c.hold_until <= now)
    open_to_all = and_(slots.c.version == _number(version), or_(slots.c.status == FREE, lapsed))
    return and_(slots.c.id == slot_id, or_(mine, open_to_all))


def _cleared(status: SlotStatus) -> dict[str, object]:
    return {"status": status, "hold_key": None, "hold_until": None}


async def _change(
    connection: AsyncConnection, where: ColumnElement[bool], values: dict[str, object]
) -> bool:
    change = update(slots).where(where).values(version=slots.c.version + 1, **values)
    return (await connection.execute(change)).rowcount == 1


async def _let_go(
    connection: AsyncConnection, old: Appointment, cancel_key: BookingKey | None
) -> Appointment:
    gone = replace(old, status=AppointmentStatus.CANCELLED, version=_next(old.version))
    await connection.execute(
        update(appointments)
        .where(appointments.c.id == old.id)
        .values(status=gone.status, version=int(gone.version), cancel_key=cancel_key)
    )
    await _change(connection, slots.c.id == old.slot_id, _cleared(FREE))
    return gone


async def _insert(connection: AsyncConnection, intent: BookingIntent, slot: Slot) -> Appointment:
    made = Appointment(
        id=AppointmentId(f"apt-{sha256(intent.key.encode()).hexdigest()[:20]}"),
        patient_id=intent.patient_id,
        department_id=slot.department_id,
        doctor_id=slot.doctor_id,
        slot_id=slot.id,
        start=slot.start,
        status=AppointmentStatus.BOOKED,
        key=intent.key,
        version=Version("1"),
    )
    columns = {name: getattr(made, name) for name in made.__dataclass_fields__}
    columns["version"] = _number(made.version)
    await connection.execute(insert(appointments).values(**columns))
    return made
