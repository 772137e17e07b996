"""Listening on a port: as a program until it is told to stop, or for the length of a block."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from wonmu.errors import InputError

_GRACE = 3
"""Seconds that requests under way have when the server is told to stop."""

AppMaker = Callable[[], AbstractAsyncContextManager[ASGIApp]]


class _Server(uvicorn.Server):
    """uvicorn without its own signal handling, telling when it listens."""

    def __init__(self, app: ASGIApp, listening: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_level="warning",
                lifespan="off",
                proxy_headers=False,
                access_log=False,
                timeout_graceful_shutdown=_GRACE,
                http="h11",
                loop="none",
            )
        )
        self._listening = listening

    def capture_signals(self) -> Any:
        return nullcontext()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listening()


def bind(host: str, port: int) -> socket.socket:
    """A listening address; port 0 takes a free one. Raises ``InputError``."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
    except OSError as error:
        raise InputError(
            f"cannot listen on {host} port {port} ({error.strerror}); choose another --port"
        ) from error
    return made


def url_of(bound: socket.socket) -> str:
    """Base of the FHIR server behind a bound socket."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}/fhir" if ":" in host else f"http://{host}:{port}/fhir"


async def serve_until_told(app: ASGIApp, bound: socket.socket, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; ``say`` gets one line when it listens."""
    server = _Server(app, lambda: say(f"listening on {url_of(bound)}"))
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    await server.serve(sockets=[bound])


@asynccontextmanager
async def serving_here(app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """The base URL while the app is served on the running loop."""
    bound = bind(host, port)
    ready = asyncio.Event()
    server = _Server(app, ready.set)
    task = asyncio.create_task(server.serve(sockets=[bound]))
    try:
        await ready.wait()
        yield url_of(bound)
    finally:
        server.should_exit = True
        await task


@contextmanager
def serving(make: AppMaker, host: str = "127.0.0.1", port: int = 0) -> Iterator[str]:
    """The base URL while an app is served on a loop and thread of its own.

    ``make`` opens the app (and what it stands on) on that loop, and closes it there::

        @asynccontextmanager
        async def make():
            records = await open_embedded(path, clock)
            yield create_app(records, clock)
            await records.close()
    """
    bound = bind(host, port)
    ready = threading.Event()
    running: list[_Server] = []

    async def run() -> None:
        async with make() as app:
            running.append(_Server(app, ready.set))
            await running[0].serve(sockets=[bound])

    with ThreadPoolExecutor(1, "record-server") as threads:
        done = threads.submit(lambda: asyncio.run(run()))
        done.add_done_callback(lambda _: ready.set())
        try:
            ready.wait()
            if done.done():
                done.result()
            yield url_of(bound)
        finally:
            for server in running:
                server.should_exit = True
    done.result()
