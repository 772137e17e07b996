"""LiveKit's language models as rungs of our ladder (T6, A8).

The ladder knows deltas, not LiveKit. Here a plugin's stream becomes deltas, and the built-in model
becomes a rung. Nothing here decides what a model may do.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any

from livekit.agents import APIConnectOptions, APIError, llm
from livekit.agents.llm import ToolChoice

from wonmu.loop import outside
from wonmu.model.port import ChatRequest, Delta, Done, Message, Rung, TextDelta, ToolCallDelta

AnyModel = llm.LLM[Any]

MODEL_ERRORS: tuple[type[Exception], ...] = (APIError, ConnectionError, ValueError)
"""What a plugin raises when its model fails; anything else is a fault of ours."""

ONE_TRY = APIConnectOptions(max_retry=0, timeout=10.0)
"""A retry on a live call is the next model, not the same one again."""


@dataclass(frozen=True, slots=True)
class PluginRung:
    """A LiveKit LLM asked with one prepared context."""

    model: AnyModel
    context: llm.ChatContext
    tools: list[llm.Tool]
    choice: ToolChoice

    @property
    def name(self) -> str:
        return self.model.model

    async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        with outside():
            stream = self.model.chat(
                chat_ctx=self.context,
                tools=self.tools,
                tool_choice=self.choice,
                parallel_tool_calls=False,
                conn_options=ONE_TRY,
            )
            calls = 0
            async with stream:
                async for chunk in stream:
                    if chunk.delta is None:
                        continue
                    if chunk.delta.content:
                        yield TextDelta(chunk.delta.content)
                    for call in chunk.delta.tool_calls:
                        yield ToolCallDelta(calls, call.call_id, call.name, call.arguments)
                        calls += 1
            yield Done("tool_calls" if calls else "stop")


@dataclass(frozen=True, slots=True)
class WrittenRung:
    """A rung that reads messages; they are written only when it is really asked."""

    model: Rung
    messages: Callable[[], tuple[Message, ...]]

    @property
    def name(self) -> str:
        return self.model.name

    def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        return self.model.open(replace(request, messages=self.messages()))


class NoModel(llm.LLM[str]):
    """Stands in the session's place for a model; our agents never let it be asked.

    The framework wants an ``LLM`` object before it lets an agent reply. Every reply of ours comes
    from ``DeskVoice.llm_node``.
    """

    def chat(self, **_: object) -> llm.LLMStream:
        raise NotImplementedError("replies come from the agents' own model node")
