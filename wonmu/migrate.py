"""Alembic, kept in one place because importing it is slow.

Runs a store's migrations on a connection that is already in a write transaction, and tells how
far a database is from its metadata. It must never commit: whoever opened the transaction does.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from alembic import command, context
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData


def known_revisions(migrations: str) -> frozenset[str]:
    """Ids of every revision that the package ``migrations`` knows."""
    script = ScriptDirectory.from_config(_config(migrations))
    return frozenset(revision.revision for revision in script.walk_revisions())


def upgrade(connection: Connection, migrations: str, table: str, to: str = "head") -> None:
    """Bring the database behind ``connection`` to revision ``to``; ``table`` holds the version."""
    config = _config(migrations)
    config.attributes["connection"] = connection
    config.attributes["version_table"] = table
    command.upgrade(config, to)


def run_env(metadata: MetaData) -> None:
    """The whole of every ``env.py``: run what was asked for on the connection handed in."""
    attributes = context.config.attributes
    context.configure(
        connection=attributes["connection"],
        target_metadata=metadata,
        version_table=attributes["version_table"],
        render_as_batch=True,
        transactional_ddl=True,
    )
    context.run_migrations()


def difference(connection: Connection, metadata: MetaData, table: str) -> list[Any]:
    """What would have to change for the database to equal ``metadata``; empty when equal."""
    options = {"version_table": table, "compare_type": True, "compare_server_default": True}
    found: list[Any] = compare_metadata(
        MigrationContext.configure(connection, opts=options), metadata
    )
    return found


def _config(migrations: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(files(migrations)).replace("%", "%%"))
    return config
