"""Many writers, several processes, a killed one: one request per slot (B4, N2, N7)."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from desk_parts import booking, person
from stores import StoreAt

from wonmu.desk.inbox import Inbox, open_inbox
from wonmu.desk.records import Recorded, SlotTaken
from wonmu.ids import SlotId

pytestmark = pytest.mark.service


def test_races_leave_one_request_per_slot(store_at: StoreAt) -> None:
    path = store_at("desk")

    async def main() -> None:
        boxes = [await open_inbox(path) for _ in range(4)]
        results = await asyncio.gather(
            *(
                boxes[n % 4].record_request(booking(f"k{n}", f"s{n % 5}", patient=person(n)))
                for n in range(40)
            )
        )
        assert sum(isinstance(result, Recorded) for result in results) == 5
        assert sum(isinstance(result, SlotTaken) for result in results) == 35
        rows = await boxes[0].rows()
        assert Counter(row.slot_id for row in rows) == {SlotId(f"s{n}"): 1 for n in range(5)}
        for box in boxes:
            await box.close()

    asyncio.run(main())


def test_the_same_key_in_parallel_is_one_row(store_at: StoreAt) -> None:
    path = store_at("desk")

    async def main() -> None:
        boxes = [await open_inbox(path) for _ in range(3)]
        results = await asyncio.gather(*(boxes[n % 3].record_request(booking()) for n in range(12)))
        assert [isinstance(r, Recorded) and r.replayed for r in results].count(False) == 1
        assert len(await boxes[0].rows()) == 1
        for box in boxes:
            await box.close()

    asyncio.run(main())


def _race(path: str, number: int, answers: Any, gate: Any) -> None:
    async def main() -> None:
        inbox = await open_inbox(path)
        gate.wait()
        result = await inbox.record_request(booking(f"k{number}", patient=person(number)))
        answers.put(type(result).__name__)
        await inbox.close()

    asyncio.run(main())


def test_two_processes_race_for_one_slot_of_a_fresh_file(store_at: StoreAt) -> None:
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    gate = context.Barrier(2)
    path = store_at("desk")
    children = [
        context.Process(target=_race, args=(path, number, answers, gate)) for number in (1, 2)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join(20)
        assert child.exitcode == 0
    assert sorted(answers.get() for _ in children) == ["Recorded", "SlotTaken"]


_WRITER = """
import asyncio, sys
sys.path.insert(0, {tests!r})
from desk_parts import booking
from wonmu.desk.inbox import open_inbox
async def main():
    inbox = await open_inbox({path!r})
    await inbox.record_request(booking())
    print("written", flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


def test_a_written_request_survives_a_kill(store_at: StoreAt) -> None:
    path = store_at("desk")
    code = _WRITER.format(tests=os.path.dirname(__file__), path=path)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"written\n"
        child.send_signal(signal.SIGKILL)

    async def main() -> None:
        inbox: Inbox = await open_inbox(path)
        assert [row.key for row in await inbox.rows()] == ["k1"]
        await inbox.close()

    asyncio.run(main())
