"""Transactions on the desk store whose failures are ``StoreFailure`` and carry no personal data.

An ``IntegrityError`` passes through: it means that another writer was faster, and whoever asked
looks again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from wonmu.errors import StoreFailure
from wonmu.storage import reading, writing


@asynccontextmanager
async def desk_writing(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    try:
        async with writing(engine) as connection:
            yield connection
    except IntegrityError:
        raise
    except (DBAPIError, PoolTimeout, OSError) as error:
        raise StoreFailure(f"the inbox could not be written: {_cause(error)}") from error


@asynccontextmanager
async def desk_reading(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    try:
        async with reading(engine) as connection:
            yield connection
    except (DBAPIError, PoolTimeout, OSError) as error:
        raise StoreFailure(f"the inbox could not be read: {_cause(error)}") from error


def _cause(error: DBAPIError | PoolTimeout | OSError) -> object:
    """The driver's own words; SQLAlchemy's text would carry the values written."""
    match error:
        case DBAPIError():
            return error.orig
        case PoolTimeout():
            return "all its connections are in use"
        case _:
            return error.strerror
