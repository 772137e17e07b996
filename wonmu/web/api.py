"""The HTTP API: begin, say, look, forget.

Decides how requests become turns. The token comes in the ``Authorization`` header and goes out in
the one answer that opens a conversation; it is in no address. Every answer that is no success has
the shape ``{"error": {"code", "message"}}`` with a sentence for the visitor.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wonmu.errors import WonmuError
from wonmu.web.bodies import read_after, read_body, read_object, read_token, read_words
from wonmu.web.envelope import OP
from wonmu.web.frames import Message
from wonmu.web.front import Front, House
from wonmu.web.live import LiveVisit
from wonmu.web.refusal import STATUS, Refused, Why

log = logging.getLogger(__name__)

BASE = "/api/v1/hospitals/{hospital}"

Handler = Callable[[Request], Awaitable[Response]]


class Api:
    """The handlers over one front."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self._limits = front.gate.limits

    def routes(self) -> list[Route]:
        return [
            self._route("open", "/conversations", "POST", self.open),
            self._route("say", "/messages", "POST", self.say),
            self._route("look", "/messages", "GET", self.look),
            self._route("forget", "/conversation", "DELETE", self.forget),
        ]

    async def open(self, request: Request) -> Response:
        """A new conversation (201), or with a token the visit of that one (200)."""
        house, address = self._house(request), self._front.address(request)
        if "authorization" in request.headers:
            visit = await house.rooms.find(_token(request), address)
            return JSONResponse(_whole(visit, visit.messages))
        self._front.gate.opening(address)
        visit = await house.rooms.begin(address)
        return JSONResponse(
            {"conversation": visit.token, **_whole(visit, visit.messages)}, status_code=201
        )

    async def say(self, request: Request) -> Response:
        """One turn: its messages (200), or 202 when the answer takes long."""
        house, address = self._house(request), self._front.address(request)
        token = _token(request)
        words = read_words(await self._json(request), self._limits.text_chars)
        visit = await house.rooms.find(token, address)
        self._front.gate.message(address, visit.name)
        turn = visit.send(words.text, words.client_id, words.visit)
        try:
            async with asyncio.timeout(self._limits.turn_seconds):
                await turn.done.wait()
        except TimeoutError:
            return JSONResponse(_whole(visit, ()), status_code=202)
        if not turn.taken:
            raise Refused(Why.VISIT_CHANGED)
        if turn.failed:
            raise Refused(Why.FAILED)
        return JSONResponse(_whole(visit, visit.answer(turn)))

    async def look(self, request: Request) -> Response:
        """What was said in this visit, or what came after a number of it."""
        house, address = self._house(request), self._front.address(request)
        visit = await house.rooms.find(_token(request), address)
        after = read_after(request.query_params.get("after"))
        return JSONResponse(_whole(visit, visit.since(after)))

    async def forget(self, request: Request) -> Response:
        """End the visit and delete what is kept to go on with it."""
        house, address = self._house(request), self._front.address(request)
        await house.rooms.forget(_token(request), address)
        return Response(status_code=204)

    def _route(self, op: str, path: str, method: str, handler: Handler) -> Route:
        async def answered(request: Request) -> Response:
            request.scope[OP] = op
            try:
                self._front.gate.request(self._front.address(request))
                if method != "GET":
                    self._front.check_origin(request)
                return await handler(request)
            except Refused as refused:
                return self._refusal(request, refused)
            except WonmuError as error:
                log.error("%s failed: %s", op, type(error).__name__)
                return self._refusal(request, Refused(Why.FAILED))

        return Route(BASE + path, answered, methods=[method], name=op)

    def _refusal(self, request: Request, refused: Refused) -> Response:
        lines = self._front.lines(request.path_params["hospital"])
        answer = JSONResponse(
            {"error": refused.to_json(lines, self._limits.text_chars)},
            status_code=STATUS[refused.why],
        )
        if refused.seconds is not None:
            answer.headers["Retry-After"] = str(refused.seconds)
        if refused.why in (Why.TOO_LARGE, Why.SLOW):
            answer.headers["Connection"] = "close"  # the rest of the body is not read
        return answer

    def _house(self, request: Request) -> House:
        return self._front.house(request.path_params["hospital"])

    async def _json(self, request: Request) -> dict[str, object]:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(Why.NOT_JSON)
        said = request.headers.get("content-length", "")
        if said.isdecimal() and int(said) > self._limits.body_bytes:
            raise Refused(Why.TOO_LARGE)
        raw = await read_body(request.stream(), self._limits.body_bytes, self._limits.body_seconds)
        return dict(read_object(raw))


def _token(request: Request) -> str:
    return read_token(request.headers.get("authorization"))


def _whole(visit: LiveVisit, messages: Sequence[Message]) -> dict[str, object]:
    return {
        "visit": visit.name,
        "messages": [message.to_json() for message in messages],
        "waiting": visit.waiting and visit.ended is None,
        "ended": visit.ended is not None,
    }
