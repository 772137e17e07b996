"""Slots that the server owns change hands here, by compare-and-set in the database (§6.3)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, and_, or_, select, update

from wonmu.emr.server.problems import taken
from wonmu.emr.server.tx import Collision, Tx
from wonmu.emr.tables import slots

_EMPTY = {"hold_key": None, "hold_until": None}


async def claim(tx: Tx, slot_id: str, hold_key: str | None) -> None:
    """The slot becomes busy if it is free, its hold has run out, or the hold is ours; else 409."""
    may = is_free(tx.now)
    if hold_key is not None:
        may = or_(may, and_(slots.c.status == "held", slots.c.hold_key == hold_key))
    if not await _change(tx, and_(slots.c.id == slot_id, may), {"status": "busy", **_EMPTY}):
        # Perhaps this very booking took it a moment ago: the second look can tell.
        raise Collision(taken(slot_id))


async def hold(tx: Tx, slot_id: str, hold_key: str, until: datetime) -> bool:
    values = {"status": "held", "hold_key": hold_key, "hold_until": until}
    return await _change(tx, and_(slots.c.id == slot_id, is_free(tx.now)), values)


async def free(tx: Tx, slot_id: str) -> None:
    await _change(tx, slots.c.id == slot_id, {"status": "free", **_EMPTY})


async def held_slot(tx: Tx, hold_key: str) -> str | None:
    """The slot under a live hold, or None when there is none (any more)."""
    query = select(slots.c.id).where(
        slots.c.status == "held", slots.c.hold_key == hold_key, slots.c.hold_until > tx.now
    )
    return (await tx.connection.scalars(query)).one_or_none()


def is_free(now: datetime) -> ColumnElement[bool]:
    lapsed = and_(slots.c.status == "held", slots.c.hold_until <= now)
    return or_(slots.c.status == "free", lapsed)


async def _change(tx: Tx, where: ColumnElement[bool], values: dict[str, object]) -> bool:
    change = update(slots).where(where).values(version=slots.c.version + 1, **values)
    return (await tx.connection.execute(change)).rowcount == 1
