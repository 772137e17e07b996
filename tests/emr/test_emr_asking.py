"""Requests in time, again only where that helps, all of a step within its budget (A8)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest
from asking_parts import ANSWERS, HANGS, QUERY, Notes, Script, Turn, fails, now

from wonmu.emr.budget import GuardRules
from wonmu.emr.guard import GuardedEmr
from wonmu.emr.port import NotThere, Unknown
from wonmu.errors import EmrFailure, EmrFault
from wonmu.ids import AppointmentId, BookingKey, SlotId
from wonmu.loop import run

pytestmark = pytest.mark.unit

FOUR = GuardRules(tries=4)
KEY = BookingKey("k1")
A1 = AppointmentId("a-1")


def failed(act: Callable[[], Awaitable[object]]) -> Coroutine[Any, Any, EmrFailure]:
    """The failure that ``act`` ends with."""

    async def main() -> EmrFailure:
        with pytest.raises(EmrFailure) as caught:
            await act()
        return caught.value

    return main()


def test_a_read_is_asked_again_after_growing_pauses() -> None:
    async def main() -> None:
        script, notes = Script(fails(), fails(), fails(), ANSWERS), Notes()
        await GuardedEmr(script.emr, FOUR, notes).departments()
        assert script.asked == [0.0, 0.2, 0.7, 1.7]
        fault = EmrFault.UNAVAILABLE
        assert notes.retries == [
            ("departments", fault, 2, 0.2),
            ("departments", fault, 3, 0.5),
            ("departments", fault, 4, 1.0),
        ]
        assert notes.failures == []

    run(main)


def test_it_is_asked_so_often_and_no_more() -> None:
    async def main() -> None:
        script, notes = Script(fails()), Notes()
        emr = GuardedEmr(script.emr, GuardRules(tries=3), notes)
        error = await failed(emr.departments)
        assert error.fault is EmrFault.UNAVAILABLE
        assert len(script.asked) == 3
        assert notes.failures == [("departments", EmrFault.UNAVAILABLE)]

    run(main)


def test_one_try_means_no_repetition() -> None:
    async def main() -> None:
        script, notes = Script(fails(), ANSWERS), Notes()
        await failed(GuardedEmr(script.emr, GuardRules(tries=1), notes).departments)
        assert (script.asked, notes.retries, now()) == ([0.0], [], 0.0)

    run(main)


def test_chance_lengthens_a_pause_within_bounds() -> None:
    async def main() -> None:
        script = Script(fails(), ANSWERS)
        await GuardedEmr(script.emr, FOUR, chance=lambda: 1.0).departments()
        assert script.asked == [0.0, 0.3]

    run(main)


@pytest.mark.parametrize(
    "turn",
    [
        fails(EmrFault.BROKEN, retryable=False),
        fails(EmrFault.INVALID),
        fails(EmrFault.UNAUTHORIZED),
        fails(EmrFault.UNPROCESSABLE),
        fails(EmrFault.NOT_FOUND),
    ],
)
def test_what_cannot_get_better_is_not_asked_again(turn: Turn) -> None:
    async def main() -> None:
        script = Script(turn, ANSWERS)
        await failed(GuardedEmr(script.emr, FOUR).departments)
        assert script.asked == [0.0]

    run(main)


def test_retry_after_is_honoured_when_it_fits() -> None:
    async def main() -> None:
        script, notes = Script(fails(EmrFault.TOO_MANY, retry_after=2.0), ANSWERS), Notes()
        await GuardedEmr(script.emr, FOUR, notes).departments()
        assert script.asked == [0.0, 2.0]
        assert notes.retries == [("departments", EmrFault.TOO_MANY, 2, 2.0)]

    run(main)


@pytest.mark.parametrize("wanted", [3.0, 60.0, 1e300])
def test_retry_after_that_does_not_fit_fails_at_once(wanted: float) -> None:
    async def main() -> None:
        script, notes = Script(fails(EmrFault.TOO_MANY, retry_after=wanted), ANSWERS), Notes()
        error = await failed(GuardedEmr(script.emr, FOUR, notes).departments)
        assert (error.fault, error.retry_after) == (EmrFault.TOO_MANY, wanted)
        assert (now(), script.asked) == (0.0, [0.0])
        assert notes.failures == [("departments", EmrFault.TOO_MANY)]

    run(main)


def test_a_pause_that_does_not_fit_into_the_rest_is_not_begun() -> None:
    async def main() -> None:
        script = Script(fails(seconds=2.9), ANSWERS)
        error = await failed(GuardedEmr(script.emr, FOUR).departments)
        assert (error.fault, now()) == (EmrFault.UNAVAILABLE, 2.9)
        assert len(script.asked) == 1

    run(main)


def test_all_tries_together_end_within_the_limit() -> None:
    async def main() -> None:
        script, notes = Script(fails(seconds=1.0), HANGS), Notes()
        error = await failed(GuardedEmr(script.emr, FOUR, notes).departments)
        assert (error.fault, now()) == (EmrFault.TIMEOUT, 3.0)
        assert script.asked == [0.0, 1.2]
        assert notes.failures == [("departments", EmrFault.TIMEOUT)]

    run(main)


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (ConnectionResetError(), EmrFault.UNREACHABLE),
        (TimeoutError(), EmrFault.TIMEOUT),
    ],
)
def test_what_a_network_raises_is_a_fault(error: Exception, fault: EmrFault) -> None:
    async def main() -> None:
        script = Script(Turn(0.0, error))
        read = await failed(GuardedEmr(script.emr).departments)
        assert (read.fault, read.outcome_known) == (fault, True)
        emr = GuardedEmr(script.emr)
        write = await failed(lambda: emr.release(SlotId("s-1"), KEY))
        assert (write.fault, write.outcome_known) == (fault, False)
        assert await emr.cancel(A1, KEY) == Unknown(KEY)

    run(main)


# One step of the talk --------------------------------------------------------------------------


def test_all_requests_of_a_step_end_within_its_seconds() -> None:
    async def main() -> None:
        script, notes = Script(HANGS), Notes()
        step = GuardedEmr(script.emr, watcher=notes).step()
        ends = []
        for _ in range(4):
            error = await failed(step.departments)
            assert error.fault is EmrFault.TIMEOUT
            ends.append(now())
        assert ends == [3.0, 6.0, 8.0, 8.0]
        assert len(script.asked) == 3, "what is used up is used up: nothing is asked"
        assert len(notes.failures) == 4

    run(main)


def test_time_between_the_requests_of_a_step_counts() -> None:
    async def main() -> None:
        script = Script(HANGS)
        step = GuardedEmr(script.emr).step(5.0)
        await asyncio.sleep(4.0)
        await failed(step.departments)
        assert now() == 5.0

    run(main)


def test_two_steps_at_once_do_not_share_their_time() -> None:
    async def main() -> None:
        script = Script(HANGS)
        emr = GuardedEmr(script.emr)
        early, late = emr.step(4.0), emr.step(4.0)
        await failed(early.departments)
        await asyncio.sleep(1.0)
        later = emr.step(4.0)
        await failed(later.departments)
        assert now() == 7.0
        await failed(late.departments)
        await failed(later.departments)
        assert now() == 8.0

    run(main)


def test_a_step_within_a_step_is_no_longer_than_it() -> None:
    async def main() -> None:
        script = Script(HANGS)
        outer = GuardedEmr(script.emr).step(2.0)
        await failed(outer.step(60.0).departments)
        assert now() == 2.0

    run(main)


def test_without_a_step_every_request_is_one_of_its_own() -> None:
    async def main() -> None:
        script = Script(HANGS)
        emr = GuardedEmr(script.emr, GuardRules(request=3.0, step=1.0))
        for end in (1.0, 2.0):
            await failed(emr.departments)
            assert now() == end

    run(main)


def test_a_pause_that_does_not_fit_into_the_step_is_not_begun() -> None:
    async def main() -> None:
        script = Script(fails(), ANSWERS)
        await failed(GuardedEmr(script.emr).step(0.2).departments)
        assert (now(), script.asked) == (0.0, [0.0])

    run(main)


# Writes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [EmrFault.UNAVAILABLE, EmrFault.TOO_MANY, EmrFault.TIMEOUT])
def test_a_write_is_never_sent_twice(fault: EmrFault) -> None:
    async def main() -> None:
        script, notes = Script(fails(fault, known=False), ANSWERS), Notes()
        assert await GuardedEmr(script.emr, FOUR, notes).cancel(A1, KEY) == Unknown(KEY)
        assert (script.asked, notes.retries) == ([0.0], [])
        assert notes.failures == [("cancel", fault)]

    run(main)


def test_the_waiting_for_a_write_ends_with_the_step_but_not_the_write() -> None:
    async def main() -> None:
        script = Script(Turn(2.5))
        emr = GuardedEmr(script.emr)
        assert await emr.step(2.0).cancel(A1, KEY) == Unknown(KEY)
        assert (now(), script.ended) == (2.0, 0)
        await emr.close()
        assert (now(), script.ended) == (2.5, 1)

    run(main)


def test_a_write_that_no_time_is_left_for_is_certainly_not_written() -> None:
    async def main() -> None:
        script = Script()
        step = GuardedEmr(script.emr).step(1.0)
        await asyncio.sleep(1.0)
        error = await failed(lambda: step.cancel(A1, KEY))
        assert (error.fault, error.outcome_known) == (EmrFault.TIMEOUT, True)
        assert script.asked == []

    run(main)


def test_a_write_that_nobody_waits_for_goes_on_and_is_waited_for_at_the_end() -> None:
    async def main() -> None:
        script = Script(Turn(1.0))
        emr = GuardedEmr(script.emr)
        task = asyncio.ensure_future(emr.cancel(A1, KEY))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await emr.step().close()
        assert (now(), script.ended) == (1.0, 1)

    run(main)


def test_an_answered_write_is_its_answer() -> None:
    async def main() -> None:
        script = Script(Turn(0.4))
        assert await GuardedEmr(script.emr).cancel(A1, KEY) == NotThere()
        assert (await GuardedEmr(script.emr).find_slots(QUERY)).slots == ()

    run(main)
