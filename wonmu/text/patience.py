"""A sign of life while a turn takes long (A3, A9, N11): the record system or a model is slow.

Says that something is being looked up, a few times, never why and never how long. Nothing is
promised, and the words count for nothing else.
"""

from __future__ import annotations

import asyncio
from types import TracebackType

from wonmu.text.talk import Talk

QUIET_SECONDS = 3.0
"""Without a word for so long, one is said; N11 allows four seconds."""

LOOK_SECONDS = 0.5

MOST = 12
"""How often; by then every limit on a read or a model has run out."""


class Patience:
    """Around one turn."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._timer: asyncio.TimerHandle | None = None
        self._said = 0

    def __enter__(self) -> None:
        self._talk.quiet_since = asyncio.get_running_loop().time()
        self._wait()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        way: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._due)

    def _due(self) -> None:
        quiet = asyncio.get_running_loop().time() - self._talk.quiet_since
        if quiet >= QUIET_SECONDS and self._said < MOST:
            line = "text.wait" if self._said == 0 else "text.wait_still"
            self._talk.say(self._talk.words(line), aside=True)
            self._said += 1
        self._wait()
