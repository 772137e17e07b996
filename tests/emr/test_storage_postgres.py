"""Stores in PostgreSQL: opened by URL, several in one database, or refused in one sentence."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pg_cluster import Cluster, binaries
from sqlalchemy import MetaData, text
from sqlalchemy.ext.asyncio import AsyncEngine

from wonmu import postgres
from wonmu.desk import tables as desk
from wonmu.desk.inbox import open_inbox
from wonmu.emr import tables as emr
from wonmu.errors import InputError
from wonmu.migrate import difference, upgrade
from wonmu.postgres import in_schema, parse
from wonmu.storage import (
    close_engine,
    open_engine,
    reading,
    store_exists,
    version_table,
    writing,
)
from wonmu.timeline import tables as timeline
from wonmu.timeline.store import TimelineStore

pytestmark = pytest.mark.service

STORES = [
    pytest.param(emr.metadata, emr.HEAD, emr.MIGRATIONS, id="emr"),
    pytest.param(desk.metadata, desk.HEAD, desk.MIGRATIONS, id="desk"),
    pytest.param(timeline.metadata, timeline.HEAD, timeline.MIGRATIONS, id="timeline"),
]
SHAPE = """
SELECT 'column', table_name, column_name, data_type, character_maximum_length::text, is_nullable,
  column_default FROM information_schema.columns WHERE table_schema = current_schema()
UNION ALL SELECT 'index', tablename, indexname, replace(indexdef, current_schema() || '.', ''),
  '', '', '' FROM pg_indexes WHERE schemaname = current_schema()
UNION ALL SELECT 'constraint', conrelid::regclass::text, contype::text, pg_get_constraintdef(oid),
  '', '', '' FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname, tgtype::text, '', '', ''
  FROM pg_trigger WHERE NOT tgisinternal AND tgrelid IN
  (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
"""


def test_postgresql_is_there() -> None:
    """Without it half of the tests about stores did not run; where that must not be, this fails."""
    if binaries() is None:
        words = "no PostgreSQL server programs were found; tests on PostgreSQL were left out"
        if os.environ.get("WONMU_REQUIRE_POSTGRES") == "1":
            pytest.fail(words)
        pytest.skip(words)


@asynccontextmanager
async def opened(
    url: str, metadata: MetaData = desk.metadata, head: str = desk.HEAD, at: str = desk.MIGRATIONS
) -> AsyncIterator[AsyncEngine]:
    engine = await open_engine(url, metadata, head, at)
    try:
        yield engine
    finally:
        await close_engine(engine)


async def open_and_close(url: str) -> None:
    async with opened(url):
        pass


def refused(url: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        asyncio.run(open_and_close(url))
    assert "\n" not in str(caught.value)
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(("metadata", "head", "migrations"), STORES)
def test_migrations_lead_to_the_tables(
    database: str, metadata: MetaData, head: str, migrations: str
) -> None:
    table = version_table(migrations)

    async def shape(engine: AsyncEngine) -> list[tuple[str, ...]]:
        async with reading(engine) as connection:
            found = (await connection.execute(text(SHAPE))).all()
        return sorted(tuple(map(str, row)) for row in found)

    async def main() -> None:
        old = in_schema(database, "old")
        async with opened(in_schema(database, "fresh"), metadata, head, migrations) as fresh:
            async with opened(old, MetaData(), "none", migrations) as blank:
                async with writing(blank) as connection:
                    await connection.execute(text(f"DELETE FROM {table}"))
                    await connection.run_sync(upgrade, migrations, table)
                async with reading(blank) as connection:
                    assert await connection.run_sync(difference, metadata, table) == []
                migrated = [row for row in await shape(blank) if row[1] != table]
            made = [row for row in await shape(fresh) if row[1] != table]
            assert migrated == made
            assert len(made) > 10
        async with opened(old, metadata, head, migrations):
            pass

    asyncio.run(main())


def test_an_older_store_is_brought_up_to_date(database: str) -> None:
    async def main() -> None:
        url = in_schema(database, "old")
        table = version_table(emr.MIGRATIONS)
        async with opened(url, MetaData(), "none", emr.MIGRATIONS) as blank:
            async with writing(blank) as connection:
                await connection.execute(text(f"DELETE FROM {table}"))
                await connection.run_sync(upgrade, emr.MIGRATIONS, table, "0001")
        async with opened(url, emr.metadata, emr.HEAD, emr.MIGRATIONS) as engine:
            async with reading(engine) as connection:
                assert await connection.scalar(text(f"SELECT * FROM {table}")) == emr.HEAD
                assert await connection.run_sync(difference, emr.metadata, table) == []

    asyncio.run(main())


def test_several_stores_share_one_database(database: str) -> None:
    async def main() -> None:
        inbox = await open_inbox(database)
        store = await TimelineStore.open(database)
        async with opened(database, emr.metadata, emr.HEAD, emr.MIGRATIONS) as engine:
            async with reading(engine) as connection:
                found = await connection.execute(
                    text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
                )
            names = {row.tablename for row in found.all()}
        assert {"emr_version", "desk_version", "timeline_version"} <= names
        await inbox.close()
        await store.close()

    asyncio.run(main())


def test_a_store_is_looked_for_without_being_made(database: str) -> None:
    async def main() -> None:
        for url in (database, in_schema(database, "elsewhere")):
            assert not await store_exists(url, desk.MIGRATIONS)
            await open_and_close(url)
            assert await store_exists(url, desk.MIGRATIONS)
            assert not await store_exists(url, emr.MIGRATIONS)

    asyncio.run(main())


OPENER = """
import asyncio, sys
from wonmu.desk.inbox import open_inbox
from wonmu.emr.sql import open_embedded
from wonmu.emr.seed import seed
from wonmu.clock import FixedClock
from wonmu.timeline.store import TimelineStore
from emr_parts import NOW, plan
from random import Random
async def main():
    print("ready", flush=True)
    sys.stdin.readline()
    inbox = await open_inbox(sys.argv[1])
    records = await open_embedded(sys.argv[2], FixedClock(NOW))
    added = await seed(records, plan(), NOW, Random(7))
    store = await TimelineStore.open(sys.argv[1])
    for each in (inbox, records, store):
        await each.close()
    print(added, flush=True)
asyncio.run(main())
"""


def test_several_processes_open_a_fresh_database_at_once(database: str) -> None:
    folder = os.path.dirname(__file__)
    path = os.pathsep.join((folder, os.path.dirname(folder)))
    children = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, database, in_schema(database, "emr_x")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        for _ in range(4)
    ]  # fmt: skip
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    added = sorted(int(child.communicate(timeout=60)[0]) for child in children)
    assert [child.returncode for child in children] == [0, 0, 0, 0]
    assert added == [0, 0, 0, 462], "one filled the calendar, the others found it full"


def test_spellings_of_a_url() -> None:
    for spelling in ("postgres", "postgresql", "postgresql+asyncpg"):
        assert parse(f"{spelling}://u@h/d").drivername == "postgresql+asyncpg"
    with pytest.raises(InputError, match="leave the driver out"):
        parse("postgresql+psycopg2://u:geheim@h/d")
    for wrong in ("postgresql://u:geheim@h:port/d", "postgresql//u", "://geheim@x"):
        with pytest.raises(InputError, match="not a database URL") as caught:
            parse(wrong)
        assert "geheim" not in str(caught.value)
        assert caught.value.__cause__ is None
    assert "geheim" not in postgres.shown(parse("postgresql://u:geheim@h/d?password=geheim"))
    with pytest.raises(InputError, match="schema"):
        in_schema("postgresql://h/d", "x; DROP TABLE y")


def test_options_that_psql_knows() -> None:
    options = postgres._options(
        parse(
            "postgres://u:p@h:5433/d?sslmode=require&connect_timeout=7&schema=x&application_name=a"
        )
    )
    assert (options["host"], options["port"], options["database"]) == ("h", 5433, "d")
    assert (options["ssl"], options["timeout"]) == ("require", 7.0)
    assert "schema" not in options
    assert options["server_settings"]["search_path"] == "x"
    assert options["server_settings"]["application_name"] == "a"


def test_limits_lie_below_that_of_a_request() -> None:
    from wonmu.hospital.config import EmrSettings

    limit = EmrSettings().request_seconds
    assert postgres.LOCK_SECONDS < postgres.STATEMENT_SECONDS < limit
    assert limit > postgres.CONNECT_SECONDS


def test_a_database_that_cannot_be_reached(cluster: Cluster) -> None:
    cluster.sql("DROP ROLE IF EXISTS guarded")
    cluster.sql("CREATE ROLE guarded LOGIN PASSWORD 'anders'")
    refused(cluster.url("postgres", "guarded:geheim"), "password authentication failed")
    refused(cluster.url("nowhere"), 'database "nowhere" does not exist')
    refused(cluster.url("postgres", "nobody_here:geheim"), 'role "nobody_here" does not exist')
    refused("postgresql://u:geheim@127.0.0.1:1/d", "127.0.0.1")
    refused("postgresql://u:geheim@/d?host=/nowhere", "cannot be used")
    refused(cluster.url("postgres") + "&colour=red", "colour")


def test_a_database_that_cannot_hold_korean(cluster: Cluster) -> None:
    cluster.sql("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    try:
        refused(cluster.url("latin"), "UTF8")
    finally:
        cluster.sql("DROP DATABASE latin WITH (FORCE)")


def test_somebody_elses_tables_are_left_alone(cluster: Cluster, database: str) -> None:
    name = database.rsplit("/", 1)[0] and parse(database).database
    cluster.sql("CREATE TABLE inbox (id integer)", str(name))
    refused(database, "something else")
    cluster.sql("INSERT INTO inbox VALUES (1)", str(name))
    asyncio.run(open_and_close(in_schema(database, "ours")))


def test_a_newer_store_and_a_damaged_one(cluster: Cluster, database: str) -> None:
    name = str(parse(database).database)
    asyncio.run(open_and_close(database))
    cluster.sql("UPDATE desk_version SET version_num = '9999'", name)
    refused(database, "newer version")
    cluster.sql("DELETE FROM desk_version", name)
    refused(database, "damaged")


def test_a_database_that_may_only_be_read(cluster: Cluster, database: str) -> None:
    asyncio.run(open_and_close(database))
    name = parse(database).database
    cluster.sql(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    refused(database, "read-only")
