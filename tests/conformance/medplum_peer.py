"""Medplum's FHIR router in a child process: a second server, and a second opinion on resources.

Installs itself from npm into ``medplum/node_modules`` when it is not there. Where that cannot be
(no Node, no npm, no registry) ``MISSING`` says why, and the tests that need it are skipped.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent / "medplum"
_INSTALL = ("install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
_INSTALL_SECONDS = 180


@cache
def missing() -> str | None:
    """Why there is no Medplum, or None when it is ready."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None:
        return "Node is not installed: nothing runs against Medplum"
    with (HOME / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes start at once
        if _installed():
            return None
        if npm is None:
            return "npm is not installed: nothing runs against Medplum"
        try:
            done = subprocess.run(
                [npm, *_INSTALL], cwd=HOME, capture_output=True, timeout=_INSTALL_SECONDS
            )
        except subprocess.TimeoutExpired:
            return f"npm install took more than {_INSTALL_SECONDS} s: nothing runs against Medplum"
        return None if done.returncode == 0 and _installed() else _reason(done.stderr)


def _installed() -> bool:
    """Whether what package.json names is there in just those versions."""
    wanted: dict[str, str] = json.loads((HOME / "package.json").read_text())["dependencies"]
    for name, version in wanted.items():
        package = HOME / "node_modules" / name / "package.json"
        if not package.exists() or json.loads(package.read_text())["version"] != version:
            return False
    return True


def _reason(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines() or ["no message"]
    return f"npm could not install Medplum ({lines[0][:120]}): nothing runs against it"


def _node(script: str, *arguments: str) -> list[str]:
    # Node 20 has no WebSocket of its own, which @medplum/core looks for when it is loaded.
    return ["node", "--experimental-websocket", str(HOME / script), *arguments]


@contextmanager
def medplum_server(seed: Iterable[dict[str, Any]], folder: Path) -> Iterator[str]:
    """The base URL of a Medplum router that holds ``seed``, under the ids that are in it."""
    file = folder / "seed.ndjson"
    with file.open("w", encoding="utf-8") as out:
        for resource in seed:
            out.write(json.dumps(_without_version(resource), ensure_ascii=False) + "\n")
    child = subprocess.Popen(
        _node("server.mjs", str(file)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        line = child.stdout.readline()
        assert line.startswith("listening on "), f"Medplum did not start: {line!r}"
        yield line.removeprefix("listening on ").strip()
    finally:
        child.stdin.close()  # its sign to end
        child.wait(timeout=10)
        child.stdout.close()


def _without_version(resource: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in resource.items() if name != "meta"}


class Validator:
    """``validateResource`` in a child process; loading the definitions once takes seconds."""

    def __init__(self) -> None:
        self._child = subprocess.Popen(
            _node("validate.mjs"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def issues_of(self, resource: dict[str, Any]) -> list[str]:
        """What it finds in one resource."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps(resource, ensure_ascii=False) + "\n")
        self._child.stdin.flush()
        found: list[str] = json.loads(self._child.stdout.readline())
        return found

    def close(self) -> None:
        self._child.communicate(timeout=10)
