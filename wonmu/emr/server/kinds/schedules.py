"""Schedule: one a doctor, with the doctor's id; its horizon is from the first to the last slot."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import Row, Select, func, select

from wonmu.emr.server.kinds.base import Found, Kind, department_names, service_codes, with_meta
from wonmu.emr.server.problems import Json
from wonmu.emr.server.query import Query
from wonmu.emr.server.tx import Tx
from wonmu.emr.server.values import local, to
from wonmu.emr.tables import doctors, slots


class Schedules(Kind):
    name: ClassVar[str] = "Schedule"

    async def get(self, tx: Tx, identity: str) -> Found | None:
        query = _calendars().where(doctors.c.id == identity)
        row = (await tx.connection.execute(query)).one_or_none()
        return None if row is None else await self._found(tx, row)

    async def candidates(self, tx: Tx, query: Query) -> list[Json]:
        rows = (await tx.connection.execute(_calendars())).all()
        return [(await self._found(tx, row)).resource for row in rows]

    async def _found(self, tx: Tx, row: Row[Any]) -> Found:
        names = await department_names(tx)
        schedule: Json = {
            "resourceType": self.name,
            "id": row.id,
            "active": row.bookable,
            **service_codes(names, row.department_id),
            "actor": [
                to("Practitioner", row.id, row.name),
                to("PractitionerRole", row.id),
                to("HealthcareService", row.department_id, names[row.department_id]),
            ],
        }
        if row.first is not None:
            schedule["planningHorizon"] = {"start": local(row.first), "end": local(row.last)}
        return with_meta(schedule, 1, tx.started)


def _calendars() -> Select[Any]:
    return (
        select(
            doctors,
            func.min(slots.c.start, type_=slots.c.start.type).label("first"),
            func.max(slots.c.start, type_=slots.c.start.type).label("last"),
        )
        .outerjoin(slots, slots.c.doctor_id == doctors.c.id)
        .group_by(*doctors.c)
        .order_by(doctors.c.id)
    )
