"""What a client sent beside the rows, and earlier versions: reading and keeping it.

The rows are the truth. A kept body belongs to one version of its row; when the row has moved on,
somebody changed it through another door, and whoever renders it decides what of the body is left.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Row, insert, select, update

from wonmu.emr.server.problems import Json
from wonmu.emr.server.tx import Tx
from wonmu.emr.tables import fhir_resources, fhir_versions

_AT_ONCE = 400
"""Ids of one query; SQLite takes at most some thousand parameters."""


@dataclass(frozen=True, slots=True)
class Side:
    version: int
    changed_at: datetime
    body: Json
    deleted: bool


@dataclass(frozen=True, slots=True)
class OldVersion:
    """``resource`` is None when this version is the deletion."""

    version: int
    changed_at: datetime
    resource: Json | None


async def side_of(tx: Tx, kind: str, identity: str) -> Side | None:
    return (await sides_of(tx, kind, (identity,))).get(identity)


async def sides_of(tx: Tx, kind: str, identities: Iterable[str]) -> dict[str, Side]:
    wanted = list(identities)
    found: dict[str, Side] = {}
    for first in range(0, len(wanted), _AT_ONCE):
        query = select(fhir_resources).where(
            fhir_resources.c.kind == kind,
            fhir_resources.c.id.in_(wanted[first : first + _AT_ONCE]),
        )
        for row in await tx.connection.execute(query):
            found[row.id] = Side(row.version, row.changed_at, json.loads(row.body), row.deleted)
    return found


async def keep(
    tx: Tx, kind: str, identity: str, version: int, body: Json, *, deleted: bool = False
) -> None:
    """Keep what was sent with this version; the version before is kept by ``remember``."""
    values = {
        "version": version,
        "changed_at": tx.now,
        "body": dumps({k: v for k, v in body.items() if k != "id"}),
        "deleted": deleted,
    }
    here = (fhir_resources.c.kind == kind, fhir_resources.c.id == identity)
    changed = await tx.connection.execute(update(fhir_resources).where(*here).values(**values))
    if changed.rowcount == 0:
        row = {"kind": kind, "id": identity, **values}
        await tx.connection.execute(insert(fhir_resources).values(**row))


async def remember(
    tx: Tx, kind: str, identity: str, version: int, resource: Json | None, at: datetime
) -> None:
    """Keep one version as it is served; doing so again changes nothing."""
    here = (
        fhir_versions.c.kind == kind,
        fhir_versions.c.id == identity,
        fhir_versions.c.version == version,
    )
    if (await tx.connection.execute(select(fhir_versions.c.id).where(*here))).first() is not None:
        return
    row = {
        "kind": kind,
        "id": identity,
        "version": version,
        "changed_at": at,
        "body": None if resource is None else dumps(resource),
    }
    await tx.connection.execute(insert(fhir_versions).values(**row))


async def versions(tx: Tx, kind: str, identity: str) -> list[OldVersion]:
    """Kept versions, newest first."""
    query = (
        select(fhir_versions)
        .where(fhir_versions.c.kind == kind, fhir_versions.c.id == identity)
        .order_by(fhir_versions.c.version.desc())
    )
    return [_old(row) for row in await tx.connection.execute(query)]


async def changed_since(tx: Tx, kind: str, moment: datetime) -> list[str]:
    """Ids of resources that got a version after ``moment``."""
    query = select(fhir_versions.c.id).where(
        fhir_versions.c.kind == kind, fhir_versions.c.changed_at > moment
    )
    return sorted(set((await tx.connection.scalars(query)).all()))


def _old(row: Row[tuple[str, str, int, datetime, str | None]]) -> OldVersion:
    body = row.body
    return OldVersion(row.version, row.changed_at, None if body is None else json.loads(body))


def dumps(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
