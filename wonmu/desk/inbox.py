"""The inbox: what staff works off, kept in one file for all hospitals.

Decides, by unique indexes, that one key is one row, that a slot has one open request, and that a
patient has one open request per start. When a call returns, the row is on disk. It never changes
a row except its state, and never touches the record system.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Select, and_, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from wonmu.desk.access import desk_reading, desk_writing
from wonmu.desk.records import (
    BookingRequest,
    CancelRequest,
    DeskNote,
    DuplicateRequest,
    InboxRow,
    Recorded,
    RecordResult,
    RequestKind,
    RequestState,
    SlotTaken,
)
from wonmu.desk.rows import Request, from_columns, to_columns, to_row
from wonmu.desk.tables import HEAD, MIGRATIONS, inbox, metadata, outbox
from wonmu.errors import ProgrammingError, StoreFailure
from wonmu.ids import BookingKey, HospitalId, SlotId
from wonmu.storage import close_engine, open_engine

FILE_NAME = "desk.sqlite"

_ROWS = select(
    inbox, outbox.c.step.label("outbox_step"), outbox.c.note.label("outbox_note")
).select_from(inbox.outerjoin(outbox, inbox.c.key == outbox.c.key))
"""Whole rows: what a direct write has come to is told with the request."""


async def open_inbox(path_or_url: str) -> Inbox:
    """The inbox at a path, usually ``<data>/desk.sqlite``; raises ``InputError`` if unusable."""
    return Inbox(await open_engine(path_or_url, metadata, HEAD, MIGRATIONS))


class Inbox:
    """Rows for staff. All methods raise ``StoreFailure`` when the file cannot be used."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @property
    def engine(self) -> AsyncEngine:
        """For the outbox, which lives in the same store and is written in the same transaction."""
        return self._engine

    async def record_request(self, request: BookingRequest | CancelRequest) -> RecordResult:
        """Keep a request once. The same key again gives the first row back, ``replayed``."""
        return await self._record(request)

    async def record_note(self, note: DeskNote) -> Recorded:
        """Keep a memo or a call back once; idempotent by key."""
        result = await self._record(note)
        if not isinstance(result, Recorded):
            raise ProgrammingError("a note claims nothing and cannot collide")
        return result

    async def rows(
        self,
        hospital_id: HospitalId | None = None,
        kinds: Collection[RequestKind] | None = None,
        states: Collection[RequestState] | None = None,
    ) -> tuple[InboxRow, ...]:
        """Rows that match every filter given, oldest first."""
        query = _ROWS.order_by(inbox.c.created_at, inbox.c.key)
        if hospital_id is not None:
            query = query.where(inbox.c.hospital_id == hospital_id)
        if kinds is not None:
            query = query.where(inbox.c.kind.in_(kinds))
        if states is not None:
            query = query.where(inbox.c.state.in_(states))
        async with desk_reading(self._engine) as connection:
            return tuple(from_columns(row) for row in (await connection.execute(query)).all())

    async def get(self, key: BookingKey) -> InboxRow | None:
        async with desk_reading(self._engine) as connection:
            return await _one(connection, _ROWS.where(inbox.c.key == key))

    async def set_state(self, key: BookingKey, state: RequestState) -> bool:
        """Close an open row; False when there is no open row with this key."""
        if state is RequestState.OPEN:
            raise ProgrammingError("a closed request is not opened again; record a new one")
        change = (
            update(inbox)
            .where(inbox.c.key == key, inbox.c.state == RequestState.OPEN)
            .values(state=state)
        )
        async with desk_writing(self._engine) as connection:
            return (await connection.execute(change)).rowcount == 1

    async def taken_slots(
        self, hospital_id: HospitalId, slot_ids: Collection[SlotId]
    ) -> frozenset[SlotId]:
        """Which of these slots an open request has; a search must not offer them."""
        query = select(inbox.c.slot_id).where(
            inbox.c.hospital_id == hospital_id,
            inbox.c.slot_id.in_(slot_ids),
            inbox.c.state == RequestState.OPEN,
        )
        async with desk_reading(self._engine) as connection:
            return frozenset(SlotId(slot) for slot in (await connection.scalars(query)).all())

    async def close(self) -> None:
        await close_engine(self._engine)

    async def _record(self, request: Request) -> RecordResult:
        row = to_row(request)
        try:
            return await self._insert(row)
        except IntegrityError:
            pass  # another writer was faster between our look and our insert: now it can be seen
        try:
            return await self._insert(row)
        except IntegrityError as error:
            raise StoreFailure("the inbox refused a row twice") from error

    async def _insert(self, row: InboxRow) -> RecordResult:
        async with desk_writing(self._engine) as connection:
            return await put_request(connection, row)


async def put_request(connection: AsyncConnection, row: InboxRow) -> RecordResult:
    """Insert an open row unless something stands in its way; for whoever has a transaction.

    An ``IntegrityError`` means that another writer was faster: begin again, and it can be seen.
    """
    found = await _standing(connection, row)
    if found is not None:
        return found
    await connection.execute(insert(inbox).values(to_columns(row)))
    return Recorded(row)


async def _standing(connection: AsyncConnection, row: InboxRow) -> RecordResult | None:
    """What already stands in the way of ``row``, the same key first."""
    same_key = await _one(connection, _ROWS.where(inbox.c.key == row.key))
    if same_key is not None:
        if not _same_wish(same_key, row):
            raise ProgrammingError(f"the key {row.key} was used for two different requests")
        return Recorded(same_key, replayed=True)
    open_here = and_(inbox.c.hospital_id == row.hospital_id, inbox.c.state == RequestState.OPEN)
    if row.kind is RequestKind.CANCEL:
        same = and_(inbox.c.kind == row.kind, inbox.c.appointment_id == row.appointment_id)
        other = await _one(connection, _ROWS.where(open_here, same))
        return None if other is None else DuplicateRequest(other.key)
    if row.slot_id is None or row.patient is None:
        return None
    same = and_(
        inbox.c.slot_id.is_not(None),
        or_(
            inbox.c.slot_id == row.slot_id,
            and_(inbox.c.patient_ref == row.patient.ref, inbox.c.start == row.start),
        ),
    )
    return _clash(row, await _many(connection, _ROWS.where(open_here, same)))


def _clash(row: InboxRow, others: list[InboxRow]) -> SlotTaken | DuplicateRequest | None:
    """The patient's own open request is told before a stranger's claim on the slot."""
    ref = row.patient.ref if row.patient else None
    for other in others:
        if other.patient is not None and other.patient.ref == ref and other.start == row.start:
            return DuplicateRequest(other.key)
    return SlotTaken(row.slot_id) if others and row.slot_id is not None else None


def _same_wish(one: InboxRow, other: InboxRow) -> bool:
    def wish(row: InboxRow) -> tuple[object, ...]:
        ref = row.patient.ref if row.patient else None
        return (row.kind, row.hospital_id, ref, row.slot_id, row.appointment_id, row.start)

    return wish(one) == wish(other)


async def _one(connection: AsyncConnection, query: Select[Any]) -> InboxRow | None:
    found = (await connection.execute(query.limit(1))).one_or_none()
    return None if found is None else from_columns(found)


async def _many(connection: AsyncConnection, query: Select[Any]) -> list[InboxRow]:
    return [from_columns(row) for row in (await connection.execute(query)).all()]
