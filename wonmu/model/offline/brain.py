"""The door of the built-in model: one request in, one answer out, nothing remembered.

Decides by rules, from the messages and tools it was sent; it is openly not a language model. It
never calls a tool that was not offered and never gives an empty answer.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence

from wonmu.model.offline import billing_desk, billing_needs, booking, desk, specialist, text
from wonmu.model.offline.phrases import phrase
from wonmu.model.offline.reply import Reply, Say, deltas, fitted
from wonmu.model.offline.view import View, look
from wonmu.model.port import ChatRequest, Delta

_ROOMS = frozenset({"text", "billing_agent"})
_BILLING = billing_needs.TOOLS | {"back_to_desk", "end_conversation"}
_LONGEST_TOLD = 300
_SENTENCE = re.compile(r"[^.?!]+[.?!]*")
# A tool may mark the words meant for the caller; without a mark all of its text is.
_FOR_CALLER = re.compile(r"^(?:말|안내)\s*:\s*(.+)$", re.MULTILINE)


def complete(request: ChatRequest) -> list[Delta]:
    """The whole answer to one request. Pure: same request, same answer. Never raises."""
    view = look(request)
    reply = fitted(_reply(view, request), request, view.last)
    return deltas(reply, request, view.last)


def _reply(view: View, request: ChatRequest) -> Reply:
    names = request.tool_names()
    task = view.get("과제")
    if (
        task in _ROOMS
        or not _BILLING.isdisjoint(names)
        or (task.startswith("specialist_") or (not names and specialist.is_one(request)))
    ):
        return _billing(view, request, names)
    if view.tool_result is not None:
        return Say(_told(view.tool_result))
    if task == "booking" or "set_wish" in names:
        return booking.decide(view, request)
    return desk.decide(view, request)


def _billing(view: View, request: ChatRequest, names: Sequence[str]) -> Reply:
    """Whoever has billing tools: a step of the text desk, the billing agent, a specialist."""
    task = view.get("과제")
    if task == "text" or "end_conversation" in names:
        return text.decide(view, request)
    if task == "billing_agent" or "back_to_desk" in names:
        return billing_desk.decide(view, request)
    return specialist.decide(request)


def _told(result: str) -> str:
    """A tool's result, when it is a sentence for the caller; a failure is told as one (T11)."""
    marked = _FOR_CALLER.search(result)
    said = (marked.group(1) if marked else result).strip()
    if said.startswith(("{", "[", "<")):
        return phrase("tool_noted")
    if not re.search(r"[가-힣]", said):
        return phrase("tool_failed" if said else "tool_noted")
    if len(said) <= _LONGEST_TOLD:
        return said
    kept = ""
    for sentence in _SENTENCE.findall(said):
        if kept and len(kept) + len(sentence) > _LONGEST_TOLD:
            break
        kept += sentence
    return kept.strip()


class BuiltinRung:
    """The built-in model on the ladder, in this process."""

    name = "builtin"

    async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        """Yield the deltas of ``complete``."""
        for delta in complete(request):
            yield delta
