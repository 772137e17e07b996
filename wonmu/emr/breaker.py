"""The breaker before one record system (A8): when to leave it alone, and when to try again.

A state machine without a clock: every method is told the present moment in seconds on a clock
that never runs backwards. One breaker stands before one hospital's record system for all calls of
the process. It must never let anything through while it is open, never two tries at once while it
is half open, and never stay shut for ever.

    closed ──failures within the window──▶ open ──open_seconds──▶ half open
      ▲                                      ▲                       │
      └──────────────the try succeeds────────┼───────────────────────┤
                                             └──────the try fails────┘
"""

from __future__ import annotations

from collections import deque
from enum import StrEnum

from wonmu.emr.failures import MEANING
from wonmu.errors import EmrFault
from wonmu.hospital.config import BreakerRules


class BreakerState(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Ticket:
    """One request that was let through. It is settled once: succeeded, failed, or dropped."""

    __slots__ = ()


class Breaker:
    """Ask ``admit`` before every request, and settle the ticket that it gives.

    What was let through before the breaker changed its state says nothing about the state it is
    in now, so such a ticket settles nothing any more.
    """

    def __init__(self, rules: BreakerRules | None = None) -> None:
        self._rules = rules if rules is not None else BreakerRules()
        self._state = BreakerState.CLOSED
        self._failures: deque[float] = deque()
        self._opened = 0.0
        self._running: set[Ticket] = set()

    @property
    def state(self) -> BreakerState:
        """As of the last request. An open breaker becomes half open with the request that tries."""
        return self._state

    def admit(self, now: float) -> Ticket | None:
        """A ticket for one request, or None: it must not be sent."""
        if self._state is BreakerState.OPEN and now - self._opened >= self._rules.open_seconds:
            self._become(BreakerState.HALF_OPEN)
        if self._state is BreakerState.OPEN:
            return None
        if self._state is BreakerState.HALF_OPEN and self._running:
            return None
        ticket = Ticket()
        self._running.add(ticket)
        return ticket

    def succeeded(self, ticket: Ticket) -> None:
        """The record system answered, be it with a no."""
        if self._settles(ticket) and self._state is BreakerState.HALF_OPEN:
            self._become(BreakerState.CLOSED)

    def failed(self, ticket: Ticket, fault: EmrFault, now: float) -> None:
        """It failed. A fault that speaks only against the request is an answer like any other."""
        if not MEANING[fault].down:
            self.succeeded(ticket)
        elif self._settles(ticket):
            self._count(now)

    def dropped(self, ticket: Ticket) -> None:
        """Nobody waits for the answer any more: neither success nor failure.

        Does nothing to a ticket that is settled already, so it may always come last.
        """
        self._running.discard(ticket)

    def _settles(self, ticket: Ticket) -> bool:
        counts = ticket in self._running
        self._running.discard(ticket)
        return counts

    def _count(self, now: float) -> None:
        self._failures.append(now)
        while now - self._failures[0] > self._rules.within_seconds:
            self._failures.popleft()
        enough = len(self._failures) >= self._rules.failures
        if enough or self._state is BreakerState.HALF_OPEN:
            self._opened = now
            self._become(BreakerState.OPEN)

    def _become(self, state: BreakerState) -> None:
        self._state = state
        self._failures.clear()
        self._running.clear()
