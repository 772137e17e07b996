"""The door of the built-in model: one request in, one answer out, nothing remembered."""

from __future__ import annotations

from collections.abc import AsyncIterator

from wonmu.model.port import ChatRequest, Delta


def complete(request: ChatRequest) -> list[Delta]:
    """The whole answer to one request. Pure: same request, same answer. Never raises."""
    raise NotImplementedError


class BuiltinRung:
    """The built-in model on the ladder, in this process."""

    name = "builtin"

    async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        """Yield the deltas of ``complete``."""
        for delta in complete(request):
            yield delta
