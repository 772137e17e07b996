"""Practitioner and PractitionerRole from doctors; both carry the doctor's id. Read-only: doctors
come from the hospital's settings."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import Row, select

from wonmu.emr.server.kinds.base import Found, Kind, department_names, with_meta
from wonmu.emr.server.problems import Json
from wonmu.emr.server.query import Query
from wonmu.emr.server.rules import DEPARTMENT_SYSTEM, PRACTITIONER_PROFILE
from wonmu.emr.server.tx import Tx
from wonmu.emr.server.values import coded, to
from wonmu.emr.tables import doctors

PLACE = "main"
"""Id of the one Organization and the one Location."""


class _OfDoctors(Kind):
    async def get(self, tx: Tx, identity: str) -> Found | None:
        query = select(doctors).where(doctors.c.id == identity)
        row = (await tx.connection.execute(query)).one_or_none()
        return None if row is None else await self._found(tx, row)

    async def candidates(self, tx: Tx, query: Query) -> list[Json]:
        rows = (await tx.connection.execute(select(doctors))).all()
        return [(await self._found(tx, row)).resource for row in rows]

    async def _found(self, tx: Tx, row: Row[Any]) -> Found:
        return with_meta(await self.render(tx, row), 1, tx.started)

    async def render(self, tx: Tx, row: Row[Any]) -> Json:
        raise NotImplementedError


class Practitioners(_OfDoctors):
    name: ClassVar[str] = "Practitioner"

    async def render(self, tx: Tx, row: Row[Any]) -> Json:
        return {
            "resourceType": self.name,
            "id": row.id,
            "meta": {"profile": [PRACTITIONER_PROFILE]},
            "active": row.bookable,
            "name": [{"use": "official", "text": row.name}],
        }


class Roles(_OfDoctors):
    """One doctor in one department."""

    name: ClassVar[str] = "PractitionerRole"

    async def render(self, tx: Tx, row: Row[Any]) -> Json:
        names = await department_names(tx)
        department = names[row.department_id]
        return {
            "resourceType": self.name,
            "id": row.id,
            "active": row.bookable,
            "practitioner": to("Practitioner", row.id, row.name),
            "organization": to("Organization", PLACE),
            "specialty": [coded(DEPARTMENT_SYSTEM, row.department_id, department)],
            "location": [to("Location", PLACE)],
            "healthcareService": [to("HealthcareService", row.department_id, department)],
        }
