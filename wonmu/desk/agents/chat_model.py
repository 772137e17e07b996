"""Our ladder of models as a LangChain chat model.

Decides nothing about talk: one request becomes one ladder answer, text first and then at most one
tool call. It is async only, since a thread would be outrun by the conversation's time, and the
built-in model is always the last that is asked. When even that fails, ``ModelFailure`` is raised.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import ConfigDict, Field

from wonmu.desk.agents.watch import Unwatched, Watch
from wonmu.desk.agents.wire import wire_choice, wire_messages, wire_tools
from wonmu.errors import ProgrammingError
from wonmu.model import ladder
from wonmu.model.endpoint import ENDPOINT_ERRORS
from wonmu.model.offline import BuiltinRung
from wonmu.model.port import ChatRequest, Rung
from wonmu.policy.claims import looks_like_tool_call


class LadderChat(BaseChatModel):
    """``LadderChat(rungs=(…), limits=Limits(), watch=TimelineWatch(recorder))``.

    ``rungs`` are asked in order, then ``last_resort`` (None: nobody). Run inside ``untraced()``.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    rungs: tuple[Any, ...] = ()
    """Each a ``wonmu.model.port.Rung``; pydantic cannot check protocols with properties."""
    limits: ladder.Limits = Field(default_factory=ladder.Limits)
    watch: Any = Field(default_factory=Unwatched)
    """A ``wonmu.desk.agents.watch.Watch``."""
    last_resort: Any = Field(default_factory=BuiltinRung)
    """A ``Rung`` or None."""
    cache: Any = False
    output_version: str | None = "v0"

    @property
    def _llm_type(self) -> str:
        return "wonmu-ladder"

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The model with these tools. ``kwargs`` of other providers have no meaning here."""
        return self.bind(tools=wire_tools(tools), tool_choice=wire_choice(tool_choice))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise ProgrammingError("the ladder is asked asynchronously only; use ainvoke")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        sentences: list[str] = []
        calls: list[ToolCall] = []
        async with aclosing(self._pieces(messages, kwargs)) as pieces:
            async for piece in pieces:
                match piece:
                    case ladder.Text(sentence):
                        sentences.append(sentence)
                    case ladder.ToolUse():
                        calls.append(_tool_call(piece, messages))
        message = AIMessage(content=" ".join(sentences), tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        """Sentence by sentence; joined, the same message as ``_agenerate`` gives."""
        between = ""
        async with aclosing(self._pieces(messages, kwargs)) as pieces:
            async for piece in pieces:
                match piece:
                    case ladder.Text(sentence):
                        yield _chunk(AIMessageChunk(content=between + sentence))
                        between = " "
                    case ladder.ToolUse(name=name, arguments_json=arguments):
                        free = _unused(piece.id, messages)
                        part = tool_call_chunk(name=name, args=arguments, id=free, index=0)
                        yield _chunk(AIMessageChunk(content="", tool_call_chunks=[part]))

    def _pieces(
        self, messages: list[BaseMessage], bound: dict[str, Any]
    ) -> AsyncGenerator[ladder.Piece, None]:
        tools = tuple(bound.get("tools") or ())
        request = ChatRequest(wire_messages(messages), tools, bound.get("tool_choice") or "auto")
        names = request.tool_names()
        last: tuple[Rung, ...] = () if self.last_resort is None else (self.last_resort,)
        watch: Watch = self.watch
        return ladder.answer(
            (*self.rungs, *last),
            request,
            self.limits,
            watch.failed,
            on_dropped=watch.dropped,
            looks_like_tool_call=lambda text: looks_like_tool_call(text, names),
            expected=ENDPOINT_ERRORS,
        )


def _chunk(message: AIMessageChunk) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=message)


def _tool_call(use: ladder.ToolUse, history: Sequence[BaseMessage]) -> ToolCall:
    return ToolCall(
        name=use.name,
        args=json.loads(use.arguments_json),
        id=_unused(use.id, history),
        type="tool_call",
    )


def _unused(wanted: str, history: Sequence[BaseMessage]) -> str:
    """An id that no call before has; some models give every call the same one."""
    taken = {
        call["id"] for each in history if isinstance(each, AIMessage) for call in each.tool_calls
    }
    count = 1
    free = wanted
    while free in taken:
        count += 1
        free = f"{wanted}-{count}"
    return free
