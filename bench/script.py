"""A model that says the same words whoever asks, and a sink that takes words as they come.

They stand under both sides of a comparison, so that what differs is ours alone.
"""

from __future__ import annotations

import asyncio
from typing import Any

from livekit.agents import APIConnectOptions, llm
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS
from livekit.agents.voice import io

ANSWER = "건물 뒤 주차장에 열 대까지 세우실 수 있고, 진료를 보시면 한 시간 무료입니다."
"""A published fact in one sentence, as long as most answers."""


class ScriptedModel(llm.LLM[str]):
    """Streams ``ANSWER`` word by word, at once."""

    def chat(
        self,
        *,
        chat_ctx: llm.ChatContext,
        tools: list[llm.Tool] | None = None,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
        **_: Any,
    ) -> llm.LLMStream:
        return _Words(self, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options)


class _Words(llm.LLMStream):
    async def _run(self) -> None:
        for word in ANSWER.split():
            delta = llm.ChoiceDelta(role="assistant", content=word + " ")
            self._event_ch.send_nowait(llm.ChatChunk(id="answer", delta=delta))


class PlainSink(io.TextOutput):
    """Takes the words of a bare agent and keeps them."""

    def __init__(self) -> None:
        super().__init__(label="bench", next_in_chain=None)
        self.text = ""

    async def capture_text(self, text: str) -> None:
        await asyncio.sleep(0)
        self.text += text

    def flush(self) -> None:
        pass
