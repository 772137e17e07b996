"""How often something may happen: token buckets by key.

Pure: the time comes from the clock handed in, and nothing is counted anywhere else. It must never
grow without end: full buckets are dropped, and when there are too many others, strangers share one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

SHARED = ""
"""The key of the bucket that strangers share while there are too many buckets."""


@dataclass(frozen=True, slots=True)
class Rate:
    """``burst`` at once, and ``per_second`` from then on."""

    burst: int
    per_second: float

    def __post_init__(self) -> None:
        if self.burst < 1 or not self.per_second > 0:
            raise ValueError("a rate lets at least one through and fills up again")


class Buckets:
    """One bucket a key, full at first."""

    def __init__(self, rate: Rate, mono: Callable[[], float], *, most: int = 10_000) -> None:
        self._rate = rate
        self._mono = mono
        self._most = most
        self._levels: dict[str, tuple[float, float]] = {}

    def take(self, key: str) -> float:
        """Take one; 0.0 when there was one, else the seconds until there is."""
        key = self._place(key)
        level = self._level(key)
        if level < 1.0:
            return (1.0 - level) / self._rate.per_second
        self._levels[key] = (level - 1.0, self._mono())
        return 0.0

    def wait(self, key: str) -> float:
        """Seconds until ``take`` would succeed; takes nothing."""
        key = key if key in self._levels or len(self._levels) < self._most else SHARED
        return max(0.0, 1.0 - self._level(key)) / self._rate.per_second

    def __len__(self) -> int:
        return len(self._levels)

    def _level(self, key: str) -> float:
        full = float(self._rate.burst)
        level, at = self._levels.get(key, (full, 0.0))
        # The tiny addition keeps sums of many small times from falling just short of a whole one.
        return min(full, level + (self._mono() - at) * self._rate.per_second + 1e-9)

    def _place(self, key: str) -> str:
        if key in self._levels or len(self._levels) < self._most:
            return key
        full = float(self._rate.burst)
        for each in [each for each in self._levels if self._level(each) >= full]:
            del self._levels[each]
        return key if len(self._levels) < self._most else SHARED


class Counts:
    """How many of something are open at once, by key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: dict[str, int] = {}

    def enter(self, key: str) -> bool:
        """One more; False when there are enough already, and then nothing is counted."""
        now = self._open.get(key, 0)
        if now >= self._most:
            return False
        self._open[key] = now + 1
        return True

    def leave(self, key: str) -> None:
        """One less, after an ``enter`` that was True."""
        left = self._open.get(key, 0) - 1
        if left > 0:
            self._open[key] = left
        else:
            self._open.pop(key, None)
