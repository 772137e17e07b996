"""One breaker before one record system for all calls of a desk (A8)."""

from __future__ import annotations

import asyncio

import pytest
from asking_parts import ANSWERS, HANGS, Notes, Script, fails, now

from wonmu.emr.breaker import Breaker, BreakerState
from wonmu.emr.budget import GuardRules
from wonmu.emr.guard import GuardedEmr
from wonmu.errors import EmrFailure, EmrFault
from wonmu.hospital.config import BreakerRules
from wonmu.ids import AppointmentId, BookingKey
from wonmu.loop import run

pytestmark = pytest.mark.unit

KEY = BookingKey("k1")
A1 = AppointmentId("a-1")
OPEN, HALF, CLOSED = BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED
DOWN = EmrFault.UNAVAILABLE
ONCE = GuardRules(tries=1)


class Line:
    """Two calls on one record system behind one breaker."""

    def __init__(self, *turns: object, rules: GuardRules = ONCE, failures: int = 3) -> None:
        self.script = Script(*turns)  # type: ignore[arg-type]
        limits = BreakerRules(failures=failures, within_seconds=30.0, open_seconds=20.0)
        self.breaker = Breaker(limits)
        self.notes = Notes(), Notes()
        self.calls = tuple(
            GuardedEmr(self.script.emr, rules, notes, breaker=self.breaker) for notes in self.notes
        )

    async def fault(self, call: int) -> EmrFault | None:
        """What comes of a read of that call."""
        try:
            await self.calls[call].departments()
        except EmrFailure as error:
            return error.fault
        return None

    async def opened(self) -> None:
        """Let the first call open it."""
        self.script.then(fails())
        while self.breaker.state is CLOSED:
            assert await self.fault(0) is DOWN
        self.script.asked.clear()


def test_what_one_call_meets_spares_the_other() -> None:
    async def main() -> None:
        line = Line()
        await line.opened()
        assert await line.fault(1) is EmrFault.BREAKER_OPEN
        assert (line.script.asked, now()) == ([], 0.0)
        one, other = line.notes
        assert one.changes == [(OPEN, DOWN)]
        assert other.changes == []
        assert other.failures == [("departments", EmrFault.BREAKER_OPEN)]

    run(main)


def test_failures_of_all_calls_count_together() -> None:
    async def main() -> None:
        line = Line(fails())
        assert [await line.fault(call) for call in (0, 1, 0, 1)] == [
            *(DOWN, DOWN, DOWN),
            EmrFault.BREAKER_OPEN,
        ]

    run(main)


def test_the_call_that_tries_again_reports_it() -> None:
    async def main() -> None:
        line = Line()
        await line.opened()
        line.script.then(ANSWERS)
        await asyncio.sleep(20.0)
        assert await line.fault(1) is None
        assert await line.fault(0) is None
        one, other = line.notes
        assert one.changes == [(OPEN, DOWN)]
        assert other.changes == [(HALF, None), (CLOSED, None)]

    run(main)


def test_a_try_that_fails_keeps_it_shut() -> None:
    async def main() -> None:
        line = Line(rules=GuardRules(tries=3))
        await line.opened()
        await asyncio.sleep(20.0)
        assert await line.fault(1) is DOWN
        assert len(line.script.asked) == 1, "a try is one request, not one with repetitions"
        assert line.notes[1].changes == [(HALF, None), (OPEN, DOWN)]
        assert await line.fault(0) is EmrFault.BREAKER_OPEN

    run(main)


def test_two_calls_never_try_at_once() -> None:
    async def main() -> None:
        line = Line()
        await line.opened()
        line.script.then(HANGS)
        await asyncio.sleep(20.0)
        found = await asyncio.gather(*(line.fault(call) for call in (0, 1, 0, 1)))
        assert found.count(EmrFault.TIMEOUT) == 1
        assert found.count(EmrFault.BREAKER_OPEN) == 3
        assert len(line.script.asked) == 1

    run(main)


def test_a_try_whose_caller_hangs_up_makes_room_for_another() -> None:
    async def main() -> None:
        line = Line()
        await line.opened()
        line.script.then(HANGS)
        await asyncio.sleep(20.0)
        gone = asyncio.ensure_future(line.calls[0].departments())
        await asyncio.sleep(1.0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        assert line.breaker.state is HALF
        line.script.then(ANSWERS)
        assert await line.fault(1) is None
        assert line.breaker.state is CLOSED

    run(main)


def test_a_write_whose_caller_hangs_up_makes_room_too() -> None:
    async def main() -> None:
        line = Line()
        await line.opened()
        line.script.then(HANGS)
        await asyncio.sleep(20.0)
        gone = asyncio.ensure_future(line.calls[0].cancel(A1, KEY))
        await asyncio.sleep(1.0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        line.script.then(ANSWERS)
        assert await line.fault(1) is None

    run(main)


def test_a_fault_of_ours_in_the_middle_makes_room_too() -> None:
    async def main() -> None:
        line = Line()
        await line.opened()
        await asyncio.sleep(20.0)
        line.script.then(fails())
        line.script.emr.departments = _breaks  # type: ignore[method-assign]
        with pytest.raises(ZeroDivisionError):
            await line.fault(0)
        assert line.breaker.state is HALF
        assert line.breaker.admit(now()) is not None

    run(main)


async def _breaks() -> tuple[()]:
    raise ZeroDivisionError


def test_hanging_up_is_neither_success_nor_failure() -> None:
    async def main() -> None:
        line = Line(HANGS)
        for _ in range(9):
            gone = asyncio.ensure_future(line.calls[0].departments())
            await asyncio.sleep(2.9)
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
        assert line.breaker.state is CLOSED
        assert line.notes[0].failures == []

    run(main)


def test_a_write_that_finds_it_open_is_certainly_not_written() -> None:
    async def main() -> None:
        line = Line()
        await line.opened()
        with pytest.raises(EmrFailure) as caught:
            await line.calls[1].cancel(A1, KEY)
        error = caught.value
        assert error.fault is EmrFault.BREAKER_OPEN
        assert (error.retryable, error.outcome_known) == (False, True)
        assert line.script.asked == []
        assert line.notes[1].failures == [("cancel", EmrFault.BREAKER_OPEN)]

    run(main)


def test_a_pause_in_which_another_call_opened_it_ends_the_repetition() -> None:
    async def main() -> None:
        line = Line(fails(), rules=GuardRules(tries=2))
        slow = asyncio.ensure_future(line.fault(1))
        await asyncio.sleep(0.1)
        while (ticket := line.breaker.admit(now())) is not None:
            line.breaker.failed(ticket, DOWN, now())
        assert await slow is DOWN, "the failure that was met is told, not the breaker"
        assert line.script.asked == [0.0]
        assert line.notes[1].retries == []

    run(main)


def test_the_failure_that_opens_it_is_not_repeated() -> None:
    async def main() -> None:
        line = Line(fails(), rules=GuardRules(tries=5), failures=2)
        assert await line.fault(0) is DOWN
        assert line.script.asked == [0.0, 0.2]
        assert now() == 0.2, "no pause before a request that would be refused"

    run(main)


@pytest.mark.parametrize(("seconds", "state"), [(0.5, CLOSED), (2.0, OPEN)])
def test_a_hasty_end_by_the_budget_says_nothing(seconds: float, state: BreakerState) -> None:
    async def main() -> None:
        line = Line(HANGS, failures=1)
        with pytest.raises(EmrFailure):
            await line.calls[0].step(seconds).departments()
        assert line.breaker.state is state

    run(main)


def test_time_outs_of_writes_count_even_if_they_are_written_later() -> None:
    async def main() -> None:
        line = Line(HANGS, failures=1)
        await line.calls[0].cancel(A1, KEY)
        assert line.notes[0].changes == [(OPEN, EmrFault.TIMEOUT)]

    run(main)


def test_a_no_of_a_healthy_record_system_never_opens_it() -> None:
    async def main() -> None:
        line = Line(fails(EmrFault.NOT_FOUND, retryable=False))
        assert {await line.fault(0) for _ in range(9)} == {EmrFault.NOT_FOUND}

    run(main)
