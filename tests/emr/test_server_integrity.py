"""Who gets a slot is decided by the database, in both modes and on both databases (B4, N2)."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import httpx
import pytest
from emr_parts import KIM, LEE, NOW
from server_parts import KEY, Here, Json, booking, etag, here, issue
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from stores import StoreAt

from wonmu.emr.port import BookingIntent, Cancelled, Taken, Window
from wonmu.emr.server.rules import SlotOwner
from wonmu.emr.tables import appointments
from wonmu.ids import AppointmentId, BookingKey, SlotId, Version
from wonmu.storage import writing

pytestmark = pytest.mark.service

AT_ONCE = 60
CLIENT, SERVER = SlotOwner.CLIENT, SlotOwner.SERVER


def _patient(number: int) -> str:
    return f"p-{number % 40 + 1:04d}"


def test_sixty_creates_under_one_condition_are_one(store_at: StoreAt) -> None:
    async def main() -> None:
        async with here(store_at("emr")) as it:
            (slot,) = await it.free()
            condition = f"identifier={KEY}|k1"
            answers = await asyncio.gather(
                *(
                    it.post("/Appointment", booking(slot), If_None_Exist=condition)
                    for _ in range(AT_ONCE)
                )
            )
            assert Counter(each.status_code for each in answers) == {201: 1, 200: AT_ONCE - 1}
            assert len({each.json()["id"] for each in answers}) == 1

    asyncio.run(main())


def test_sixty_bookings_of_one_slot_are_one(store_at: StoreAt) -> None:
    async def main() -> None:
        async with here(store_at("emr")) as it:
            (slot,) = await it.free()
            bodies = [booking(slot, f"k{n}", _patient(n)) for n in range(AT_ONCE)]
            answers = await asyncio.gather(*(it.post("/Appointment", body) for body in bodies))
            assert Counter(each.status_code for each in answers) == {201: 1, 409: AT_ONCE - 1}
            assert len(await it.found(f"/Appointment?slot=Slot/{slot['id']}&status=booked")) == 1

    asyncio.run(main())


def test_sixty_claims_of_one_version_are_one(store_at: StoreAt) -> None:
    async def main() -> None:
        async with here(store_at("emr"), CLIENT) as it:
            (slot,) = await it.free()
            answers = await asyncio.gather(*(it.claim(slot) for _ in range(AT_ONCE)))
            assert Counter(each.status_code for each in answers) == {200: 1, 412: AT_ONCE - 1}

    asyncio.run(main())


def test_sixty_holds_of_one_slot_are_one(store_at: StoreAt) -> None:
    async def main() -> None:
        async with here(store_at("emr")) as it:
            offered = await _offered(it)
            answers = await asyncio.gather(*(_hold(it, offered) for _ in range(AT_ONCE)))
            assert Counter(each.status_code for each in answers) == {200: 1, 409: AT_ONCE - 1}

    asyncio.run(main())


def test_one_hold_booked_sixty_times_is_one_booking(store_at: StoreAt) -> None:
    async def main() -> None:
        async with here(store_at("emr")) as it:
            held = _first(await _hold(it, await _offered(it)))
            answers = await asyncio.gather(*(_book(it, held) for _ in range(AT_ONCE)))
            assert {each.status_code for each in answers} == {200}
            assert len({_first(each)["id"] for each in answers}) == 1

    asyncio.run(main())


def test_the_index_refuses_what_python_would_let_through(store_at: StoreAt) -> None:
    """The guard is in the database: the second row on a slot cannot be written by anybody."""

    async def main() -> None:
        async with here(store_at("emr")) as it:
            (slot,) = await it.free()
            await it.post("/Appointment", booking(slot))
            async with writing(it.records.engine) as connection:
                row = (await connection.execute(select(appointments))).first()
                assert row is not None
                found = select(appointments).where(appointments.c.slot_id == slot["id"])
                columns = dict((await connection.execute(found)).one()._mapping)
            again = {**columns, "id": "second", "key": "other", "patient_id": "p-0002"}
            with pytest.raises(IntegrityError):
                async with writing(it.records.engine) as connection:
                    await connection.execute(insert(appointments).values(**again))

    asyncio.run(main())


def test_a_hold_lapses_by_the_clock(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            offered = await _offered(it)
            slot = offered["slot"][0]["reference"]
            held = _first(await _hold(it, offered))
            it.clock.advance(89)
            assert (await it.get(f"/{slot}")).json()["status"] == "busy-tentative"
            assert (await _offered(it))["id"] != offered["id"]
            it.clock.advance(2)
            assert (await it.get(f"/{slot}")).json()["status"] == "free"
            assert (await _offered(it))["id"] == offered["id"]
            late = await _book(it, held)
            assert (late.status_code, issue(late)["code"]) == (409, "not-found")
            assert (await _hold(it, offered)).status_code == 200

    asyncio.run(main())


def test_a_hold_can_be_given_back(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            offered = await _offered(it)
            held = _first(await _hold(it, offered))
            assert (await _book(it, {**held, "status": "cancelled"})).status_code == 200
            assert (await _offered(it))["id"] == offered["id"]

    asyncio.run(main())


def test_a_booked_slot_must_not_be_freed_under_its_appointment(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path, CLIENT) as it:
            (slot,) = await it.free()
            claimed = (await it.claim(slot)).json()
            made = (await it.post("/Appointment", booking(slot))).json()
            freed = await it.claim(claimed, "free")
            assert (freed.status_code, issue(freed)["code"]) == (409, "business-rule")
            gone = {**made, "status": "cancelled"}
            await it.put(f"/Appointment/{made['id']}", gone, If_Match=etag(made))
            assert (await it.claim(claimed, "free")).status_code == 200

    asyncio.run(main())


def test_a_slot_is_claimed_before_it_is_booked(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path, CLIENT) as it:
            (slot,) = await it.free()
            answer = await it.post("/Appointment", booking(slot))
            assert answer.status_code == 409
            assert await it.found("/Appointment?identifier=k1") == []

    asyncio.run(main())


def test_a_patient_is_in_one_place_at_a_time(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            (slot,) = await it.free()
            other = {**slot, "id": slot["id"].replace("d1", "d2"), "schedule": _schedule("d2")}
            await it.post("/Appointment", booking(slot, "k1"))
            answer = await it.post("/Appointment", booking(other, "k2"))
            assert (answer.status_code, issue(answer)["diagnostics"]) == (422, "patient_busy")
            assert (await it.get(f"/Slot/{other['id']}")).json()["status"] == "free"

    asyncio.run(main())


def _schedule(doctor: str) -> Json:
    return {"reference": f"Schedule/{doctor}"}


def test_one_key_is_one_appointment(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            first, second = await it.free(2)
            assert (await it.post("/Appointment", booking(first))).status_code == 201
            again = await it.post("/Appointment", booking(second))
            assert (again.status_code, issue(again)["code"]) == (409, "duplicate")
            assert (await it.get(f"/Slot/{second['id']}")).json()["status"] == "free"

    asyncio.run(main())


def test_what_is_past_is_not_booked(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            (slot,) = await it.free()
            it.clock.advance(10 * 24 * 3600)
            answer = await it.post("/Appointment", booking(slot))
            assert (answer.status_code, issue(answer)["diagnostics"]) == (422, "past")

    asyncio.run(main())


def test_the_other_door_sees_the_same_booking(tmp_path: Path) -> None:
    """One truth: what FHIR wrote, the embedded port reads, and the other way round."""

    async def main() -> None:
        async with here(tmp_path) as it:
            slot, other = await it.free(2)
            made = (await it.post("/Appointment", booking(slot))).json()
            seen = await it.records.lookup_key(BookingKey("k1"))
            assert seen is not None
            assert (seen.id, seen.slot_id) == (made["id"], slot["id"])
            wish = BookingIntent(BookingKey("k9"), LEE, SlotId(slot["id"]), Version("1"))
            assert isinstance(await it.records.book(wish), Taken)

            gone = await it.records.cancel(AppointmentId(made["id"]), BookingKey("k2"))
            assert isinstance(gone, Cancelled)
            read = (await it.get(f"/Appointment/{made['id']}")).json()
            assert (read["status"], read["meta"]["versionId"]) == ("cancelled", "2")
            assert {each["value"] for each in read["identifier"]} == {"k1", "k2"}
            stale = await it.put(f"/Appointment/{made['id']}", made, If_Match=etag(made))
            assert stale.status_code == 412
            assert (await it.post("/Appointment", booking(other, "k3"))).status_code == 201
            booked = await it.records.appointments(KIM, Window(NOW, NOW.replace(year=2027)))
            assert other["id"] in {each.slot_id for each in booked}

    asyncio.run(main())


def test_a_claim_that_the_desk_overrode_has_lost_its_marker(tmp_path: Path) -> None:
    """A marker says whose claim it is; it must not outlive the claim."""

    async def main() -> None:
        async with here(tmp_path, CLIENT) as it:
            (slot,) = await it.free()
            mark = [{"system": KEY, "value": "k1"}]
            extension = [{"url": "urn:test", "valueString": "stays"}]
            body = {**slot, "status": "free", "identifier": mark, "extension": extension}
            await it.put(f"/Slot/{slot['id']}", body)
            await it.records.desk_book(SlotId(slot["id"]))
            now = (await it.get(f"/Slot/{slot['id']}")).json()
            assert (now["status"], now["extension"]) == ("busy", extension)
            assert "identifier" not in now

    asyncio.run(main())


def test_a_move_takes_the_new_time_before_it_leaves_the_old(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            old, new, taken = await it.free(3)
            made = (await it.post("/Appointment", booking(old))).json()
            await it.post("/Appointment", booking(taken, "k2", "p-0002"))
            refused = await it.put(f"/Appointment/{made['id']}", _moved(made, taken))
            assert refused.status_code == 409
            assert (await it.get(f"/Appointment/{made['id']}")).json()["start"] == old["start"]
            moved = await it.put(f"/Appointment/{made['id']}", _moved(made, new))
            assert moved.json()["start"] == new["start"]
            status = [(await it.get(f"/Slot/{each['id']}")).json()["status"] for each in (old, new)]
            assert status == ["free", "busy"]

    asyncio.run(main())


def _moved(made: Json, slot: Json) -> Json:
    there = [{"reference": f"Slot/{slot['id']}"}]
    return {**made, "slot": there, "start": slot["start"], "end": slot["end"]}


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"participant": "p-0002"}, "an appointment keeps its patient"),
        ({"status": "booked"}, "a cancelled appointment stays cancelled"),
        ({"status": "proposed"}, "appointments that are proposed are not kept here"),
    ],
)
def test_changes_that_no_record_system_allows(tmp_path: Path, change: Json, rule: str) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            (slot,) = await it.free()
            made = (await it.post("/Appointment", booking(slot))).json()
            path = f"/Appointment/{made['id']}"
            if change.get("status") == "booked":
                await it.put(path, {**made, "status": "cancelled"})
            patient = change.get("participant", "p-0001")
            body = {**made, **booking(slot, "k1", patient), **_without(change, "participant")}
            answer = await it.put(path, body)
            assert (answer.status_code, issue(answer)["diagnostics"]) == (422, rule)

    asyncio.run(main())


def _without(change: Json, name: str) -> Json:
    return {key: value for key, value in change.items() if key != name}


def test_a_slot_is_made_inside_a_calendar_and_beside_its_slots(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path, CLIENT) as it:
            (slot,) = await it.free()
            day = slot["start"][:10]
            body = {
                "resourceType": "Slot",
                "status": "free",
                "schedule": _schedule("d1"),
                "start": f"{day}T18:00:00+09:00",
                "end": f"{day}T18:20:00+09:00",
            }
            made = await it.post("/Slot", body)
            assert made.status_code == 201
            late = {**body, "start": f"{day}T18:10:00+09:00", "end": f"{day}T18:40:00+09:00"}
            assert (await it.post("/Slot", late)).status_code == 409
            moved = {**made.json(), **_without(late, "status")}
            assert (await it.put(f"/Slot/{made.json()['id']}", moved)).status_code == 422
            gone = await it.http.delete(f"/Slot/{made.json()['id']}")
            assert gone.status_code == 204
            assert (await it.get(f"/Slot/{made.json()['id']}")).status_code == 410
            old = await it.get(f"/Slot/{made.json()['id']}/_history/1")
            assert old.json()["start"] == body["start"]

    asyncio.run(main())


def test_a_patient_with_appointments_cannot_be_deleted(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            assert (await it.http.delete("/Patient/p-0001")).status_code == 409
            assert (await it.http.delete("/Patient/p-0020")).status_code == 204
            assert (await it.http.delete("/Patient/p-0020")).status_code == 204
            assert (await it.get("/Patient/p-0020")).status_code == 410

    asyncio.run(main())


async def _offered(it: Here) -> Json:
    path = "/Appointment/$find?start=2026-12-03&end=2026-12-04&_count=1"
    (found,) = await it.found(path)
    return found


async def _hold(it: Here, appointment: Json) -> httpx.Response:
    link = {"reference": f"Appointment/{appointment['id']}"}
    parameter = {"name": "appointment-reference", "valueReference": link}
    body = {"resourceType": "Parameters", "parameter": [parameter]}
    return await it.post("/Appointment/$hold", body)


async def _book(it: Here, held: Json) -> httpx.Response:
    patient = {"actor": {"reference": "Patient/p-0001"}, "status": "accepted"}
    body = {**held, "participant": [*held["participant"], patient]}
    parameter = {"name": "appointment-resource", "resource": body}
    return await it.post(
        "/Appointment/$book", {"resourceType": "Parameters", "parameter": [parameter]}
    )


def _first(answer: httpx.Response) -> Json:
    resource: Json = answer.json()["entry"][0]["resource"]
    return resource
