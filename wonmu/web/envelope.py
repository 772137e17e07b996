"""What is around every answer: headers that protect visitors, and the entry in the access log."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wonmu.web.access import Access
from wonmu.web.front import Front

OP = "wonmu.op"
"""Where a handler says what it does; a path is never logged as it was typed."""

HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Envelope:
    """Around the whole application."""

    def __init__(self, app: ASGIApp, front: Front) -> None:
        self._app = app
        self._front = front

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        began, status = self._front.clock.mono(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            status = _status(message) or status
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            self._note(scope, status, began)

    def _note(self, scope: Scope, status: int, began: float) -> None:
        if self._front.access is None:
            return
        clock = self._front.clock
        asked = (scope.get("path_params") or {}).get("hospital", "")
        hospital = asked if asked in self._front.houses else ""
        who = self._front.who(HTTPConnection(scope))
        seconds = round(clock.mono() - began, 3)
        op = scope.get(OP, "other")
        self._front.access(Access(clock.now(), who, hospital, op, status, seconds))


def _status(message: Message) -> int | None:
    match message["type"]:
        case "http.response.start":
            return int(message["status"])
        case "websocket.accept":
            return 101
        case "websocket.close":
            return int(message.get("code", 1000))
    return None
