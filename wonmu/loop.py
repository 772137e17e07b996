"""An event loop whose time is the conversation's time.

A call is mostly waiting: speech takes as long as its words, a slow record system is waited for,
a keypad entry ends after a pause. On this loop those waits cost ``1/speed`` of their length, and
nothing when ``speed`` is infinite; their order and their lengths on the loop's own clock stay
exact. What really happens outside the process (a database thread, a model's server, the person
typing) must not be outrun: code that waits for such a thing does so inside ``outside()``, and as
long as anybody is inside, loop time runs at the pace of real time. Where real time must not count
at all, because silence is only what a script says it is, ``frozen()`` stops the loop's clock: no
timer fires, and only what really arrives from outside wakes the loop. A ``still`` loop does so
whenever anybody is inside ``outside()``: real waits then cost no loop time either, and the same
input gives the same times on every run. It is for threads, which need no timer of this loop to end.

Computing costs no loop time at all, so that a run gives the same times on a busy machine.
"""

from __future__ import annotations

import asyncio
import math
import selectors
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, TypeVar

from wonmu.clock import SEOUL

T = TypeVar("T")

INSTANT = math.inf
"""Waits cost nothing. For tests and demos."""


class _PacedSelector(selectors.BaseSelector):
    """Waits ``timeout`` seconds of loop time in the real time that the pace allows."""

    def __init__(self, inner: selectors.BaseSelector, speed: float) -> None:
        self.inner = inner
        self.speed = speed
        self.now = 0.0
        self.outside = 0
        self.frozen = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return self.inner.select(timeout)
        if self.frozen:
            # A thread that hands over its result wakes the loop through a socket, so it arrives.
            return self.inner.select(None)
        speed = 1.0 if self.outside else self.speed
        began = time.monotonic()
        ready = self.inner.select(timeout / speed)
        if not ready and not (self.outside and speed != 1.0):
            self.now += timeout
        else:
            passed = time.monotonic() - began
            self.now += min(timeout, passed * (speed if math.isfinite(speed) else 0.0))
        return ready

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self.inner.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self.inner.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self.inner.modify(fileobj, events, data)

    def get_map(self) -> Any:
        return self.inner.get_map()

    def close(self) -> None:
        self.inner.close()


class CallLoop(asyncio.SelectorEventLoop):
    """An event loop with a pace. ``speed``: seconds of loop time per real second of waiting.

    ``still``: loop time stands still while the world outside is waited for.
    """

    def __init__(self, speed: float, *, still: bool = False) -> None:
        if not speed > 0:
            raise ValueError("the pace of a loop must be above zero")
        self._still = still
        self._paced = _PacedSelector(selectors.DefaultSelector(), speed)
        super().__init__(self._paced)

    def time(self) -> float:
        return self._paced.now

    @contextmanager
    def outside(self) -> Iterator[None]:
        if self._still:
            with self.frozen():
                yield
            return
        self._paced.outside += 1
        try:
            yield
        finally:
            self._paced.outside -= 1

    @contextmanager
    def frozen(self) -> Iterator[None]:
        self._paced.frozen += 1
        try:
            yield
        finally:
            self._paced.frozen -= 1


@contextmanager
def frozen() -> Iterator[None]:
    """While inside, loop time stands still. Does nothing on an ordinary loop.

    Whoever waits inside must be woken by something real (input, a socket, a thread) or by other
    work that needs no timer; a wait that only a timer can end would last for ever.
    """
    loop = asyncio.get_running_loop()
    if isinstance(loop, CallLoop):
        with loop.frozen():
            yield
    else:
        yield


@contextmanager
def outside() -> Iterator[None]:
    """While inside, loop time keeps to real time. Does nothing on an ordinary loop."""
    loop = asyncio.get_running_loop()
    if isinstance(loop, CallLoop):
        with loop.outside():
            yield
    else:
        yield


class LoopClock:
    """A Clock that starts at ``start`` when made and moves with the running loop."""

    def __init__(self, start: datetime) -> None:
        self._start = start.astimezone(SEOUL)
        self._loop = asyncio.get_running_loop()
        self._zero = self._loop.time()

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self.mono())

    def mono(self) -> float:
        return self._loop.time() - self._zero


def run(
    main: Callable[[], Coroutine[Any, Any, T]], *, speed: float = INSTANT, still: bool = False
) -> T:
    """Run ``main()`` to its end on a new CallLoop."""
    with asyncio.Runner(loop_factory=lambda: CallLoop(speed, still=still)) as runner:
        return runner.run(main())
