"""How long, and how often (A8): the time that requests may take, and the pauses between tries.

Pure: told the present moment in seconds on a clock that never runs backwards, and a share of
chance from 0 to 1. It must never allow a pause that does not fit into what is left, nor ask a
record system sooner than it wants to be asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from wonmu.hospital.config import EmrSettings

PAUSES = (0.2, 0.5, 1.0)
"""Seconds before the second, third and every later try."""

JITTER = 0.5
"""A usual pause grows by up to this part, so that calls that failed together part ways."""


@dataclass(frozen=True, slots=True)
class GuardRules:
    """``request``: seconds of one request, its tries included. ``step``: seconds of all requests
    of one step of the talk. ``tries``: how often a read is sent at most."""

    request: float = 3.0
    step: float = 8.0
    tries: int = 2

    @classmethod
    def of(cls, settings: EmrSettings) -> GuardRules:
        return cls(settings.request_seconds, settings.tool_seconds, settings.read_tries)


@dataclass(frozen=True, slots=True)
class Budget:
    """Time until a moment. ``ends`` is on the clock of whoever asks."""

    ends: float = math.inf

    @classmethod
    def of(cls, now: float, seconds: float) -> Budget:
        return cls(now + seconds)

    def left(self, now: float) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self.ends - now)

    def part(self, now: float, seconds: float) -> Budget:
        """The next ``seconds`` of it, or the rest if that is less."""
        return Budget(min(self.ends, now + seconds))

    def fits(self, now: float, pause: float) -> bool:
        """Whether time is left after a pause."""
        return now + pause < self.ends


def pause_before(number: int, share: float, retry_after: float | None = None) -> float:
    """Seconds to wait before try ``number`` (2 is the first repetition).

    ``share``: chance, from 0 to 1. ``retry_after``: what the record system asked for, which is
    never undercut.
    """
    usual = PAUSES[min(number - 2, len(PAUSES) - 1)]
    return max(usual, retry_after or 0.0) + usual * JITTER * share
