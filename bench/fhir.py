"""Reading a FHIR page of 200 slots: from the bytes of the answer to the values that are offered.

The page is the reference server's own, so it holds what a real one holds beside the times (version,
schedule, service type, links). In: JSON, checks of every entry, moments with their time zone. Out:
the network. Compared with ``json.loads`` of the same bytes, which checks nothing.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import httpx

from bench.parts import NOW
from bench.rows import Limit, Measure, Row
from wonmu.clock import FixedClock
from wonmu.emr.bench import bench_plan
from wonmu.emr.fhir.parsing import parse_slot_page
from wonmu.emr.seed import seed
from wonmu.emr.server.app import create_app
from wonmu.emr.sql import open_embedded

SLOTS = 200
ROUNDS = 200
WARM_UP = 20
"""Rounds that are not counted."""


async def page() -> bytes:
    """One page of the reference server with 200 slots."""
    clock = FixedClock(NOW)
    with tempfile.TemporaryDirectory(prefix="wonmu-bench-") as name:
        records = await open_embedded(str(Path(name) / "records.sqlite"), clock)
        try:
            await seed(records, bench_plan(4 * SLOTS), NOW, Random(1))
            app = httpx.ASGITransport(create_app(records, clock), client=("127.0.0.1", 1))
            async with httpx.AsyncClient(transport=app, base_url="http://records.test") as http:
                answer = await http.get(f"/fhir/Slot?_sort=start&_count={SLOTS}")
        finally:
            await records.close()
    return answer.content


def milliseconds(work: Callable[[bytes], object], body: bytes) -> float:
    began = time.perf_counter()
    work(body)
    return (time.perf_counter() - began) * 1000


def measure() -> list[Row]:
    body = asyncio.run(page())
    if len(parse_slot_page(body).slots) != SLOTS:
        raise RuntimeError(f"the page has not {SLOTS} slots; the figure would mean nothing")
    pairs = [
        (milliseconds(parse_slot_page, body), milliseconds(json.loads, body))
        for _ in range(WARM_UP + ROUNDS)
    ][WARM_UP:]
    ours, plain = zip(*pairs, strict=True)
    limits = (Limit(Measure.MEDIAN, 2),)
    return [Row(f"FHIR page of {SLOTS} slots", "ms", ours, "json.loads", plain, limits)]
