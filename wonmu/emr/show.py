"""What the embedded record system holds, one printable object each (``wonmu emr show --json``).

For engineers and scripts on a machine that they own. Reads everything, decides nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date, datetime, time, timedelta
from typing import Any

from sqlalchemy import Select, select

from wonmu.clock import SEOUL
from wonmu.emr.sql import SqlEmr
from wonmu.emr.tables import appointments, departments, doctors, patients, phones, slots
from wonmu.ids import PatientId
from wonmu.storage import reading


async def show(
    emr: SqlEmr, day: date | None = None, patient_id: PatientId | None = None
) -> AsyncIterator[dict[str, Any]]:
    """Patients, departments, doctors, appointments and, with ``day``, that day's slots.

    ``day`` (Asia/Seoul) narrows appointments. With ``patient_id`` only that patient and the
    appointments; nothing at all when there is no such patient. Slots are left out without a day:
    there are thousands.
    """
    numbers = await _rows(emr, select(phones).order_by(phones.c.digits))
    wanted = select(patients).order_by(patients.c.id)
    if patient_id is not None:
        wanted = wanted.where(patients.c.id == patient_id)
    for row in await _rows(emr, wanted):
        mine = [each.digits for each in numbers if each.patient_id == row.id]
        yield {"kind": "patient", **_plain(row), "phones": mine}
    if patient_id is None:
        for row in await _rows(emr, select(departments).order_by(departments.c.id)):
            yield {"kind": "department", **_plain(row)}
        for row in await _rows(emr, select(doctors).order_by(doctors.c.id)):
            yield {"kind": "doctor", **_plain(row)}
    booked = _on(day, select(appointments), appointments.c.start)
    booked = booked.order_by(appointments.c.start, appointments.c.id)
    if patient_id is not None:
        booked = booked.where(appointments.c.patient_id == patient_id)
    for row in await _rows(emr, booked):
        yield {"kind": "appointment", **_plain(row)}
    if day is not None and patient_id is None:
        calendar = _on(day, select(slots), slots.c.start).order_by(slots.c.start, slots.c.id)
        for row in await _rows(emr, calendar):
            yield {"kind": "slot", **_plain(row)}


def _on(day: date | None, query: Select[Any], start: Any) -> Select[Any]:
    if day is None:
        return query
    midnight = datetime.combine(day, time(), SEOUL)
    return query.where(start >= midnight, start < midnight + timedelta(days=1))


async def _rows(emr: SqlEmr, query: Select[Any]) -> list[Any]:
    async with reading(emr.engine) as connection:
        return list((await connection.execute(query)).all())


def _plain(row: Any) -> dict[str, Any]:
    """Column names and values; days and moments as ISO texts."""
    return {
        name: value.isoformat() if isinstance(value, date) else value
        for name, value in row._mapping.items()
    }
