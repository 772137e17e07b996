"""What is different about PostgreSQL: its URL, its connections, its limits, taking turns.

Decides nothing about what a store holds. It must never show a password, and never wait longer than
a caller does: every statement has a limit below that of a request to the record system. SQLAlchemy
and the driver (asyncpg, the extra ``postgres``) are all it knows.

A URL may be written ``postgresql://``, ``postgres://`` or ``postgresql+asyncpg://``. ``?schema=x``
puts a store into a schema of its own, which is made when it is missing; ``?sslmode=…`` and
``?connect_timeout=…`` mean what they mean to psql. Other parameters go to asyncpg.
"""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import Connection, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from wonmu.errors import InputError

DRIVER = "postgresql+asyncpg"

POOL_SIZE = 5
"""Connections an engine holds at most. A process that takes calls opens three engines, and a
server takes 100 connections unless it is told otherwise."""

LOCK_SECONDS = 2.0
STATEMENT_SECONDS = 2.5
CONNECT_SECONDS = 2.5
"""Below ``emr.request_seconds`` (3 unless a hospital says otherwise), so that a caller is told what
went wrong instead of a request being cut off with an outcome that nobody knows."""

IDLE_SECONDS = 5.0
"""A transaction whose client fell silent between two statements is ended after this, so that it
does not keep others from their turn. Ours pause for milliseconds."""

SILENT_SECONDS = 10.0
"""How long a server that does not even say that it gave up is waited for."""

LONG_WORK_SECONDS = 60.0
"""The limit of a statement, and of waiting for a lock, while a store is made, brought up to date or
filled with a calendar: nobody is on the phone then."""

_LOST = frozenset({"40001", "40P01"})
"""SQLSTATEs of a transaction that the server rolled back in favour of another (serialization
failure, deadlock). Ours take turns; only somebody who writes past us can cause it."""

_WAITED_TOO_LONG = frozenset({"55P03", "57014"})
_LOST_CONNECTION = ("08", "57P0")
_OUR_LOCK = 0x776F6E6D75
_TURN = text(
    f"SELECT pg_advisory_xact_lock({_OUR_LOCK % 2**31}, "
    "hashtext(current_schema() || '.' || CAST(:store AS text)))"
)
_SCHEMA = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_PASSWORD = re.compile(r"://.*@")


def is_postgres(url: URL) -> bool:
    return url.get_backend_name() in ("postgresql", "postgres")


def parse(text_of_url: str) -> URL:
    """Any database URL; a PostgreSQL one gets the asynchronous driver. Raises ``InputError``."""
    try:
        url = make_url(text_of_url)
    except (ArgumentError, ValueError):
        # Raised without the cause: its text can hold the password.
        raise InputError(f"{_hidden(text_of_url)!r} is not a database URL") from None
    if not is_postgres(url):
        return url
    if url.drivername not in ("postgres", "postgresql", DRIVER):
        raise InputError(f"{shown(url)}: write postgresql:// and leave the driver out")
    return url.set(drivername=DRIVER)


def in_schema(url: str, schema: str) -> str:
    """The same database, in a schema of its own."""
    _check_schema(schema)
    return parse(url).update_query_dict({"schema": schema}).render_as_string(hide_password=False)


def schema_of(url: URL) -> str | None:
    schema = url.query.get("schema")
    if schema is None:
        return None
    _check_schema(schema)
    return str(schema)


def shown(url: URL) -> str:
    """The URL for people: without the password."""
    safe = [name for name in url.query if "pass" in name.lower()]
    return url.difference_update_query(safe).render_as_string(hide_password=True)


def create(url: URL) -> AsyncEngine:
    """An engine; nothing is connected yet. Raises ``ImportError`` without the driver."""
    import asyncpg

    options = _options(url)

    async def connect() -> Any:
        """What a failing connection raises is an ``OSError`` here, whatever it was to the driver:
        wrong password, no such database, too many clients, nobody there."""
        try:
            return await asyncpg.connect(**options)
        except TimeoutError as error:
            raise ConnectionError("it did not answer in time") from error
        except (asyncpg.PostgresError, asyncpg.InterfaceError, ValueError, TypeError) as error:
            raise ConnectionError(one_line(error)) from error

    engine = create_async_engine(
        url.set(query={}),
        async_creator=connect,
        pool_size=POOL_SIZE,
        max_overflow=0,
        pool_timeout=LOCK_SECONDS,
        hide_parameters=True,
    )
    event.listen(engine.sync_engine, "checkout", _checked_out)
    return engine


async def prepare(engine: AsyncEngine, url: URL) -> None:
    """See that a store can live there: UTF-8, and the schema asked for is there."""
    schema = schema_of(url)
    async with engine.begin() as connection:
        encoding = await connection.scalar(text("SHOW server_encoding"))
        if encoding != "UTF8":
            raise InputError(
                f"{shown(url)}: this database keeps {encoding}, which cannot hold Korean; "
                "make one with ENCODING 'UTF8' TEMPLATE template0"
            )
        if schema is None:
            return
        if not await _has_schema(connection, schema):
            await take_long_turn(connection)
            await connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {schema}"))
        # Found out when the first connection was made, when the schema may not have been there.
        engine.sync_engine.dialect.default_schema_name = schema


async def take_turn(connection: AsyncConnection, store: str) -> None:
    """Wait until nobody else writes to this store (of this schema). The turn ends with the
    transaction, which must be READ COMMITTED: a stricter one would go on to see the database as it
    was before the wait."""
    await connection.execute(_TURN, {"store": store})


async def take_long_turn(connection: AsyncConnection) -> None:
    """Wait until no other process makes or fills a store here, with the limits of long work.

    Such turns are of another kind than ``take_turn``: whoever needs both takes this one first.
    """
    limit = int(LONG_WORK_SECONDS * 1000)
    for name in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"):
        await connection.execute(text(f"SET LOCAL {name} = {limit}"))
    await connection.execute(text(f"SELECT pg_advisory_xact_lock({_OUR_LOCK})"))


def has_schema(connection: Connection) -> bool:
    """Whether the schema that this connection works in exists."""
    return connection.scalar(text("SELECT current_schema()")) is not None


def sqlstate(error: BaseException) -> str:
    """The server's five signs, "" when the error is not from a PostgreSQL server."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return str(getattr(cause, "sqlstate", None) or "")


def lost_to_another(error: DBAPIError) -> bool:
    """The server chose another transaction over this one and took it back whole."""
    return sqlstate(error) in _LOST


def waited_too_long(error: DBAPIError) -> bool:
    """A limit ran out while waiting for a lock or in a statement."""
    return sqlstate(error) in _WAITED_TOO_LONG


def lost_connection(error: DBAPIError) -> bool:
    """The server went away, or is going."""
    return error.connection_invalidated or sqlstate(error).startswith(_LOST_CONNECTION)


def certainly_undone(error: DBAPIError) -> bool:
    """The server itself said that the transaction failed, so nothing of it was written."""
    return bool(sqlstate(error)) and not lost_connection(error)


def one_line(error: BaseException) -> str:
    """The driver's own words on one line, without the class name that SQLAlchemy puts before."""
    words = " ".join(str(error).split())
    return re.sub(r"^<class '[^']*'>: ", "", words) or type(error).__name__


def _checked_out(connection: Any, _entry: Any, _proxy: Any) -> None:
    """A server that was restarted costs no caller an answer. The driver has noticed by itself; to
    ask the server each time (``pool_pre_ping``) would take three more round trips."""
    if connection.driver_connection.is_closed():
        raise DisconnectionError


def _options(url: URL) -> dict[str, Any]:
    query = dict(url.query)
    query.pop("schema", None)
    renamed = {"sslmode": "ssl", "connect_timeout": "timeout"}
    query = {renamed.get(name, name): value for name, value in query.items()}
    name = query.pop("application_name", "wonmu")
    dialect: Any = url.get_dialect()()
    options: dict[str, Any] = dialect.create_connect_args(url.set(query=query))[1]
    options["timeout"] = float(options.get("timeout", CONNECT_SECONDS))
    options.setdefault("command_timeout", SILENT_SECONDS)
    options["command_timeout"] = float(options["command_timeout"])
    options["server_settings"] = _settings(schema_of(url), str(name))
    return options


def _settings(schema: str | None, name: str) -> dict[str, str]:
    def milliseconds(seconds: float) -> str:
        return str(int(seconds * 1000))

    settings = {
        "application_name": name,
        "lock_timeout": milliseconds(LOCK_SECONDS),
        "statement_timeout": milliseconds(STATEMENT_SECONDS),
        "idle_in_transaction_session_timeout": milliseconds(IDLE_SECONDS),
    }
    if schema is not None:
        settings["search_path"] = schema
    return settings


async def _has_schema(connection: AsyncConnection, schema: str) -> bool:
    query = text("SELECT 1 FROM pg_namespace WHERE nspname = :schema")
    return await connection.scalar(query, {"schema": schema}) is not None


def _check_schema(schema: object) -> None:
    if not isinstance(schema, str) or not _SCHEMA.fullmatch(schema):
        raise InputError(f"schema {schema!r}: use small letters, digits and _, at most 63")


def _hidden(text_of_url: str) -> str:
    return _PASSWORD.sub("://***@", text_of_url)
