"""Each fault happens as written; a faults file means one thing or is refused (A7-A9, B4)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from emr_parts import KIM, NOW, ORTHO, free_slots, intent, query, small_emr

from wonmu import loop
from wonmu.emr.fault_plan import READS, WRITES, FaultKind, FaultPlan, FaultRule, load_faults
from wonmu.emr.faults import FaultyEmr
from wonmu.emr.port import Booked, PatientQuery, SlotStatus, Taken, Window
from wonmu.errors import EmrFailure, EmrFault, InputError
from wonmu.ids import BookingKey

pytestmark = pytest.mark.service
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "faults.yaml"


def test_latency_takes_loop_time_and_then_answers(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            slow = FaultyEmr(
                emr, FaultPlan((FaultRule("find_slots", FaultKind.LATENCY, 5.0, times=2),))
            )
            for expected in (5.0, 5.0, 0.0):
                began = asyncio.get_running_loop().time()
                assert (await slow.find_slots(query())).slots
                took = asyncio.get_running_loop().time() - began
                assert expected <= took < expected + 1.0

    loop.run(main)


def test_after_and_times_count_matching_requests_only(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            rule = FaultRule("departments", FaultKind.ERROR, after=1, times=1)
            faulty = FaultyEmr(emr, FaultPlan((rule,)))
            await faulty.doctors(ORTHO)
            await faulty.departments()
            with pytest.raises(EmrFailure) as caught:
                await faulty.departments()
            assert caught.value.fault is EmrFault.UNREACHABLE
            await faulty.departments()

    asyncio.run(main())


def test_a_hang_with_a_length_breaks_the_connection(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            (slot,) = await free_slots(emr)
            faulty = FaultyEmr(emr, FaultPlan((FaultRule("book", FaultKind.HANG, 0.0),)))
            with pytest.raises(TimeoutError):
                await faulty.book(intent(slot))
            assert await emr.lookup_key(BookingKey("k1")) is None

    asyncio.run(main())


def test_a_lost_reply_has_written(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            (slot,) = await free_slots(emr)
            faulty = FaultyEmr(emr, FaultPlan((FaultRule("any", FaultKind.LOST_REPLY, 0.0),)))
            with pytest.raises(TimeoutError):
                await faulty.book(intent(slot))
            assert await faulty.lookup_key(BookingKey("k1")) is not None

    asyncio.run(main())


def test_a_taken_slot_is_really_taken(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            one, two, three = await free_slots(emr, 3)
            rule = FaultRule("any", FaultKind.TAKEN_SLOT)
            faulty = FaultyEmr(emr, FaultPlan((rule,)), emr)
            assert await faulty.book(intent(one)) == Taken(one.id)
            seen = await faulty.read_slot(two.id)
            assert seen is not None
            assert seen.status is SlotStatus.BUSY
            held = await faulty.hold(three, BookingKey("h"), timedelta(seconds=9))
            assert held == Taken(three.id)

    asyncio.run(main())


def test_a_stale_list_shows_what_is_gone(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            rule = FaultRule("find_slots", FaultKind.STALE_LIST, count=2)
            faulty = FaultyEmr(emr, FaultPlan((rule,)), emr)
            first, second, third, *_ = (await faulty.find_slots(query())).slots
            assert first.status is SlotStatus.FREE
            assert await emr.book(intent(first)) == Taken(first.id)
            assert await emr.book(intent(second, "k2")) == Taken(second.id)
            assert isinstance(await emr.book(intent(third, "k3")), Booked)

    asyncio.run(main())


def test_empty_looks_honest(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            faulty = FaultyEmr(emr, FaultPlan((FaultRule("any", FaultKind.EMPTY),)))
            assert (await faulty.find_slots(query())).slots == ()
            assert await faulty.find_patients(PatientQuery(name="김민수")) == ()
            assert await faulty.departments() == ()
            assert await faulty.doctors(ORTHO) == ()
            assert await faulty.appointments(KIM, Window(NOW, NOW + timedelta(days=30))) == ()
            (slot,) = await free_slots(emr)
            assert await faulty.read_slot(slot.id) is None
            assert isinstance(await faulty.book(intent(slot)), Booked)

    asyncio.run(main())


def test_every_request_of_the_port_can_fail(tmp_path: Path) -> None:
    async def main() -> None:
        async with small_emr(tmp_path) as emr:
            (slot,) = await free_slots(emr)
            faulty = FaultyEmr(emr, FaultPlan((FaultRule("any", FaultKind.INVALID),)))
            key, name = BookingKey("k1"), (await emr.appointments(
                KIM, Window(NOW, NOW + timedelta(days=30))))[0].id  # fmt: skip
            requests = {
                "find_slots": lambda: faulty.find_slots(query()),
                "find_patients": lambda: faulty.find_patients(PatientQuery(name="x")),
                "read_slot": lambda: faulty.read_slot(slot.id),
                "departments": faulty.departments,
                "doctors": lambda: faulty.doctors(ORTHO),
                "appointments": lambda: faulty.appointments(KIM, Window(NOW, NOW)),
                "lookup_key": lambda: faulty.lookup_key(key),
                "read_appointment": lambda: faulty.read_appointment(name),
                "book": lambda: faulty.book(intent(slot)),
                "reschedule": lambda: faulty.reschedule(name, intent(slot)),
                "cancel": lambda: faulty.cancel(name, key),
                "hold": lambda: faulty.hold(slot, key, timedelta(seconds=1)),
                "release": lambda: faulty.release(slot.id, key),
            }
            assert set(requests) == READS | WRITES
            for op, request in requests.items():
                with pytest.raises(EmrFailure) as caught:
                    await request()  # type: ignore[no-untyped-call]
                assert (caught.value.doing, caught.value.outcome_known) == (op, op in READS)

    asyncio.run(main())


def test_the_example_file_loads() -> None:
    plan = load_faults(EXAMPLE)
    assert [rule.kind.value for rule in plan.rules] == [
        "latency",
        "error",
        "stale_list",
        "taken_slot",
        "lost_reply",
    ]
    assert plan.rules[0] == FaultRule("find_slots", FaultKind.LATENCY, 5.0, times=1)
    assert plan.rules[1].error is EmrFault.UNREACHABLE
    assert plan.rules[2] == FaultRule("find_slots", FaultKind.STALE_LIST, count=2, after=3, times=1)


def test_an_empty_file_is_no_faults(tmp_path: Path) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text("# nothing\n", encoding="utf-8")
    assert load_faults(file) == FaultPlan()


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("op: book", 1, "the file"),
        ("- book", 1, "a rule"),
        ("- {op: book}", 1, "kind"),
        ("- {kind: hang}", 1, "op"),
        ("\n- {op: book,\n   kind: hung}", 3, "kind"),
        ("- {op: boook, kind: hang}", 1, "op"),
        ("- {op: book, kind: hang, sekonds: 3}", 1, "sekonds"),
        ("- {op: book, kind: hang, kind: hang}", 1, "kind"),
        ("- {op: book, kind: hang, seconds: '3'}", 1, "seconds"),
        ("- {op: book, kind: hang, seconds: -1}", 1, "seconds"),
        ("- {op: book, kind: hang, seconds: .nan}", 1, "seconds"),
        ("- {op: book, kind: hang, seconds: .inf}", 1, "seconds"),
        ("- {op: book, kind: hang, seconds: true}", 1, "seconds"),
        ("- {op: book, kind: hang, times: 0}", 1, "times"),
        ("- {op: book, kind: hang, times: 1.5}", 1, "times"),
        ("- {op: book, kind: hang, after: -1}", 1, "after"),
        ("- {op: book, kind: hang, after: [1]}", 1, "after"),
        ("- {op: book, kind: hang, op: any}", 1, "op"),
        ("- {op: find_slots, kind: latency}", 1, "seconds"),
        ("- {op: book, kind: error, seconds: 1}", 1, "seconds"),
        ("- {op: book, kind: error, error: tired}", 1, "error"),
        ("- {op: book, kind: hang, error: broken}", 1, "error"),
        ("- {op: book, kind: empty}", 1, "op"),
        ("- {op: find_slots, kind: lost_reply}", 1, "op"),
        ("- {op: book, kind: stale_list}", 1, "op"),
        ("- {op: departments, kind: taken_slot}", 1, "op"),
        ("- {op: find_slots, kind: hang, count: 2}", 1, "count"),
        ("- {op: yes, kind: hang}", 1, "op"),
        ("- {op: book, kind: hang}\n- }", 2, "is not YAML"),
    ],
)
def test_a_mistake_names_file_line_and_field(
    tmp_path: Path, text: str, line: int, field: str
) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_faults(file)
    message = str(caught.value)
    assert str(file) in message
    assert f"line {line}:" in message
    assert field in message


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.yaml: cannot be read"):
        load_faults(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="cannot be read"):
        load_faults(tmp_path)
    odd = tmp_path / "odd.yaml"
    odd.write_bytes("- {op: book, kind: 지연}".encode("cp949"))
    with pytest.raises(InputError, match="UTF-8"):
        load_faults(odd)
