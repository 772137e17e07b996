"""What all tests share: where stores lie, on SQLite and on PostgreSQL.

A test that takes ``store_at`` runs twice: with files, and with schemas of a fresh database on a
PostgreSQL that is started for the tests. Where there is no PostgreSQL, its half is left out; a line
at the end says so, and with WONMU_REQUIRE_POSTGRES=1 a test fails.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pg_cluster import Cluster, binaries, running_cluster
from stores import StoreAt

from wonmu.postgres import in_schema

sys.path.insert(0, str(Path(__file__).parents[1]))  # the bench lies beside the package

MISSING = (
    "no PostgreSQL server programs (initdb, postgres) were found: tests on PostgreSQL are left "
    "out; install the package postgresql"
)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """The private server; one for each process of the test run, started when first asked for."""
    if binaries() is None:
        pytest.skip(MISSING)
    with running_cluster() as running:
        yield running


@pytest.fixture
def database(cluster: Cluster) -> Iterator[str]:
    """The URL of an empty PostgreSQL database of this test's own."""
    with cluster.database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store_at(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> StoreAt:
    """Where stores of this test lie; on both kinds of database."""
    if backend == "sqlite":
        return lambda name: str(tmp_path / f"{name}.sqlite")
    url: str = request.getfixturevalue("database")
    return lambda name: in_schema(url, name)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if binaries() is not None:
        return
    left_out = [item for item in items if _needs_postgres(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _needs_postgres(item: pytest.Item) -> bool:
    call = getattr(item, "callspec", None)
    on_postgres = call is not None and call.params.get("backend") == "postgresql"
    return on_postgres or "cluster" in getattr(item, "fixturenames", ())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if binaries() is None:
        terminalreporter.write_line(f"wonmu: {MISSING}", yellow=True)
