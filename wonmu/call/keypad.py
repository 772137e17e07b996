"""Keys of the telephone (D2).

Keys go to whoever is collecting, else to the hospital's menu, which drops and notes what it does
not know: a key pressed before the question must not leak into the answer (R104). Digits stay in
memory here and in the task; the timeline gets how many, never which.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from wonmu.timeline.events import Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call

KEYS = frozenset("0123456789*#")


class Collector(Protocol):
    """Something that takes keys."""

    def ends_with(self, key: str) -> bool:
        """Whether this key completes the entry."""
        ...

    def key(self, key: str) -> None: ...

    def spoke(self) -> None: ...


class Keypad:
    """The keypad of one call; at most one collector at a time."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._collector: Collector | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._armed_busy = False

    def collect(self, collector: Collector) -> None:
        self._collector = collector

    def stop(self, collector: Collector) -> None:
        if self._collector is collector:
            self._collector = None
            self.disarm()

    def press(self, key: str) -> None:
        if key not in KEYS:
            return
        self._call.silence.broken()
        collector = self._collector
        if collector is None or self._call.menu.repeats(key):
            self._call.menu.press(key)
            return
        data: dict[str, object] = {"masked": "•", "used": True}
        if collector.ends_with(key):
            data["done"] = True
        self._call.recorder.write(Kind.KEYPAD_PRESSED, data)
        collector.key(key)

    def spoke(self) -> None:
        """The caller spoke: a running entry is left to the collector's judgement."""
        if self._collector is not None:
            self._collector.spoke()

    def arm(self, seconds: float, then: Callable[[], None], *, busy: bool) -> None:
        """Call ``then`` after a pause. ``busy``: the floor is held meanwhile."""
        self.disarm()
        loop = asyncio.get_running_loop()
        if busy:
            self._armed_busy = True
            self._call.floor.hold("keypad")

        def fire() -> None:
            self._timer = None
            then()
            self._release()

        self._timer = loop.call_later(seconds, fire)

    @property
    def armed(self) -> bool:
        """Whether a pause is being measured."""
        return self._timer is not None

    def disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._release()

    def _release(self) -> None:
        if self._armed_busy:
            self._armed_busy = False
            self._call.floor.release("keypad")
