"""What a browser sends is read strictly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wonmu.web.bodies import (
    Words,
    read_after,
    read_body,
    read_hello,
    read_object,
    read_token,
    read_words,
)
from wonmu.web.refusal import Refused, Why

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", Why.BAD_REQUEST),
        (b"{", Why.BAD_REQUEST),
        (b"[]", Why.BAD_REQUEST),
        (b'"text"', Why.BAD_REQUEST),
        (b"\xff\xfe{}", Why.BAD_REQUEST),
        (b"[" * 50_000, Why.BAD_REQUEST),
        (b"{}", Why.BAD_REQUEST),
        (b'{"text": null}', Why.BAD_REQUEST),
        (b'{"text": 1}', Why.BAD_REQUEST),
        (b'{"text": ["a"]}', Why.BAD_REQUEST),
        (b'{"text": "\\ud800"}', Why.BAD_REQUEST),
        (b'{"text": ""}', Why.EMPTY),
        (b'{"text": " \\n\\u0000 "}', Why.EMPTY),
        (b'{"text": "a", "client_id": 1}', Why.BAD_REQUEST),
        (b'{"text": "a", "client_id": ""}', Why.BAD_REQUEST),
        (b'{"text": "a", "client_id": "a b"}', Why.BAD_REQUEST),
        (b'{"text": "a", "visit": {}}', Why.BAD_REQUEST),
        (json.dumps({"text": "a" * 11}).encode(), Why.TOO_LONG),
        (json.dumps({"text": "a", "client_id": "x" * 65}).encode(), Why.BAD_REQUEST),
    ],
)
def test_what_is_no_message_is_refused(raw: bytes, why: Why) -> None:
    with pytest.raises(Refused) as refused:
        read_words(read_object(raw), 10)
    assert refused.value.why is why


def test_a_message_is_one_line_of_words() -> None:
    body = {"text": " 내과\n예약\x00 \x1b[2J요 ", "client_id": "c-1", "visit": "v-1"}
    assert read_words(body, 100) == Words("내과 예약 [2J요", "c-1", "v-1")
    assert read_words({"text": "<img src=x onerror=a()>"}, 100).text == "<img src=x onerror=a()>"


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_nothing_but_a_refusal_comes_of_any_value(value: object) -> None:
    try:
        words = read_words({"text": value}, 1000)
    except Refused:
        return
    assert words.text.strip()
    assert words.text.isprintable() or not any(ord(c) < 32 for c in words.text)


@pytest.mark.parametrize(
    "frame",
    [
        {},
        {"type": "message", "text": "a"},
        {"type": "hello"},
        {"type": "hello", "token": 5},
        {"type": "hello", "token": "t", "after": "1"},
        {"type": "hello", "token": "t", "after": True},
        {"type": "hello", "token": "t", "after": -1},
        {"type": "hello", "token": "t", "visit": 5},
    ],
)
def test_a_first_frame_that_is_no_hello(frame: dict[str, object]) -> None:
    with pytest.raises(Refused):
        read_hello(frame)


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic abc", "abc"])
def test_no_token_is_an_unknown_one(header: str | None) -> None:
    with pytest.raises(Refused) as refused:
        read_token(header)
    assert refused.value.why is Why.UNKNOWN


def test_a_token_and_a_number() -> None:
    assert read_token("bearer abc") == "abc"
    assert (read_after(None), read_after("12")) == (0, 12)
    for text in ("-1", "x", "", "1" * 10):
        with pytest.raises(Refused):
            read_after(text)


async def _parts(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def _never() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


def test_a_body_is_read_up_to_its_limits() -> None:
    assert asyncio.run(read_body(_parts(b"12", b"34"), 4, 1.0)) == b"1234"
    with pytest.raises(Refused) as large:
        asyncio.run(read_body(_parts(b"12", b"345"), 4, 1.0))
    with pytest.raises(Refused) as slow:
        asyncio.run(read_body(_never(), 4, 0.001))
    assert (large.value.why, slow.value.why) == (Why.TOO_LARGE, Why.SLOW)
