"""The one table of the timeline store, and the triggers that make it append-only (E1).

``at`` is ISO text in UTC with microseconds, so that it sorts as text and comes back exactly;
``data`` is JSON. The triggers belong to the table: whoever creates it creates them.
"""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    event,
)

HEAD = "0001"
MIGRATIONS = "wonmu.timeline.migrations"

metadata = MetaData()

timeline_event = Table(
    "timeline_event",
    metadata,
    Column("call_id", String(64), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("at", String(40), nullable=False),
    Column("mono", Float, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("status", String(16)),
    Column("span", String(64)),
    Column("data", Text, nullable=False),
    Column("v", Integer, nullable=False),
    PrimaryKeyConstraint("call_id", "seq", name="pk_timeline_event"),
    Index("ix_timeline_event_kind_at", "kind", "at"),
)

_REFUSAL = "timeline events are append-only"

SQLITE_TRIGGERS = tuple(
    f"CREATE TRIGGER timeline_event_no_{verb.lower()} BEFORE {verb} ON timeline_event "
    f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
    for verb in ("UPDATE", "DELETE")
)

POSTGRESQL_TRIGGERS = (
    "CREATE OR REPLACE FUNCTION timeline_event_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$",
    "CREATE TRIGGER timeline_event_append_only BEFORE UPDATE OR DELETE ON timeline_event "
    "FOR EACH ROW EXECUTE FUNCTION timeline_event_refuse()",
    # Emptying the table at once is no deletion of rows to PostgreSQL.
    "CREATE TRIGGER timeline_event_no_truncate BEFORE TRUNCATE ON timeline_event "
    "FOR EACH STATEMENT EXECUTE FUNCTION timeline_event_refuse()",
)

TRIGGERS = {"sqlite": SQLITE_TRIGGERS, "postgresql": POSTGRESQL_TRIGGERS}

for _dialect, _statements in TRIGGERS.items():
    for _statement in _statements:
        _ddl = DDL(_statement).execute_if(dialect=_dialect)  # type: ignore[no-untyped-call]
        event.listen(timeline_event, "after_create", _ddl)
