"""The door of the built-in model: one request in, one answer out, nothing remembered.

Decides by rules, from the messages and tools it was sent; it is openly not a language model. It
never calls a tool that was not offered and never gives an empty answer.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from wonmu.model.offline import booking, desk
from wonmu.model.offline.phrases import phrase
from wonmu.model.offline.reply import Reply, Say, deltas, fitted
from wonmu.model.offline.view import View, look
from wonmu.model.port import ChatRequest, Delta

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
    if view.tool_result is not None:
        return Say(_told(view.tool_result))
    names = request.tool_names()
    if view.get("과제") == "booking" or "set_wish" in names:
        return booking.decide(view, request)
    return desk.decide(view, request)


def _told(result: str) -> str:
    """A tool's result, when it is a sentence for the caller; a failure is told as one (T11)."""
    marked = _FOR_CALLER.search(result)
    text = (marked.group(1) if marked else result).strip()
    if text.startswith(("{", "[", "<")):
        return phrase("tool_noted")
    if not re.search(r"[가-힣]", text):
        return phrase("tool_failed" if text else "tool_noted")
    if len(text) <= _LONGEST_TOLD:
        return text
    kept = ""
    for sentence in _SENTENCE.findall(text):
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
