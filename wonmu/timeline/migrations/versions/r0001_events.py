"""The events of all calls, append-only."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_REFUSAL = "timeline events are append-only"

_SQLITE = (
    "CREATE TRIGGER timeline_event_no_update BEFORE UPDATE ON timeline_event "
    f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END",
    "CREATE TRIGGER timeline_event_no_delete BEFORE DELETE ON timeline_event "
    f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END",
)
_POSTGRESQL = (
    "CREATE OR REPLACE FUNCTION timeline_event_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$",
    "CREATE TRIGGER timeline_event_append_only BEFORE UPDATE OR DELETE ON timeline_event "
    "FOR EACH ROW EXECUTE FUNCTION timeline_event_refuse()",
    "CREATE TRIGGER timeline_event_no_truncate BEFORE TRUNCATE ON timeline_event "
    "FOR EACH STATEMENT EXECUTE FUNCTION timeline_event_refuse()",
)


def upgrade() -> None:
    op.create_table(
        "timeline_event",
        sa.Column("call_id", sa.String(64), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("mono", sa.Float, nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("status", sa.String(16)),
        sa.Column("span", sa.String(64)),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("v", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("call_id", "seq", name="pk_timeline_event"),
    )
    op.create_index("ix_timeline_event_kind_at", "timeline_event", ["kind", "at"])
    triggers = {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}
    for statement in triggers.get(op.get_bind().dialect.name, ()):
        op.execute(statement)
