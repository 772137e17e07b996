"""The inbox: whole requests, once each, one per slot, whoever races (B2, B4, B7, N2, N7)."""

from __future__ import annotations

import asyncio
import json
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from desk_parts import HOSPITAL, NOW, SOMEONE, START, booking, person
from sqlalchemy import event, insert, text
from sqlalchemy.exc import IntegrityError
from stores import StoreAt

from wonmu.desk.inbox import open_inbox
from wonmu.desk.records import (
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
    HospitalId,
    SlotId,
)

pytestmark = pytest.mark.service


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


def test_a_request_is_kept_whole_and_read_back_equal(store_at: StoreAt) -> None:
    async def main() -> None:
        inbox = await open_inbox(store_at("desk"))
        result = await inbox.record_request(booking(note="무릎"))
        assert result == Recorded(to_row(booking(note="무릎")))
        await inbox.close()
        again = await open_inbox(store_at("desk"))
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


def test_the_same_key_is_the_same_request(store_at: StoreAt) -> None:
    async def main() -> None:
        inbox = await open_inbox(store_at("desk"))
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


def test_a_replay_stays_a_replay_after_staff_closed_it(store_at: StoreAt) -> None:
    async def main() -> None:
        inbox = await open_inbox(store_at("desk"))
        await inbox.record_request(booking())
        assert await inbox.set_state(BookingKey("k1"), RequestState.DONE)
        again = await inbox.record_request(booking())
        assert isinstance(again, Recorded)
        assert again.replayed
        assert not await inbox.set_state(BookingKey("k1"), RequestState.DROPPED)
        assert not await inbox.set_state(BookingKey("nobody"), RequestState.DONE)
        await inbox.close()

    asyncio.run(main())


def test_one_slot_one_open_request(store_at: StoreAt) -> None:
    async def main() -> None:
        inbox = await open_inbox(store_at("desk"))
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


def test_one_patient_one_start(store_at: StoreAt) -> None:
    async def main() -> None:
        inbox = await open_inbox(store_at("desk"))
        await inbox.record_request(booking("k1", "s1"))
        first = BookingKey("k1")
        assert await inbox.record_request(booking("k2", "s2")) == DuplicateRequest(first)
        assert await inbox.record_request(booking("k2", "s1")) == DuplicateRequest(first)
        twin = RequestPatient("김민준", SOMEONE.birth_date, SOMEONE.phone)
        result = await inbox.record_request(booking("k3", "s2", patient=twin))
        assert isinstance(result, Recorded)
        await inbox.close()

    asyncio.run(main())


def test_a_change_claims_the_new_slot_and_names_the_old_appointment(store_at: StoreAt) -> None:
    async def main() -> None:
        inbox = await open_inbox(store_at("desk"))
        result = await inbox.record_request(booking(replaces=AppointmentId("a1")))
        assert isinstance(result, Recorded)
        assert result.row.kind is RequestKind.CHANGE
        assert result.row.appointment_id == "a1"
        assert await inbox.record_request(booking("k2", patient=person(2))) == SlotTaken(
            SlotId("s1")
        )
        await inbox.close()

    asyncio.run(main())


def test_one_open_cancel_per_appointment(store_at: StoreAt) -> None:
    async def main() -> None:
        inbox = await open_inbox(store_at("desk"))
        assert isinstance(await inbox.record_request(cancel("c1")), Recorded)
        assert await inbox.record_request(cancel("c2")) == DuplicateRequest(BookingKey("c1"))
        assert isinstance(await inbox.record_request(booking("k1")), Recorded)
        await inbox.close()

    asyncio.run(main())


def test_notes_are_kept_once_and_filters_pick(store_at: StoreAt) -> None:
    window = CallWindow("내일 오전", NOW + timedelta(hours=23), NOW + timedelta(hours=26))
    note = DeskNote(
        RequestKind.CALLBACK, BookingKey("n1"), HOSPITAL, CallId("c"), NOW, "01000009999",
        window=window,
    )  # fmt: skip

    async def main() -> None:
        inbox = await open_inbox(store_at("desk"))
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


def test_the_database_itself_refuses_the_second_row(store_at: StoreAt) -> None:
    """Without our look beforehand the index still decides; without the index nothing would."""

    async def main() -> None:
        inbox = await open_inbox(store_at("desk"))
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


def test_a_broken_store_is_said_and_names_nobody(store_at: StoreAt) -> None:
    async def main() -> None:
        inbox = await open_inbox(store_at("desk"))
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


def test_an_insert_that_collides_is_looked_at_again(store_at: StoreAt) -> None:
    """On PostgreSQL another writer's row can appear between our look and our insert."""

    async def main() -> None:
        inbox = await open_inbox(store_at("desk"))
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
