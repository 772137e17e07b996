"""The WebSocket: frames, reconnecting, limits, and what cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect
from web_parts import HANBIT, ONNURI, World, bearer, world

from wonmu.web.limiter import Rate
from wonmu.web.limits import WebLimits

pytestmark = pytest.mark.unit

WS = f"{HANBIT}/ws"
WAITING = {"type": "waiting"}
TYPING = {"type": "typing"}


@contextmanager
def web(made: World) -> Iterator[TestClient]:
    with TestClient(made.app, base_url="http://chat.example") as client:
        yield client


def begun(client: TestClient, base: str = HANBIT) -> str:
    return str(client.post(f"{base}/conversations").json()["conversation"])


@contextmanager
def line(
    client: TestClient, token: str, visit: str | None = None, after: int = 0, path: str = WS
) -> Iterator[WebSocketTestSession]:
    with client.websocket_connect(path) as socket:
        socket.send_json({"type": "hello", "token": token, "visit": visit, "after": after})
        yield socket


def take(socket: WebSocketTestSession, count: int) -> list[dict[str, Any]]:
    return [socket.receive_json() for _ in range(count)]


def desk(seq: int, text: str) -> dict[str, Any]:
    return {"type": "message", "seq": seq, "from": "desk", "text": text}


def visitor(seq: int, text: str, client_id: str | None = None) -> dict[str, Any]:
    frame = {"type": "message", "seq": seq, "from": "visitor", "text": text}
    return frame if client_id is None else {**frame, "client_id": client_id}


def message(text: str, client_id: str | None = None, visit: str | None = None) -> dict[str, Any]:
    return {"type": "message", "text": text, "client_id": client_id, "visit": visit}


def code(frame: dict[str, Any]) -> str:
    assert frame["type"] == "error"
    assert frame["message"]
    return str(frame["code"])


def closed(socket: WebSocketTestSession) -> int:
    with pytest.raises(WebSocketDisconnect) as ended:
        socket.receive_json()
    return ended.value.code


def test_a_turn_in_frames() -> None:
    with web(world()) as client, line(client, begun(client)) as socket:
        ready = socket.receive_json()
        assert ready == {"type": "ready", "visit": ready["visit"]}
        assert take(socket, 2) == [desk(1, "안녕하세요."), WAITING]
        socket.send_json(message("예약이요", "c1", ready["visit"]))
        assert take(socket, 4) == [
            TYPING,
            visitor(2, "예약이요", "c1"),
            desk(3, "echo: 예약이요"),
            WAITING,
        ]


def test_who_comes_again_gets_what_it_missed_and_resends_safely() -> None:
    made = world()
    with web(made) as client:
        token = begun(client)
        with line(client, token) as socket:
            visit = take(socket, 3)[0]["visit"]
            socket.send_json(message("하나", "c1", visit))
            assert take(socket, 2)[1] == visitor(2, "하나", "c1")
        with line(client, token, visit, 2) as socket:
            assert socket.receive_json() == {"type": "ready", "visit": visit}
            socket.send_json(message("하나", "c1", visit))
            assert take(socket, 2) == [desk(3, "echo: 하나"), WAITING]
            socket.send_json(message("둘", "c2", visit))
            assert take(socket, 4)[1] == visitor(4, "둘", "c2")
        assert made.hanbit.talks[0].heard == ["하나", "둘"]


def test_two_tabs_see_the_same_and_two_visitors_never() -> None:
    with web(world()) as client:
        one, two = begun(client), begun(client)
        with line(client, one) as first, line(client, one) as tab, line(client, two) as other:
            for socket in (first, tab, other):
                take(socket, 3)
            first.send_json(message("나만 알아요", "c1"))
            assert take(first, 4) == take(tab, 4)
            other.send_json(message("저는요", "c1"))
            assert take(other, 4)[1:3] == [visitor(2, "저는요", "c1"), desk(3, "echo: 저는요")]


def test_another_visit_starts_from_its_own_first_word() -> None:
    with web(world()) as client:
        token = begun(client)
        with line(client, token) as socket:
            visit = take(socket, 3)[0]["visit"]
            socket.send_json(message("끝"))
            assert take(socket, 4)[-1] == {"type": "ended", "reason": "closed"}
            assert closed(socket) == 1000
        with line(client, token, visit, 3) as socket:
            assert socket.receive_json()["visit"] != visit
            assert take(socket, 2) == [desk(1, "다시 오셨네요."), WAITING]
            socket.send_json(message("네", "c9", visit))
            refused = socket.receive_json()
            assert (code(refused), refused["client_id"]) == ("visit_changed", "c9")


def test_forgetting_ends_the_sockets() -> None:
    with web(world()) as client:
        token = begun(client)
        with line(client, token) as socket:
            take(socket, 3)
            assert client.delete(f"{HANBIT}/conversation", headers=bearer(token)).status_code == 204
            assert socket.receive_json() == {"type": "ended", "reason": "forgotten"}
            assert closed(socket) == 1000


def test_unknown_tokens_and_those_of_another_hospital_look_the_same() -> None:
    made = world()
    with web(made) as client:
        seen = []
        for token in (begun(client, ONNURI), "guess", "x" * 200):
            with line(client, token) as socket:
                seen.append((socket.receive_json(), closed(socket)))
        assert code(seen[0][0]) == "unknown"
        assert seen[0] == seen[1] == seen[2]
        assert len(made.hanbit.asked) == 3
        with line(client, begun(client), path=f"{ONNURI}/ws") as socket:
            assert code(socket.receive_json()) == "unknown"


@pytest.mark.parametrize("first", ["", "hello", "[]", "{}", '{"type": "hello"}', "{" * 5000])
def test_a_socket_that_does_not_say_hello_is_closed(first: str) -> None:
    with web(world()) as client, client.websocket_connect(WS) as socket:
        socket.send_text(first)
        assert code(socket.receive_json()) == "bad_request"
        assert closed(socket) == 1008


def test_a_socket_that_says_nothing_is_closed() -> None:
    with web(world(WebLimits(hello_seconds=0.01))) as client:
        with client.websocket_connect(WS) as socket:
            assert closed(socket) == 1008


def test_frames_that_cannot_be_read_are_told_and_then_no_longer_listened_to() -> None:
    with web(world(WebLimits(bad_frames=3))) as client, line(client, begun(client)) as socket:
        take(socket, 3)
        socket.send_text("{")
        assert code(socket.receive_json()) == "bad_request"
        socket.send_json({"type": "events"})
        assert code(socket.receive_json()) == "bad_request"
        socket.send_json(message("네"))
        assert take(socket, 4)[-1] == WAITING
        socket.send_bytes(b"\x00")
        assert code(socket.receive_json()) == "bad_request"
        assert closed(socket) == 1008


@pytest.mark.parametrize(
    ("text", "why"), [("  ", "empty"), ("가" * 1001, "too_long"), ("\u0000", "empty")]
)
def test_messages_that_are_none_are_refused_by_name(text: str, why: str) -> None:
    with web(world()) as client, line(client, begun(client)) as socket:
        take(socket, 3)
        socket.send_json(message(text, "c1"))
        assert code(socket.receive_json()) == why
        socket.send_json(message("네"))
        assert take(socket, 4)[-1] == WAITING


def test_too_many_messages_are_refused_with_a_time() -> None:
    made = world(WebLimits(messages=Rate(1, 0.1)))
    with web(made) as client, line(client, begun(client)) as socket:
        take(socket, 3)
        socket.send_json(message("하나", "c1"))
        take(socket, 4)
        socket.send_json(message("둘", "c2"))
        refused = socket.receive_json()
        assert (code(refused), refused["retry_after"], refused["client_id"]) == (
            "too_many",
            10,
            "c2",
        )
        made.clock.advance(10)
        socket.send_json(message("둘", "c2"))
        assert take(socket, 4)[2] == desk(5, "echo: 둘")


def test_a_failed_turn_is_told_to_its_sender() -> None:
    with web(world()) as client, line(client, begun(client)) as socket:
        take(socket, 3)
        socket.send_json(message("고장", "c1"))
        refused = take(socket, 4)[2]
        assert (code(refused), refused["client_id"]) == ("failed", "c1")


def test_sockets_of_a_conversation_are_few_and_places_come_back() -> None:
    with web(world(WebLimits(conversation_sockets=1))) as client:
        token = begun(client)
        with line(client, token) as first:
            take(first, 3)
            with line(client, token) as second:
                assert code(second.receive_json()) == "too_many"
                assert closed(second) == 1013
        with line(client, token) as third:
            assert take(third, 1)[0]["type"] == "ready"


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (WS, {"Origin": "https://evil.example"}),
        ("/api/v1/hospitals/nowhere/ws", {}),
    ],
)
def test_sockets_that_are_not_accepted(path: str, headers: dict[str, str]) -> None:
    with web(world()) as client:
        with pytest.raises(WebSocketDisconnect):
            with client.websocket_connect(path, headers=headers):
                pass


def test_sockets_of_an_address_are_counted() -> None:
    with web(world(WebLimits(address_sockets=1))) as client:
        with client.websocket_connect(WS, headers={"Origin": "http://testserver"}):
            with pytest.raises(WebSocketDisconnect):
                with client.websocket_connect(WS):
                    pass


def test_sockets_are_in_the_log_without_a_token() -> None:
    made = world()
    with web(made) as client:
        token = begun(client)
        with line(client, token) as socket:
            take(socket, 3)
    assert [(each.op, each.hospital) for each in made.accesses] == [
        ("open", "hanbit"),
        ("socket", "hanbit"),
    ]
    assert token not in str(made.accesses)
