"""What a call must know while something goes on: how long it was quiet, what is being written.

Decides nothing and says nothing; the words of waiting are in ``patience``.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from livekit.agents import ToolError

from wonmu.timeline.events import Event, Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call


_SOUNDS = frozenset({Kind.CALLER_HEARD, Kind.KEYPAD_PRESSED, Kind.AGENT_SAID})


class Quiet:
    """Since when nobody has been heard. Several short lookups make one long silence (N11)."""

    def __init__(self) -> None:
        self._since = 0.0

    def sink(self, event: Event) -> None:
        if event.kind in _SOUNDS:
            self._since = asyncio.get_running_loop().time()

    def passed(self) -> float:
        """Seconds since somebody was last heard."""
        return asyncio.get_running_loop().time() - self._since


def still_on(call: Call) -> None:
    """Stop a lookup whose caller is gone: nothing is searched or staged for nobody (A5, N5).

    Raises ``ToolError``, which ends the tool as cancelled.
    """
    if call.state.latch.closed:
        raise ToolError("the call is over")
