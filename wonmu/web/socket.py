"""The WebSocket: the same talk, with words as they are said.

Decides the frames of one connection. The first frame brings the token. What was missed since the
last message a client has is sent again; what it had is not. A socket that goes away changes nothing
of the visit.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from wonmu.errors import WonmuError
from wonmu.lines import Lines
from wonmu.web.api import BASE
from wonmu.web.bodies import Hello, read_hello, read_object, read_words
from wonmu.web.envelope import OP
from wonmu.web.frames import Ended, Failed, Message, Typing, Waiting
from wonmu.web.front import Front, House
from wonmu.web.live import LiveVisit, Watcher
from wonmu.web.refusal import Refused, Why

log = logging.getLogger(__name__)

NORMAL, REFUSED, TRY_LATER = 1000, 1008, 1013
"""Codes of RFC 6455 section 7.4 and the IANA registry: done, against our rules, come again."""


@dataclass(frozen=True, slots=True)
class _Line:
    """One accepted socket."""

    socket: WebSocket
    lines: Lines
    address: str
    chars: int

    async def tell(self, frame: dict[str, object]) -> None:
        await self.socket.send_text(json.dumps(frame, ensure_ascii=False))

    async def refuse(self, refused: Refused, client_id: str | None = None) -> None:
        error = {"type": "error", **refused.to_json(self.lines, self.chars)}
        await self.tell(error if client_id is None else {**error, "client_id": client_id})


class Sockets:
    """The handler over one front."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self._limits = front.gate.limits

    def route(self) -> WebSocketRoute:
        return WebSocketRoute(BASE + "/ws", self.serve, name="ws")

    async def serve(self, socket: WebSocket) -> None:
        """From the handshake to the end; refuses before it when there is no place."""
        socket.scope[OP] = "socket"
        address = self._front.address(socket)
        try:
            self._front.gate.request(address)
            self._front.check_origin(socket)
            house = self._front.house(socket.path_params["hospital"])
            self._front.gate.socket(address)
        except Refused:
            await socket.close(REFUSED)
            return
        try:
            await socket.accept()
            line = _Line(socket, house.lines, address, self._limits.text_chars)
            await self._greeted(line, house)
        except (WebSocketDisconnect, RuntimeError):
            # Starlette says RuntimeError for words to a socket that has closed meanwhile.
            return
        finally:
            self._front.gate.socket_gone(address)

    async def _greeted(self, line: _Line, house: House) -> None:
        try:
            async with asyncio.timeout(self._limits.hello_seconds):
                hello = read_hello(read_object(await _text(line.socket)))
        except TimeoutError:
            await line.socket.close(REFUSED)
            return
        except Refused as refused:
            await line.refuse(refused)
            await line.socket.close(REFUSED)
            return
        try:
            visit = await house.rooms.find(hello.token, line.address)
            watcher = visit.watch(_after(hello, visit))
        except Refused as refused:
            await line.refuse(refused)
            await line.socket.close(TRY_LATER if refused.retry_after else REFUSED)
            return
        except WonmuError as error:
            log.error("a socket failed: %s", type(error).__name__)
            await line.refuse(Refused(Why.FAILED))
            await line.socket.close(TRY_LATER)
            return
        try:
            await line.tell({"type": "ready", "visit": visit.name})
            await self._both_ways(line, visit, watcher)
        finally:
            visit.unwatch(watcher)

    async def _both_ways(self, line: _Line, visit: LiveVisit, watcher: Watcher) -> None:
        out = asyncio.create_task(_tell_all(line, watcher))
        heard = asyncio.create_task(self._hear_all(line, visit))
        try:
            await asyncio.wait({out, heard}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (out, heard):
                task.cancel()
            await asyncio.wait({out, heard})
        for task in (out, heard):
            error = None if task.cancelled() else task.exception()
            if error is not None:
                raise error

    async def _hear_all(self, line: _Line, visit: LiveVisit) -> None:
        bad = 0
        while bad < self._limits.bad_frames:
            client_id: str | None = None
            try:
                body = read_object(await _text(line.socket))
                if body.get("type") != "message":
                    raise Refused(Why.BAD_REQUEST)
                words = read_words(body, self._limits.text_chars)
                client_id = words.client_id
                self._front.gate.message(line.address, visit.name)
                visit.send(words.text, client_id, words.visit)
            except Refused as refused:
                bad += refused.why is Why.BAD_REQUEST
                await line.refuse(refused, client_id)
        await line.socket.close(REFUSED)


async def _tell_all(line: _Line, watcher: Watcher) -> None:
    while not watcher.lost:
        frame = await watcher.next()
        match frame:
            case Failed(client_id):
                await line.refuse(Refused(Why.FAILED), client_id)
            case _:
                await line.tell(_json(frame))
        if isinstance(frame, Ended):
            await line.socket.close(NORMAL)
            return
    await line.socket.close(TRY_LATER)


def _json(frame: Message | Typing | Waiting | Ended) -> dict[str, object]:
    match frame:
        case Message():
            return {"type": "message", **frame.to_json()}
        case Typing():
            return {"type": "typing"}
        case Waiting():
            return {"type": "waiting"}
        case Ended(why):
            return {"type": "ended", "reason": why.value}


def _after(hello: Hello, visit: LiveVisit) -> int:
    """Numbers of another visit say nothing about this one."""
    return hello.after if hello.visit == visit.name else 0


async def _text(socket: WebSocket) -> str:
    """The next frame. Raises ``Refused`` for bytes, ``WebSocketDisconnect`` at the end."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", NORMAL))
    text = message.get("text")
    if not isinstance(text, str):
        raise Refused(Why.BAD_REQUEST)
    return text
