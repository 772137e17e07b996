"""Writers on PostgreSQL take turns, readers wait for nobody; what breaks is told apart (B4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pg_cluster import Cluster
from sqlalchemy import Column, Integer, MetaData, Table, insert, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from wonmu import postgres
from wonmu.postgres import parse
from wonmu.storage import close_engine, filling, open_engine, reading, writing

pytestmark = pytest.mark.service

NUMBERS = MetaData()
TABLE = Table("t", NUMBERS, Column("id", Integer, primary_key=True), Column("n", Integer))


@asynccontextmanager
async def numbers(url: str) -> AsyncIterator[AsyncEngine]:
    engine = await open_engine(url, NUMBERS, "1", "x.t.migrations")
    try:
        yield engine
    finally:
        await close_engine(engine)


def test_what_was_read_before_writing_still_holds(database: str) -> None:
    """Two processes add one to the same number many times; without turns some would be lost."""

    async def add(engine: AsyncEngine, times: int) -> None:
        for _ in range(times):
            async with writing(engine) as connection:
                n = (await connection.scalars(select(TABLE.c.n))).one()
                await connection.execute(TABLE.update().values(n=n + 1))

    async def main() -> None:
        async with numbers(database) as one, numbers(database) as two:
            async with writing(one) as connection:
                await connection.execute(insert(TABLE).values(id=1, n=0))
            await asyncio.gather(add(one, 20), add(two, 20), add(one, 10))
            async with reading(one) as connection:
                assert await connection.scalar(select(TABLE.c.n)) == 50

    asyncio.run(main())


def test_a_read_is_from_one_moment_and_waits_for_nobody(database: str) -> None:
    async def main() -> None:
        async with numbers(database) as engine, numbers(database) as other:
            async with reading(engine) as before:
                assert (await before.execute(select(TABLE))).all() == []
                async with writing(other) as connection:
                    await connection.execute(insert(TABLE).values(id=1))
                    async with reading(engine) as meanwhile:
                        assert (await meanwhile.execute(select(TABLE))).all() == []
                assert (await before.execute(select(TABLE))).all() == []
            with pytest.raises(DBAPIError, match="read-only"):
                async with reading(engine) as connection:
                    await connection.execute(insert(TABLE).values(id=2))

    asyncio.run(main())


def test_a_turn_that_does_not_come_is_a_limit_not_a_wait(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "LOCK_SECONDS", 0.05)

    async def main() -> None:
        async with numbers(database) as engine, numbers(database) as other:
            async with writing(engine) as connection:
                await connection.execute(insert(TABLE).values(id=1))
                with pytest.raises(DBAPIError) as caught:
                    async with writing(other):
                        raise AssertionError("two at once")
                assert postgres.waited_too_long(caught.value)
                assert postgres.certainly_undone(caught.value)
                async with writing(other, alone=False) as beside:
                    await beside.execute(insert(TABLE).values(id=2))
            async with filling(other) as connection:
                assert len((await connection.execute(select(TABLE))).all()) == 2

    asyncio.run(main())


def test_a_deadlock_with_somebody_past_us_is_a_collision(database: str) -> None:
    """Whoever looks again after a collision looks again after a deadlock, too."""

    async def main() -> None:
        async with numbers(database) as engine, numbers(database) as stranger:
            async with writing(engine) as connection:
                await connection.execute(insert(TABLE), [{"id": 1, "n": 0}, {"id": 2, "n": 0}])
            change = {n: TABLE.update().where(TABLE.c.id == n).values(n=1) for n in (1, 2)}
            async with stranger.begin() as past:
                await past.execute(text("SET LOCAL lock_timeout = 0"))
                # Whose wait is looked at first is the one that is given up: ours.
                await past.execute(text("SET LOCAL deadlock_timeout = '60s'"))
                await past.execute(change[2])
                waiting: list[asyncio.Task[object]] = []

                async def collide() -> None:
                    async with writing(engine) as connection:
                        await connection.execute(text("SET LOCAL deadlock_timeout = '10ms'"))
                        await connection.execute(change[1])
                        waiting.append(asyncio.create_task(past.execute(change[1])))
                        await connection.execute(change[2])

                with pytest.raises(IntegrityError) as caught:
                    await collide()
                assert postgres.sqlstate(caught.value) == "40P01"
                await asyncio.gather(*waiting)

    asyncio.run(main())


def test_a_connection_that_broke_is_replaced_and_told_apart(
    cluster: Cluster, database: str
) -> None:
    name = parse(database).database
    # With the second argument it waits until they are gone.
    end = f"SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity WHERE datname = '{name}'"

    async def main() -> None:
        async with numbers(database) as engine:
            await asyncio.to_thread(cluster.sql, end)
            for _ in range(5):
                await asyncio.sleep(0)  # the loop passes on what the socket has said
            async with writing(engine) as connection:
                await connection.execute(insert(TABLE).values(id=1))

            async def cut_off() -> None:
                async with writing(engine) as connection:
                    await asyncio.to_thread(cluster.sql, end)
                    await connection.execute(insert(TABLE).values(id=2))

            with pytest.raises(DBAPIError) as caught:
                await cut_off()
            assert postgres.lost_connection(caught.value)
            assert not postgres.certainly_undone(caught.value)
            async with reading(engine) as connection:
                assert (await connection.scalars(select(TABLE.c.id))).all() == [1]

    asyncio.run(main())
