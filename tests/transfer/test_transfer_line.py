"""Reaching a person: order, limits, and what staff is told (P1; R110, R111, R123, R127)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from wonmu.loop import INSTANT, run
from wonmu.transfer.consult import Limits, Step, reach
from wonmu.transfer.port import Briefing, NotReached, Outcome, StaffLeg
from wonmu.transfer.simulated import Attempt, Noted, ScriptedLine

pytestmark = pytest.mark.unit

T = TypeVar("T")

BRIEFING = Briefing("진료비 문의", done=("본인 확인됨",), caller_phone="01000001234")
LIMITS = Limits(ring_seconds=25, consult_seconds=60)


def on_loop(main: Coroutine[Any, Any, T]) -> T:
    async def started() -> T:
        return await main

    return run(started, speed=INSTANT)


def reached(line: ScriptedLine, limits: Limits = LIMITS) -> tuple[StaffLeg | NotReached, float]:
    async def main() -> tuple[StaffLeg | NotReached, float]:
        result = await reach(line, "0200001101", BRIEFING, limits)
        return result, asyncio.get_running_loop().time()

    return on_loop(main())


def line_of(*attempts: Attempt) -> ScriptedLine:
    return ScriptedLine(attempts)


@pytest.mark.parametrize(
    ("outcome", "briefed", "released"),
    [
        (Outcome.NO_ANSWER, 0, 0),
        (Outcome.BUSY, 0, 0),
        (Outcome.FAILED, 0, 0),
        (Outcome.OUTSIDE_HOURS, 0, 0),
        (Outcome.VOICEMAIL, 0, 1),
        (Outcome.DECLINED, 1, 1),
    ],
)
def test_who_is_not_reached_is_told_and_let_go(
    outcome: Outcome, briefed: int, released: int
) -> None:
    line = line_of(Attempt(outcome))
    result, _ = reached(line)
    assert isinstance(result, NotReached)
    assert result.outcome is outcome
    assert (line.noted(Noted.BRIEFED), line.noted(Noted.RELEASED)) == (briefed, released)


def test_a_person_accepts_and_is_joined() -> None:
    line = line_of(Attempt(Outcome.CONNECTED, ring_seconds=4, consult_seconds=3))

    async def main() -> tuple[Outcome, float]:
        leg = await reach(line, "0200001101", BRIEFING, LIMITS)
        assert not isinstance(leg, NotReached)
        before = asyncio.get_running_loop().time()
        return await leg.join(), before

    outcome, seconds = on_loop(main())
    assert outcome is Outcome.CONNECTED
    assert seconds == pytest.approx(7, abs=0.05)
    assert [note.what for note in line.record] == [
        Noted.RUNG,
        Noted.ANSWERED,
        Noted.BRIEFED,
        Noted.JOINED,
    ]
    assert line.record[2].briefing == BRIEFING


def test_a_machine_hears_nothing_private() -> None:
    line = line_of(Attempt(Outcome.VOICEMAIL))
    steps: list[Step] = []

    async def main() -> StaffLeg | NotReached:
        return await reach(line, "0200001101", BRIEFING, LIMITS, steps.append)

    assert on_loop(main()) == NotReached(Outcome.VOICEMAIL)
    assert all(note.briefing is None for note in line.record)
    assert Step.BRIEFED not in steps


def test_ringing_ends_at_its_limit() -> None:
    line = line_of(Attempt(Outcome.NO_ANSWER))
    result, seconds = reached(line)
    assert result == NotReached(Outcome.NO_ANSWER, "ring_limit")
    assert seconds == pytest.approx(25, abs=0.1)
    assert line.noted(Noted.STOPPED_RINGING) == 1


def test_who_picks_up_and_never_answers_does_not_hold_the_caller() -> None:
    line = line_of(Attempt(Outcome.CONNECTED, consult_seconds=500))
    result, seconds = reached(line)
    assert result == NotReached(Outcome.NO_ANSWER, "not_accepted")
    assert seconds == pytest.approx(64, abs=0.1)
    assert line.noted(Noted.RELEASED) == 1


def test_busy_comes_back_at_once() -> None:
    _, seconds = reached(line_of(Attempt(Outcome.BUSY)))
    assert seconds <= 3


@pytest.mark.parametrize("after", [0.5, 3.9, 4.1, 5.0, 6.9])
def test_a_cancelled_consult_leaves_nobody_on_the_line(after: float) -> None:
    line = line_of(Attempt(Outcome.CONNECTED, ring_seconds=4, consult_seconds=3))

    async def main() -> None:
        job = asyncio.create_task(reach(line, "0200001101", BRIEFING, LIMITS))
        await asyncio.sleep(after)
        job.cancel()
        await asyncio.wait({job})
        assert job.cancelled()

    on_loop(main())
    assert line.noted(Noted.STOPPED_RINGING) + line.noted(Noted.RELEASED) == 1
    assert line.noted(Noted.JOINED) == 0


def test_a_line_that_breaks_is_a_failure_and_no_error() -> None:
    class Broken:
        async def dial(self, number: str) -> StaffLeg | NotReached:
            raise ConnectionRefusedError

    async def main() -> StaffLeg | NotReached:
        return await reach(Broken(), "0200001101", BRIEFING, LIMITS)

    assert on_loop(main()) == NotReached(Outcome.FAILED, "ConnectionRefusedError")


def test_attempts_come_in_order_and_the_last_is_repeated() -> None:
    line = line_of(Attempt(Outcome.BUSY), Attempt(Outcome.NO_ANSWER, ring_seconds=2))

    async def main() -> list[Outcome]:
        results = [await reach(line, "0200001101", BRIEFING, LIMITS) for _ in range(3)]
        return [result.outcome for result in results if isinstance(result, NotReached)]

    assert on_loop(main()) == [Outcome.BUSY, Outcome.NO_ANSWER, Outcome.NO_ANSWER]


def test_values_that_contradict_themselves_cannot_be_built() -> None:
    with pytest.raises(ValueError, match="not connected"):
        NotReached(Outcome.CONNECTED)
    with pytest.raises(ValueError, match="at least one"):
        ScriptedLine(())
