"""Words while something is waited for (A3, A9, N11).

Says that work has begun, once, unless its answer comes at once; then, when it has been quiet for
the hospital's threshold, what is waited for, and after that that it still is; never over anybody,
never more often than the hospital allows, never a promise. It knows nothing of what is waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wonmu.call.voice import Utterance
from wonmu.timeline.events import Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call

LEAST = 0.01
"""Shortest timer, in seconds."""

AT_ONCE = 0.7
"""Seconds in which an answer needs no words before it; a longer pause sounds like a dead line."""

LOOK_AGAIN = 0.1
"""Seconds until it is looked whether somebody has stopped speaking."""


class Patience:
    """One wait. ``words`` is the stem of its lines in ``lines/…/lookup.yaml``.

    ``on_used_up`` is called when all words are used up and it is quiet again: nobody must sit in
    a silence that nothing explains, so whoever waits gives up then, if it can.
    """

    def __init__(
        self,
        call: Call,
        words: str,
        id: str,
        on_used_up: Callable[[], None] | None = None,
        *,
        begun: bool = False,
    ) -> None:
        self._call = call
        self._words = words
        self._id = id
        self._on_used_up = on_used_up
        self._said_started = begun
        self._fillers = 0
        self._saying = False
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._after(AT_ONCE)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def slow(self) -> bool:
        """Whether the caller was told that something is being waited for."""
        return self._said_started or self._fillers > 0

    def step(self, line: str) -> None:
        """Another part of the work has begun; only a caller who waits already is told (A3)."""
        if self.slow and not self._somebody_speaks() and not self._call.state.latch.closed:
            self._say(line)

    def _after(self, seconds: float) -> None:
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._fire)

    def _fire(self) -> None:
        if self._call.state.latch.closed or self._call.hung_up:
            return
        if self._somebody_speaks():
            self._after(LOOK_AGAIN)
        elif not self.slow and self._call.quiet.passed() >= AT_ONCE - LEAST:
            self._said_started = True
            self._say(f"lookup.{self._words}_started")
            self._after(LOOK_AGAIN)
        elif (left := self._left()) > 0:
            # Never a timer so short that the clock does not move by it.
            self._after(max(left, LEAST))
        else:
            self._explain()

    def _left(self) -> float:
        """Seconds until it has been quiet for long enough that the silence needs words."""
        if not self.slow:
            return AT_ONCE - self._call.quiet.passed()
        return self._call.desk.hospital.silence.filler_after_seconds - self._call.quiet.passed()

    def _explain(self) -> None:
        if self._fillers >= self._call.desk.hospital.silence.fillers:
            if self._on_used_up is not None:
                self._on_used_up()
            return
        self._fillers += 1
        kind = "wait" if self._fillers == 1 else "still"
        self._call.recorder.write(Kind.LOOKUP_FILLER, {"id": self._id, "number": self._fillers})
        self._say(f"lookup.{self._words}_{kind}")
        self._after(LOOK_AGAIN)

    def _say(self, line: str) -> None:
        self._saying = True
        text = self._call.lines.say(line)
        self._call.speak(Utterance(text, line=line, aside=True, on_done=self._said))

    def _said(self) -> None:
        self._saying = False

    def _somebody_speaks(self) -> bool:
        return self._saying or self._call.voice.speaking is not None or self._call.caller_speaks


@contextmanager
def waiting_for_write(call: Call) -> Iterator[None]:
    """While inside, explain a silence in which something is written; nothing ends it (A5)."""
    patience = Patience(call, "record", f"write-{call.state.turn}")
    patience.start()
    try:
        yield
    finally:
        patience.stop()
