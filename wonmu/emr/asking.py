"""Asking a record system under rules: in time, again if that may help, not while it is down (A8).

Decides when a request is sent, sent again, given up or not sent at all, for every method of the
port alike. It must never send a write twice, stop one half way, or let a failure pass for an
answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from wonmu.emr.breaker import Breaker, BreakerState, Ticket
from wonmu.emr.budget import Budget, GuardRules, pause_before
from wonmu.emr.failures import failure, may_ask_again
from wonmu.errors import EmrFailure, EmrFault

T = TypeVar("T")

ENOUGH = 0.5
"""A request that the step's budget cut short speaks against the record system only if it was given
this part of the time of a request; a hasty end says nothing about it."""


class Watcher(Protocol):
    """Is told what happened to the requests of one call."""

    def failed(self, op: str, fault: EmrFault) -> None:
        """A request failed for good. Once per request, not per try."""
        ...

    def retried(self, op: str, fault: EmrFault, number: int, wait: float) -> None:
        """Try ``number`` is being sent, ``wait`` seconds after the one before met ``fault``."""
        ...

    def breaker_changed(self, state: BreakerState, fault: EmrFault | None) -> None:
        """A request of this call changed the breaker. ``fault``: what opened it."""
        ...


class NoWatcher:
    """Nobody wants to know."""

    def failed(self, op: str, fault: EmrFault) -> None:
        pass

    def retried(self, op: str, fault: EmrFault, number: int, wait: float) -> None:
        pass

    def breaker_changed(self, state: BreakerState, fault: EmrFault | None) -> None:
        pass


class Asking:
    """The rules around the requests of one call. ``chance`` gives shares from 0 to 1 for jitter."""

    def __init__(
        self, rules: GuardRules, breaker: Breaker, watcher: Watcher, chance: Callable[[], float]
    ) -> None:
        self.rules = rules
        self._breaker = breaker
        self.watcher = watcher
        self.chance = chance
        self._writes: set[asyncio.Task[object]] = set()

    async def read(self, op: str, ask: Callable[[], Awaitable[T]], step: Budget) -> T:
        """The answer, or ``EmrFailure``, within ``step`` and the limit of a request."""
        request = _Request(self, op, step, write=False)
        return await request.told(lambda: request.tries(ask))

    async def write(self, op: str, ask: Callable[[], Awaitable[T]], step: Budget) -> T:
        """Sent once. Raises ``EmrFailure``; its ``outcome_known`` is False when out of time."""
        request = _Request(self, op, step, write=True)
        return await request.told(lambda: request.once(ask))

    async def writes_ended(self) -> None:
        """Give writes still under way the limit of a request to end, then stop them."""
        if self._writes:
            _, late = await asyncio.wait(set(self._writes), timeout=self.rules.request)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def keep(self, task: asyncio.Task[object]) -> None:
        """Remember a write under way until it ends, whoever waits for it."""
        self._writes.add(task)
        task.add_done_callback(self._written)

    def _written(self, task: asyncio.Task[object]) -> None:
        self._writes.discard(task)
        if not task.cancelled():
            task.exception()  # seen; a failure nobody waits for any more is not an error of ours

    # The breaker, and who is told of its changes ---------------------------------------------

    @property
    def shut(self) -> bool:
        """Whether the next request would surely be refused, so that no pause is worth while."""
        return self._breaker.state is BreakerState.OPEN

    def admit(self) -> Ticket | None:
        before = self._breaker.state
        ticket = self._breaker.admit(now())
        self._tell(before, None)
        return ticket

    def settle(self, ticket: Ticket, fault: EmrFault | None) -> None:
        """``fault`` None: it was answered."""
        before = self._breaker.state
        if fault is None:
            self._breaker.succeeded(ticket)
        else:
            self._breaker.failed(ticket, fault, now())
        self._tell(before, fault)

    def drop(self, ticket: Ticket) -> None:
        self._breaker.dropped(ticket)

    def _tell(self, before: BreakerState, fault: EmrFault | None) -> None:
        state = self._breaker.state
        if state is not before:
            opened = state is BreakerState.OPEN
            self.watcher.breaker_changed(state, fault if opened else None)


class _Request:
    """One request of the port, from its first try to its end."""

    def __init__(self, asking: Asking, op: str, step: Budget, *, write: bool) -> None:
        self._asking = asking
        self._op = op
        self._write = write
        self._began = now()
        self._budget = step.part(self._began, asking.rules.request)
        self._ticket: Ticket | None = None

    async def told(self, act: Callable[[], Awaitable[T]]) -> T:
        """Carry out ``act`` in time; a failure is told to the watcher, once."""
        try:
            return await self._in_time(act)
        except EmrFailure as error:
            self._asking.watcher.failed(self._op, error.fault)
            raise
        finally:
            self._drop()

    async def tries(self, ask: Callable[[], Awaitable[T]]) -> T:
        """A read: again after a pause, while that is allowed and fits."""
        number, wait, error = 1, 0.0, None
        while True:
            if not self._admitted():
                raise error or failure(EmrFault.BREAKER_OPEN, self._op)
            if error is not None:
                self._asking.watcher.retried(self._op, error.fault, number, wait)
            try:
                return self._answered(await _translated(self._op, ask, write=False))
            except EmrFailure as failed:
                error = failed
                self._failed(failed.fault)
            number += 1
            wait = await self._pause(number, error)

    async def once(self, ask: Callable[[], Awaitable[T]]) -> T:
        """A write: its task goes on to its end even if the waiting is over."""
        if not self._admitted():
            raise failure(EmrFault.BREAKER_OPEN, self._op, write=True)
        task = asyncio.ensure_future(_translated(self._op, ask, write=True))
        self._asking.keep(task)
        try:
            return self._answered(await asyncio.shield(task))
        except EmrFailure as error:
            self._failed(error.fault)
            raise

    async def _in_time(self, act: Callable[[], Awaitable[T]]) -> T:
        left = self._budget.left(self._began)
        if left <= 0.0:
            raise failure(EmrFault.TIMEOUT, self._op)
        try:
            async with asyncio.timeout(left):
                return await act()
        except TimeoutError:
            if now() - self._began >= self._asking.rules.request * ENOUGH:
                self._failed(EmrFault.TIMEOUT)
            raise failure(EmrFault.TIMEOUT, self._op, write=self._write) from None

    async def _pause(self, number: int, error: EmrFailure) -> float:
        """Wait for try ``number``, and how long; raises ``error`` when there is to be none."""
        if number > self._asking.rules.tries or not may_ask_again(error) or self._asking.shut:
            raise error
        wait = pause_before(number, self._asking.chance(), error.retry_after)
        if not self._budget.fits(now(), wait):
            raise error
        await asyncio.sleep(wait)
        return wait

    def _admitted(self) -> bool:
        self._ticket = self._asking.admit()
        return self._ticket is not None

    def _answered(self, answer: T) -> T:
        if self._ticket is not None:
            self._asking.settle(self._ticket, None)
        return answer

    def _failed(self, fault: EmrFault) -> None:
        if self._ticket is not None:
            self._asking.settle(self._ticket, fault)

    def _drop(self) -> None:
        if self._ticket is not None:
            self._asking.drop(self._ticket)


def now() -> float:
    """Seconds of the running loop, which is the conversation's time."""
    return asyncio.get_running_loop().time()


async def _translated(op: str, ask: Callable[[], Awaitable[T]], *, write: bool) -> T:
    """Ask once; what a driver or a network raises becomes an ``EmrFailure``."""
    try:
        return await ask()
    except TimeoutError as error:
        raise failure(EmrFault.TIMEOUT, op, write=write) from error
    except OSError as error:
        raise failure(EmrFault.UNREACHABLE, op, write=write) from error
    except SQLAlchemyError as error:
        raise failure(EmrFault.BROKEN, op, write=write) from error
