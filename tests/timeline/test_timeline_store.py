"""The store against a real database: order, append-only, concurrency, death, a failing disk."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError, OperationalError
from stores import StoreAt
from timeline_calls import booking_lines, build

from wonmu.clock import SEOUL, FixedClock
from wonmu.errors import InputError, StoreFailure
from wonmu.ids import CallId, CountingIds
from wonmu.loop import INSTANT
from wonmu.loop import run as loop_run
from wonmu.storage import writing
from wonmu.timeline.events import Event, Kind, Status
from wonmu.timeline.record import Recorder
from wonmu.timeline.store import WRITE_SECONDS, TimelineStore
from wonmu.timeline.tables import MIGRATIONS, metadata

pytestmark = pytest.mark.service

NOW = datetime(2026, 12, 1, 10, tzinfo=SEOUL)


def recorder(call: str = "call-1") -> Recorder:
    return Recorder(CallId(call), FixedClock(NOW), CountingIds())


def write_call(rec: Recorder, events: int = 10) -> None:
    span = rec.start(Kind.CALL_STARTED, {"hospital": "h", "caller": "01000001234"})
    for turn in range(events):
        rec.write(Kind.CALLER_HEARD, {"text": f"네 {turn}", "turn": turn, "barge_in": False})
    rec.end(span, Status.SUCCESS, {"reason": "caller_hangup"})


def test_events_come_back_equal_and_in_order(store_at: StoreAt) -> None:
    async def run() -> None:
        store = await TimelineStore.open(store_at("timeline"))
        rec = recorder()
        rec.write(Kind.FAULT, {"where": "before the sink"})
        rec.add_sink(store.sink(rec))
        write_call(rec)
        rec.write(Kind.FAULT, {"deep": {"a": [1, 2.5, None, True, "한글 😀"]}, "half": "\ud83d"})
        assert await store.flush()
        assert await store.events(CallId("call-1")) == tuple(rec.events)
        assert await store.events(CallId("call-9")) == ()
        assert await store.close() == 0

    asyncio.run(run())


def test_calls_are_listed_newest_first_and_kept_between_openings(store_at: StoreAt) -> None:
    async def run() -> None:
        path = store_at("timeline")
        store = await TimelineStore.open(path)
        clock = FixedClock(NOW)
        for name in ("call-1", "call-2"):
            rec = Recorder(CallId(name), clock, CountingIds())
            rec.add_sink(store.sink(rec))
            write_call(rec) if name == "call-1" else rec.write(Kind.HANGUP)
            clock.advance(60)
        assert await store.close() == 0
        again = await TimelineStore.open(path)
        first, second = await again.calls()
        assert (first.call_id, first.events, first.ended) == ("call-2", 1, False)
        assert (second.call_id, second.events, second.ended) == ("call-1", 12, True)
        assert second.started == NOW
        await again.close()

    asyncio.run(run())


def test_the_background_task_writes_without_being_asked(store_at: StoreAt) -> None:
    async def run() -> None:
        store = await TimelineStore.open(store_at("timeline"))
        rec = recorder()
        rec.add_sink(store.sink(rec))
        write_call(rec)
        async with asyncio.timeout(5):
            await store.stored()
        assert await store.events(CallId("call-1")) == tuple(rec.events)
        await store.close()

    asyncio.run(run())


def test_an_event_costs_the_talk_microseconds(store_at: StoreAt) -> None:
    async def run() -> float:
        store = await TimelineStore.open(store_at("timeline"))
        rec = recorder()
        sink = store.sink(rec)
        rec.events.extend(build(booking_lines()) * 100)
        began = time.perf_counter()
        for place in range(1, len(rec.events) + 1):
            sink(_numbered(rec.events[place - 1], place))
        cost = (time.perf_counter() - began) / len(rec.events)
        rec.events.clear()
        store._queue.clear()
        await store.close()
        return cost

    assert asyncio.run(run()) < 50e-6


def _numbered(event: Event, seq: int) -> Event:
    return Event(event.call_id, seq, event.at, event.mono, event.kind, None, None, event.data)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE timeline_event SET data = '{}'",
        "DELETE FROM timeline_event",
        "INSERT INTO timeline_event SELECT * FROM timeline_event LIMIT 1",
        "TRUNCATE timeline_event",
    ],
)
def test_the_database_refuses_to_change_what_happened(
    store_at: StoreAt, backend: str, statement: str
) -> None:
    if backend == "sqlite" and statement.startswith("TRUNCATE"):
        pytest.skip("SQLite has no such statement")
    _stored(store_at("timeline"))

    async def run() -> None:
        store = await TimelineStore.open(store_at("timeline"))
        with pytest.raises(DBAPIError, match=r"append-only|UNIQUE|pk_timeline_event"):
            async with writing(store._engine) as connection:
                await connection.execute(text(statement))
        assert len(await store.events(CallId("call-1"))) == 12
        await store.close()

    asyncio.run(run())


def _stored(where: Path | str) -> None:
    async def run() -> None:
        store = await TimelineStore.open(str(where))
        rec = recorder()
        rec.add_sink(store.sink(rec))
        write_call(rec)
        assert await store.close() == 0

    asyncio.run(run())


def test_many_calls_at_once_each_keep_their_events(store_at: StoreAt) -> None:
    async def call(store: TimelineStore, rec: Recorder) -> None:
        rec.add_sink(store.sink(rec))
        for turn in range(50):
            rec.write(Kind.TURN_WAITING, {"turn": turn})
            await asyncio.sleep(0)

    async def run() -> None:
        path = store_at("timeline")
        stores = [await TimelineStore.open(path) for _ in range(3)]
        recs = [recorder(f"call-{n}") for n in range(30)]
        await asyncio.gather(*(call(stores[n % 3], rec) for n, rec in enumerate(recs)))
        assert [await store.close() for store in stores] == [0, 0, 0]
        reader = await TimelineStore.open(path)
        for rec in recs:
            assert await reader.events(rec.call_id) == tuple(rec.events)
        await reader.close()

    asyncio.run(run())


def test_a_second_event_of_one_number_is_refused_and_the_rest_kept(store_at: StoreAt) -> None:
    async def run() -> None:
        store = await TimelineStore.open(store_at("timeline"))
        first, second = recorder(), recorder()
        for rec, word in ((first, "a"), (second, "b")):
            rec.add_sink(store.sink(rec))
            rec.write(Kind.FAULT, {"where": word})
        second.write(Kind.HANGUP)
        assert await store.flush()
        stored = await store.events(CallId("call-1"))
        assert stored == (first.events[0], second.events[1])
        assert store.refused == 1
        await store.close()

    asyncio.run(run())


def test_a_failing_disk_never_stops_the_call_and_nothing_is_lost(
    store_at: StoreAt, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        store = await TimelineStore.open(store_at("timeline"), retry_seconds=0.001)
        real = store._store
        error = OperationalError("INSERT 010-0000-1234", {"x": "010-0000-1234"}, OSError("full"))

        async def broken(batch: object) -> None:
            raise error

        store._store = broken  # type: ignore[method-assign]
        rec = recorder()
        rec.add_sink(store.sink(rec))
        write_call(rec)
        assert not await store.flush()
        assert store.failed
        store._store = real  # type: ignore[method-assign]
        async with asyncio.timeout(5):
            await store.stored()
        assert not store.failed
        assert await store.events(CallId("call-1")) == tuple(rec.events)
        assert await store.close() == 0

    with caplog.at_level(logging.DEBUG):
        asyncio.run(run())
    ours = [r.getMessage() for r in caplog.records if r.name.startswith("wonmu")]
    assert any("wait" in line for line in ours)
    assert not any("0000" in line or "네" in line for line in ours)


def test_a_lost_answer_to_a_commit_does_not_double_anything(store_at: StoreAt) -> None:
    async def run() -> None:
        store = await TimelineStore.open(store_at("timeline"), retry_seconds=60)
        real = store._store

        async def stores_and_fails(batch: list[Event]) -> None:
            await real(batch)
            raise OSError("the answer was lost")

        store._store = stores_and_fails  # type: ignore[assignment, method-assign]
        rec = recorder()
        rec.add_sink(store.sink(rec))
        write_call(rec)
        assert not await store.flush()
        store._store = real  # type: ignore[method-assign]
        assert await store.flush()
        assert store.refused == 0
        assert await store.events(CallId("call-1")) == tuple(rec.events)
        await store.close()

    asyncio.run(run())


def test_close_is_bounded_counts_what_it_could_not_store_and_may_come_twice(
    store_at: StoreAt,
) -> None:
    async def run() -> None:
        store = await TimelineStore.open(store_at("timeline"))

        async def hangs(batch: object) -> None:
            await asyncio.Event().wait()

        store._store = hangs  # type: ignore[method-assign]
        rec = recorder()
        rec.add_sink(store.sink(rec))
        write_call(rec)
        began = time.monotonic()
        assert await store.close(limit_seconds=0.1) == len(rec.events)
        assert time.monotonic() - began < 2
        rec.write(Kind.HANGUP)
        assert await store.close() == 12

    asyncio.run(run())


def test_what_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "timeline.sqlite"
    path.write_text("기록이 아닙니다")

    with pytest.raises(InputError):
        asyncio.run(TimelineStore.open(str(path)))
    assert path.read_text() == "기록이 아닙니다"


def test_a_kind_that_we_do_not_know_is_a_store_failure(tmp_path: Path) -> None:
    path = tmp_path / "timeline.sqlite"
    _stored(path)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "INSERT INTO timeline_event SELECT call_id, 99, at, mono, 'moon.landed', status, span,"
            " data, v FROM timeline_event LIMIT 1"
        )

    async def run() -> None:
        store = await TimelineStore.open(str(path))
        with pytest.raises(StoreFailure):
            await store.events(CallId("call-1"))
        await store.close()

    asyncio.run(run())


CHILD = """
import asyncio, sys
from datetime import datetime
from wonmu.clock import SEOUL, FixedClock
from wonmu.ids import CallId, CountingIds
from wonmu.loop import INSTANT
from wonmu.loop import run as loop_run
from wonmu.storage import writing
from wonmu.timeline.events import Kind
from wonmu.timeline.record import Recorder
from wonmu.timeline.store import WRITE_SECONDS, TimelineStore

async def main():
    store = await TimelineStore.open(sys.argv[1])
    clock = FixedClock(datetime(2026, 12, 1, 10, tzinfo=SEOUL))
    rec = Recorder(CallId("call-1"), clock, CountingIds())
    rec.add_sink(store.sink(rec))
    while True:
        for _ in range(20):
            rec.write(Kind.TURN_WAITING, {"turn": len(rec.events)})
        assert await store.flush()
        print(len(rec.events), flush=True)

asyncio.run(main())
"""


def test_after_sigkill_everything_flushed_is_there(store_at: StoreAt) -> None:
    path = store_at("timeline")
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, path], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        flushed = [int(child.stdout.readline()) for _ in range(10)][-1]
        os.kill(child.pid, signal.SIGKILL)
        rest = child.stdout.read().split("\n")
        flushed = max([flushed, *(int(line) for line in rest[:-1])])

    async def read() -> tuple[Event, ...]:
        store = await TimelineStore.open(path)
        events = await store.events(CallId("call-1"))
        await store.close()
        return events

    events = asyncio.run(read())
    assert len(events) >= flushed
    assert [event.seq for event in events] == list(range(1, len(events) + 1))


def test_migrations_give_what_the_tables_say(tmp_path: Path) -> None:
    from wonmu.migrate import difference, upgrade
    from wonmu.storage import version_table

    table = version_table(MIGRATIONS)
    migrated = create_engine(f"sqlite:///{tmp_path / 'migrated.sqlite'}")
    created = create_engine(f"sqlite:///{tmp_path / 'created.sqlite'}")
    with migrated.begin() as connection:
        upgrade(connection, MIGRATIONS, table)
        assert difference(connection, metadata, table) == []
    metadata.create_all(created)
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
    found = []
    for engine in (migrated, created):
        with engine.connect() as connection:
            found.append([tuple(row) for row in connection.exec_driver_sql(query)])
        engine.dispose()
    assert found[0] == found[1]
    assert len(found[0]) == 2


def test_host_time_zone_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "timeline.sqlite"
    _stored(path)
    script = (
        "import asyncio, sys\nfrom wonmu.timeline.store import TimelineStore\n"
        "async def main():\n"
        "    store = await TimelineStore.open(sys.argv[1])\n"
        "    print((await store.events('call-1'))[0].to_json()['at'])\n"
        "    await store.close()\n"
        "asyncio.run(main())\n"
    )
    for zone in ("UTC", "America/New_York"):
        done = subprocess.run(
            [sys.executable, "-c", script, str(path)],
            env={**os.environ, "TZ": zone}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.strip() == "2026-12-01T01:00:00+00:00"


def test_events_wait_for_the_agent_to_wait_but_not_for_long(store_at: StoreAt) -> None:
    """A write in the middle of a turn would compete with the answer to the caller."""

    async def main() -> list[float]:
        store = await TimelineStore.open(store_at("timeline"))
        loop = asyncio.get_running_loop()
        rec = recorder()
        rec.add_sink(store.sink(rec))
        waited = []
        for more in ((), (Kind.TURN_WAITING,)):
            began = loop.time()
            for kind in (Kind.CALLER_HEARD, *more):
                rec.write(kind, {"turn": 1})
            await asyncio.wait_for(store.stored(), 5)
            waited.append(loop.time() - began)
        assert len(await store.events(rec.call_id)) == 3
        await store.close()
        return waited

    lone, with_waiting = loop_run(main, speed=INSTANT)
    assert lone == pytest.approx(WRITE_SECONDS, abs=0.05)
    assert with_waiting < WRITE_SECONDS / 2
