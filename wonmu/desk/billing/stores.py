"""Which embedded ledgers lie in a place, found without the hospitals' settings.

What staff has to work off must not depend on settings that somebody forgot to name. It makes
nothing and opens no ledger.
"""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from wonmu import postgres
from wonmu.desk.billing.tables import MIGRATIONS
from wonmu.errors import InputError
from wonmu.ids import HospitalId
from wonmu.place import Database, Folder, Place
from wonmu.storage import close_engine, reading, store_exists


async def ledgers_in(place: Place) -> tuple[HospitalId, ...]:
    """The hospitals that have a ledger there, by id. Raises ``InputError``."""
    match place:
        case Folder():
            return _in_folder(place)
        case Database():
            return await _in_database(place)


def _in_folder(place: Folder) -> tuple[HospitalId, ...]:
    names = (path.stem.removeprefix("ledger-") for path in place.path.glob("ledger-*.sqlite"))
    return tuple(HospitalId(name) for name in sorted(names))


async def _in_database(place: Database) -> tuple[HospitalId, ...]:
    one = place.ledger(HospitalId("x"))
    prefix = (postgres.schema_of(postgres.parse(one)) or "x").removesuffix("x")
    query = text("SELECT nspname FROM pg_namespace WHERE starts_with(nspname::text, :prefix)")
    engine = postgres.create(postgres.parse(place.url))
    try:
        async with reading(engine) as connection:
            schemas = (await connection.scalars(query, {"prefix": prefix})).all()
    except (DBAPIError, OSError) as error:
        raise InputError(f"{place.option}: cannot be read: {postgres.one_line(error)}") from error
    finally:
        await close_engine(engine)
    # Ids have hyphens where schemas have underscores, and no underscores of their own.
    found = (HospitalId(s.removeprefix(prefix).replace("_", "-")) for s in sorted(schemas))
    return tuple([h for h in found if await store_exists(place.ledger(h), MIGRATIONS)])
