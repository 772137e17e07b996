"""The seeded record system is the same every time and holds the people demos rely on (V3, D4)."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import Counter
from datetime import date, time, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from emr_parts import DOCTORS, NOW, OPEN, TODAY, plan, small_emr
from stores import StoreAt

from wonmu.clock import FixedClock
from wonmu.emr.bench import bench_slot_search
from wonmu.emr.port import PatientQuery, Window
from wonmu.emr.rows import phone_digits
from wonmu.emr.seed import seed, slots_from_rota
from wonmu.emr.show import show
from wonmu.emr.sql import open_embedded

pytestmark = pytest.mark.service


async def _everything(store: str, seed_number: int = 7, days: int = 10) -> list[dict[str, Any]]:
    emr = await open_embedded(store, FixedClock(NOW))
    await seed(emr, plan(days), NOW, Random(seed_number))
    found = [each async for each in show(emr)]
    for number in range(days + 1):
        day = TODAY + timedelta(days=number)
        found += [each async for each in show(emr, day) if each["kind"] == "slot"]
    await emr.close()
    return found


def test_the_same_source_gives_the_same_record_system(store_at: StoreAt) -> None:
    one = asyncio.run(_everything(store_at("a")))
    assert asyncio.run(_everything(store_at("b"))) == one
    assert asyncio.run(_everything(store_at("c"), seed_number=8)) != one


def test_the_host_time_zone_changes_nothing(tmp_path: Path) -> None:
    code = (
        "import sys, asyncio; sys.path[:0] = sys.argv[2:];"
        "from test_emr_seed import _everything;"
        "print(asyncio.run(_everything(sys.argv[1])))"
    )
    printed = []
    for zone in ("UTC", "America/New_York"):
        store = tmp_path / f"{zone.replace('/', '-')}.sqlite"
        folder = Path(__file__).parent
        printed.append(
            subprocess.run(
                [sys.executable, "-c", code, store, folder, folder.parent],
                env={**os.environ, "TZ": zone, "PYTHONIOENCODING": "utf-8"},
                capture_output=True,
                check=True,
            ).stdout
        )
    assert printed[0] == printed[1]
    assert b"09:00:00+09:00" in printed[0]


def test_a_quarter_of_the_calendar_is_busy_and_stays_as_it_was(store_at: StoreAt) -> None:
    short = asyncio.run(_everything(store_at("a"), days=5))
    later = asyncio.run(_everything(store_at("a"), days=10))
    at_once = asyncio.run(_everything(store_at("b"), days=10))
    slots = [each for each in later if each["kind"] == "slot"]
    assert all(each in later for each in short)
    assert slots == [each for each in at_once if each["kind"] == "slot"]
    share = Counter(each["status"] for each in slots)["busy"] / len(slots)
    assert 0.18 < share < 0.32


def test_seeding_again_changes_nothing(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            before = [each async for each in show(emr, TODAY)]
            assert await seed(emr, plan(), NOW, Random(99)) == 0
            assert [each async for each in show(emr, TODAY)] == before

    asyncio.run(main())


def test_the_people_demos_rely_on(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:

            async def names(**fields: Any) -> list[str]:
                return [each.name for each in await emr.find_patients(PatientQuery(**fields))]

            assert await names(phone="010-0000-1234") == ["김민수"]
            assert await names(phone="01000003456", birth_date=date(2019, 2, 2)) == [
                "최하윤",
                "최하준",
            ]
            assert await names(name="김영희", birth_date=date(1958, 3, 7)) == ["김영희"] * 2
            one = await names(name="김영희", birth_date=date(1958, 3, 7), phone="01000005678")
            assert one == ["김영희"]
            assert await names(phone="01000006789") == ["정재희", "정제희"]
            assert await names(name="박정수", phone="01000007890") == ["박정수"] * 2
            assert len([p async for p in show(emr) if p["kind"] == "patient"]) >= 40

    asyncio.run(main())


def test_known_patients_have_their_coming_appointments(store_at: StoreAt) -> None:
    async def main() -> None:
        async with small_emr(store_at("emr")) as emr:
            window = Window(NOW, NOW + timedelta(days=30))
            counts = {}
            for name, phone in (("김민수", "1234"), ("박지호", "2345"), ("최하윤", "3456")):
                (patient,) = await emr.find_patients(
                    PatientQuery(name=name, phone=f"0100000{phone}")
                )
                booked = await emr.appointments(patient.id, window)
                assert len({each.start.date() for each in booked}) == len(booked)
                counts[name] = len(booked)
            assert counts == {"김민수": 1, "박지호": 2, "최하윤": 0}

    asyncio.run(main())


def test_slots_fill_each_interval_with_whole_slots() -> None:
    away = date(2026, 12, 2)

    def times(doctor: str, day: date) -> tuple[tuple[time, time], ...]:
        return () if doctor == "d2" and day == away else ((time(9), time(10, 10)), OPEN[1])

    slots = list(slots_from_rota(DOCTORS[:2], times, 20, TODAY, away))
    first_day = [f"{s.start:%H:%M}" for s in slots if s.doctor_id == "d1"][:4]
    assert first_day == ["09:00", "09:20", "09:40", "13:00"]
    assert {(s.doctor_id, s.start.date()) for s in slots} == {
        ("d1", TODAY),
        ("d1", away),
        ("d2", TODAY),
    }
    assert all(s.start.utcoffset() == timedelta(hours=9) for s in slots)
    with pytest.raises(ValueError, match="minute"):
        list(slots_from_rota(DOCTORS, times, 0, TODAY, away))


@pytest.mark.parametrize(
    "spelling",
    [
        "01012345678",
        "010-1234-5678",
        "010 1234 5678",
        "+82 10-1234-5678",
        "+82-010-1234-5678",
        "+82 (0)10 1234 5678",
        "0082 10 1234 5678",
        "821012345678",
    ],
)
def test_all_spellings_of_a_phone_are_one_number(spelling: str) -> None:
    assert phone_digits(spelling) == "01012345678"


def test_other_numbers_keep_their_digits() -> None:
    assert phone_digits("02-000-1234") == "020001234"
    assert phone_digits("+82 2 000 1234") == "020001234"
    assert phone_digits("1588-0000") == "15880000"
    assert phone_digits("없음") == ""


def test_a_search_stays_fast_on_a_big_calendar(tmp_path: Path) -> None:
    """A coarse net only: the query plan is asserted elsewhere; a scan would take far longer."""
    result = asyncio.run(bench_slot_search(str(tmp_path / "big.sqlite"), 20_000, searches=40))
    assert result.slots == 20_000
    assert result.p50 < 50
