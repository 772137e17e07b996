"""The outbox in the desk store: the same file as the inbox, so that both change together.

Decides that a row changes hands by compare-and-set (``turn``), that a request and its outbox row
come into being in one transaction, and that a closed request is not sent again. It never talks to
the record system.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from wonmu.desk.access import desk_reading, desk_writing
from wonmu.desk.inbox import Inbox, put_request
from wonmu.desk.outbox.entry import WRITTEN_AS, Entry, Step
from wonmu.desk.outbox.outcome import Act
from wonmu.desk.records import (
    BookingRequest,
    CancelRequest,
    Recorded,
    RecordResult,
    RequestState,
)
from wonmu.desk.rows import to_row
from wonmu.desk.tables import inbox, outbox
from wonmu.errors import EmrFault, StoreFailure
from wonmu.ids import (
    AppointmentId,
    BookingKey,
    CallId,
    DepartmentId,
    DoctorId,
    HospitalId,
    PatientId,
    SlotId,
    Version,
)

_COLUMNS = tuple(field.name for field in fields(Entry))


@dataclass(frozen=True, slots=True)
class Move:
    """A row as it shall be; ``entry.turn`` is the turn that was seen.

    ``request`` closes the inbox row if it is still open. ``needs_open``: only if it is.
    """

    entry: Entry
    request: RequestState | None = None
    needs_open: bool = False


class OutboxStore:
    """All methods raise ``StoreFailure`` when the store cannot be used."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def record(self, request: BookingRequest | CancelRequest, entry: Entry) -> RecordResult:
        """Keep the request and its outbox row, both or neither, once.

        The same key again gives ``replayed`` and writes nothing. Where something stands in the
        way, nothing is written, just as in request mode.
        """
        for last in (False, True):
            try:
                return await self._record(request, entry)
            except IntegrityError as error:
                if last:
                    raise StoreFailure("the outbox refused a row twice") from error
        raise AssertionError("unreachable")

    async def find(self, key: BookingKey) -> Entry | None:
        async with self._reading() as connection:
            query = select(outbox).where(outbox.c.key == key)
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else _entry(row)

    async def entries(self, hospital_id: HospitalId | None = None) -> tuple[Entry, ...]:
        """Every row, oldest first."""
        query = select(outbox).order_by(outbox.c.created_at, outbox.c.key)
        if hospital_id is not None:
            query = query.where(outbox.c.hospital_id == hospital_id)
        async with self._reading() as connection:
            return tuple(_entry(row) for row in (await connection.execute(query)).all())

    async def left_open(self) -> tuple[HospitalId, ...]:
        """Hospitals that have rows which are not final."""
        query = select(outbox.c.hospital_id).where(outbox.c.due_at.is_not(None)).distinct()
        async with self._reading() as connection:
            found = (await connection.scalars(query.order_by(outbox.c.hospital_id))).all()
        return tuple(HospitalId(each) for each in found)

    async def take_due(
        self, hospital_id: HospitalId, now: datetime, until: datetime, limit: int
    ) -> tuple[Entry, ...]:
        """At most ``limit`` rows due at ``now``, longest due first; nobody else gets them.

        They are due again at ``until``, should whoever took them die.
        """
        async with self._writing() as connection:
            # On PostgreSQL two takers pass each other; on SQLite they take turns.
            query = due_rows(hospital_id, now, limit).with_for_update(skip_locked=True)
            taken = [_entry(row) for row in (await connection.execute(query)).all()]
            change = update(outbox).values(turn=outbox.c.turn + 1, due_at=until)
            if taken:
                keys = [entry.key for entry in taken]
                await connection.execute(change.where(outbox.c.key.in_(keys)))
        return tuple(replace(each, turn=each.turn + 1, due_at=until) for each in taken)

    async def move(self, move: Move) -> Entry | None:
        """Change one row; None when somebody else changed it first (or, with ``needs_open``,
        when staff closed the request), and then nothing was written."""
        return (await self.move_all((move,)))[0]

    async def move_all(self, moves: Sequence[Move]) -> tuple[Entry | None, ...]:
        """``move`` for many rows in one transaction, each for itself."""
        if not moves:
            return ()
        async with self._writing() as connection:
            valid = await _valid(connection, moves)
            if valid:
                await connection.execute(_change(), [_values(each.entry) for each in valid])
            for state in (RequestState.DONE, RequestState.DROPPED):
                await _close(connection, state, [m.entry.key for m in valid if m.request is state])
        done = {each.entry.key for each in valid}
        return tuple(
            replace(each.entry, turn=each.entry.turn + 1) if each.entry.key in done else None
            for each in moves
        )

    def _reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return desk_reading(self._engine)

    def _writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return desk_writing(self._engine)

    async def _record(self, request: BookingRequest | CancelRequest, entry: Entry) -> RecordResult:
        row = replace(to_row(request), written=WRITTEN_AS[entry.step], remark=entry.note)
        async with self._writing() as connection:
            result = await put_request(connection, row)
            if isinstance(result, Recorded) and not result.replayed:
                values = {name: getattr(entry, name) for name in _COLUMNS}
                await connection.execute(insert(outbox).values(values))
        return result


def outbox_of(store: Inbox) -> OutboxStore:
    """The outbox that lives in the same store as this inbox; closed with it."""
    return OutboxStore(store.engine)


def due_rows(hospital_id: HospitalId, now: datetime, limit: int) -> Select[Any]:
    """The statement that finds due rows; public so that its query plan can be checked."""
    return (
        select(outbox)
        .where(outbox.c.hospital_id == hospital_id, outbox.c.due_at <= now)
        .order_by(outbox.c.due_at, outbox.c.key)
        .limit(limit)
    )


async def _valid(connection: AsyncConnection, moves: Sequence[Move]) -> list[Move]:
    """The moves whose row is as it was seen; their rows are locked from here on."""
    keys = [each.entry.key for each in moves]
    seen = select(outbox.c.key, outbox.c.turn).where(outbox.c.key.in_(keys)).with_for_update()
    turns = {row.key: row.turn for row in (await connection.execute(seen)).all()}
    open_keys: set[str] = set()
    if needing := [each.entry.key for each in moves if each.needs_open]:
        still_open = select(inbox.c.key).where(
            inbox.c.key.in_(needing), inbox.c.state == RequestState.OPEN
        )
        open_keys = set((await connection.scalars(still_open.with_for_update())).all())
    return [
        each
        for each in moves
        if turns.get(each.entry.key) == each.entry.turn
        and (not each.needs_open or each.entry.key in open_keys)
    ]


def _change() -> Any:
    changed: dict[str, Any] = {name: bindparam(f"new_{name}") for name in _COLUMNS if name != "key"}
    return update(outbox).where(outbox.c.key == bindparam("this_key")).values(changed)


def _values(entry: Entry) -> dict[str, Any]:
    values = {f"new_{name}": getattr(entry, name) for name in _COLUMNS if name != "key"}
    return {**values, "new_turn": entry.turn + 1, "this_key": entry.key}


async def _close(connection: AsyncConnection, state: RequestState, keys: list[BookingKey]) -> None:
    if keys:
        still_open = inbox.c.key.in_(keys), inbox.c.state == RequestState.OPEN
        await connection.execute(update(inbox).where(*still_open).values(state=state))


def _entry(row: Row[Any]) -> Entry:
    return Entry(
        key=BookingKey(row.key),
        hospital_id=HospitalId(row.hospital_id),
        call_id=CallId(row.call_id),
        act=Act(row.act),
        step=Step(row.step),
        patient_id=PatientId(row.patient_id),
        start=row.start,
        created_at=row.created_at,
        updated_at=row.updated_at,
        due_at=row.due_at,
        sent_at=row.sent_at,
        slot_id=None if row.slot_id is None else SlotId(row.slot_id),
        slot_version=None if row.slot_version is None else Version(row.slot_version),
        department_id=None if row.department_id is None else DepartmentId(row.department_id),
        doctor_id=None if row.doctor_id is None else DoctorId(row.doctor_id),
        appointment_id=None if row.appointment_id is None else AppointmentId(row.appointment_id),
        written_id=None if row.written_id is None else AppointmentId(row.written_id),
        attempts=row.attempts,
        fault=None if row.fault is None else EmrFault(row.fault),
        reason=row.reason,
        turn=row.turn,
        note=row.note,
    )
