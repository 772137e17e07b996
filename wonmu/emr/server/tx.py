"""One transaction of the server: connection, moment, rules, and what must hold at its end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import exists, select
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection

from wonmu.clock import Clock
from wonmu.emr.server.problems import FhirProblem, Issue, refused
from wonmu.emr.server.rules import ServerRules
from wonmu.emr.sql import SqlEmr
from wonmu.emr.tables import appointments, slots
from wonmu.ids import IdSource
from wonmu.storage import reading, writing


class Collision(Exception):
    """Another writer was faster in the database; the interaction may be tried once more."""

    def __init__(self, problem: FhirProblem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(slots=True)
class Tx:
    """``as_of``: searches answer as of this moment (a stale index); None: as of now."""

    connection: AsyncConnection
    now: datetime
    started: datetime
    rules: ServerRules
    ids: IdSource
    base: str
    as_of: datetime | None = None
    touched: set[str] = field(default_factory=set)
    """Slots of which something changed."""
    names: dict[str, str] | None = None
    """Departments' names, once they were read."""


@dataclass(frozen=True, slots=True)
class Store:
    """Opens transactions on a record system."""

    records: SqlEmr
    clock: Clock
    rules: ServerRules
    ids: IdSource
    started: datetime

    @asynccontextmanager
    async def read(self, base: str, as_of: datetime | None = None) -> AsyncIterator[Tx]:
        with _as_problems():
            async with reading(self.records.engine) as connection:
                yield self._tx(connection, base, as_of)

    @asynccontextmanager
    async def write(self, base: str) -> AsyncIterator[Tx]:
        """Committed at the end of the block when what must hold does; else nothing is written."""
        with _as_problems():
            async with writing(self.records.engine) as connection:
                tx = self._tx(connection, base, None)
                yield tx
                await _settle(tx)

    def _tx(self, connection: AsyncConnection, base: str, as_of: datetime | None) -> Tx:
        now = self.clock.now()
        return Tx(connection, now, self.started, self.rules, self.ids, base, as_of)


class _as_problems:
    """Database errors become what a client can understand."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        match error:
            case IntegrityError():
                raise Collision(_collision(str(error.orig))) from error
            case DataError():
                raise FhirProblem(422, Issue("too-long", "a value does not fit")) from error
            case DBAPIError() | PoolTimeout() | OSError():
                issue = Issue("transient", "the database did not answer", severity="fatal")
                raise FhirProblem(503, issue) from error


def _collision(text: str) -> FhirProblem:
    """Which unique index refused; SQLite names columns, PostgreSQL the index."""
    if "one_per_patient_and_start" in text or "appointments.patient_id" in text:
        return refused("patient_busy", "Appointment.start")
    if "one_per_key" in text or "appointments.key" in text:
        return FhirProblem(409, Issue("duplicate", "an appointment with this identifier exists"))
    if "one_per_slot" in text or "appointments.slot_id" in text:
        return FhirProblem(409, Issue("conflict", "the slot is taken"))
    return FhirProblem(409, Issue("conflict", "it conflicts with what is there"))


async def _settle(tx: Tx) -> None:
    """A slot with a live appointment must not be free, whichever of the two was written last."""
    if not tx.touched:
        return
    live = exists().where(appointments.c.slot_id == slots.c.id, appointments.c.status == "booked")
    query = select(slots.c.id).where(slots.c.id.in_(tx.touched), slots.c.status == "free", live)
    free = (await tx.connection.scalars(query)).first()
    if free is not None:
        text = f"Slot/{free} has an appointment and must not be free: claim it first"
        raise FhirProblem(409, Issue("business-rule", text))
