"""Processor time of one whole booking call with the built-in model.

In: the call from being answered to being closed (greeting, identity by keys, search, read-back,
consent, the recorded request, a question about parking, the goodbye), with all its store writes,
on all threads of the process (``time.process_time``). Out: starting Python, imports, opening and
filling the stores. Each call has a copy of the same filled folder, so each finds the same calendar.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from bench.parts import BOOKING, call_at, office_on
from bench.rows import Limit, Measure, Row
from wonmu.call.session import Call
from wonmu.chat import ChatDoor, Script
from wonmu.loop import run
from wonmu.timeline.events import Kind

CALLS = 9
WARM_UP = 2
"""Calls that are not counted."""


async def one_call(folder: Path) -> float:
    """Milliseconds of processor time."""
    async with office_on(folder) as office:
        began = time.process_time()
        call = call_at(office)
        await ChatDoor(call, Script(list(BOOKING))).run()
        took = time.process_time() - began
    _check(call)
    return took * 1000


def _check(call: Call) -> None:
    kinds = [event.kind for event in call.recorder.events]
    if Kind.BOOKING_COMMITTED not in kinds or kinds[-1] is not Kind.CALL_ENDED:
        raise RuntimeError("the measured call did not book; the figure would mean nothing")


async def fill(folder: Path) -> None:
    async with office_on(folder):
        pass


def measure() -> list[Row]:
    taken = []
    with tempfile.TemporaryDirectory(prefix="wonmu-bench-") as name:
        filled = Path(name) / "filled"
        run(lambda: fill(filled))
        for number in range(WARM_UP + CALLS):
            folder = Path(name) / f"call-{number}"
            shutil.copytree(filled, folder)
            taken.append(_run(folder))
    limit = Limit(Measure.MEDIAN, 400)
    return [Row("booking call, processor", "ms", tuple(taken[WARM_UP:]), limits=(limit,))]


def _run(folder: Path) -> float:
    return run(lambda: one_call(folder))
