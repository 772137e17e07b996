"""What the FHIR server keeps beside the rows: sent members, earlier versions, conditions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from wonmu.storage import Moment

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "fhir_resources",
        *_of_a_resource(),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("changed_at", Moment, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("deleted", sa.Boolean, nullable=False),
    )
    op.create_index("ix_fhir_resources_changed_at", "fhir_resources", ["changed_at"])
    op.create_table(
        "fhir_versions",
        *_of_a_resource(),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("changed_at", Moment, nullable=False),
        sa.Column("body", sa.Text),
    )
    op.create_table(
        "fhir_conditions",
        sa.Column("kind", sa.String(40), primary_key=True),
        sa.Column("condition", sa.String(64), primary_key=True),
        sa.Column("id", sa.String(120), nullable=False),
    )


def downgrade() -> None:
    for table in ("fhir_conditions", "fhir_versions", "fhir_resources"):
        op.drop_table(table)


def _of_a_resource() -> tuple[sa.Column[str], sa.Column[str]]:
    return (
        sa.Column("kind", sa.String(40), primary_key=True),
        sa.Column("id", sa.String(120), primary_key=True),
    )
