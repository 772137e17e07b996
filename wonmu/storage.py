"""Opening a store: one file (or database), its version, its connection rules.

Decides whether what lies at a path may be used, creates it when there is nothing, brings an older
one up to date, and sets how connections behave. It must never write into something that is not
ours: what it finds is inspected first, and anything odd is an ``InputError`` of one sentence.

A store is a ``MetaData``, a migrations package and the id of its newest revision (``head``). A
fresh store is created from the metadata and stamped; only an older one needs Alembic, which is
imported on that path alone (it costs about 0.3 s).

Writers use ``writing(engine)``. They take turns, one at a time in a store, whichever process they
are in: on SQLite each transaction begins with ``BEGIN IMMEDIATE``, so that it waits at the start
instead of failing half way; on PostgreSQL it begins with an advisory lock of the store. So what is
right on the one is right on the other. (A desk writes a few rows a second at most, and a turn takes
some milliseconds; optimistic transactions would have to be run again after a conflict, and every
caller would have to be written for that.) Whoever writes past this module on PostgreSQL meets the
unique indexes. Readers use ``reading(engine)`` and wait for nobody.

All keep a paced loop's time honest while a database works (``wonmu.loop.outside``), so nothing but
the database may be awaited in their blocks, and they must not be nested.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import (
    Connection,
    DateTime,
    Dialect,
    Engine,
    MetaData,
    TypeDecorator,
    event,
    inspect,
    text,
)
from sqlalchemy.engine import URL
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    InvalidRequestError,
    OperationalError,
)
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from wonmu import postgres
from wonmu.clock import SEOUL, utc
from wonmu.errors import InputError
from wonmu.loop import outside

BUSY_SECONDS = 5.0
"""How long a SQLite connection waits for another writer before it gives up."""

_SQLITE_MAGIC = b"SQLite format 3\x00"
_WAL_TRIES = 40
_turns: WeakKeyDictionary[Engine, asyncio.Lock] = WeakKeyDictionary()
_stores: WeakKeyDictionary[Engine, str] = WeakKeyDictionary()


class Moment(TypeDecorator[datetime]):
    """A column type: an aware moment, kept in UTC, given back in Asia/Seoul.

    SQLite keeps no zone and its texts sort by time only when all are in one zone. A moment
    without a zone is refused with ``ValueError``.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment = utc(value)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        return moment.astimezone(SEOUL)


async def open_engine(
    path_or_url: str, metadata: MetaData, head: str, migrations: str
) -> AsyncEngine:
    """The engine of a store that exists, is ours and is at ``head``.

    ``path_or_url``: a file path (SQLite; folders are made) or a URL (see ``wonmu.postgres``).
    ``migrations``: dotted name of the package with ``env.py`` and ``versions/``.
    Raises ``InputError`` when the file is no database, not ours, newer than this program, or
    cannot be read or written. Nothing is changed in that case.
    """
    url = _url(path_or_url)
    if url.get_backend_name() == "sqlite":
        _check_file(url)
    try:
        engine = _create(url)
    except (ArgumentError, InvalidRequestError, ImportError) as error:
        raise InputError(f"no database driver for {postgres.shown(url)}: {error}") from error
    try:
        with outside():
            if postgres.is_postgres(url):
                await postgres.prepare(engine, url)
            await _prepare(engine, metadata, head, migrations)
        _stores[engine.sync_engine] = version_table(migrations)
    except BaseException as error:
        await close_engine(engine)
        if isinstance(error, (DBAPIError, OSError)):
            raise InputError(_sentence(url, error)) from error
        raise
    return engine


async def store_exists(path_or_url: str, migrations: str) -> bool:
    """Whether a store lies there, looked at without making one. Raises ``InputError``."""
    url = _url(path_or_url)
    if not postgres.is_postgres(url):
        return _is_file(url)
    engine = _create(url)
    try:
        async with reading(engine) as connection:
            return await connection.run_sync(_is_there, version_table(migrations))
    except (DBAPIError, OSError) as error:
        raise InputError(_sentence(url, error)) from error
    finally:
        await close_engine(engine)


@asynccontextmanager
async def writing(engine: AsyncEngine, *, alone: bool = True) -> AsyncIterator[AsyncConnection]:
    """One write transaction: committed at the end of the block, rolled back on any error.

    ``IntegrityError``: somebody who takes no turn was faster (a row of theirs collides, or the
    database had to choose between the two); nothing was written, and beginning again shows what
    they did. ``alone=False``: for appending only, where a unique index is all that has to hold;
    on PostgreSQL no turn is taken then.
    """
    if engine.dialect.name == "postgresql":
        async with _writing_postgres(engine, alone) as connection:
            yield connection
        return
    with outside():
        async with _turn(engine):
            async with engine.execution_options(wonmu_write=True).begin() as connection:
                yield connection


@asynccontextmanager
async def _writing_postgres(engine: AsyncEngine, alone: bool) -> AsyncIterator[AsyncConnection]:
    # The turn within the process comes first: who waits for it must not use up the connections.
    committed = engine.execution_options(isolation_level="READ COMMITTED")
    try:
        with outside():
            async with _turn(engine) if alone else nullcontext():
                async with committed.begin() as connection:
                    if alone:
                        store = _stores.get(engine.sync_engine, "")
                        await postgres.take_turn(connection, store)
                    yield connection
    except DBAPIError as error:
        if not postgres.lost_to_another(error):
            raise
        raise IntegrityError(None, None, error.orig or error) from error


@asynccontextmanager
async def filling(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """One write transaction for much work, such as a calendar; not while somebody waits.

    Only one at a time in a database, whichever process it is in.
    """
    if engine.dialect.name != "postgresql":
        async with writing(engine) as connection:
            yield connection
        return
    with outside():
        async with engine.execution_options(isolation_level="READ COMMITTED").begin() as connection:
            await postgres.take_long_turn(connection)
            yield connection


@asynccontextmanager
async def reading(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """One read transaction: everything read in the block is from the same moment."""
    if engine.dialect.name == "postgresql":
        engine = engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
    with outside():
        async with engine.connect() as connection:
            yield connection


def _turn(engine: AsyncEngine) -> asyncio.Lock:
    """Writers of one engine queue up here instead of asking the database again and again.

    Measured on SQLite with 40 bookings at once on two cores: 0.2 to 0.4 s instead of 1.4 s.
    """
    return _turns.setdefault(engine.sync_engine, asyncio.Lock())


async def close_engine(engine: AsyncEngine) -> None:
    """Close every connection; an engine left open keeps its threads."""
    with outside():
        await engine.dispose()


def version_table(migrations: str) -> str:
    """Name of the table with the store's revision, e.g. ``emr_version`` for wonmu.emr.migrations.

    Each store has its own, so that several stores can share one PostgreSQL database.
    """
    return f"{migrations.split('.')[-2]}_version"


def _url(path_or_url: str) -> URL:
    if "://" not in path_or_url:
        return URL.create("sqlite+aiosqlite", database=str(Path(path_or_url).expanduser()))
    return postgres.parse(path_or_url)


def _check_file(url: URL) -> None:
    """Refuse a path that SQLite would spoil or could not open; make missing folders."""
    if not url.database or url.database == ":memory:" or url.database.startswith("file:"):
        return
    path = Path(url.database)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise InputError(f"{path} is a folder, not a store file")
        if path.exists():
            with path.open("rb") as file:
                start = file.read(len(_SQLITE_MAGIC))
            if start and start != _SQLITE_MAGIC:
                raise InputError(f"{path} is not a store file; it was left as it is")
    except OSError as error:
        raise InputError(f"{path} cannot be opened: {error.strerror or error}") from error


def _create(url: URL) -> AsyncEngine:
    if postgres.is_postgres(url):
        return postgres.create(url)
    if url.get_backend_name() != "sqlite":
        return create_async_engine(url, hide_parameters=True)
    # isolation_level None: the driver must not open transactions on its own; ``_begin`` does.
    # hide_parameters: an error's text would carry names and birth dates into logs (N8).
    options = {"timeout": BUSY_SECONDS, "isolation_level": None}
    engine = create_async_engine(url, connect_args=options, hide_parameters=True)
    event.listen(engine.sync_engine, "connect", _connected)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _connected(connection: Any, _entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    # With a write-ahead log, NORMAL survives the death of the process (not of the machine).
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.close()


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get("wonmu_bare", False):
        write = options.get("wonmu_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


async def _prepare(engine: AsyncEngine, metadata: MetaData, head: str, migrations: str) -> None:
    table = version_table(migrations)
    async with reading(engine) as connection:
        version = await connection.run_sync(_version, metadata, table)
    if engine.dialect.name == "sqlite":
        await _use_wal(engine)
    if version == head:
        await _check_writable(engine, table)
        return
    async with filling(engine) as connection:
        # Asked again under the write lock: another process may have been faster.
        version = await connection.run_sync(_version, metadata, table)
        if version is None:
            await connection.run_sync(metadata.create_all)
            await connection.execute(text(f"CREATE TABLE {table} (version_num VARCHAR(32))"))
            await connection.execute(text(f"INSERT INTO {table} VALUES (:head)"), {"head": head})
        elif version != head:
            await connection.run_sync(_migrate, migrations, version)


def _version(connection: Connection, metadata: MetaData, table: str) -> str | None:
    """The store's revision, None if there is no store yet; refuses what is not ours."""
    names = set(inspect(connection).get_table_names())
    if table in names:
        found = connection.execute(text(f"SELECT version_num FROM {table}")).scalar()
        if found is None:
            raise InputError(f"{connection.engine.url.database} has no version; it is damaged")
        return str(found)
    shared = connection.dialect.name != "sqlite"
    foreign = names & set(metadata.tables) if shared else names
    if foreign:
        raise InputError(
            f"{connection.engine.url.database} is a database of something else; "
            "it was left as it is"
        )
    return None


def _is_file(url: URL) -> bool:
    return Path(url.database or "").exists()


def _is_there(connection: Connection, table: str) -> bool:
    return postgres.has_schema(connection) and inspect(connection).has_table(table)


def _migrate(connection: Connection, migrations: str, version: str) -> None:
    from wonmu.migrate import known_revisions, upgrade  # Alembic is slow to import

    if version not in known_revisions(migrations):
        raise InputError(
            f"{connection.engine.url.database} was written by a newer version of this program "
            f"(revision {version}); it was left as it is"
        )
    upgrade(connection, migrations, version_table(migrations))


async def _check_writable(engine: AsyncEngine, table: str) -> None:
    """Try a write and take it back; on a read-only file BEGIN IMMEDIATE alone succeeds."""
    async with engine.execution_options(wonmu_write=True).connect() as connection:
        # No row: openings need not wait for each other on PostgreSQL.
        await connection.execute(text(f"UPDATE {table} SET version_num = '' WHERE 1 = 0"))
        await connection.rollback()


async def _use_wal(engine: AsyncEngine) -> None:
    """Readers then never wait for a writer. Kept in the file, so usually already so.

    SQLite does not apply its busy wait to this change, hence the tries, and refuses it inside a
    transaction, hence the bare connection.
    """
    bare = engine.execution_options(wonmu_bare=True)
    for left in reversed(range(_WAL_TRIES)):
        try:
            async with bare.connect() as connection:
                await connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            return
        except OperationalError as error:
            if "locked" not in str(error) or not left:
                raise
        await asyncio.sleep(0.05)


def _sentence(url: URL, error: DBAPIError | OSError) -> str:
    cause = error.orig if isinstance(error, DBAPIError) else error
    words = postgres.one_line(cause) if cause is not None else "unknown"
    return f"the store {postgres.shown(url)} cannot be used: {words}"
