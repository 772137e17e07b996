"""The inbox: whole requests, once each, one per slot, whoever races (B2, B4, B7, N2, N7)."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, insert, text
from sqlalchemy.exc import IntegrityError

from wonmu.clock import SEOUL
from wonmu.desk.inbox import Inbox, open_inbox
from wonmu.desk.records import (
    BookingRequest,
    CallWindow,
    CancelRequest,
    DeskNote,
    DuplicateRequest,
    Recorded,
    RequestKind,
    RequestPatient,
    RequestState,
    SlotTaken,
    request_json,
)
from wonmu.desk.rows import to_columns, to_row
from wonmu.desk.tables import inbox as table
from wonmu.errors import ProgrammingError, StoreFailure
from wonmu.ids import (
    AppointmentId,
    BookingKey,
    CallId,
    DepartmentId,
    DoctorId,
    HospitalId,
    SlotId,
)

pytestmark = pytest.mark.service

NOW = datetime(2026, 12, 1, 10, 0, tzinfo=SEOUL)
START = datetime(2026, 12, 8, 14, 30, tzinfo=SEOUL)
HOSPITAL = HospitalId("demo")
SOMEONE = RequestPatient("김민수", date(1985, 3, 12), "01000001234")


def booking(key: str = "k1", slot: str = "s1", **other: Any) -> BookingRequest:
    whole = BookingRequest(
        key=BookingKey(key),
        hospital_id=HOSPITAL,
        call_id=CallId("call-1"),
        created_at=NOW,
        patient=SOMEONE,
        contact="01000001234",
        department_id=DepartmentId("ortho"),
        department="정형외과",
        doctor_id=DoctorId("d1"),
        doctor="박서준",
        slot_id=SlotId(slot),
        start=START,
        insurance="건강보험",
    )
    return replace(whole, **other)


def person(number: int) -> RequestPatient:
    return RequestPatient(f"환자{number}", date(1990, 1, 1), f"0100000{number:04d}")


def cancel(key: str) -> CancelRequest:
    return CancelRequest(
        key=BookingKey(key),
        hospital_id=HOSPITAL,
        call_id=CallId("call-1"),
        created_at=NOW,
        patient=SOMEONE,
        contact="",
        appointment_id=AppointmentId("a1"),
        department="정형외과",
        doctor="박서준",
        start=START,
    )


def test_a_request_is_kept_whole_and_read_back_equal(tmp_path: Path) -> None:
    async def main() -> None:
        inbox = await open_inbox(str(tmp_path / "desk.sqlite"))
        result = await inbox.record_request(booking(note="무릎"))
        assert result == Recorded(to_row(booking(note="무릎")))
        await inbox.close()
        again = await open_inbox(str(tmp_path / "desk.sqlite"))
        assert await again.rows() == (to_row(booking(note="무릎")),)
        await again.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    "flaw",
    [
        {"key": ""},
        {"slot_id": " "},
        {"doctor": ""},
        {"department": ""},
        {"start": datetime(2026, 12, 8, 14, 30)},  # noqa: DTZ001 - the flaw itself
        {"call_id": ""},
        {"replaces": ""},
    ],
)
def test_half_a_booking_request_cannot_be_made(flaw: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"missing|zone|replaces"):
        booking(**flaw)


def test_a_patient_needs_a_name_and_a_plain_phone() -> None:
    with pytest.raises(ValueError, match="name"):
        RequestPatient("", date(1985, 3, 12), "01000001234")
    with pytest.raises(ValueError, match="digits"):
        RequestPatient("김민수", date(1985, 3, 12), "010-0000-1234")


def test_the_same_key_is_the_same_request(tmp_path: Path) -> None:
    async def main() -> None:
        inbox = await open_inbox(str(tmp_path / "desk.sqlite"))
        await inbox.record_request(booking())
        again = await inbox.record_request(booking(created_at=NOW + timedelta(seconds=9)))
        assert isinstance(again, Recorded)
        assert again.replayed
        assert again.row.created_at == NOW
        assert len(await inbox.rows()) == 1
        with pytest.raises(ProgrammingError):
            await inbox.record_request(booking(slot="other"))
        await inbox.close()

    asyncio.run(main())


def test_a_replay_stays_a_replay_after_staff_closed_it(tmp_path: Path) -> None:
    async def main() -> None:
        inbox = await open_inbox(str(tmp_path / "desk.sqlite"))
        await inbox.record_request(booking())
        assert await inbox.set_state(BookingKey("k1"), RequestState.DONE)
        again = await inbox.record_request(booking())
        assert isinstance(again, Recorded)
        assert again.replayed
        assert not await inbox.set_state(BookingKey("k1"), RequestState.DROPPED)
        assert not await inbox.set_state(BookingKey("nobody"), RequestState.DONE)
        await inbox.close()

    asyncio.run(main())


def test_one_slot_one_open_request(tmp_path: Path) -> None:
    async def main() -> None:
        inbox = await open_inbox(str(tmp_path / "desk.sqlite"))
        await inbox.record_request(booking("k1"))
        assert await inbox.record_request(booking("k2", patient=person(2))) == SlotTaken(
            SlotId("s1")
        )
        slots = [SlotId("s1"), SlotId("s2")]
        assert await inbox.taken_slots(HOSPITAL, slots) == {SlotId("s1")}
        assert await inbox.taken_slots(HospitalId("other"), slots) == frozenset()
        elsewhere = booking("k3", patient=person(3), hospital_id=HospitalId("other"))
        assert isinstance(await inbox.record_request(elsewhere), Recorded)
        await inbox.set_state(BookingKey("k1"), RequestState.DROPPED)
        assert await inbox.taken_slots(HOSPITAL, slots) == frozenset()
        assert isinstance(await inbox.record_request(booking("k2", patient=person(2))), Recorded)
        await inbox.close()

    asyncio.run(main())


def test_one_patient_one_start(tmp_path: Path) -> None:
    async def main() -> None:
        inbox = await open_inbox(str(tmp_path / "desk.sqlite"))
        await inbox.record_request(booking("k1", "s1"))
        first = BookingKey("k1")
        assert await inbox.record_request(booking("k2", "s2")) == DuplicateRequest(first)
        assert await inbox.record_request(booking("k2", "s1")) == DuplicateRequest(first)
        twin = RequestPatient("김민준", SOMEONE.birth_date, SOMEONE.phone)
        result = await inbox.record_request(booking("k3", "s2", patient=twin))
        assert isinstance(result, Recorded)
        await inbox.close()

    asyncio.run(main())


def test_a_change_claims_the_new_slot_and_names_the_old_appointment(tmp_path: Path) -> None:
    async def main() -> None:
        inbox = await open_inbox(str(tmp_path / "desk.sqlite"))
        result = await inbox.record_request(booking(replaces=AppointmentId("a1")))
        assert isinstance(result, Recorded)
        assert result.row.kind is RequestKind.CHANGE
        assert result.row.appointment_id == "a1"
        assert await inbox.record_request(booking("k2", patient=person(2))) == SlotTaken(
            SlotId("s1")
        )
        await inbox.close()

    asyncio.run(main())


def test_one_open_cancel_per_appointment(tmp_path: Path) -> None:
    async def main() -> None:
        inbox = await open_inbox(str(tmp_path / "desk.sqlite"))
        assert isinstance(await inbox.record_request(cancel("c1")), Recorded)
        assert await inbox.record_request(cancel("c2")) == DuplicateRequest(BookingKey("c1"))
        assert isinstance(await inbox.record_request(booking("k1")), Recorded)
        await inbox.close()

    asyncio.run(main())


def test_notes_are_kept_once_and_filters_pick(tmp_path: Path) -> None:
    window = CallWindow("내일 오전", NOW + timedelta(hours=23), NOW + timedelta(hours=26))
    note = DeskNote(
        RequestKind.CALLBACK, BookingKey("n1"), HOSPITAL, CallId("c"), NOW, "01000009999",
        window=window,
    )  # fmt: skip

    async def main() -> None:
        inbox = await open_inbox(str(tmp_path / "desk.sqlite"))
        assert not (await inbox.record_note(note)).replayed
        assert (await inbox.record_note(note)).replayed
        await inbox.record_request(booking())
        (row,) = await inbox.rows(kinds=[RequestKind.CALLBACK])
        assert row.window == window
        assert await inbox.rows(HospitalId("other")) == ()
        assert await inbox.rows(states=[RequestState.DONE]) == ()
        assert len(await inbox.rows(HOSPITAL)) == 2
        await inbox.close()

    asyncio.run(main())


def test_a_memo_without_words_is_no_memo() -> None:
    with pytest.raises(ValueError, match="note"):
        DeskNote(RequestKind.MEMO, BookingKey("n"), HOSPITAL, CallId("c"), NOW, "010")
    with pytest.raises(ValueError, match="not a note"):
        DeskNote(RequestKind.CANCEL, BookingKey("n"), HOSPITAL, CallId("c"), NOW, "010", "x")


def test_the_printed_object_has_the_agreed_fields_in_order() -> None:
    printed = request_json(to_row(booking()))
    assert list(printed) == [
        "kind",
        "state",
        "patient",
        "contact",
        "department",
        "doctor",
        "start",
        "insurance",
        "note",
        "window",
        "key",
        "created_at",
        "call_id",
    ]
    assert printed["start"] == "2026-12-08T14:30:00+09:00"
    assert printed["kind"] == "booking_request"
    assert printed["patient"] == {
        "name": "김민수",
        "birth_date": "1985-03-12",
        "phone": "01000001234",
    }
    assert printed["note"] is None
    json.dumps(printed)


def test_races_leave_one_request_per_slot(tmp_path: Path) -> None:
    path = str(tmp_path / "desk.sqlite")

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


def test_the_same_key_in_parallel_is_one_row(tmp_path: Path) -> None:
    path = str(tmp_path / "desk.sqlite")

    async def main() -> None:
        boxes = [await open_inbox(path) for _ in range(3)]
        results = await asyncio.gather(*(boxes[n % 3].record_request(booking()) for n in range(12)))
        assert [isinstance(r, Recorded) and r.replayed for r in results].count(False) == 1
        assert len(await boxes[0].rows()) == 1
        for box in boxes:
            await box.close()

    asyncio.run(main())


def test_the_database_itself_refuses_the_second_row(tmp_path: Path) -> None:
    """Without our look beforehand the index still decides; without the index nothing would."""

    async def main() -> None:
        inbox = await open_inbox(str(tmp_path / "desk.sqlite"))
        await inbox.record_request(booking())
        second = to_columns(to_row(booking("k2", patient=person(2))))
        engine = inbox._engine
        with pytest.raises(IntegrityError):
            async with engine.begin() as connection:
                await connection.execute(insert(table).values(second))
        async with engine.begin() as connection:
            await connection.execute(text("DROP INDEX inbox_one_request_per_slot"))
            await connection.execute(insert(table).values(second))
        assert len(await inbox.rows()) == 2
        await inbox.close()

    asyncio.run(main())


def test_a_broken_store_is_said_and_names_nobody(tmp_path: Path) -> None:
    async def main() -> None:
        inbox = await open_inbox(str(tmp_path / "desk.sqlite"))
        async with inbox._engine.begin() as connection:
            await connection.execute(text("ALTER TABLE inbox RENAME COLUMN note TO lost"))
        for attempt in (inbox.record_request(booking()), inbox.rows()):
            with pytest.raises(StoreFailure) as caught:
                await attempt
            told = f"{caught.value} {caught.value.__cause__}"
            assert "김민수" not in told
            assert "1985" not in told
        await inbox.close()

    asyncio.run(main())


def test_an_insert_that_collides_is_looked_at_again(tmp_path: Path) -> None:
    """On PostgreSQL another writer's row can appear between our look and our insert."""

    async def main() -> None:
        inbox = await open_inbox(str(tmp_path / "desk.sqlite"))
        failures = [IntegrityError("", {}, Exception("unique"))]

        def collide(_c: object, _cur: object, statement: str, *_rest: object) -> None:
            if statement.startswith("INSERT INTO inbox") and failures:
                raise failures.pop()

        event.listen(inbox._engine.sync_engine, "before_cursor_execute", collide)
        result = await inbox.record_request(booking())
        assert isinstance(result, Recorded)
        assert failures == []
        failures.extend(IntegrityError("", {}, Exception("unique")) for _ in range(2))
        with pytest.raises(StoreFailure):
            await inbox.record_request(booking("k2", "s2", patient=person(2)))
        await inbox.close()

    asyncio.run(main())


def _race(path: str, number: int, answers: Any, gate: Any) -> None:
    async def main() -> None:
        inbox = await open_inbox(path)
        gate.wait()
        result = await inbox.record_request(booking(f"k{number}", patient=person(number)))
        answers.put(type(result).__name__)
        await inbox.close()

    asyncio.run(main())


def test_two_processes_race_for_one_slot_of_a_fresh_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    gate = context.Barrier(2)
    path = str(tmp_path / "desk.sqlite")
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
from test_desk_inbox import booking
from wonmu.desk.inbox import open_inbox
async def main():
    inbox = await open_inbox({path!r})
    await inbox.record_request(booking())
    print("written", flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


def test_a_written_request_survives_a_kill(tmp_path: Path) -> None:
    path = str(tmp_path / "desk.sqlite")
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
