"""``wonmu web`` as it is started: a real process on a free port, and a client over its socket."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

NOW = "2026-12-01T10:00+09:00"
API = "/api/v1/hospitals/hanbit"
PATIENCE = 60.0
"""Seconds for anything to happen; a busy machine is slow, and nothing here waits for nothing."""


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "WONMU_DB"}


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "wonmu.cli", "web", "--port", "0", *options]


@contextmanager
def process(data: Path | str, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The child and the URL it says it listens on. ``data``: a folder, or a database's URL."""
    place = ("--db", data) if isinstance(data, str) else ("--data", str(data))
    child = subprocess.Popen(
        command(*place, "--now", NOW, *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert child.stdout is not None
    try:
        line = child.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:"), child.communicate()[1]
        yield child, line.removeprefix("listening on ").strip()
    finally:
        if child.poll() is None:
            child.kill()
        child.communicate()


class Visitor:
    """One browser: a token, a socket, and what it was told."""

    def __init__(self, url: str, token: str) -> None:
        self.token = token
        self.url = url
        self.visit: str | None = None
        self.seqs: list[int] = []
        self._socket: ClientConnection | None = None

    @classmethod
    async def begins(cls, url: str) -> Visitor:
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as web:
            opened = (await web.post(f"{API}/conversations")).json()
        return cls(url, opened["conversation"])

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[list[str]]:
        """Says hello; gives the words that came before the desk waits."""
        async with connect(self.url.replace("http", "ws") + API + "/ws") as self._socket:
            after = self.seqs[-1] if self.seqs else 0
            await self.send(type="hello", token=self.token, visit=self.visit, after=after)
            ready = await self.next()
            assert ready["type"] == "ready", ready
            if ready["visit"] != self.visit:
                self.visit, self.seqs = ready["visit"], []
            yield await self.until_waiting()

    async def says(self, text: str, client_id: str | None = None) -> list[str]:
        """One turn; the desk's words."""
        await self.send(type="message", text=text, client_id=client_id, visit=self.visit)
        assert (await self.next())["type"] == "typing"
        return await self.until_waiting()

    async def until_waiting(self) -> list[str]:
        said: list[str] = []
        while (frame := await self.next())["type"] not in ("waiting", "ended"):
            if frame["type"] == "message":
                self.seqs.append(frame["seq"])
                said += [frame["text"]] * (frame["from"] == "desk")
        return said

    async def send(self, **frame: Any) -> None:
        assert self._socket is not None
        await self._socket.send(json.dumps(frame))

    async def next(self) -> dict[str, Any]:
        assert self._socket is not None
        raw = await asyncio.wait_for(self._socket.recv(), PATIENCE)
        return dict(json.loads(raw))
