"""Listening on a port until told to stop; visits that were quiet too long end meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext

import uvicorn
from starlette.types import ASGIApp

from wonmu.web.limits import WebLimits
from wonmu.web.rooms import Rooms

GRACE_SECONDS = 3
"""For requests under way when the server is told to stop."""

SWEEP_SECONDS = 30.0
"""Between two looks for quiet visits."""

LARGEST_HEAD = 16 * 1024
"""Bytes of a request's head."""


class _Server(uvicorn.Server):
    """uvicorn without its own signals and logs, telling when it listens."""

    def __init__(self, app: ASGIApp, limits: WebLimits, listening: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_level="error",
                log_config=None,
                access_log=False,
                lifespan="off",
                proxy_headers=False,
                server_header=False,
                http="h11",
                ws="websockets-sansio",
                ws_max_size=limits.body_bytes,
                ws_per_message_deflate=False,
                loop="none",
                h11_max_incomplete_event_size=LARGEST_HEAD,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self._listening = listening

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        return nullcontext()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listening()


def url_of(bound: socket.socket) -> str:
    """Where a browser finds the server behind a bound socket."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def serve_until_told(
    app: ASGIApp,
    bound: socket.socket,
    limits: WebLimits,
    rooms: Iterable[Rooms],
    say: Callable[[str], None],
) -> None:
    """Serve until SIGTERM or SIGINT; ``say`` gets one line when it listens. Ends open visits."""
    rooms = tuple(rooms)
    server = _Server(app, limits, lambda: say(f"listening on {url_of(bound)}"))
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    sweeping = asyncio.create_task(_sweep(rooms))
    try:
        await server.serve(sockets=[bound])
    finally:
        sweeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await sweeping
        await asyncio.gather(*(each.close() for each in rooms))


async def _sweep(rooms: tuple[Rooms, ...]) -> None:
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        for each in rooms:
            await each.end_idle()
