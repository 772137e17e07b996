"""Conversations of the text desk: begun, resumed, and one turn at a time (H2).

Decides who may have the talk of a token at a moment and what a visit leaves in the timeline. It
must never tell an unknown token from one of another hospital, and never write a token down: a
conversation is stored under the SHA-256 of its token.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from wonmu.ids import IdSource
from wonmu.model.ladder import Limits
from wonmu.model.port import Rung
from wonmu.office import Office
from wonmu.timeline.record import Recorder

Tokens = Callable[[], str]
"""Makes a new token that cannot be guessed; ``secrets.token_urlsafe(32)`` in production."""


class Conversation:
    """One visit: a begun or resumed conversation, from its first words to ``call.ended``."""

    token: str
    recorder: Recorder
    closed: bool

    async def start(self) -> None:
        """The greeting, or the words of coming back; returns when the desk waits."""
        raise NotImplementedError

    async def says(self, text: str) -> None:
        """One visitor's turn; returns when the desk waits again, or the visit is closed."""
        raise NotImplementedError

    async def end(self, reason: str) -> None:
        """Close the visit; ``call.ended`` is written exactly once. The conversation stays."""
        raise NotImplementedError


class Conversations:
    """The conversations of one open office."""

    @classmethod
    @asynccontextmanager
    async def opened(
        cls,
        office: Office,
        ids: IdSource,
        tokens: Tokens,
        models: tuple[Rung, ...] = (),
        limits: Limits | None = None,
        channel: str = "text",
    ) -> AsyncIterator[Conversations]:
        """Open the checkpoints. ``models`` are asked in order; the built-in one is always last."""
        raise NotImplementedError
        yield

    async def begin(self, caller: str | None = None) -> Conversation:
        """A new conversation. ``caller``: a number the visitor is known by (a hint, no proof)."""
        raise NotImplementedError

    async def resume(self, token: str) -> Conversation | None:
        """The conversation of this token at its saved step; None: unknown here, whatever why."""
        raise NotImplementedError
