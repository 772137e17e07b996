"""Loop time that stands still while a person thinks (A9, R72): no timer fires, results arrive."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext

import pytest

from wonmu.loop import INSTANT, frozen, run

pytestmark = pytest.mark.unit

THINKING = 0.05
"""Real seconds; hours on an instant loop."""


async def line_from(pipe: int) -> str:
    """A line of another program, as standard input gives it."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(pipe, ready.set)
    await ready.wait()
    loop.remove_reader(pipe)
    return os.read(pipe, 100).decode()


def think_and_type() -> int:
    """A pipe into which a line is written after real time."""
    reading, writing = os.pipe()
    thinking = threading.Timer(THINKING, lambda: os.write(writing, b"hello"))
    thinking.daemon = True
    thinking.start()
    return reading


Pause = Callable[[], AbstractContextManager[None]]


def slow_row() -> str:
    time.sleep(THINKING)
    return "row"


async def waits(pause: Pause) -> tuple[str, list[str], float]:
    fired: list[str] = []
    loop = asyncio.get_running_loop()
    before = loop.time()
    loop.call_later(8.0, fired.append, "are you there?")
    with pause():
        said = await line_from(think_and_type())
    return said, fired, loop.time() - before


@pytest.mark.parametrize("speed", [INSTANT, 1000.0])
def test_thinking_is_no_silence(speed: float) -> None:
    assert run(lambda: waits(frozen), speed=speed) == ("hello", [], 0.0)


def test_without_it_the_timer_fires_at_once() -> None:
    said, fired, passed = run(lambda: waits(nullcontext))
    assert said == "hello"
    assert fired == ["are you there?"]
    assert passed >= 8.0


def test_afterwards_time_goes_on_where_it_stood() -> None:
    async def main() -> list[str]:
        fired: list[str] = []
        asyncio.get_running_loop().call_later(8.0, fired.append, "are you there?")
        with frozen():
            await line_from(think_and_type())
        await asyncio.sleep(7.9)
        fired.append("before")
        await asyncio.sleep(0.2)
        return fired

    assert run(main) == ["before", "are you there?"]


@pytest.mark.parametrize("waiting", ["inside", "outside"])
def test_results_of_threads_arrive(waiting: str) -> None:
    async def main() -> str:
        asyncio.get_running_loop().call_later(1.0, lambda: None)
        work: Awaitable[str] = asyncio.to_thread(slow_row)
        if waiting == "outside":
            other = asyncio.ensure_future(work)
            with frozen():
                await line_from(think_and_type())
            return await other
        with frozen():
            return await work

    assert run(main) == "row"


def test_work_that_needs_no_timer_goes_on() -> None:
    async def main() -> list[int]:
        done: list[int] = []

        async def work() -> None:
            for step in range(5):
                await asyncio.sleep(0)
                done.append(step)

        with frozen():
            await work()
        return done

    assert run(main) == [0, 1, 2, 3, 4]


def test_two_inside_and_the_first_leaves() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        before = loop.time()
        loop.call_later(5.0, lambda: None)
        with frozen():
            with frozen():
                pass
            await line_from(think_and_type())
        return loop.time() - before

    assert run(main) == 0.0


def test_an_ordinary_loop_is_left_alone() -> None:
    async def main() -> str:
        with frozen():
            await asyncio.sleep(0.001)
        return "done"

    assert asyncio.run(main()) == "done"
