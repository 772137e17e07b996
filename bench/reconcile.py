"""The reconciler on 10,000 open rows, from the first page taken to the last row done.

All replies were lost. Every other booking is in the record system: it is found by its key, sent
once more under the same key, read back. The rest never arrived: they are looked for, sent again,
read back. Outbox and record system are SQLite files, the guard stands between. Out: filling both.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from bench.parts import NOW
from bench.rows import Row
from wonmu.clock import FixedClock
from wonmu.desk.inbox import Inbox, open_inbox
from wonmu.desk.outbox.entry import Entry, Step
from wonmu.desk.outbox.notes import StaffNotes
from wonmu.desk.outbox.outcome import Act
from wonmu.desk.outbox.reconcile import Did, Reconciler
from wonmu.desk.outbox.store import outbox_of
from wonmu.desk.records import RequestKind, RequestState
from wonmu.desk.tables import inbox as inbox_table
from wonmu.desk.tables import outbox as outbox_table
from wonmu.emr.guard import GuardedEmr
from wonmu.emr.port import AppointmentStatus, SlotStatus
from wonmu.emr.sql import SqlEmr, open_embedded
from wonmu.emr.tables import appointments, departments, doctors, patients, slots
from wonmu.ids import (
    BookingKey,
    CallId,
    DepartmentId,
    DoctorId,
    HospitalId,
    PatientId,
    SlotId,
    Version,
)
from wonmu.lines import Lines
from wonmu.storage import filling

ROWS = 10_000
HOSPITAL = HospitalId("bench")
DEPARTMENT, DOCTOR = DepartmentId("d"), DoctorId("doc")
SENT = NOW - timedelta(minutes=1)


def entry(number: int) -> Entry:
    """A booking whose reply was lost a minute ago."""
    return Entry(
        key=BookingKey(f"booking-{number}"),
        hospital_id=HOSPITAL,
        call_id=CallId(f"call-{number}"),
        act=Act.BOOK,
        step=Step.UNKNOWN,
        patient_id=PatientId(f"p-{number}"),
        start=NOW + timedelta(days=1, minutes=15 * number),
        created_at=SENT,
        updated_at=SENT,
        due_at=NOW,
        sent_at=SENT,
        slot_id=SlotId(f"s-{number}"),
        slot_version=Version("1"),
        department_id=DEPARTMENT,
        doctor_id=DOCTOR,
    )


def arrived(number: int) -> bool:
    return number % 2 == 0


async def fill_records(records: SqlEmr, rows: list[Entry]) -> None:
    async with filling(records.engine) as connection:
        department = {"id": DEPARTMENT, "name": "내과", "bookable": True}
        doctor = {"id": DOCTOR, "name": "의사", "department_id": DEPARTMENT, "bookable": True}
        await connection.execute(insert(departments), [department])
        await connection.execute(insert(doctors), [doctor])
        await connection.execute(insert(patients), [_patient(one) for one in rows])
        await connection.execute(insert(slots), [_slot(n, one) for n, one in enumerate(rows)])
        made = [_appointment(n, one) for n, one in enumerate(rows) if arrived(n)]
        await connection.execute(insert(appointments), made)


def _patient(one: Entry) -> dict[str, Any]:
    return {"id": one.patient_id, "name": "환자", "birth_date": date(1990, 1, 1), "chart_no": ""}


def _slot(number: int, one: Entry) -> dict[str, Any]:
    return {
        "id": one.slot_id,
        "department_id": DEPARTMENT,
        "doctor_id": DOCTOR,
        "start": one.start,
        "minutes": 15,
        "status": SlotStatus.BUSY if arrived(number) else SlotStatus.FREE,
        "version": 2 if arrived(number) else 1,
    }


def _appointment(number: int, one: Entry) -> dict[str, Any]:
    return {
        "id": f"a-{number}",
        "patient_id": one.patient_id,
        "department_id": DEPARTMENT,
        "doctor_id": DOCTOR,
        "slot_id": one.slot_id,
        "start": one.start,
        "status": AppointmentStatus.BOOKED,
        "key": one.key,
        "version": 1,
    }


async def fill_desk(inbox: Inbox, rows: list[Entry]) -> None:
    async with filling(inbox.engine) as connection:
        await connection.execute(insert(inbox_table), [_request(one) for one in rows])
        await connection.execute(insert(outbox_table), [asdict(one) for one in rows])


def _request(one: Entry) -> dict[str, Any]:
    return {
        "key": one.key,
        "kind": RequestKind.BOOKING,
        "state": RequestState.OPEN,
        "hospital_id": HOSPITAL,
        "call_id": one.call_id,
        "created_at": SENT,
        "patient_ref": one.patient_id,
        "patient_id": one.patient_id,
        "contact": "01000000000",
        "slot_id": one.slot_id,
        "start": one.start,
        "note": "",
        "written": "",
        "remark": "",
    }


async def seconds(folder: Path) -> float:
    clock, rows = FixedClock(NOW), [entry(number) for number in range(ROWS)]
    records = await open_embedded(str(folder / "records.sqlite"), clock)
    inbox = await open_inbox(str(folder / "desk.sqlite"))
    try:
        await fill_records(records, rows)
        await fill_desk(inbox, rows)
        notes, store = StaffNotes(Lines.load()), outbox_of(inbox)
        reconciler = Reconciler(GuardedEmr(records), store, clock, notes, HOSPITAL)
        began = time.perf_counter()
        done = await reconciler.run_once()
        took = time.perf_counter() - began
    finally:
        await inbox.close()
        await records.close()
    if (found := Counter(each.did for each in done)) != {Did.FINISHED: ROWS}:
        raise RuntimeError(f"the reconciler did not finish all rows: {dict(found)}")
    return took


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="wonmu-bench-") as name:
        took = asyncio.run(seconds(Path(name)))
    return [
        Row(f"reconciler, {ROWS:,} open rows", "s", (took,)),
        Row("reconciler", "rows/s", (ROWS / took,)),
    ]
