"""The built-in model served, asked by the real OpenAI client over loopback."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
import uvicorn
from model_talk import DESK_TOOLS, desk_request

from wonmu.ids import CountingIds
from wonmu.model.offline.wire import MODEL_NAME, create_app

pytestmark = pytest.mark.service


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """A server on a free loopback port; the listening socket exists before the first request."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(create_app(CountingIds()), log_level="warning", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    server.should_exit = True
    thread.join(10)


def _ask(base_url: str, words: str, **more: Any) -> Any:
    async def run() -> Any:
        async with openai.AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:
            messages: Any = [dict(m) for m in desk_request(words).messages]
            answer: Any = await client.chat.completions.create(
                model=MODEL_NAME, messages=messages, **more
            )
            return [chunk async for chunk in answer] if more.get("stream") else answer

    return asyncio.run(run())


def test_whole_answer_in_words(base_url: str) -> None:
    answer = _ask(base_url, "주차 되나요?")
    assert "두 시간까지 무료" in answer.choices[0].message.content
    assert answer.choices[0].finish_reason == "stop"


def test_whole_answer_with_a_tool(base_url: str) -> None:
    answer = _ask(base_url, "상담원 바꿔 주세요", tools=list(DESK_TOOLS), parallel_tool_calls=False)
    call = answer.choices[0].message.tool_calls[0]
    assert (call.function.name, answer.choices[0].finish_reason) == ("connect_person", "tool_calls")
    assert call.id


def test_streamed_words_and_usage(base_url: str) -> None:
    usage = {"include_usage": True}
    chunks = _ask(base_url, "주차 되나요?", stream=True, stream_options=usage)
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == "건물 지하에 주차하실 수 있고, 진료받으시면 두 시간까지 무료입니다."
    assert sum(bool(c.choices and c.choices[0].delta.content) for c in chunks) > 1
    assert chunks[-1].usage is not None


def test_streamed_tool(base_url: str) -> None:
    chunks = _ask(base_url, "내과 예약이요", stream=True, tools=list(DESK_TOOLS))
    calls = [call for c in chunks if c.choices for call in c.choices[0].delta.tool_calls or []]
    assert [call.function.name for call in calls] == ["create_booking"]
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


def test_forced_and_forbidden_tools(base_url: str) -> None:
    forced = {"type": "function", "function": {"name": "create_booking"}}
    answer = _ask(base_url, "주차 되나요?", tools=list(DESK_TOOLS), tool_choice=forced)
    assert answer.choices[0].message.tool_calls[0].function.name == "create_booking"
    answer = _ask(base_url, "내과 예약이요", tools=list(DESK_TOOLS), tool_choice="none")
    assert answer.choices[0].message.tool_calls is None
    assert answer.choices[0].message.content


def test_models_are_listed(base_url: str) -> None:
    assert httpx.get(f"{base_url}/models").json()["data"][0]["id"] == MODEL_NAME


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (b"{not json", None),
        (b"[1]", None),
        (b"\xff\xfe", None),
        (b"[" * 100_000, None),
        (b"{}", "messages"),
        (b'{"messages": []}', "messages"),
        (b'{"messages": [1]}', "messages[0]"),
        (b'{"messages": [{"role": "boss", "content": "x"}]}', "messages[0]"),
        (b'{"messages": [{"role": "user", "content": 5}]}', "messages[0].content"),
        (b'{"messages": [{"role": "user", "content": "x"}], "tools": 5}', "tools"),
        (b'{"messages": [{"role": "user", "content": "x"}], "tools": [{}]}', "tools"),
        (b'{"messages": [{"role": "user", "content": "x"}], "tool_choice": "any"}', "tool_choice"),
        (b'{"messages": [{"role": "user", "content": "x"}], "tool_choice": 5}', "tool_choice"),
        (
            b'{"messages": [{"role": "user", "content": "x"}], "tool_choice": "required"}',
            "tool_choice",
        ),
        (
            b'{"messages": [{"role": "user", "content": "x"}],'
            b' "tool_choice": {"type": "function", "function": {"name": "nope"}}}',
            "tool_choice",
        ),
    ],
)
def test_unreadable_requests_are_400_in_the_wires_shape(
    base_url: str, body: bytes, param: str | None
) -> None:
    got = httpx.post(f"{base_url}/chat/completions", content=body)
    assert got.status_code == 400
    error = got.json()["error"]
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
    assert error["message"]


def test_the_model_alone_needs_no_web_framework() -> None:
    code = (
        "import sys, wonmu.model.offline, wonmu.model.ladder\n"
        "print([m for m in ('fastapi', 'uvicorn', 'livekit') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == "[]"
