"""HealthcareService from departments, and the one Organization and Location. Read-only."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import Row, select

from wonmu.emr.server.kinds.base import Found, Kind, with_meta
from wonmu.emr.server.kinds.people import PLACE
from wonmu.emr.server.problems import Json
from wonmu.emr.server.query import Query
from wonmu.emr.server.rules import DEPARTMENT_SYSTEM
from wonmu.emr.server.tx import Tx
from wonmu.emr.server.values import coded, to
from wonmu.emr.tables import departments


class Services(Kind):
    """``active`` says whether the department takes bookings."""

    name: ClassVar[str] = "HealthcareService"

    async def get(self, tx: Tx, identity: str) -> Found | None:
        query = select(departments).where(departments.c.id == identity)
        row = (await tx.connection.execute(query)).one_or_none()
        return None if row is None else with_meta(_service(row), 1, tx.started)

    async def candidates(self, tx: Tx, query: Query) -> list[Json]:
        rows = (await tx.connection.execute(select(departments))).all()
        return [with_meta(_service(row), 1, tx.started).resource for row in rows]


def _service(row: Row[Any]) -> Json:
    code = coded(DEPARTMENT_SYSTEM, row.id, row.name)
    return {
        "resourceType": "HealthcareService",
        "id": row.id,
        "active": row.bookable,
        "providedBy": to("Organization", PLACE),
        "type": [code],
        "specialty": [code],
        "location": [to("Location", PLACE)],
        "name": row.name,
        "appointmentRequired": row.bookable,
    }


class _Only(Kind):
    """The one resource of its kind."""

    members: ClassVar[Json]

    async def get(self, tx: Tx, identity: str) -> Found | None:
        if identity != PLACE:
            return None
        resource = {"resourceType": self.name, "id": PLACE, **self.members}
        return with_meta(resource, 1, tx.started)

    async def candidates(self, tx: Tx, query: Query) -> list[Json]:
        return [(await self.must(tx, PLACE)).resource]


class Organizations(_Only):
    name: ClassVar[str] = "Organization"
    members: ClassVar[Json] = {"active": True, "name": "원무 병원"}


class Locations(_Only):
    name: ClassVar[str] = "Location"
    members: ClassVar[Json] = {
        "status": "active",
        "name": "외래",
        "managingOrganization": to("Organization", PLACE),
    }
