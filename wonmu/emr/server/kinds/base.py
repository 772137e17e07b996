"""What a kind of resource can do here; each kind says the rest in a file of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import select

from wonmu.emr.server.problems import Json, not_found, not_supported, stale
from wonmu.emr.server.query import Query
from wonmu.emr.server.rules import DEPARTMENT_SYSTEM
from wonmu.emr.server.side import Side, remember
from wonmu.emr.server.tx import Tx
from wonmu.emr.server.values import coded, local
from wonmu.emr.tables import departments


@dataclass(frozen=True, slots=True)
class Found:
    """A resource as it is now. ``version`` is its versionId, ``changed_at`` its lastUpdated."""

    resource: Json
    version: int
    changed_at: datetime


class Kind:
    """Read-only unless a subclass says otherwise."""

    name: ClassVar[str]
    writes: ClassVar[bool] = False

    async def get(self, tx: Tx, identity: str) -> Found | None:
        """The resource, or None when there is none (or no longer one)."""
        raise NotImplementedError

    async def candidates(self, tx: Tx, query: Query) -> list[Json]:
        """At least everything that matches; the search sorts out the rest."""
        raise NotImplementedError

    async def page(self, tx: Tx, query: Query) -> tuple[list[Json], int] | None:
        """One page and the total, where the database alone can tell; else None."""
        return None

    async def create(self, tx: Tx, body: Json) -> str:
        """Write a valid body; the new id."""
        raise not_supported(f"{self.name} cannot be created here")

    async def update(self, tx: Tx, before: Found, body: Json) -> None:
        """Write a valid body over ``before``; 412 when that is no longer what is there."""
        raise not_supported(f"{self.name} cannot be changed here")

    async def delete(self, tx: Tx, before: Found) -> None:
        raise not_supported(f"{self.name} cannot be deleted here")

    def writable(self, tx: Tx) -> bool:
        """Whether clients may write this kind under the rules of this server."""
        return self.writes

    async def must(self, tx: Tx, identity: str) -> Found:
        found = await self.get(tx, identity)
        if found is None:
            raise not_found(self.name, identity)
        return found


def with_meta(resource: Json, version: int, changed_at: datetime) -> Found:
    """Puts id-independent meta in; other members of a sent meta (profile, tag) stay."""
    meta = {
        **resource.get("meta", {}),
        "versionId": str(version),
        "lastUpdated": local(changed_at),
    }
    resource["meta"] = meta
    return Found(resource, version, changed_at)


def changed_at(tx: Tx, side: Side | None, version: int) -> datetime:
    """When this version came to be; a row that another door changed says no more than that it
    was there when this server began."""
    return side.changed_at if side is not None and side.version == version else tx.started


def living(side: Side | None) -> Side | None:
    return None if side is None or side.deleted else side


async def department_names(tx: Tx) -> Mapping[str, str]:
    if tx.names is None:
        rows = await tx.connection.execute(select(departments.c.id, departments.c.name))
        tx.names = {row.id: row.name for row in rows}
    return tx.names


def service_codes(names: Mapping[str, str], department_id: str) -> Json:
    """serviceType and specialty of whatever belongs to a department."""
    code = coded(DEPARTMENT_SYSTEM, department_id, names.get(department_id, department_id))
    return {"serviceType": [code], "specialty": [code]}


async def remember_all(tx: Tx, kind: str, found: Iterable[Found]) -> None:
    for each in found:
        identity = each.resource["id"]
        await remember(tx, kind, identity, each.version, each.resource, each.changed_at)


def moved_on(count: int) -> None:
    """Refuse when a compare-and-set found nothing to change."""
    if count != 1:
        raise stale()


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
