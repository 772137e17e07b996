"""Where a front desk's stores lie: a folder with SQLite files, or one PostgreSQL database.

Decides the file or schema of each store, so that every door finds the same ones. It opens nothing.

In PostgreSQL the inbox and the timeline, which all hospitals share, lie in the schema that the URL
leads to (usually ``public``), and each hospital's embedded record system in a schema of its own,
``emr_<hospital>``; so does its billing ledger (``ledger_<hospital>``). The checkpoints of the text
desk lie in ``conversations``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wonmu import postgres
from wonmu.errors import InputError
from wonmu.ids import HospitalId

VARIABLE = "WONMU_DB"
"""The environment variable that stands in for ``--db``."""

INBOX_FILE = "desk.sqlite"
CONVERSATIONS_FILE = "conversations.sqlite"
TIMELINE_FILE = "timeline.sqlite"


def emr_file(hospital_id: HospitalId) -> str:
    """Each hospital's embedded record system has a file of its own."""
    return f"emr-{hospital_id}.sqlite"


def ledger_file(hospital_id: HospitalId) -> str:
    """Each hospital's embedded billing ledger has a file of its own."""
    return f"ledger-{hospital_id}.sqlite"


def ledger_schema(hospital_id: HospitalId) -> str:
    return "ledger_" + hospital_id.replace("-", "_")


def emr_schema(hospital_id: HospitalId) -> str:
    """Ids have no underscore, so two hospitals never share a schema."""
    return "emr_" + hospital_id.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Folder:
    """SQLite files in ``path``."""

    path: Path

    def records(self, hospital_id: HospitalId) -> str:
        return str(self.path / emr_file(hospital_id))

    def ledger(self, hospital_id: HospitalId) -> str:
        return str(self.path / ledger_file(hospital_id))

    @property
    def conversations(self) -> str:
        """Checkpoints of the text desk's conversations."""
        return str(self.path / CONVERSATIONS_FILE)

    @property
    def inbox(self) -> str:
        return str(self.path / INBOX_FILE)

    @property
    def timeline(self) -> str:
        return str(self.path / TIMELINE_FILE)

    @property
    def option(self) -> str:
        """How it was said on the command line."""
        return f"--data {self.path}"


@dataclass(frozen=True, slots=True)
class Database:
    """One PostgreSQL database, by URL."""

    url: str

    def __post_init__(self) -> None:
        if not postgres.is_postgres(postgres.parse(self.url)):
            raise InputError(
                f"--db {self.shown}: must be a postgresql:// URL; see --data for files"
            )

    def records(self, hospital_id: HospitalId) -> str:
        return self._own_schema(emr_schema(hospital_id))

    def ledger(self, hospital_id: HospitalId) -> str:
        return self._own_schema(ledger_schema(hospital_id))

    def _own_schema(self, schema: str) -> str:
        around = postgres.schema_of(postgres.parse(self.url))
        return postgres.in_schema(self.url, schema if around is None else f"{around}_{schema}")

    @property
    def conversations(self) -> str:
        """Checkpoints of the text desk's conversations."""
        return self._own_schema("conversations")

    @property
    def inbox(self) -> str:
        return self.url

    @property
    def timeline(self) -> str:
        return self.url

    @property
    def option(self) -> str:
        return f"--db {self.shown}"

    @property
    def shown(self) -> str:
        return postgres.shown(postgres.parse(self.url))


Place = Folder | Database


def place_of(
    data: str | None, db: str | None, environment: Mapping[str, str] = os.environ
) -> Place | None:
    """What ``--data`` and ``--db`` say; the variable counts when neither is given.

    None: nothing was said. Raises ``InputError`` for both, or for a URL that is none.
    """
    if data is not None and db is not None:
        raise InputError("--data and --db: give one of the two; a store lies in one place")
    if data is None and db is None:
        db = environment.get(VARIABLE) or None
    if db is not None:
        return Database(db)
    return None if data is None else Folder(Path(data))
