"""What the web chat needs of the text desk.

Only shapes; ``wonmu.text.conversation`` has the real ones. Tests hand in others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from wonmu.timeline.record import Recorder


class Talk(Protocol):
    """One visit of one conversation."""

    @property
    def token(self) -> str:
        """What opens this conversation again. A secret of the visitor's."""
        ...

    @property
    def recorder(self) -> Recorder:
        """Its events; what the visitor said is read from them, masked."""
        ...

    @property
    def closed(self) -> bool:
        """The visit is over (``call.ended`` is written)."""
        ...

    def add_hearer(self, hearer: Callable[[str], None]) -> None:
        """``hearer`` gets the desk's words as they are; the events have them masked."""
        ...

    async def start(self) -> None:
        """The greeting, or the words of coming back; returns when the desk waits."""
        ...

    async def says(self, text: str) -> None:
        """One turn of the visitor; returns when the desk waits again, or the visit is closed."""
        ...

    async def end(self, reason: str) -> None:
        """Close the visit; the conversation stays. A second call does nothing."""
        ...


class Talks(Protocol):
    """The conversations of one hospital."""

    async def begin(self) -> Talk:
        """A new conversation with a token of its own."""
        ...

    async def resume(self, token: str) -> Talk | None:
        """The conversation of this token; None: unknown here, whatever the reason."""
        ...

    async def forget(self, token: str) -> bool:
        """Delete what is kept of the conversation, which is not open now. False: unknown here."""
        ...
