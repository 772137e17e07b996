"""Where conversations are kept: SQLite files or a PostgreSQL schema, and whose turn it is (H2).

Opens the checkpointer for a place, sees that two processes setting it up at once do no harm, and
lets one turn of a conversation run at a time, whichever process it is in. Waits for it count as
real time. A thread is named by the hash of its token; it must never be handed a token.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar
from weakref import WeakValueDictionary

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

from wonmu import postgres
from wonmu.errors import InputError, StoreFailure
from wonmu.loop import outside
from wonmu.place import Database, Folder, Place

T = TypeVar("T")

LOOK_SECONDS = 0.05
"""How often a turn that waits for another process looks again."""


SETUP_SECONDS = 60.0
"""Longest wait for another process that makes the tables."""


class Busy(Exception):
    """Another process has the conversation and did not let go in time."""


class Turns(Protocol):
    """Who may have a conversation's talk now."""

    def taken(self, thread: str, seconds: float) -> Any:
        """A context manager; raises ``Busy``."""
        ...


class PacedSaver(BaseCheckpointSaver[str]):
    """A checkpointer whose waits are real time, and whose failures are ours."""

    def __init__(self, inner: BaseCheckpointSaver[str], prune: Callable[[str], Awaitable[None]]):
        super().__init__(serde=inner.serde)
        self._inner = inner
        self._prune = prune

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await _real("read", self._inner.aget_tuple(config))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        work = self._inner.aput(config, checkpoint, metadata, new_versions)
        return await _real("write", work)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        await _real("write", self._inner.aput_writes(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        await _real("delete", self._inner.adelete_thread(thread_id))

    async def keep_newest(self, thread_id: str) -> None:
        """Let go of all checkpoints of a conversation but the newest."""
        await _real("prune", self._prune(thread_id))

    def get_next_version(self, current: str | None, channel: None) -> str:
        return self._inner.get_next_version(current, channel)


async def _real(doing: str, work: Awaitable[T]) -> T:
    """Wait for a store: loop time keeps to real time, and what it raises is a ``StoreFailure``."""
    with outside():
        try:
            return await work
        except _store_errors() as error:
            raise StoreFailure(
                f"the conversations could not be {doing}: {type(error).__name__}"
            ) from error


def _store_errors() -> tuple[type[Exception], ...]:
    import sqlite3

    import psycopg

    return (sqlite3.Error, psycopg.Error, OSError)


@asynccontextmanager
async def opened(place: Place) -> AsyncIterator[tuple[PacedSaver, Turns]]:
    """The checkpointer of a place, set up. Raises ``InputError`` when it cannot be used."""
    async with AsyncExitStack() as stack:
        match place:
            case Folder():
                yield await _sqlite(place, stack)
            case Database():
                yield await _postgres(place, stack)


# SQLite ------------------------------------------------------------------------------------


async def _sqlite(place: Folder, stack: AsyncExitStack) -> tuple[PacedSaver, Turns]:
    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    path = Path(place.conversations)
    turns = FileTurns(path.with_suffix(".lock"))
    try:
        with outside():
            stack.callback(turns.close)
            saver = await stack.enter_async_context(_connected(path, AsyncSqliteSaver))
            # Changing to a write-ahead log waits for nobody: openings take turns.
            async with turns.taken("setup", SETUP_SECONDS):
                await saver.setup()
            # What an open question had taken is gone from the file when its checkpoint is.
            await saver.conn.execute("PRAGMA secure_delete = ON")
    except (aiosqlite.Error, OSError, Busy) as error:
        raise InputError(f"the store {path} cannot be used: {error}") from error

    async def prune(thread: str) -> None:
        newest = "(SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = ?)"
        async with saver.lock:
            for table in ("writes", "checkpoints"):
                await saver.conn.execute(
                    f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_id < {newest}",
                    (thread, thread),
                )
            await saver.conn.commit()

    return PacedSaver(saver, prune), turns


@asynccontextmanager
async def _connected(path: Path, kind: Any) -> AsyncIterator[Any]:
    with outside():
        context = kind.from_conn_string(str(path))
        saver = await context.__aenter__()
    try:
        yield saver
    finally:
        with outside():
            await context.__aexit__(None, None, None)


class FileTurns:
    """Turns by locks on files beside the store; a lock goes with its process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: set[int] = set()

    def close(self) -> None:
        for descriptor in self._open:
            os.close(descriptor)
        self._open.clear()

    @asynccontextmanager
    async def taken(self, thread: str, seconds: float) -> AsyncIterator[None]:
        """Have the talk of ``thread``. 4,096 files serve all conversations, so that none is left
        behind for each; two that share one wait for each other, which is rare and harmless."""
        bucket = hashlib.sha256(thread.encode()).hexdigest()[:3]
        self._path.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path / bucket, os.O_RDWR | os.O_CREAT, 0o600)
        self._open.add(descriptor)
        try:
            await _until(lambda: _locked(descriptor), seconds)
            yield
        finally:
            self._open.discard(descriptor)
            os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


async def _until(got: Callable[[], bool], seconds: float) -> None:
    """Look again until it is there; ``Busy`` after so many seconds."""
    if got():
        return
    with outside():
        for _ in range(int(seconds / LOOK_SECONDS)):
            await asyncio.sleep(LOOK_SECONDS)
            if got():
                return
    raise Busy


# PostgreSQL --------------------------------------------------------------------------------


async def _postgres(place: Database, stack: AsyncExitStack) -> tuple[PacedSaver, Turns]:
    import psycopg
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    url = postgres.parse(place.conversations)

    async def connect() -> Any:
        conninfo, options = _conninfo(url)
        return await psycopg.AsyncConnection.connect(conninfo, **options)

    turns = AdvisoryTurns(connect)
    stack.push_async_callback(turns.close)
    try:
        with outside():
            await _make_schema(url)
            pool = await stack.enter_async_context(_pool(url))
            saver = AsyncPostgresSaver(pool)
            # Whoever waits here asks again and again: the tables' indexes are made concurrently,
            # which waits for every statement that is running, one for a lock among them.
            async with turns.taken("setup", SETUP_SECONDS):
                await saver.setup()
    except (psycopg.Error, OSError, StoreFailure, Busy) as error:
        shown = postgres.shown(url)
        raise InputError(f"the store {shown} cannot be used: {postgres.one_line(error)}") from error

    async def prune(thread: str) -> None:
        await saver.aprune([thread])

    return PacedSaver(saver, prune), turns


_POOL_SIZE = 4


async def _make_schema(url: Any) -> None:
    """The schema is made by the same code as all others, under the same turn."""
    engine = postgres.create(url)
    try:
        await postgres.prepare(engine, url)
    finally:
        await engine.dispose()


def _conninfo(url: Any) -> tuple[str, dict[str, Any]]:
    plain = url.set(drivername="postgresql", query={})
    query = dict(url.query)
    schema = query.pop("schema", None)
    options: dict[str, Any] = {
        "autocommit": True,
        "prepare_threshold": 0,
        "application_name": query.pop("application_name", "wonmu"),
        "connect_timeout": int(query.pop("connect_timeout", 3)),
        **query,
    }
    if schema is not None:
        options["options"] = f"-c search_path={schema}"
    return plain.render_as_string(hide_password=False), options


@asynccontextmanager
async def _pool(url: Any) -> AsyncIterator[Any]:
    from psycopg.rows import dict_row
    from psycopg_pool import AsyncConnectionPool

    conninfo, options = _conninfo(url)
    pool: Any = AsyncConnectionPool(
        conninfo,
        kwargs={**options, "row_factory": dict_row},
        min_size=1,
        max_size=_POOL_SIZE,
        open=False,
        timeout=10.0,
    )
    with outside():
        await pool.open(wait=True, timeout=10.0)
    try:
        yield pool
    finally:
        with outside():
            await pool.close()


class AdvisoryTurns:
    """Turns by advisory locks of the database, all on one connection; they go with it.

    Within the process ``LocalTurns`` comes first: the database does not refuse a lock to the
    connection that has it already.
    """

    def __init__(self, connect: Callable[[], Awaitable[Any]]) -> None:
        self._connect = connect
        self._connection: Any = None
        self._opening = asyncio.Lock()

    async def close(self) -> None:
        if self._connection is not None:
            with outside():
                await self._connection.close()

    @asynccontextmanager
    async def taken(self, thread: str, seconds: float) -> AsyncIterator[None]:
        """Have the talk of ``thread``."""
        number = int(hashlib.sha256(thread.encode()).hexdigest()[:15], 16)
        connection = await self._ready()
        await self._wait(connection, number, seconds)
        try:
            yield
        finally:
            if not connection.closed:
                await _real("unlock", _run(connection, "SELECT pg_advisory_unlock(%s)", number))

    async def _ready(self) -> Any:
        async with self._opening:
            if self._connection is None or self._connection.closed:
                self._connection = await _real("lock", self._connect())
            return self._connection

    async def _wait(self, connection: Any, number: int, seconds: float) -> None:
        for _ in range(max(1, int(seconds / LOOK_SECONDS))):
            asked = _run(connection, "SELECT pg_try_advisory_lock(%s)", number)
            if await _real("lock", asked):
                return
            with outside():
                await asyncio.sleep(LOOK_SECONDS)
        raise Busy


async def _run(connection: Any, query: str, number: int) -> bool:
    cursor = await connection.execute(query, (number,))
    row = await cursor.fetchone()
    return bool(row is not None and row[0])


class LocalTurns:
    """Turns within this process, for all offices of it; ahead of those between processes."""

    _locks: ClassVar[WeakValueDictionary[str, asyncio.Lock]] = WeakValueDictionary()

    @classmethod
    def of(cls, where: str, thread: str) -> asyncio.Lock:
        key = f"{where}|{thread}|{id(asyncio.get_running_loop())}"
        lock = cls._locks.get(key)
        if lock is None:
            lock = cls._locks[key] = asyncio.Lock()
        return lock
