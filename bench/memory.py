"""Memory of one more live call in one process.

A child process takes calls into the middle of a booking (identity settled, slots searched, the
booking task open) and keeps them all alive on one office. What it holds resident after the first
few is subtracted from what it holds after ``CALLS`` more. The first few are not counted, because
they pay for what all calls share.
"""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.parts import IN_THE_MIDDLE, call_at, office_on
from bench.rows import Limit, Measure, Row
from wonmu.call.session import Call
from wonmu.chat import KEY_SECONDS
from wonmu.loop import run
from wonmu.office import Office

ROUNDS = 3
SHARED = 5
CALLS = 60


async def _live(office: Office) -> Call:
    """A call in the middle of a booking.

    The chat door would keep the loop at the pace of real time while it waits for a line, so the
    lines are given here.
    """
    call = call_at(office)
    await call.start()
    await call.floor.until_quiet()
    for line in IN_THE_MIDDLE:
        if line.startswith("#"):
            for key in line[1:]:
                call.press(key)
                await asyncio.sleep(KEY_SECONDS)
        else:
            call.caller_says(line)
        await call.floor.until_quiet()
    if call.state.booking is None:
        raise RuntimeError("the measured call is not in the middle of a booking")
    return call


async def _grow(folder: Path) -> float:
    """Megabytes a call."""
    async with office_on(folder) as office:
        live = [await _live(office) for _ in range(SHARED)]
        before = resident_bytes()
        live += [await _live(office) for _ in range(CALLS)]
        each = (resident_bytes() - before) / CALLS
        for call in live:
            await call.hang_up()
    return each / 1e6


def resident_bytes() -> int:
    """What this process holds in memory now, after what nobody needs is thrown away."""
    gc.collect()
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True)
    return int(shown.stdout) * 1024


def child() -> None:
    with tempfile.TemporaryDirectory(prefix="wonmu-bench-") as folder:
        sys.stdout.write(f"{run(lambda: _grow(Path(folder)))}\n")


def measure() -> list[Row]:
    command = [sys.executable, "-c", "from bench.memory import child; child()"]
    grown = []
    for _ in range(ROUNDS):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        grown.append(float(done.stdout))
    limit = Limit(Measure.MEDIAN, 2)
    return [Row("memory a live call", "MB", tuple(grown), limits=(limit,))]
