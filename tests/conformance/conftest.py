"""Which servers each check runs against.

``pytest tests/conformance --fhir-url URL`` (or WONMU_FHIR_URL) runs the suite against that server:
a test system, for it is written to. Otherwise: our reference server in both modes, and Medplum's
router where it can be installed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import httpx
import pytest
from medplum_peer import missing
from targets import Target, medplum, reference
from world import World

from wonmu.emr.server.rules import SlotOwner

_FIXTURES = {
    "fhir": ("reference-server", "reference-client", "medplum"),
    "client_owned": ("reference-client", "medplum"),
    "server_owned": ("reference-server",),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fhir-url", default=None, help="Run against this FHIR server only")


def _given_url(config: pytest.Config) -> str | None:
    url = config.getoption("--fhir-url", default=None) or os.environ.get("WONMU_FHIR_URL")
    return str(url).rstrip("/") if url else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for fixture, names in _FIXTURES.items():
        if fixture in metafunc.fixturenames:
            given = _given_url(metafunc.config) is not None
            metafunc.parametrize(fixture, ("given",) if given else names, indirect=True)


@pytest.fixture(scope="session")
def worlds(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Worlds]:
    opened = Worlds(tmp_path_factory.mktemp("fhir"), _given_url(request.config))
    yield opened
    opened.close()


class Worlds:
    """Servers that are up; each is started when the first check needs it."""

    def __init__(self, folder: Path, url: str | None) -> None:
        self._folder = folder
        self._url = url
        self._open: dict[str, tuple[AbstractContextManager[Target], World]] = {}

    def world(self, name: str) -> World:
        if name not in self._open:
            folder = self._folder / name
            folder.mkdir(exist_ok=True)
            manager = self._manager(name, folder)
            target = manager.__enter__()
            http = httpx.Client(timeout=10)
            claims = http.get(f"{target.url}/metadata").json()
            self._open[name] = (manager, World(target, http, claims))
        return self._open[name][1]

    def _manager(self, name: str, folder: Path) -> AbstractContextManager[Target]:
        match name:
            case "given":
                return nullcontext(Target(name, str(self._url), {}))
            case "medplum":
                reason = missing()
                if reason is not None:
                    pytest.skip(reason)
                return medplum(folder)
        return reference(SlotOwner(name.removeprefix("reference-")), folder)

    def close(self) -> None:
        for manager, world in self._open.values():
            world.http.close()
            manager.__exit__(None, None, None)


@pytest.fixture
def fhir(request: pytest.FixtureRequest, worlds: Worlds) -> World:
    """Any FHIR server."""
    return _known_gap(request, worlds.world(request.param))


@pytest.fixture
def client_owned(request: pytest.FixtureRequest, worlds: Worlds) -> World:
    """A server whose slots clients write."""
    world = worlds.world(request.param)
    if not world.client_owned:
        pytest.skip("this server does not claim that clients may update a Slot")
    return _known_gap(request, world)


@pytest.fixture
def server_owned(request: pytest.FixtureRequest, worlds: Worlds) -> World:
    """A server that decides itself who gets a slot."""
    world = worlds.world(request.param)
    if world.client_owned:
        pytest.skip("this server lets clients write slots")
    return _known_gap(request, world)


def _known_gap(request: pytest.FixtureRequest, world: World) -> World:
    reason = world.target.gaps.get(request.function.__name__)
    if reason is not None:
        request.node.add_marker(pytest.mark.xfail(strict=True, reason=reason))
    return world


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reason = missing() if _given_url(terminalreporter.config) is None else None
    if reason is not None:
        terminalreporter.write_line(f"wonmu: {reason}", yellow=True)
