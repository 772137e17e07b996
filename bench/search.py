"""Slot search in a calendar of 100,000 slots: from asking the record system to having the slots."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from bench.rows import Limit, Measure, Row
from wonmu.emr.bench import bench_slot_search

SLOTS = 100_000
ROUNDS = 3
SEARCHES = 200


def measure() -> list[Row]:
    """The median search of each round; the slow end (p95) is shown beside it, without a limit."""
    with tempfile.TemporaryDirectory(prefix="wonmu-bench-") as name:
        rounds = [
            asyncio.run(bench_slot_search(str(Path(name) / f"{n}.sqlite"), SLOTS, SEARCHES))
            for n in range(ROUNDS)
        ]
    if any(each.slots != SLOTS for each in rounds):
        raise RuntimeError(f"the calendar was not filled with {SLOTS} slots")
    return [
        Row(
            "slot search",
            "ms",
            tuple(each.p50 for each in rounds),
            limits=(Limit(Measure.MEDIAN, 10),),
        ),
        Row("slot search, p95", "ms", tuple(each.p95 for each in rounds)),
    ]
