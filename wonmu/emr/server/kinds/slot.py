"""Slot from a row of slots; writable only where clients own them.

A free slot of the embedded record system is ``free``; one with a live hold ``busy-tentative``; a
busy one ``busy``, or whatever busy status a client wrote last. An update is a compare-and-set on
the version, so that of two clients with the same one exactly one has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Row, Select, delete, func, insert, select, update

from wonmu.emr.server.claims import is_free
from wonmu.emr.server.kinds.base import (
    Found,
    Kind,
    changed_at,
    department_names,
    living,
    moved_on,
    service_codes,
    with_meta,
)
from wonmu.emr.server.params import Criterion, read_date
from wonmu.emr.server.problems import FhirProblem, Issue, Json, refused
from wonmu.emr.server.query import Query
from wonmu.emr.server.rules import SlotOwner
from wonmu.emr.server.side import Side, keep, side_of, sides_of
from wonmu.emr.server.tx import Tx
from wonmu.emr.server.values import ids_of, instant, local, reference, to
from wonmu.emr.tables import appointments, doctors, slots

BUSY_CODES = ("busy", "busy-unavailable", "busy-tentative", "entered-in-error")
_IN_TABLE = frozenset({"_id", "schedule", "start", "status"})
_MARKERS = ("identifier", "comment", "status")
"""Members that speak of one claim; they go when somebody else changed the slot."""


class Slots(Kind):
    name: ClassVar[str] = "Slot"

    def writable(self, tx: Tx) -> bool:
        return tx.rules.slot_owner is SlotOwner.CLIENT

    async def get(self, tx: Tx, identity: str) -> Found | None:
        query = select(slots).where(slots.c.id == identity)
        row = (await tx.connection.execute(query)).one_or_none()
        if row is None:
            return None
        return await self._found(tx, row, await side_of(tx, self.name, identity))

    async def candidates(self, tx: Tx, query: Query) -> list[Json]:
        rows = (await tx.connection.execute(_narrowed(tx, query))).all()
        return await self._all(tx, rows)

    async def page(self, tx: Tx, query: Query) -> tuple[list[Json], int] | None:
        """Thousands of slots need not be looked at one by one in the search that everybody makes:
        free ones of some calendars in a window, by their start."""
        if not _is_quick(query):
            return None
        wanted = _narrowed(tx, query)
        total = await tx.connection.scalar(select(func.count()).select_from(wanted.subquery()))
        order = (slots.c.start, slots.c.id) if query.sort else (slots.c.id,)
        part = wanted.order_by(*order).limit(query.count).offset(query.offset)
        return await self._all(tx, (await tx.connection.execute(part)).all()), total or 0

    async def _all(self, tx: Tx, rows: Sequence[Row[Any]]) -> list[Json]:
        sides = await sides_of(tx, self.name, [row.id for row in rows])
        return [(await self._found(tx, row, sides.get(row.id))).resource for row in rows]

    async def _found(self, tx: Tx, row: Row[Any], side: Side | None) -> Found:
        side = living(side)
        body = dict(side.body) if side is not None else {}
        if side is not None and side.version != row.version:
            body = {name: value for name, value in body.items() if name not in _MARKERS}
        codes = service_codes(await department_names(tx), row.department_id)
        resource: Json = {"resourceType": self.name, "id": row.id, **codes, **body}
        resource |= {
            "schedule": body.get("schedule") or to("Schedule", row.doctor_id),
            "status": _status(row, tx.now, body.get("status")),
            "start": local(row.start),
            "end": local(row.start + timedelta(minutes=row.minutes)),
        }
        return with_meta(resource, row.version, changed_at(tx, side, row.version))

    async def create(self, tx: Tx, body: Json) -> str:
        time = _time(body)
        doctor = await _lock_doctor(tx, time.doctor_id)
        await _refuse_overlap(tx, time)
        identity = tx.ids.new("slot")
        values = {"id": identity, "department_id": doctor.department_id, "version": 1}
        row = {**values, **time.columns(), "status": _column(body["status"])}
        await tx.connection.execute(insert(slots).values(**row))
        await keep(tx, self.name, identity, 1, body)
        return identity

    async def update(self, tx: Tx, before: Found, body: Json) -> None:
        identity = before.resource["id"]
        if _time(body) != _time(before.resource):
            raise refused("a slot keeps its schedule and its time", "Slot.start")
        await lock_slot(tx, identity)
        values = {"status": _column(body["status"]), "hold_key": None, "hold_until": None}
        same = (slots.c.id == identity, slots.c.version == before.version)
        change = update(slots).where(*same).values(version=before.version + 1, **values)
        moved_on((await tx.connection.execute(change)).rowcount)
        tx.touched.add(identity)
        await keep(tx, self.name, identity, before.version + 1, body)

    async def delete(self, tx: Tx, before: Found) -> None:
        identity = before.resource["id"]
        await lock_slot(tx, identity)
        used = select(appointments.c.id).where(appointments.c.slot_id == identity)
        if (await tx.connection.execute(used)).first() is not None:
            raise FhirProblem(409, Issue("conflict", "appointments refer to this slot"))
        same = (slots.c.id == identity, slots.c.version == before.version)
        moved_on((await tx.connection.execute(delete(slots).where(*same))).rowcount)


@dataclass(frozen=True, slots=True)
class _Time:
    doctor_id: str
    start: datetime
    minutes: int

    def columns(self) -> dict[str, object]:
        return {"doctor_id": self.doctor_id, "start": self.start, "minutes": self.minutes}


def _time(body: Json) -> _Time:
    """Of a valid Slot."""
    pair = reference(body["schedule"].get("reference"))
    start, end = instant(body["start"]), instant(body["end"])
    if pair is None or start is None or end is None:
        raise refused("a slot needs a schedule of this server", "Slot.schedule")
    return _Time(pair[1], start, round((end - start).total_seconds() / 60))


def _column(status: str) -> str:
    return "free" if status == "free" else "busy"


def _status(row: Row[Any], now: datetime, sent: object) -> str:
    match row.status:
        case "held":
            return "busy-tentative" if row.hold_until > now else "free"
        case "busy":
            return sent if isinstance(sent, str) and sent in BUSY_CODES else "busy"
    return "free"


async def lock_slot(tx: Tx, identity: str) -> None:
    """Writers of a slot and of its appointments take turns (SQLite has one writer anyway)."""
    await tx.connection.execute(select(slots.c.id).where(slots.c.id == identity).with_for_update())


async def _lock_doctor(tx: Tx, doctor_id: str) -> Row[Any]:
    query = select(doctors).where(doctors.c.id == doctor_id).with_for_update()
    row = (await tx.connection.execute(query)).one_or_none()
    if row is None:
        raise refused("unknown schedule", "Slot.schedule")
    return row


async def _refuse_overlap(tx: Tx, time: _Time) -> None:
    end = time.start + timedelta(minutes=time.minutes)
    query = select(slots.c.start, slots.c.minutes).where(
        slots.c.doctor_id == time.doctor_id,
        slots.c.start < end,
        slots.c.start > time.start - timedelta(days=1),
    )
    for row in await tx.connection.execute(query):
        if row.start + timedelta(minutes=row.minutes) > time.start:
            raise FhirProblem(409, Issue("conflict", "it overlaps a slot of this schedule"))


def _narrowed(tx: Tx, query: Query) -> Select[Any]:
    """By what the table knows: ids, schedule, start, department and, roughly, status."""
    where: list[ColumnElement[bool]] = []
    identities, schedules = query.values("_id"), query.values("schedule")
    if identities is not None:
        where.append(slots.c.id.in_(identities))
    if schedules is not None:
        where.append(slots.c.doctor_id.in_(ids_of(schedules, ("Schedule",), tx.base)))
    statuses = query.values("status")
    if statuses is not None and set(_codes(statuses)) == {"free"}:
        where.append(is_free(tx.now))
    return select(slots).where(*where, *start_bounds(query, "start", slots.c.start))


def _is_quick(query: Query) -> bool:
    """Whether ``_narrowed`` is the whole of the search, and the order is one of the table's."""
    names = [criterion.param.name for criterion in query.criteria]
    once = [name for name in names if name != "start"]
    sorts = [(param.name, descending) for param, descending in query.sort]
    return (
        set(names) <= _IN_TABLE
        and len(once) == len(set(once))
        and all(map(_is_plain, query.criteria))
        and sorts in ([], [("start", False)])
    )


def _is_plain(criterion: Criterion) -> bool:
    match criterion.param.name:
        case "start":
            is_bound = not criterion.values[0].startswith("ne")
            return criterion.modifier is None and len(criterion.values) == 1 and is_bound
        case "status":
            return criterion.modifier is None and _codes(criterion.values) == ["free"]
    return criterion.modifier is None


def _codes(values: Sequence[str]) -> list[str]:
    return [value.rpartition("|")[2] for value in values]


def start_bounds(query: Query, name: str, column: Any) -> list[ColumnElement[bool]]:
    """Bounds on a column of starts, which are points in time; ``ne`` has none."""
    found: list[ColumnElement[bool]] = []
    for criterion in query.criteria:
        if criterion.param.name != name or criterion.modifier or len(criterion.values) != 1:
            continue
        prefix, range_ = read_date(criterion.values[0], name)
        if prefix in ("eq", "ge"):
            found.append(column >= range_.low)
        if prefix in ("gt", "sa"):
            found.append(column >= range_.high)
        if prefix in ("eq", "le"):
            found.append(column < range_.high)
        if prefix in ("lt", "eb"):
            found.append(column < range_.low)
    return found
