"""Patient from patients and phones, in the shape of KR Core 1.0.2.

Phones are served as the desk typed them, so that a search for one spelling misses the others, as
it does on real servers. A person whose appointments are known here cannot be deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Row, Select, delete, exists, insert, or_, select, update

from wonmu.emr.rows import phone_digits
from wonmu.emr.server.kinds.base import Found, Kind, as_list, living, moved_on, with_meta
from wonmu.emr.server.params import read_date
from wonmu.emr.server.problems import FhirProblem, Issue, Json, refused
from wonmu.emr.server.query import Query
from wonmu.emr.server.rules import PATIENT_PROFILE
from wonmu.emr.server.side import Side, keep, side_of, sides_of
from wonmu.emr.server.tx import Tx
from wonmu.emr.sql import clean_name
from wonmu.emr.tables import appointments, fhir_resources, patients, phones

_LONGEST_CHART, _LONGEST_PHONE = 40, 20


class Patients(Kind):
    name: ClassVar[str] = "Patient"
    writes: ClassVar[bool] = True

    async def get(self, tx: Tx, identity: str) -> Found | None:
        query = select(patients).where(patients.c.id == identity)
        rows = (await tx.connection.execute(query)).all()
        found = await self._found(tx, rows)
        return found[0] if found else None

    async def candidates(self, tx: Tx, query: Query) -> list[Json]:
        rows = (await tx.connection.execute(_narrowed(query))).all()
        return [found.resource for found in await self._found(tx, rows)]

    async def _found(self, tx: Tx, rows: Sequence[Row[Any]]) -> list[Found]:
        identities = [row.id for row in rows]
        sides = await sides_of(tx, self.name, identities)
        numbers = await _phones(tx, identities)
        return [_patient(tx, row, numbers[row.id], living(sides.get(row.id))) for row in rows]

    async def create(self, tx: Tx, body: Json) -> str:
        identity = tx.ids.new("p")
        await tx.connection.execute(insert(patients).values(id=identity, **_columns(tx, body)))
        await _write_phones(tx, identity, body)
        await keep(tx, self.name, identity, 1, body)
        return identity

    async def update(self, tx: Tx, before: Found, body: Json) -> None:
        identity = before.resource["id"]
        here = patients.c.id == identity
        await tx.connection.execute(select(patients.c.id).where(here).with_for_update())
        side = await side_of(tx, self.name, identity)
        moved_on(1 if (1 if side is None else side.version) == before.version else 0)
        await tx.connection.execute(update(patients).where(here).values(**_columns(tx, body)))
        await tx.connection.execute(delete(phones).where(phones.c.patient_id == identity))
        await _write_phones(tx, identity, body)
        await keep(tx, self.name, identity, before.version + 1, body)

    async def delete(self, tx: Tx, before: Found) -> None:
        identity = before.resource["id"]
        here = patients.c.id == identity
        await tx.connection.execute(select(patients.c.id).where(here).with_for_update())
        used = select(appointments.c.id).where(appointments.c.patient_id == identity)
        if (await tx.connection.execute(used)).first() is not None:
            raise FhirProblem(409, Issue("conflict", "appointments refer to this patient"))
        await tx.connection.execute(delete(phones).where(phones.c.patient_id == identity))
        moved_on((await tx.connection.execute(delete(patients).where(here))).rowcount)


def _patient(tx: Tx, row: Row[Any], numbers: list[str], side: Side | None) -> Found:
    made: Json = {
        "meta": {"profile": [PATIENT_PROFILE]},
        "identifier": [{"system": tx.rules.chart_system, "value": row.chart_no}],
        "active": True,
        "name": [{"use": "official", "text": row.name}],
        "telecom": [{"system": "phone", "value": raw, "use": "mobile"} for raw in numbers],
        "birthDate": row.birth_date.isoformat(),
    }
    body = side.body if side is not None else made
    resource: Json = {"resourceType": "Patient", "id": row.id, **body}
    if not resource.get("telecom", True):
        del resource["telecom"]
    if side is None:
        return with_meta(resource, 1, tx.started)
    return with_meta(resource, side.version, side.changed_at)


async def _phones(tx: Tx, identities: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {identity: [] for identity in identities}
    query = select(phones).where(phones.c.patient_id.in_(identities)).order_by(phones.c.digits)
    for row in await tx.connection.execute(query):
        found[row.patient_id].append(row.raw)
    return found


def _columns(tx: Tx, body: Json) -> dict[str, object]:
    charts = [
        str(each["value"])
        for each in as_list(body.get("identifier"))
        if each.get("system") == tx.rules.chart_system and each.get("value")
    ]
    if charts and len(charts[0]) > _LONGEST_CHART:
        raise refused(f"at most {_LONGEST_CHART} characters", "Patient.identifier")
    return {
        "name": clean_name(body["name"][0]["text"]),
        "birth_date": date.fromisoformat(body["birthDate"]),
        "chart_no": charts[0] if charts else "",
    }


async def _write_phones(tx: Tx, identity: str, body: Json) -> None:
    entries = as_list(body.get("telecom"))
    raws = [str(each.get("value", "")) for each in entries if each.get("system") == "phone"]
    if any(len(phone_digits(raw)) > _LONGEST_PHONE for raw in raws):
        raise refused(f"at most {_LONGEST_PHONE} digits", "Patient.telecom")
    by_digits = {phone_digits(raw): raw for raw in raws if phone_digits(raw)}
    rows = [
        {"patient_id": identity, "digits": digits, "raw": raw} for digits, raw in by_digits.items()
    ]
    if rows:
        await tx.connection.execute(insert(phones), rows)


def _narrowed(query: Query) -> Select[Any]:
    """By id and birth date where one is asked for as a whole day, and by phone."""
    where: list[ColumnElement[bool]] = []
    identities, numbers = query.values("_id"), query.values("phone")
    if identities is not None:
        where.append(patients.c.id.in_(identities))
    if numbers is not None and not any(value.endswith("|") for value in numbers):
        where.append(or_(*(_has_phone(value.rpartition("|")[2]) for value in numbers)))
    birth = query.values("birthdate")
    if birth is not None and len(birth) == 1:
        prefix, range_ = read_date(birth[0], "birthdate")
        if prefix == "eq":
            first, last = range_.low.date(), range_.high.date()
            where += [patients.c.birth_date >= first, patients.c.birth_date < last]
    return select(patients).where(*where)


def _has_phone(raw: str) -> ColumnElement[bool]:
    sent = exists().where(
        fhir_resources.c.kind == "Patient",
        fhir_resources.c.id == patients.c.id,
        fhir_resources.c.body.contains(raw, autoescape=True),
    )
    typed = exists().where(phones.c.patient_id == patients.c.id, phones.c.raw == raw)
    return or_(typed, sent)
