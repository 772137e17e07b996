"""Opening a store: made, upgraded, or refused with one sentence and left alone (N7, E1)."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, insert, select, text

from wonmu.clock import SEOUL
from wonmu.desk import tables as desk
from wonmu.emr import tables as emr
from wonmu.errors import InputError
from wonmu.migrate import difference, known_revisions, upgrade
from wonmu.storage import Moment, close_engine, open_engine, reading, version_table, writing

pytestmark = pytest.mark.service

STORES = [
    pytest.param(emr.metadata, emr.HEAD, emr.MIGRATIONS, id="emr"),
    pytest.param(desk.metadata, desk.HEAD, desk.MIGRATIONS, id="desk"),
]


async def _open_and_close(path: Path | str) -> None:
    await close_engine(await open_engine(str(path), desk.metadata, desk.HEAD, desk.MIGRATIONS))


def _schema(path: Path) -> list[tuple[str, ...]]:
    found = sqlite3.connect(path).execute("SELECT type, name, tbl_name FROM sqlite_master")
    return sorted(tuple(map(str, row)) for row in found)


@pytest.mark.parametrize(("metadata", "head", "migrations"), STORES)
def test_migrations_lead_to_the_metadata(
    tmp_path: Path, metadata: MetaData, head: str, migrations: str
) -> None:
    table = version_table(migrations)

    async def main() -> None:
        fresh = await open_engine(str(tmp_path / "fresh.sqlite"), metadata, head, migrations)
        empty = MetaData()
        blank = await open_engine(str(tmp_path / "old.sqlite"), empty, "none", migrations)
        async with writing(blank) as connection:
            await connection.execute(text(f"DELETE FROM {table}"))
            await connection.run_sync(upgrade, migrations, table)
        async with reading(blank) as connection:
            assert await connection.run_sync(difference, metadata, table) == []
            stamped = await connection.scalar(text(f"SELECT version_num FROM {table}"))
        assert stamped == head
        assert head in known_revisions(migrations)
        await close_engine(fresh)
        await close_engine(blank)

    asyncio.run(main())
    assert _schema(tmp_path / "fresh.sqlite") == _schema(tmp_path / "old.sqlite")


def test_a_difference_would_be_seen(tmp_path: Path) -> None:
    more = MetaData()
    for table in desk.metadata.tables.values():
        table.to_metadata(more)
    Table("forgotten", more, Column("id", Integer, primary_key=True))

    async def main() -> None:
        engine = await open_engine(
            str(tmp_path / "desk.sqlite"), desk.metadata, desk.HEAD, desk.MIGRATIONS
        )
        async with reading(engine) as connection:
            assert await connection.run_sync(difference, more, "desk_version")
        await close_engine(engine)

    asyncio.run(main())


def test_an_older_store_is_brought_up_to_date(tmp_path: Path) -> None:
    """The revision before the first one is an empty store with a version of its own."""
    package = tmp_path / "oldstore" / "migrations"
    (package / "versions").mkdir(parents=True)
    (tmp_path / "oldstore" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "env.py").write_text(
        "from sqlalchemy import MetaData\nfrom wonmu.migrate import run_env\nrun_env(MetaData())\n"
    )
    for revision, before, column in (("0001", None, "a"), ("0002", "0001", "b")):
        (package / "versions" / f"r{revision}.py").write_text(
            "import sqlalchemy as sa\nfrom alembic import op\n"
            f"revision = {revision!r}\ndown_revision = {before!r}\n"
            "def upgrade():\n"
            f"    op.create_table({column!r}, sa.Column('id', sa.Integer, primary_key=True))\n"
        )
    code = f"""
import asyncio, sys
sys.path.insert(0, {str(tmp_path)!r})
from sqlalchemy import Column, Integer, MetaData, Table, text
from wonmu.storage import close_engine, open_engine, reading, writing
first, second = MetaData(), MetaData()
Table("a", first, Column("id", Integer, primary_key=True))
for name in "ab":
    Table(name, second, Column("id", Integer, primary_key=True))
async def main():
    engine = await open_engine({str(tmp_path / "s.sqlite")!r}, first, "0001", "oldstore.migrations")
    async with writing(engine) as c:
        await c.execute(text("INSERT INTO a VALUES (5)"))
    await close_engine(engine)
    assert "alembic" not in sys.modules
    engine = await open_engine({str(tmp_path / "s.sqlite")!r}, second, "0002", "oldstore.migrations")
    async with reading(engine) as c:
        print((await c.scalar(text("SELECT id FROM a"))), (await c.scalar(text("SELECT count(*) FROM b"))),
              (await c.scalar(text("SELECT version_num FROM oldstore_version"))))
    await close_engine(engine)
asyncio.run(main())
"""  # noqa: E501
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["5", "0", "0002"]


def test_opening_does_not_import_alembic(tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
from wonmu.desk.inbox import open_inbox
async def main():
    for _ in range(2):
        await (await open_inbox({str(tmp_path / "desk.sqlite")!r})).close()
asyncio.run(main())
print("alembic" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_missing_folders_are_made_and_an_empty_file_is_a_fresh_store(tmp_path: Path) -> None:
    asyncio.run(_open_and_close(tmp_path / "a" / "b" / "desk.sqlite"))
    (tmp_path / "empty.sqlite").touch()
    asyncio.run(_open_and_close(tmp_path / "empty.sqlite"))
    assert ("table", "inbox", "inbox") in _schema(tmp_path / "empty.sqlite")


def _refused(path: Path | str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        asyncio.run(_open_and_close(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"hello", b"SQLite format 3\x00" + b"\xff" * 2000])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "desk.sqlite"
    file.write_bytes(content)
    _refused(file, "desk.sqlite")
    assert file.read_bytes() == content
    assert [each.name for each in tmp_path.iterdir()] == ["desk.sqlite"]


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "desk.sqlite"
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE letters (id INTEGER)")
    other.close()
    before = file.read_bytes()
    _refused(file, "something else")
    assert file.read_bytes() == before


def test_one_store_is_not_opened_as_the_other(tmp_path: Path) -> None:
    file = tmp_path / "desk.sqlite"
    asyncio.run(_open_and_close(file))

    async def wrong() -> None:
        await open_engine(str(file), emr.metadata, emr.HEAD, emr.MIGRATIONS)

    with pytest.raises(InputError, match="something else"):
        asyncio.run(wrong())


def test_a_store_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "desk.sqlite"
    asyncio.run(_open_and_close(file))
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE desk_version SET version_num = '9999'")
    connection.close()
    before = _schema(file)
    _refused(file, "newer version")
    assert _schema(file) == before


def test_a_store_without_its_version_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / "desk.sqlite"
    asyncio.run(_open_and_close(file))
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM desk_version")
    connection.close()
    _refused(file, "damaged")


def test_a_read_only_store_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "desk.sqlite"
    asyncio.run(_open_and_close(file))
    _refused(f"sqlite+aiosqlite:///file:{file}?mode=ro&uri=true", "readonly")


def test_places_that_cannot_be_a_store(tmp_path: Path) -> None:
    _refused(tmp_path, "folder")
    (tmp_path / "file").write_bytes(b"x")
    _refused(tmp_path / "file" / "desk.sqlite", "cannot be opened")
    _refused("nonsense://x", "no database driver")
    _refused("sqlite:///sync.sqlite", "no database driver")
    _refused("://", "not a database URL")


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")
def test_a_file_without_write_permission_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "desk.sqlite"
    asyncio.run(_open_and_close(file))
    file.chmod(0o444)
    _refused(file, "readonly")


def test_moments_keep_their_instant_and_come_back_in_seoul(tmp_path: Path) -> None:
    metadata = MetaData()
    table = Table("t", metadata, Column("id", Integer, primary_key=True), Column("at", Moment))
    moments = [
        datetime(2026, 12, 1, 0, 30, tzinfo=UTC),
        datetime(2026, 12, 1, 9, 0, tzinfo=SEOUL),
        datetime(2026, 11, 30, 23, 0, tzinfo=timezone(timedelta(hours=-5))),
    ]

    async def main() -> None:
        engine = await open_engine(str(tmp_path / "t.sqlite"), metadata, "1", "x.t.migrations")
        async with writing(engine) as connection:
            await connection.execute(insert(table), [{"at": moment} for moment in moments])
        async with reading(engine) as connection:
            read = (await connection.scalars(select(table.c.at).order_by(table.c.at))).all()
            with pytest.raises(Exception, match="time zone"):
                await connection.execute(insert(table).values(at=datetime(2026, 1, 1)))  # noqa: DTZ001
        assert read == sorted(moments)
        assert {moment.utcoffset() for moment in read} == {timedelta(hours=9)}
        await close_engine(engine)

    asyncio.run(main())


def test_a_failed_block_writes_nothing(tmp_path: Path) -> None:
    metadata = MetaData()
    table = Table("t", metadata, Column("id", Integer, primary_key=True))

    async def main() -> None:
        engine = await open_engine(str(tmp_path / "t.sqlite"), metadata, "1", "x.t.migrations")

        async def fail() -> None:
            async with writing(engine) as connection:
                await connection.execute(insert(table).values(id=1))
                raise KeyError

        with pytest.raises(KeyError):
            await fail()
        async with reading(engine) as connection:
            assert (await connection.execute(select(table))).all() == []
        await close_engine(engine)

    asyncio.run(main())
