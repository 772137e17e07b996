"""Rungs for tests: one that answers as told, one that keeps what an endpoint received."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from wonmu.model.offline import BuiltinRung
from wonmu.model.port import ChatRequest, Delta, Done, Message, Rung, TextDelta, ToolCallDelta

Reply = Sequence[Delta | float] | Exception
"""Deltas; a number waits that many seconds; an exception is raised."""


def say(text: str) -> list[Delta | float]:
    """An answer in words."""
    return [TextDelta(text), Done()]


def use(
    name: str, /, *, text: str = "", call_id: str = "", **arguments: Any
) -> list[Delta | float]:
    """One tool call, perhaps behind words."""
    given = json.dumps(arguments, ensure_ascii=False)
    words: list[Delta | float] = [TextDelta(text)] if text else []
    return [*words, ToolCallDelta(0, call_id or "call_0", name, given), Done("tool_calls")]


class Scripted:
    """Answers with each reply in turn, then for ever with the last; ``replies`` may be a function
    of the request."""

    def __init__(
        self, replies: Sequence[Reply] | Callable[[ChatRequest], Reply], name: str = "scripted"
    ) -> None:
        self.name = name
        self.requests: list[ChatRequest] = []
        self._replies = replies

    async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        self.requests.append(request)
        reply = self._next(request)
        if isinstance(reply, Exception):
            raise reply
        for each in reply:
            if isinstance(each, float | int):
                await asyncio.sleep(each)
            else:
                yield each

    def _next(self, request: ChatRequest) -> Reply:
        if callable(self._replies):
            return self._replies(request)
        return self._replies[min(len(self.requests), len(self._replies)) - 1]


class Recording:
    """Another rung (the built-in model unless told) that keeps every request it was sent."""

    def __init__(self, inner: Rung | None = None) -> None:
        self._inner = inner if inner is not None else BuiltinRung()
        self.requests: list[ChatRequest] = []

    @property
    def name(self) -> str:
        return self._inner.name

    def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        self.requests.append(request)
        return self._inner.open(request)

    @property
    def last(self) -> ChatRequest:
        return self.requests[-1]

    def everything(self) -> str:
        """All that was ever sent, as one text to search in."""
        shown = [[dict(m) for m in each.messages] for each in self.requests]
        return json.dumps(shown, ensure_ascii=False)


def check_history(messages: Sequence[Message]) -> None:
    """Fails unless each tool call is answered directly behind it, once, under its own id."""
    waiting: list[str] = []
    seen: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in waiting, f"an answer to no call: {message}"
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting, f"calls without an answer: {waiting}"
        for call in message.get("tool_calls") or ():
            assert call["id"] not in seen, f"the id {call['id']} is used twice"
            seen.add(call["id"])
            waiting.append(call["id"])
    assert not waiting, f"calls without an answer: {waiting}"
