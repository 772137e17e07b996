"""A private PostgreSQL for the tests: a cluster in a temporary folder, stopped when they end.

Started only when a test asks for a database. It listens on a Unix socket in its own folder, not on
the network, and runs as an ordinary user, since PostgreSQL refuses to be started by root.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import asyncpg

START_SECONDS = 60
_USERS = ("postgres", "nobody")
_numbers = count(1)


def binaries() -> Path | None:
    """The folder with ``initdb`` and ``postgres``; the newest one, None when there is none."""
    found = shutil.which("initdb")
    if found is not None and (Path(found).parent / "postgres").exists():
        return Path(found).resolve().parent
    folders = [each.parent for each in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(folders, key=lambda folder: float(folder.parent.name), default=None)


class Cluster:
    """A running server. ``database()`` makes an empty database and gives its URL."""

    def __init__(self, folder: Path, server: subprocess.Popen[bytes], programs: Path) -> None:
        self.folder = folder
        self.programs = programs
        self._server = server

    def url(self, database: str, user: str = "wonmu") -> str:
        """``user`` may be ``name:password``."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def sql(self, statement: str, database: str = "postgres") -> None:
        async def main() -> None:
            connection = await asyncpg.connect(
                host=str(self.folder), user="wonmu", database=database
            )
            try:
                await connection.execute(statement)
            finally:
                await connection.close()

        asyncio.run(main())

    @contextmanager
    def database(self) -> Iterator[str]:
        name = f"test_{next(_numbers)}"
        self.sql(f"CREATE DATABASE {name}")
        try:
            yield self.url(name)
        finally:
            self.sql(f"DROP DATABASE {name} WITH (FORCE)")

    def stop(self) -> None:
        """At once, by pid; nothing in it is worth saving."""
        if self._server.poll() is None:
            self._server.send_signal(signal.SIGQUIT)
            try:
                self._server.wait(10)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait(10)


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    programs = binaries()
    if programs is None:
        raise RuntimeError("there is no PostgreSQL server on this machine")
    # A short path: that of a Unix socket may have 107 signs. Not below a folder that the server's
    # user may not enter.
    with tempfile.TemporaryDirectory(prefix="wonmu-pg-", dir="/tmp") as name:
        folder = Path(name)
        user = _own(folder)
        data = folder / "data"
        subprocess.run(
            [programs / "initdb", "--pgdata", data, "--auth=trust", "--username=wonmu",
             "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
            check=True, capture_output=True, cwd=folder, **user,
        )  # fmt: skip
        _demand_password(data / "pg_hba.conf")
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [programs / "postgres", "-D", data, "-k", folder, *_SETTINGS],
                stdout=log, stderr=log, cwd=folder, preexec_fn=_die_with_parent(), **user,
            )  # fmt: skip
        cluster = Cluster(folder, server, programs)
        try:
            _wait(cluster, server)
            yield cluster
        finally:
            cluster.stop()


_SETTINGS = [
    part
    for setting in (
        "listen_addresses=",
        "fsync=off",
        "synchronous_commit=off",
        "full_page_writes=off",
        "shared_buffers=32MB",
        "max_connections=150",
        "timezone=America/New_York",  # a trap for code that trusts the server's zone
    )
    for part in ("-c", setting)
]


def _demand_password(rules: Path) -> None:
    """The user ``guarded`` needs a password; the first rule that fits decides."""
    rules.write_text(f"local all guarded scram-sha-256\n{rules.read_text()}")


def _own(folder: Path) -> dict[str, Any]:
    """How to run as somebody who may run a server; hands the folder over to them."""
    if os.geteuid() != 0:
        return {}
    for name in _USERS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        os.chown(folder, entry.pw_uid, entry.pw_gid)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise RuntimeError(f"root cannot run PostgreSQL, and there is no user {' or '.join(_USERS)}")


def _die_with_parent() -> Callable[[], None] | None:
    """Linux sends the server a signal when the tests die without stopping it."""
    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None
    set_death_signal = 1
    return lambda: prctl(set_death_signal, signal.SIGQUIT)


def _wait(cluster: Cluster, server: subprocess.Popen[bytes]) -> None:
    asked = subprocess.run(
        [cluster.programs / "pg_isready", "-h", cluster.folder, "-t", "1", "-q"], check=False
    )
    for _ in range(START_SECONDS * 20):
        if asked.returncode == 0:
            return
        if server.poll() is not None:
            break
        try:
            server.wait(0.05)
        except subprocess.TimeoutExpired:
            asked = subprocess.run(asked.args, check=False)
    raise RuntimeError(f"PostgreSQL did not start: {(cluster.folder / 'log').read_text()[-2000:]}")
