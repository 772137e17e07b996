"""LangChain's messages and tools as the OpenAI wire has them.

Order is kept and nothing is invented. The history that goes out is always valid: a tool call whose
answer is missing (the process died in between) is left out, and so is an answer to no call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from wonmu.errors import ProgrammingError
from wonmu.model.port import Message, Tool, ToolChoice


def wire_messages(messages: Sequence[BaseMessage]) -> tuple[Message, ...]:
    """The messages as they are sent. ProgrammingError for a kind the wire does not have."""
    return tuple(_written(messages))


def _written(messages: Sequence[BaseMessage]) -> Iterator[Message]:
    wanted: set[str] = set()
    for at, message in enumerate(messages):
        match message:
            case ToolMessage():
                if message.tool_call_id in wanted:
                    wanted.discard(message.tool_call_id)
                    yield _answered(message)
                continue
            case AIMessage():
                answered = _answers_behind(messages, at)
                calls = [_call(c) for c in message.tool_calls if c["id"] in answered]
                wanted = {str(call["id"]) for call in calls}
                if calls or str(message.text).strip():
                    yield _assistant(str(message.text), calls)
            case SystemMessage():
                yield {"role": "system", "content": str(message.text)}
            case HumanMessage():
                yield {"role": "user", "content": str(message.text)}
            case _:
                raise ProgrammingError(f"the wire has no {message.type} message")


def _answers_behind(messages: Sequence[BaseMessage], at: int) -> frozenset[str]:
    """Ids answered by the tool messages that directly follow."""
    found: list[str] = []
    for message in messages[at + 1 :]:
        if not isinstance(message, ToolMessage):
            break
        found.append(message.tool_call_id)
    return frozenset(found)


def _assistant(text: str, calls: list[dict[str, Any]]) -> Message:
    if not calls:
        return {"role": "assistant", "content": text}
    return {"role": "assistant", "content": text or None, "tool_calls": calls}


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    arguments = json.dumps(call["args"], ensure_ascii=False)
    function = {"name": call["name"], "arguments": arguments}
    return {"id": call["id"], "type": "function", "function": function}


def _answered(message: ToolMessage) -> Message:
    return {
        "role": "tool",
        "tool_call_id": message.tool_call_id,
        "content": str(message.text),
    }


def wire_tools(tools: Sequence[Any]) -> tuple[Tool, ...]:
    """Tools of any kind that LangChain knows, as sent."""
    return tuple(convert_to_openai_tool(tool) for tool in tools)


def wire_choice(choice: object) -> ToolChoice:
    """LangChain's ways to name a tool choice. ProgrammingError for an unknown one."""
    match choice:
        case None | False | "auto":
            return "auto"
        case True | "any" | "required":
            return "required"
        case "none":
            return "none"
        case str(name):
            return {"type": "function", "function": {"name": name}}
        case {"type": "function", "function": {"name": str(name)}}:
            return {"type": "function", "function": {"name": name}}
    raise ProgrammingError(f"{choice!r} is no tool choice")
