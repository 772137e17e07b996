"""Put the pieces of streamed tool calls together and judge them. Pure.

Models that ignore parallel_tool_calls=False send several calls; some servers give every call the
index 0 with a new id. Only the first call can be let through (T6); what it asks is not judged here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from wonmu.errors import ModelFault
from wonmu.model.port import ChatRequest, ToolCallDelta


@dataclass(slots=True)
class PartialCall:
    """A tool call while it streams."""

    index: int
    id: str
    name: str
    arguments: str


class CallCollector:
    """Collects the calls of one answer, in the order they were opened."""

    def __init__(self) -> None:
        self.calls: list[PartialCall] = []

    def add(self, delta: ToolCallDelta) -> None:
        """Take one delta. A new id on a used index opens a new call."""
        call = next((c for c in reversed(self.calls) if c.index == delta.index), None)
        if call is None or (delta.id and call.id and delta.id != call.id):
            self.calls.append(PartialCall(delta.index, delta.id, delta.name, delta.arguments))
            return
        call.id = call.id or delta.id
        call.name = call.name or delta.name
        call.arguments += delta.arguments


@dataclass(frozen=True, slots=True)
class Judged:
    """What may be let through, what was dropped, or why nothing may."""

    call: PartialCall | None
    dropped: tuple[str, ...] = ()
    fault: ModelFault | None = None
    detail: str = ""


def judge(calls: list[PartialCall], request: ChatRequest) -> Judged:
    """The first call if this request allows it; all others are dropped."""
    if not calls:
        return Judged(None)
    if request.tool_choice == "none":
        return Judged(None, tuple(call.name for call in calls))
    first, others = calls[0], tuple(call.name for call in calls[1:])
    if first.name not in request.callable_tools():
        return Judged(None, others, ModelFault.UNKNOWN_TOOL, first.name)
    if not _is_object(first.arguments):
        return Judged(None, others, ModelFault.INVALID_ARGUMENTS, first.name)
    return Judged(first, others)


def _is_object(arguments: str) -> bool:
    """Whether the text is a JSON object; no text at all stands for no arguments."""
    if not arguments.strip():
        return True
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False
