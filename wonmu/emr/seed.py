"""Fills an embedded record system with fictional patients, doctors and a calendar.

The same plan, moment and random source give the same record system. Seeding again adds only what
is missing (the calendar moves on with time); it never changes a slot, patient or appointment that
is there. Everybody is made up; numbers are 010-0000-xxxx.

Patients that demos and tests rely on:

    김민수 1985-03-12 010-0000-1234                  one coming appointment
    이서연 1983-07-01 010-0000-2345                  mother of
    박지호 2015-05-05 010-0000-2345                  two coming appointments
    박지우 2018-09-09 010-0000-2345
    최하윤, 최하준 2019-02-02 010-0000-3456           twins on one phone
    김영희 1958-03-07 010-0000-4567                  one coming appointment
    김영희 1958-03-07 010-0000-5678                  same name, same birth date
    정재희, 정제희 1990-10-10 010-0000-6789           names that sound alike
    박정수 1948-01-20 and 1976-11-02 010-0000-7890   same name, same phone
    이민지 1992-06-15 010-0000-8901 and 2001-04-23 010-0000-8902   same name
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from hashlib import blake2b
from random import Random
from typing import Any, TypeVar

from sqlalchemy import Table, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from wonmu.clock import SEOUL
from wonmu.emr.port import AppointmentStatus, Department, Doctor, SlotStatus
from wonmu.emr.rows import phone_digits
from wonmu.emr.sql import SqlEmr
from wonmu.emr.tables import appointments, departments, doctors, patients, phones, slots
from wonmu.ids import DepartmentId, DoctorId, SlotId
from wonmu.storage import filling

BUSY_SHARE = 0.25
"""Part of the calendar that the desk has already given away."""

_AT_ONCE = 5_000
"""Rows sent in one go; a whole calendar at once would look like a server that does not answer."""

_OTHERS = 32
_FIRST_APPOINTMENT = timedelta(days=3)

_KNOWN: tuple[tuple[str, date, str, int], ...] = (
    ("김민수", date(1985, 3, 12), "010-0000-1234", 1),
    ("이서연", date(1983, 7, 1), "01000002345", 0),
    ("박지호", date(2015, 5, 5), "010-0000-2345", 2),
    ("박지우", date(2018, 9, 9), "+82 10-0000-2345", 0),
    ("최하윤", date(2019, 2, 2), "010-0000-3456", 0),
    ("최하준", date(2019, 2, 2), "01000003456", 0),
    ("김영희", date(1958, 3, 7), "010-0000-4567", 1),
    ("김영희", date(1958, 3, 7), "+82-10-0000-5678", 0),
    ("정재희", date(1990, 10, 10), "010-0000-6789", 0),
    ("정제희", date(1990, 10, 10), "01000006789", 0),
    ("박정수", date(1948, 1, 20), "010-0000-7890", 0),
    ("박정수", date(1976, 11, 2), "+82 10 0000 7890", 0),
    ("이민지", date(1992, 6, 15), "010-0000-8901", 0),
    ("이민지", date(2001, 4, 23), "010 0000 8902", 0),
)
"""Name, birth date, phone as the desk typed it, coming appointments."""

_FAMILY = "김이박최정강조윤장임한오서신권황안송류홍"
_GIVEN = (
    *("서준", "도윤", "시우", "주원", "하준", "지호", "예준", "준서", "건우", "현우"),
    *("서연", "서윤", "지우", "하은", "민서", "지유", "윤서", "채원", "수아", "지민"),
    *("은주", "영수", "정숙", "미경", "성호", "상철", "동현", "혜진", "순자", "광수"),
)
_SPELLINGS = ("010-0000-{0}", "0100000{0}", "+82 10-0000-{0}", "010 0000 {0}")

Interval = tuple[time, time]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SlotSeed:
    """A bookable interval; ``start`` is aware."""

    doctor_id: DoctorId
    department_id: DepartmentId
    start: datetime
    minutes: int

    @property
    def id(self) -> SlotId:
        """The same slot has the same id however often it is seeded: doctor and local start."""
        at = self.start.astimezone(SEOUL)
        day = at.year * 10000 + at.month * 100 + at.day
        return SlotId(f"{self.doctor_id}-{day}-{at.hour:02}{at.minute:02}")


@dataclass(frozen=True, slots=True)
class SeedPlan:
    """What a hospital's settings say: departments and doctors first, then their slots."""

    departments: tuple[Department, ...]
    doctors: tuple[Doctor, ...]
    slots: Iterable[SlotSeed]


def slots_from_rota(
    doctors: Iterable[Doctor],
    times: Callable[[DoctorId, date], Sequence[Interval]],
    slot_minutes: int,
    from_day: date,
    to_day: date,
) -> Iterator[SlotSeed]:
    """Slots of ``slot_minutes`` from ``from_day`` to ``to_day`` inclusive, whole ones only.

    ``times`` says when a doctor sees patients on a day, as ``Calendar.doctor_times`` does (opening
    hours, rota and leave already taken into account); intervals are local to Asia/Seoul.
    """
    if slot_minutes < 1:
        raise ValueError("a slot lasts at least a minute")
    length = timedelta(minutes=slot_minutes)
    for doctor in doctors:
        for number in range((to_day - from_day).days + 1):
            day = from_day + timedelta(days=number)
            for opens, closes in times(doctor.id, day):
                start = datetime.combine(day, opens, SEOUL)
                end = datetime.combine(day, closes, SEOUL)
                while start + length <= end:
                    yield SlotSeed(doctor.id, doctor.department_id, start, slot_minutes)
                    start += length


async def seed(emr: SqlEmr, plan: SeedPlan, now: datetime, rng: Random) -> int:
    """Fill what is missing, in one transaction; how many slots were added.

    ``rng`` decides who the other patients are and which slots are busy; a slot's busyness depends
    on the slot and the source's seed only, not on when it was added.
    """
    salt = rng.getrandbits(64).to_bytes(8, "big")
    people = _people(rng)
    calendar = {each.id: each for each in plan.slots}
    async with filling(emr.engine) as connection:
        await _add(connection, departments, {d.id: d for d in plan.departments}, _department)
        await _add(connection, doctors, {d.id: d for d in plan.doctors}, _doctor)
        added = await _add(connection, slots, calendar, lambda slot: _slot(slot, salt))
        if await _is_empty(connection, patients):
            await _add_people(connection, people)
            await _add_appointments(connection, people, now)
    return added


def _department(department: Department) -> dict[str, Any]:
    return {"id": department.id, "name": department.name, "bookable": department.bookable}


def _doctor(doctor: Doctor) -> dict[str, Any]:
    return {
        "id": doctor.id,
        "name": doctor.name,
        "department_id": doctor.department_id,
        "bookable": doctor.bookable,
    }


def _slot(each: SlotSeed, salt: bytes) -> dict[str, Any]:
    name = each.id
    draw = blake2b(name.encode(), digest_size=4, key=salt).digest()
    busy = int.from_bytes(draw, "big") < BUSY_SHARE * 2**32
    return {
        "id": name,
        "department_id": each.department_id,
        "doctor_id": each.doctor_id,
        "start": each.start,
        "minutes": each.minutes,
        "status": (SlotStatus.BUSY if busy else SlotStatus.FREE).value,
        "version": 1,
    }


@dataclass(frozen=True, slots=True)
class _Person:
    id: str
    name: str
    birth_date: date
    phone: str
    appointments: int


def _people(rng: Random) -> tuple[_Person, ...]:
    others = []
    for number in range(_OTHERS):
        name = rng.choice(_FAMILY) + rng.choice(_GIVEN)
        born = date(1936, 1, 1) + timedelta(days=rng.randrange(85 * 365))
        phone = _SPELLINGS[number % len(_SPELLINGS)].format(f"9{number:03d}")
        others.append((name, born, phone, 0))
    return tuple(
        _Person(f"p-{number:04d}", *facts) for number, facts in enumerate((*_KNOWN, *others), 1)
    )


async def _add_people(connection: AsyncConnection, people: Sequence[_Person]) -> None:
    await connection.execute(
        insert(patients),
        [
            {"id": p.id, "name": p.name, "birth_date": p.birth_date, "chart_no": f"1{p.id[2:]}"}
            for p in people
        ],
    )
    await connection.execute(
        insert(phones),
        [{"patient_id": p.id, "digits": phone_digits(p.phone), "raw": p.phone} for p in people],
    )


async def _add_appointments(
    connection: AsyncConnection, people: Sequence[_Person], now: datetime
) -> None:
    """Give the known patients their coming appointments, on slots the desk has given away."""
    wanted = [person.id for person in people for _ in range(person.appointments)]
    query = (
        select(slots)
        .where(slots.c.status == SlotStatus.BUSY, slots.c.start >= now + _FIRST_APPOINTMENT)
        .order_by(slots.c.start, slots.c.id)
    )
    found = _spread((await connection.execute(query)).all(), len(wanted))
    booked = [
        {
            "id": f"apt-desk-{slot.id}",
            "patient_id": patient_id,
            "department_id": slot.department_id,
            "doctor_id": slot.doctor_id,
            "slot_id": slot.id,
            "start": slot.start,
            "status": AppointmentStatus.BOOKED,
            "version": 1,
        }
        for patient_id, slot in zip(wanted, found, strict=False)
    ]
    if booked:
        await connection.execute(insert(appointments), booked)


def _spread(found: Sequence[Any], count: int) -> list[Any]:
    """``count`` slots, the earliest of as many days."""
    by_day: dict[date, Any] = {}
    for slot in found:
        by_day.setdefault(slot.start.date(), slot)
    return list(by_day.values())[:count]


async def _is_empty(connection: AsyncConnection, table: Table) -> bool:
    return (await connection.execute(select(table.c.id).limit(1))).first() is None


async def _add(
    connection: AsyncConnection,
    table: Table,
    wanted: Mapping[Any, T],
    columns: Callable[[T], dict[str, Any]],
) -> int:
    """Insert those whose id is not there yet; how many."""
    known = set((await connection.scalars(select(table.c.id))).all())
    fresh = [columns(each) for name, each in wanted.items() if name not in known]
    for first in range(0, len(fresh), _AT_ONCE):
        await connection.execute(insert(table), fresh[first : first + _AT_ONCE])
    return len(fresh)
