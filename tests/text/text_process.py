"""``wonmu text`` as a child process: its lines in, its events out, killed when a test wants it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NOW = "2026-12-01T10:00+09:00"


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "WONMU_DB"}


def command(place: Path | str, *options: str) -> list[str]:
    """``place``: a folder, or a database's URL."""
    where = ("--db", place) if isinstance(place, str) else ("--data", str(place))
    start = [sys.executable, "-m", "wonmu.cli", "text", "--hospital", "hanbit", "--json"]
    return [*start, *where, "--now", NOW, *options]


class Child:
    """One process; a line is given when the desk waits."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.events: list[dict[str, Any]] = []

    def until_waiting(self) -> str:
        """Read events until the desk waits; the line said last."""
        assert self.process.stdout is not None
        for written in self.process.stdout:
            event = json.loads(written)
            self.events.append(event)
            if event["kind"] in ("turn.waiting", "call.ended"):
                break
        return self.last_line

    def until(self, kind: str) -> dict[str, Any]:
        """Read events until one of this kind."""
        assert self.process.stdout is not None
        for written in self.process.stdout:
            event: dict[str, Any] = json.loads(written)
            self.events.append(event)
            if event["kind"] == kind:
                return event
        raise AssertionError(f"no {kind}")

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event["data"] for event in self.events if event["kind"] == kind]

    def said(self) -> list[str]:
        return [str(data["heard"]) for data in self.of("agent.said")]

    def say(self, line: str) -> str:
        self.give(line)
        return self.until_waiting()

    def give(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    @property
    def last_line(self) -> str:
        said = [e for e in self.events if e["kind"] == "agent.said"]
        return str(said[-1]["data"]["line"]) if said else ""

    def finish(self) -> tuple[int, str]:
        """Close the input; exit status and what was written to stderr."""
        out, err = self.process.communicate(timeout=60)
        self.events += [json.loads(line) for line in out.splitlines()]
        return self.process.returncode, err


@contextmanager
def child(place: Path | str, *options: str) -> Iterator[Child]:
    process = subprocess.Popen(
        command(place, *options),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        yield Child(process)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
