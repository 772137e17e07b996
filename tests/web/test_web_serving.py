"""The server itself over real sockets: what a network can send, and being told to stop."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import httpx
import pytest
from web_parts import HANBIT, World, bearer, world
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from wonmu.emr.server.serving import bind
from wonmu.web.limits import WebLimits
from wonmu.web.serving import serve_until_told

pytestmark = pytest.mark.service

Play = Callable[[World, str], Awaitable[None]]


def play(what: Play, given: World | None = None) -> World:
    """``what`` against a server, which is then told to stop by a signal and must end."""
    made = given or world()

    async def run() -> None:
        said: asyncio.Queue[str] = asyncio.Queue()
        bound = bind("127.0.0.1", 0)
        rooms = [house.rooms for house in made.front.houses.values()]
        limits = made.front.gate.limits
        serving = asyncio.create_task(
            serve_until_told(made.app, bound, limits, rooms, said.put_nowait)
        )
        try:
            url = (await asyncio.wait_for(said.get(), 10)).removeprefix("listening on ")
            await what(made, url)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait_for(serving, 15)

    asyncio.run(run())
    return made


async def begun(url: str) -> str:
    async with httpx.AsyncClient(base_url=url) as web:
        return str((await web.post(f"{HANBIT}/conversations")).json()["conversation"])


def socket_of(url: str) -> str:
    return url.replace("http", "ws") + HANBIT + "/ws"


async def hello(socket: ClientConnection, token: str) -> None:
    await socket.send(json.dumps({"type": "hello", "token": token}))
    for _ in range(3):
        await asyncio.wait_for(socket.recv(), 10)


async def raw(url: str, *parts: bytes) -> bytes:
    """What comes back for bytes that are written one after the other; the end by the server."""
    parts_of = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts_of.hostname, parts_of.port)
    for part in parts:
        writer.write(part)
        await writer.drain()
    answer = await asyncio.wait_for(reader.read(), 15)
    writer.close()
    return answer


def test_a_frame_that_is_too_large_ends_its_socket_only() -> None:
    async def what(world: World, url: str) -> None:
        token = await begun(url)
        async with connect(socket_of(url)) as socket, connect(socket_of(url)) as other:
            await hello(socket, token)
            await hello(other, token)
            await socket.send("x" * 20_000)
            with pytest.raises(ConnectionClosed) as closed:
                await asyncio.wait_for(socket.recv(), 10)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1009
            await other.send(json.dumps({"type": "message", "text": "네"}))
            assert json.loads(await other.recv())["type"] == "typing"

    play(what)


def test_what_is_no_http_is_refused_and_nothing_is_logged(
    capfd: pytest.CaptureFixture[str],
) -> None:
    async def what(world: World, url: str) -> None:
        assert (await raw(url, b"\x16\x03\x01 hello\r\n\r\n")).startswith(b"HTTP/1.1 400")
        endless = b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 17_000
        assert (await raw(url, endless)).startswith(b"HTTP/1.1 400")
        assert (await begun(url)) == "han-0"

    play(what)
    assert capfd.readouterr().err == ""


def test_a_body_that_never_ends_is_not_read_to_the_end() -> None:
    async def what(world: World, url: str) -> None:
        token = await begun(url)
        head = (
            f"POST {HANBIT}/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\n"
        )
        chunked = (head + "Transfer-Encoding: chunked\r\n\r\n").encode()
        large = await raw(url, chunked, b"8000\r\n" + b"a" * 0x8000 + b"\r\n")
        assert large.startswith(b"HTTP/1.1 413")
        slow = await raw(url, (head + "Content-Length: 100\r\n\r\n").encode(), b'{"te')
        assert slow.startswith(b"HTTP/1.1 408")

    play(what, world(WebLimits(body_seconds=0.2)))


def test_a_socket_of_a_foreign_page_is_not_accepted() -> None:
    async def what(world: World, url: str) -> None:
        with pytest.raises(InvalidStatus):
            async with connect(
                socket_of(url), additional_headers={"Origin": "https://evil.example"}
            ):
                pass
        async with connect(socket_of(url), additional_headers={"Origin": url}) as socket:
            await hello(socket, await begun(url))

    play(what)


def test_told_to_stop_it_ends_visits_and_sockets() -> None:
    async def what(world: World, url: str) -> None:
        socket = await connect(socket_of(url))
        await hello(socket, await begun(url))
        quiet = await connect(socket_of(url))
        await quiet.send(json.dumps({"type": "hello"})[:-1])
        await begun(url)

    made = play(what)
    assert [talk.reasons for talk in made.hanbit.talks] == [["shutdown"], ["shutdown"]]
    assert made.rooms().open == ()


def test_told_to_stop_a_turn_under_way_is_finished() -> None:
    async def what(world: World, url: str) -> None:
        token = await begun(url)
        socket = await connect(socket_of(url))
        await hello(socket, token)
        await socket.send(json.dumps({"type": "message", "text": "잠깐"}))
        assert json.loads(await socket.recv())["type"] == "typing"
        asyncio.get_running_loop().call_later(0.5, world.hanbit.talks[0].go_on.set)

    made = play(what)
    [talk] = made.hanbit.talks
    assert [event.data.get("text") for event in talk.recorder.events][-5:].count("echo: 잠깐") == 1
    assert talk.reasons == ["shutdown"]


def test_a_visitor_who_leaves_in_the_middle_of_a_turn_stops_nothing() -> None:
    async def what(world: World, url: str) -> None:
        token = await begun(url)
        socket = await connect(socket_of(url))
        await hello(socket, token)
        await socket.send(json.dumps({"type": "message", "text": "잠깐", "client_id": "c1"}))
        assert json.loads(await socket.recv())["type"] == "typing"
        socket.transport.abort()
        world.hanbit.talks[0].go_on.set()
        async with httpx.AsyncClient(base_url=url, headers=bearer(token)) as web:
            body = {"text": "잠깐", "client_id": "c1"}
            again = await web.post(f"{HANBIT}/messages", json=body)
        assert again.json()["messages"][-1]["text"] == "echo: 잠깐"
        assert world.hanbit.talks[0].heard == ["잠깐"]

    play(what)
