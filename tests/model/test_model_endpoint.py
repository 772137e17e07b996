"""Any OpenAI-compatible endpoint as a rung, asked over loopback: good ones and broken ones (T6)."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, TypeVar

import pytest
import uvicorn
from fastapi import FastAPI
from model_talk import DESK_TOOLS, desk_request
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from wonmu import loop
from wonmu.commands.models import rungs_of
from wonmu.errors import InputError, ModelFailure, ModelFault
from wonmu.ids import CountingIds
from wonmu.model.endpoint import ENDPOINT_ERRORS, EndpointFault, EndpointRung, EndpointTimeouts
from wonmu.model.ladder import Limits, Piece, Text, ToolUse, answer
from wonmu.model.offline import BuiltinRung
from wonmu.model.offline.wire import create_app
from wonmu.model.port import ChatRequest, Delta, Done, TextDelta, ToolCallDelta

pytestmark = pytest.mark.service

T = TypeVar("T")
ASKED = ChatRequest(({"role": "user", "content": "주차 되나요?"},))
QUICK = Limits(first_token_seconds=1.0, quiet_seconds=0.8, gap_seconds=0.5, whole_seconds=3.0)


class Received:
    """What the broken endpoint was sent."""

    bodies: list[dict[str, Any]]
    headers: list[dict[str, str]]


RECEIVED = Received()


def _data(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**chunk, 'choices': [choice]}, ensure_ascii=False)}\n\n"


async def _half() -> AsyncIterator[str]:
    yield _data({"role": "assistant", "content": "네, 지하에 "})
    raise ConnectionResetError


async def _unfinished() -> AsyncIterator[str]:
    yield _data({"content": "네, 지하에 주차"})
    yield "data: [DONE]\n\n"


async def _stalls() -> AsyncIterator[str]:
    yield _data({"content": "네, 지하에 "})
    await asyncio.sleep(30)


async def _cut() -> AsyncIterator[str]:
    yield _data({"content": "네, 지하에 주차하실 수 있"}, None)
    yield _data({}, "length")


async def _two_calls() -> AsyncIterator[str]:
    for at, name in enumerate(("create_booking", "end_call")):
        function = {"name": name, "arguments": '{"caller_'}
        yield _data({"tool_calls": [{"index": at, "id": f"c{at}", "function": function}]})
        rest = {"arguments": 'words": "예약이요"}'}
        yield _data({"tool_calls": [{"index": at, "function": rest}]})
    yield _data({}, "tool_calls")


async def _odd() -> AsyncIterator[str]:
    """Servers leave things out and add things."""
    yield ": keep-alive\n\n"
    oddities: tuple[dict[str, Any], ...] = (
        {"choices": []},
        {"choices": None},
        {},
        {"choices": [{"delta": None}]},
    )
    for odd in oddities:
        yield f"data: {json.dumps(odd)}\n\n"
    yield _data({"content": None, "tool_calls": None, "reasoning_content": "음…"})
    yield _data({"content": "됩니다."}, None)
    yield _data({}, "stop")


async def _garbage() -> AsyncIterator[str]:
    yield "data: {not json\n\n"


async def _error_inside() -> AsyncIterator[str]:
    yield _data({"content": "네, "})
    yield 'data: {"error": {"message": "overloaded", "type": "server_error"}}\n\n'


STREAMS: dict[str, Callable[[], AsyncIterator[str]]] = {
    "half": _half,
    "unfinished": _unfinished,
    "stalls": _stalls,
    "cut": _cut,
    "two-calls": _two_calls,
    "odd": _odd,
    "garbage": _garbage,
    "error-inside": _error_inside,
}


def _broken_app() -> FastAPI:
    app = FastAPI()

    async def completions(request: Request) -> Response:
        RECEIVED.bodies.append(json.loads(await request.body()))
        RECEIVED.headers.append(dict(request.headers))
        kind = request.path_params["kind"]
        if kind.isdigit():
            error = {"error": {"message": "rejected: 010-0000-1234", "type": "x"}}
            return JSONResponse(error, status_code=int(kind))
        if kind == "hang":
            await asyncio.sleep(30)
        if kind == "html":
            return PlainTextResponse("<html>gateway</html>", media_type="text/html")
        return StreamingResponse(STREAMS[kind](), media_type="text/event-stream")

    app.add_route("/{kind}/v1/chat/completions", completions, methods=["POST"])
    return app


def _served(app: FastAPI) -> Iterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=0)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def builtin() -> Iterator[str]:
    for address in _served(create_app(CountingIds())):
        yield f"{address}/v1"


@pytest.fixture(scope="module")
def broken() -> Iterator[str]:
    yield from _served(_broken_app())


@pytest.fixture(autouse=True)
def nothing_received() -> None:
    RECEIVED.bodies, RECEIVED.headers = [], []


def on_real_time(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """On the conversation's loop, which would outrun a server if the rung let it."""
    return loop.run(main)


def deltas(rung: EndpointRung, request: ChatRequest = ASKED) -> list[Delta]:
    async def main() -> list[Delta]:
        try:
            return [delta async for delta in rung.open(request)]
        finally:
            await rung.aclose()

    return on_real_time(main)


def climbed(
    rung: EndpointRung, request: ChatRequest = ASKED, *, alone: bool = True
) -> tuple[list[Piece], list[ModelFailure]]:
    failures: list[ModelFailure] = []
    rungs = (rung,) if alone else (rung, BuiltinRung())

    async def main() -> list[Piece]:
        pieces = answer(
            rungs, request, QUICK, lambda f, _: failures.append(f), expected=ENDPOINT_ERRORS
        )
        try:
            return [piece async for piece in pieces]
        except ModelFailure:
            return []
        finally:
            await rung.aclose()

    return on_real_time(main), failures


def at(broken: str, kind: str, **more: Any) -> EndpointRung:
    return EndpointRung(f"{broken}/{kind}/v1", "made-up", **more)


# The built-in model, served --------------------------------------------------------------------


@pytest.mark.parametrize("words", ["주차 되나요?", "내과 예약이요", "상담원 바꿔 주세요"])
def test_served_it_answers_as_it_does_in_process(builtin: str, words: str) -> None:
    request = desk_request(words)

    async def here() -> list[Delta]:
        return [delta async for delta in BuiltinRung().open(request)]

    served = deltas(EndpointRung(builtin, "wonmu-builtin"), request)
    assert served == on_real_time(here)


def test_one_rung_serves_many_requests_and_many_loops(builtin: str) -> None:
    rung = EndpointRung(builtin, "wonmu-builtin")

    async def main() -> int:
        talks = [desk_request("주차 되나요?")] * 3
        many = [[d async for d in rung.open(each)] for each in talks]
        return len({str(each) for each in many})

    assert [on_real_time(main) for _ in range(2)] == [1, 1]


# What is sent ------------------------------------------------------------------------------------


def test_what_the_endpoint_receives(broken: str) -> None:
    request = ChatRequest(desk_request("예약이요").messages, DESK_TOOLS, "required")
    deltas(at(broken, "cut", api_key="key-1"), request)
    (body,), (headers,) = RECEIVED.bodies, RECEIVED.headers
    assert body == {
        "model": "made-up",
        "messages": [dict(m) for m in request.messages],
        "tools": [dict(t) for t in DESK_TOOLS],
        "tool_choice": "required",
        "parallel_tool_calls": False,
        "stream": True,
    }
    assert headers["authorization"] == "Bearer key-1"


def test_without_tools_none_are_mentioned(broken: str) -> None:
    deltas(at(broken, "cut"))
    assert RECEIVED.bodies[0].keys() == {"model", "messages", "stream"}
    assert RECEIVED.headers[0]["authorization"] == "Bearer none"


# What comes back ---------------------------------------------------------------------------------


def test_the_real_finish_reason(broken: str) -> None:
    assert deltas(at(broken, "cut"))[-1] == Done("length")
    assert deltas(at(broken, "two-calls"))[-1] == Done("tool_calls")


def test_parts_of_tool_calls_keep_their_places(broken: str) -> None:
    found = deltas(at(broken, "two-calls"))
    assert found[:2] == [
        ToolCallDelta(0, "c0", "create_booking", '{"caller_'),
        ToolCallDelta(0, "", "", 'words": "예약이요"}'),
    ]
    request = ChatRequest(ASKED.messages, DESK_TOOLS)
    pieces, failures = climbed(at(broken, "two-calls"), request)
    assert pieces == [ToolUse("c0", "create_booking", '{"caller_words": "예약이요"}')]
    assert failures == []


def test_chunks_that_say_nothing_are_passed_over(broken: str) -> None:
    assert deltas(at(broken, "odd")) == [TextDelta("됩니다."), Done("stop")]


@pytest.mark.parametrize("kind", ["400", "401", "429", "500", "503", "garbage"])
def test_a_refusal_is_an_error_and_is_not_tried_again(broken: str, kind: str) -> None:
    with pytest.raises(EndpointFault) as raised:
        deltas(at(broken, kind))
    assert len(RECEIVED.bodies) == 1
    assert "010" not in str(raised.value)


def test_a_page_of_something_else_is_no_answer(broken: str) -> None:
    pieces, failures = climbed(at(broken, "html"))
    assert pieces == []
    assert failures[0].fault is ModelFault.EMPTY


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("500", ModelFault.UNREACHABLE),
        ("429", ModelFault.UNREACHABLE),
        ("hang", ModelFault.FIRST_TOKEN_LATE),
        ("unfinished", ModelFault.STREAM_BROKEN),
        ("half", ModelFault.STREAM_BROKEN),
        ("stalls", ModelFault.STREAM_BROKEN),
        ("error-inside", ModelFault.STREAM_BROKEN),
    ],
)
def test_the_ladder_asks_the_next_model(broken: str, kind: str, fault: ModelFault) -> None:
    pieces, failures = climbed(at(broken, kind), desk_request("주차 되나요?"), alone=False)
    assert [(f.fault, f.model) for f in failures] == [(fault, "made-up")]
    assert any(isinstance(piece, Text) and "지하" in piece.sentence for piece in pieces)


def test_nobody_listens(broken: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    pieces, failures = climbed(EndpointRung(f"http://127.0.0.1:{port}/v1", "made-up"))
    assert pieces == []
    assert failures[0].fault is ModelFault.UNREACHABLE


def test_its_own_time_limits(broken: str) -> None:
    with pytest.raises(EndpointFault):
        deltas(at(broken, "hang", timeouts=EndpointTimeouts(connect=0.2, read=0.2)))


def test_cancelled_while_waiting_nothing_is_left(broken: str) -> None:
    async def main() -> set[asyncio.Task[Any]]:
        rung = at(broken, "hang")

        async def read() -> list[Delta]:
            return [delta async for delta in rung.open(ASKED)]

        task = asyncio.create_task(read())
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await rung.aclose()
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert on_real_time(main) == set()


# From the command line -----------------------------------------------------------------------


def test_rungs_from_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert rungs_of("builtin", "x") == ()
    (rung,) = rungs_of("http://127.0.0.1:8090/v1", "some-model")
    assert rung.name == "some-model"
    with pytest.raises(InputError):
        rungs_of("ftp://x", "y")
