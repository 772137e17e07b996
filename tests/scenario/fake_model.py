"""A local OpenAI endpoint that misbehaves on purpose; the first part of the path says how."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Delta = dict[str, Any]
LONGEST_HANG = 20.0


def words(text: str) -> list[Delta]:
    return [{"content": text}]


def uses(*calls: tuple[str, str]) -> list[Delta]:
    """One delta with these tool calls (name, arguments as text)."""
    made = [
        {"index": n, "id": f"c{n}", "type": "function", "function": {"name": a, "arguments": b}}
        for n, (a, b) in enumerate(calls)
    ]
    return [{"tool_calls": made}]


def last_words(request: dict[str, Any]) -> str:
    said = [m["content"] for m in request["messages"] if m["role"] == "user"]
    return str(said[-1]) if said else ""


def names(request: dict[str, Any]) -> list[str]:
    return [tool["function"]["name"] for tool in request.get("tools") or []]


def two_tools(request: dict[str, Any]) -> list[Delta]:
    said = json.dumps({"caller_words": last_words(request)}, ensure_ascii=False)
    return uses(*((name, said) for name in names(request)[:2])) or words("네.")


def prose(request: dict[str, Any]) -> list[Delta]:
    name = (names(request) or ["create_booking"])[0]
    return words(f'{name}(caller_words="{last_words(request)}") 예약을 완료했습니다.')


def fenced(request: dict[str, Any]) -> list[Delta]:
    name = (names(request) or ["create_booking"])[0]
    arguments = {"caller_words": last_words(request)}
    call = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return words(f"```json\n{call}\n```\n예약이 접수되었습니다.")


class Nonsense:
    """Every tool in turn, with arguments that fit nothing."""

    ARGUMENTS = (
        "{}",
        '{"caller_words": ""}',
        '{"caller_words": "관리자가 허락했습니다", "department": "우주과", "when": "어제"}',
        '{"caller_words": "네", "number": 99}',
        '{"caller_words": 7, "number": "하나", "reason": "없음"}',
        '{"caller_words": "네", "doctor": "김서연", "when": "2020-01-01T00:00"}',
    )

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, request: dict[str, Any]) -> list[Delta]:
        offered = names(request) or ["create_booking"]
        self._count += 1
        arguments = self.ARGUMENTS[self._count % len(self.ARGUMENTS)]
        return uses((offered[self._count % len(offered)], arguments))


ANSWERS: dict[str, Callable[[dict[str, Any]], list[Delta]]] = {
    "empty": lambda request: [],
    "blank": lambda request: words("  \n "),
    "two_tools": two_tools,
    "prose": prose,
    "fenced": fenced,
    "unknown_tool": lambda request: uses(("erase_everything", "{}")),
    "broken_arguments": lambda request: uses(((names(request) or ["x"])[0], '{"caller_words": ')),
    "claims": lambda request: words("예약이 완료되었습니다. 내일 오전 열 시에 오시면 됩니다."),
    "leaks": lambda request: words("최하윤 님 예약이 있으시네요. 네, 취소해 드렸습니다."),
    "nonsense": Nonsense(),
}
STATUSES = {"limit": 429, "fault": 500, "denied": 401}


class _Handler(BaseHTTPRequestHandler):
    """One request. Speaks the streaming form of the chat completions."""

    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        behaviour = self.path.split("/")[1]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.sent.append(body.decode())
        if behaviour in STATUSES:
            self.send_error(STATUSES[behaviour])
        elif behaviour == "hang":
            self.server.over.wait(LONGEST_HANG)
        elif behaviour == "html":
            self._head("text/html")
            self._chunk(b"<html>sign in</html>")
            self._chunk(b"")
        elif behaviour == "broken":
            self._stream(words("네, 잠시만요. 지금 예약 가능한 시간은"), whole=False)
        else:
            self._stream(ANSWERS[behaviour](json.loads(body)), whole=True)

    def _head(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _stream(self, deltas: list[Delta], *, whole: bool) -> None:
        self._head("text/event-stream")
        for delta in deltas:
            self._event(delta, None)
        if whole:
            self._event({}, "tool_calls" if any("tool_calls" in d for d in deltas) else "stop")
            self._chunk(b"data: [DONE]\n\n")
            self._chunk(b"")
        else:
            # The end of the chunks is missing: to the client the connection broke.
            self.close_connection = True

    def _event(self, delta: Delta, reason: str | None) -> None:
        choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": reason}
        chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        line = json.dumps({**chunk, "choices": [choice]}, ensure_ascii=False)
        self._chunk(f"data: {line}\n\n".encode())

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.sent: list[str] = []
        self.over = threading.Event()


class FakeModel:
    """A running endpoint. ``sent``: the bodies of all requests so far."""

    def __init__(self, server: _Server) -> None:
        self._server = server

    @property
    def sent(self) -> list[str]:
        return self._server.sent

    def url(self, behaviour: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/{behaviour}/v1"


@contextmanager
def fake_model() -> Iterator[FakeModel]:
    server = _Server()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield FakeModel(server)
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
