"""A read of the record system beside the talk, next to the same read simply awaited.

Both are the coming appointments of one patient on a filled embedded record system, guarded, as a
step of the talk of its own, in real time on an ordinary event loop. Beside the talk there is in
addition: the task that reads, the caller's way to end it, the patience that would speak if it took
long, and two events of the timeline, which are stored later. The answer comes before anything needs
to be said.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

from bench.parts import NOW, call_at, office_on
from bench.rows import Row
from wonmu.call.lookups import Name
from wonmu.call.session import Call
from wonmu.emr.port import Appointment, Emr, Window
from wonmu.ids import PatientId

LOOKUPS = 300
WARM_UP = 50
"""Pairs that are not counted."""

PATIENT = PatientId("p-0001")
WINDOW = Window(NOW, NOW + timedelta(days=30))


async def read(emr: Emr) -> tuple[Appointment, ...]:
    return await emr.appointments(PATIENT, WINDOW)


async def milliseconds(work: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    found = await work()
    took = time.perf_counter() - began
    if not isinstance(found, tuple) or len(found) != 1:
        raise RuntimeError(f"the measured read found {found!r}")
    return took * 1000


async def pairs(call: Call) -> list[tuple[float, float]]:
    """(beside the talk, awaited), taking turns at going first."""

    async def beside() -> object:
        return await call.lookups.run(Name.BOOKINGS, read, len)

    async def awaited() -> object:
        return await read(call.emr.step())

    taken = []
    for number in range(WARM_UP + LOOKUPS):
        if number % 2:
            plain = await milliseconds(awaited)
            ours = await milliseconds(beside)
        else:
            ours = await milliseconds(beside)
            plain = await milliseconds(awaited)
        taken.append((ours, plain))
    return taken[WARM_UP:]


async def _all() -> list[tuple[float, float]]:
    with tempfile.TemporaryDirectory(prefix="wonmu-bench-") as folder:
        async with office_on(Path(folder)) as office:
            call = call_at(office)
            await call.start()
            found = await pairs(call)
            await call.hang_up()
    return found


def measure() -> list[Row]:
    ours, plain = zip(*asyncio.run(_all()), strict=True)
    return [Row("lookup beside the talk", "ms", ours, "awaited", plain)]
