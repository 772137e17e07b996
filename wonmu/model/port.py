"""What a model is to this product: a request goes in, a stream of deltas comes out.

This module only names the shapes. It decides nothing, knows no provider and no LiveKit; the shapes
are those of the OpenAI chat wire, because every provider the product can use speaks it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Message = Mapping[str, Any]
"""One chat message as on the wire: ``role``, ``content``, perhaps ``tool_calls``."""

Tool = Mapping[str, Any]
"""One tool as on the wire: ``{"type": "function", "function": {"name", "parameters", …}}``."""

ToolChoice = Literal["auto", "none", "required"] | Mapping[str, Any]
"""Or ``{"type": "function", "function": {"name": …}}``, which forces that tool."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request for one answer."""

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = "auto"

    def tool_names(self) -> tuple[str, ...]:
        """Names of the tools offered, whatever the tool choice; malformed entries are skipped."""
        names = (_function_name(tool) for tool in self.tools)
        return tuple(name for name in names if name)

    def forced_tool(self) -> str | None:
        """The name when the choice forces one tool, else None."""
        if isinstance(self.tool_choice, str):
            return None
        return _function_name(self.tool_choice) or None

    def callable_tools(self) -> tuple[str, ...]:
        """Names that an answer may call: none for "none", one when forced, else all offered."""
        if self.tool_choice == "none":
            return ()
        forced = self.forced_tool()
        if forced is None:
            return self.tool_names()
        return (forced,) if forced in self.tool_names() else ()

    def must_call(self) -> bool:
        """True when the choice is "required" or forces one tool."""
        return self.tool_choice == "required" or not isinstance(self.tool_choice, str)


def _function_name(entry: Mapping[str, Any]) -> str:
    function = entry.get("function")
    name = function.get("name") if isinstance(function, Mapping) else None
    return name if isinstance(name, str) else ""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More words. Empty text is a keep-alive and counts as nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """More of one tool call. ``id`` and ``name`` come once, ``arguments`` in parts."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """The answer is whole: "stop", "tool_calls", "length" or "content_filter".

    The last delta of every unbroken stream. A stream that ends without it counts as broken, so an
    adapter for a client that hides the finish reason must add it.
    """

    finish_reason: str = "stop"


Delta = TextDelta | ToolCallDelta | Done


class Rung(Protocol):
    """One model on the ladder."""

    @property
    def name(self) -> str:
        """How the timeline calls it."""
        ...

    def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        """Start one answer. An async generator is expected; its ``aclose`` frees the line."""
        ...
