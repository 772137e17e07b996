"""Searching: the quick way through the database and the slow one through resources agree."""

from __future__ import annotations

import asyncio
from datetime import date, datetime, time, timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server_parts import Here, booking, here

from wonmu.clock import SEOUL
from wonmu.emr.server.kinds import SLOTS
from wonmu.emr.server.params import Criterion, Param, Type, matches
from wonmu.emr.server.query import read_query
from wonmu.emr.server.rules import ServerRules, SlotOwner
from wonmu.emr.server.search import all_matches
from wonmu.emr.server.values import date_range

pytestmark = pytest.mark.service

BASE = "http://records.test/fhir"
STARTS = Param("start", Type.DATE, "start")


def test_the_quick_search_finds_what_the_slow_one_finds(tmp_path: Path) -> None:
    async def main() -> int:
        async with here(tmp_path, SlotOwner.SERVER) as it:
            await _some_changes(it)
            rng, quick = Random(3), 0
            for _ in range(60):
                quick += await _agree(it, _some_search(rng))
            return quick

    assert asyncio.run(main()) > 20, "the quick way must have been taken"


async def _some_changes(it: Here) -> None:
    """Holds that live, holds that lapsed, bookings."""
    slots = await it.free(6)
    for number, slot in enumerate(slots[:2]):
        await it.post("/Appointment", booking(slot, f"k{number}"))
    offered = await it.found("/Appointment/$find?start=2026-12-04&end=2026-12-05&_count=2")
    for appointment in offered:
        link = {"reference": f"Appointment/{appointment['id']}"}
        parameter = {"name": "appointment-reference", "valueReference": link}
        body = {"resourceType": "Parameters", "parameter": [parameter]}
        assert (await it.post("/Appointment/$hold", body)).status_code == 200
        it.clock.advance(80)


def _some_search(rng: Random) -> list[tuple[str, str]]:
    pairs = []
    if rng.random() < 0.7:
        doctors = rng.sample(["d1", "d2", "d3", "Schedule/d1", "Practitioner/d2"], 2)
        pairs.append(("schedule", ",".join(doctors)))
    for _ in range(rng.randrange(3)):
        day = date(2026, 12, 1) + timedelta(days=rng.randrange(9))
        moment = rng.choice(["", "T09:00:00%+09:00", "T10:30:00Z", "T09:30%+09:00"]).replace(
            "%", ""
        )
        prefix = rng.choice(["ge", "lt", "gt", "le", "sa", "eb", "eq", ""])
        pairs.append(("start", f"{prefix}{day.isoformat()}{moment}"))
    if rng.random() < 0.7:
        pairs.append(("status", rng.choice(["free", "free", "|free", "busy", "free,busy"])))
    if rng.random() < 0.8:
        pairs.append(("_sort", "start"))
    return [*pairs, ("_count", str(rng.randrange(1, 30))), ("_offset", str(rng.randrange(20)))]


async def _agree(it: Here, pairs: list[tuple[str, str]]) -> bool:
    async with it.server.store.read(BASE) as tx:
        query = read_query("Slot", pairs, ServerRules())
        quick = await SLOTS.page(tx, query)
        if quick is None:
            return False
        slow = await all_matches(tx, "Slot", query)
        hits, total = quick
        assert total == len(slow), pairs
        assert hits == slow[query.offset : query.offset + query.count], pairs
    return True


@pytest.mark.parametrize(
    ("prefix", "at", "found"),
    [
        ("ge", "2026-12-08T09:00:00+09:00", True),
        ("gt", "2026-12-08T09:00:00+09:00", False),
        ("le", "2026-12-08T09:00:00+09:00", True),
        ("lt", "2026-12-08T09:00:00+09:00", False),
        ("lt", "2026-12-08T00:00:01Z", True),
        ("", "2026-12-08T00:00:00Z", True),
        ("eq", "2026-12-08", True),
        ("ne", "2026-12-08", False),
        ("sa", "2026-12-07", True),
        ("sa", "2026-12-08", False),
        ("eb", "2026-12-09", True),
        ("eb", "2026-12-08", False),
        ("gt", "2026-12-08", False),
        ("ge", "2026-12", True),
        ("lt", "2027", True),
        ("", "2026-12-08T09:00+09:00", True),
    ],
)
def test_prefixes_on_a_moment(prefix: str, at: str, found: bool) -> None:
    slot = {"start": "2026-12-08T09:00:00+09:00"}
    assert matches(Criterion(STARTS, None, (prefix + at,)), slot, BASE) is found


@given(st.dates(min_value=date(1950, 1, 1), max_value=date(2100, 1, 1)), st.times())
def test_a_whole_day_is_the_day_of_seoul(on: date, at: time) -> None:
    day = date_range(on.isoformat())
    assert day is not None
    local = datetime.combine(on, at.replace(microsecond=0, fold=0), SEOUL)
    exact = date_range(local.isoformat())
    assert exact is not None
    assert day.low <= exact.low < day.high


@pytest.mark.parametrize(
    "text", ["", "2026-13-01", "2026-1-1", "tomorrow", "2026-12-08T25:00:00Z", "2026-12-08 09:00"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert date_range(text) is None


def test_a_comma_can_be_part_of_a_value(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            (slot,) = await it.free()
            await it.post("/Appointment", booking(slot, "a,b"))
            assert len(await it.found("/Appointment?identifier=a\\,b")) == 1
            assert await it.found("/Appointment?identifier=a,b") == []

    asyncio.run(main())


def test_missing_and_not_and_parts_of_names(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            whole = (await it.get("/Patient?_summary=count")).json()["total"]
            assert whole == 46
            missing = (await it.get("/Patient?gender:missing=true&_count=0")).json()["total"]
            assert missing == whole
            (found,) = await it.found("/Patient?name:exact=김민수")
            assert found["id"] == "p-0001"
            assert await it.found("/Patient?name=민수&birthdate=1985-03-12") == []
            (again,) = await it.found("/Patient?name:contains=민수&birthdate=1985-03-12")
            assert again["id"] == "p-0001"
            busy = await it.found("/Slot?schedule=d1&status:not=free&_count=200")
            assert {each["status"] for each in busy} == {"busy"}

    asyncio.run(main())


def test_what_was_ignored_is_said_without_its_value(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            bundle = (await it.get("/Patient?_count=1&nickname=김민수")).json()
            said = bundle["entry"][-1]
            assert said["search"]["mode"] == "outcome"
            assert "nickname" in said["resource"]["issue"][0]["diagnostics"]
            assert "김민수" not in str(said["resource"])

    asyncio.run(main())


def test_links_carry_the_search_on(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            path = "/Slot?schedule=d1,d2&start=ge2026-12-02T00:00:00%2B09:00&_sort=-start&_count=9"
            pages = 0
            seen: list[str] = []
            following: str | None = path
            while following:
                bundle = (await it.http.get(following)).json()
                seen += [entry["resource"]["id"] for entry in bundle["entry"]]
                links = {each["relation"]: each["url"] for each in bundle["link"]}
                following, pages = links.get("next"), pages + 1
            assert len(seen) == len(set(seen)) == bundle["total"]
            assert pages == -(-bundle["total"] // 9)
            assert "previous" in links

    asyncio.run(main())
