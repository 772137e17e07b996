"""Reading from a FHIR server: people, lists, calendars, pages, moments (B2, A8, T11)."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import httpx
import pytest
from fhir_fake import (
    BASE,
    KIM,
    LEE,
    NOW,
    ORTHO,
    SYSTEM,
    FakeServer,
    Json,
    a_slot,
    opened,
    reply,
    stamp,
    window,
    wish,
)

from wonmu.clock import SEOUL, FixedClock
from wonmu.emr.fhir import mapping
from wonmu.emr.port import Appointment, PatientQuery, SlotStatus, Window
from wonmu.errors import EmrFailure, EmrFault
from wonmu.ids import AppointmentId, BookingKey, DepartmentId, DoctorId, PatientId, SlotId

pytestmark = pytest.mark.unit

BORN = date(1985, 3, 12)
MONTH = Window(NOW, NOW + timedelta(days=30))


@pytest.fixture(params=["UTC", "America/New_York", "Asia/Seoul"])
def host_zone(request: pytest.FixtureRequest) -> Iterator[str]:
    """The host's own time zone, which must not matter."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield request.param
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def fault_of(coroutine: Any) -> EmrFault:
    with pytest.raises(EmrFailure) as caught:
        asyncio.run(coroutine)
    return caught.value.fault


# --- people


@pytest.mark.parametrize("spoken", ["010-0000-1111", "01000001111", "+82 10 0000 1111"])
@pytest.mark.parametrize("stored", ["010-0000-1111", "01000001111", "+821000001111"])
def test_a_phone_is_found_in_any_spelling(spoken: str, stored: str) -> None:
    server = FakeServer()
    kim = server.store["Patient"]["p1"]
    server.put({**kim, "telecom": [{"system": "phone", "value": stored}]})
    query = PatientQuery(phone=spoken, birth_date=BORN, name="김 민수")
    found = asyncio.run(opened(server).find_patients(query))
    assert [(one.id, one.phones, one.chart_no) for one in found] == [
        ("p1", ("01000001111",), "C-p1")
    ]


def test_spellings_of_other_numbers() -> None:
    assert list(mapping.phone_spellings("02-123-4567")) == [
        "021234567",
        "02-123-4567",
        "+8221234567",
    ]
    assert list(mapping.phone_spellings("0311234567")) == [
        "0311234567",
        "031-123-4567",
        "+82311234567",
    ]
    assert list(mapping.phone_spellings("15880000")) == ["15880000"]


def test_personal_data_stays_out_of_the_url() -> None:
    server = FakeServer()
    query = PatientQuery(phone="01000001111", birth_date=BORN)
    asyncio.run(opened(server).find_patients(query))
    assert [(one.method, str(one.url)) for one in server.log] == [
        ("POST", f"{BASE}/Patient/_search")
    ]
    assert b"1985-03-12" in server.log[0].content
    asyncio.run(opened(server, search_by_post=False).find_patients(query))
    assert server.log[-1].method == "GET"


@pytest.mark.parametrize(
    "query",
    [
        PatientQuery(phone="01000001111", name="이지은"),
        PatientQuery(phone="01000001111", birth_date=date(1985, 3, 13)),
        PatientQuery(birth_date=BORN, name="박서준"),
        PatientQuery(phone="01099999999"),
    ],
)
@pytest.mark.parametrize("deaf", [False, True])
def test_every_given_field_must_match(query: PatientQuery, deaf: bool) -> None:
    """Also on a server that ignores what it is asked and answers with everybody."""
    server = FakeServer()
    entries = [{"resource": one} for one in server.all("Patient")]
    everybody = {"resourceType": "Bundle", "type": "searchset", "entry": entries}
    server.before = lambda request, number: reply(200, everybody) if deaf else None
    assert asyncio.run(opened(server).find_patients(query)) == ()


def test_at_most_five_and_only_records_in_use() -> None:
    server = FakeServer()
    kim = server.store["Patient"]["p1"]
    for number in range(8):
        server.put({**kim, "id": f"q{number}", "active": number != 0})
    server.put({**kim, "id": "broken", "birthDate": "1985"})
    found = asyncio.run(opened(server).find_patients(PatientQuery(phone="01000001111")))
    assert [one.id for one in found] == ["p1", "q1", "q2", "q3", "q4"]


def test_names_in_parts() -> None:
    server = FakeServer()
    kim = server.store["Patient"]["p1"]
    server.put(
        {**kim, "name": [{"use": "nickname", "text": "민"}, {"family": "김", "given": ["민수"]}]}
    )
    found = asyncio.run(opened(server).find_patients(PatientQuery(birth_date=BORN, name="김민수")))
    assert [one.name for one in found] == ["김민수"]


# --- departments, doctors, calendars


def test_lists_of_departments_and_doctors() -> None:
    async def main() -> None:
        server = FakeServer()
        server.put({**server.store["HealthcareService"]["skin"], "active": False})
        server.put({**server.store["PractitionerRole"]["d2-ortho"], "active": False})
        emr = opened(server)
        assert [(d.id, d.name, d.bookable) for d in await emr.departments()] == [
            ("ortho", "정형외과", True),
            ("skin", "피부과", False),
        ]
        assert [(d.id, d.name, d.bookable) for d in await emr.doctors(ORTHO)] == [
            ("d1", "박서준", True),
            ("d2", "한지민", False),
        ]
        assert await emr.doctors(DepartmentId("none")) == ()

    asyncio.run(main())


@pytest.mark.parametrize(
    "actor",
    [
        ["Practitioner/d1", "HealthcareService/ortho"],
        ["PractitionerRole/d1-ortho"],
        ["PractitionerRole/d1-ortho", "Location/room1"],
        ["Practitioner/d1"],
        [f"{BASE}/Practitioner/d1", f"{BASE}/HealthcareService/ortho/_history/3"],
    ],
)
def test_whose_calendar_it_is(actor: list[str]) -> None:
    server = FakeServer()
    links = [{"reference": one} for one in actor]
    server.put({**server.store["Schedule"]["cal-d1"], "actor": links})

    async def main() -> None:
        emr = opened(server)
        page = await emr.find_slots(replace(window(), doctor_id=DoctorId("d1")))
        assert len(page.slots) == 6
        assert {(s.doctor_id, s.department_id) for s in page.slots} == {("d1", "ortho")}
        assert (await a_slot(emr)).doctor_id == "d1"

    asyncio.run(main())


def test_a_calendar_of_nobody_in_particular_is_not_offered() -> None:
    """Two doctors, or a doctor of two departments: whose it is would be a guess."""
    server = FakeServer()
    both = [{"reference": f"Practitioner/{one}"} for one in ("d1", "d2")]
    service = {"reference": "HealthcareService/ortho"}
    server.put({**server.store["Schedule"]["cal-d1"], "actor": [*both, service]})
    role = server.store["PractitionerRole"]["d2-ortho"]
    server.put(
        {**role, "id": "d2-skin", "healthcareService": [{"reference": "HealthcareService/skin"}]}
    )
    server.put({**server.store["Schedule"]["cal-d2"], "actor": both[1:]})

    async def main() -> None:
        emr = opened(server)
        assert (await emr.find_slots(window())).slots == ()
        assert await emr.read_slot(SlotId("d1-0")) is None

    asyncio.run(main())


def test_calendars_are_kept_for_a_minute_and_slots_never() -> None:
    server, clock = FakeServer(), FixedClock(NOW)

    async def main() -> list[int]:
        emr = opened(server, clock=clock)
        counts = []
        for seconds in (0.0, 59.0, 2.0):
            clock.advance(seconds)
            before = len(server.log)
            await emr.find_slots(window())
            counts.append(len(server.log) - before)
        return counts

    assert asyncio.run(main()) == [3, 1, 3]


# --- slots


def test_slots_are_free_ones_in_the_window_earliest_first(host_zone: str) -> None:
    server = FakeServer()
    server.put({**server.store["Slot"]["d1-0"], "status": "busy"})
    first = NOW + timedelta(days=1, hours=1)
    query = replace(window(), start=first, end=first + timedelta(minutes=60))
    page = asyncio.run(opened(server).find_slots(query))
    assert [(s.id, s.start.isoformat(), s.minutes) for s in page.slots] == [
        ("d2-0", "2026-12-02T09:00:00+09:00", 30),
        ("d1-1", "2026-12-02T09:30:00+09:00", 30),
        ("d2-1", "2026-12-02T09:30:00+09:00", 30),
    ]
    asked = server.log[-1].url
    assert "%2B09%3A00" in str(asked)
    assert asked.params["_sort"] == "start"


def test_searches_for_personal_data_are_strict_and_others_are_not() -> None:
    """A server that ignored a parameter would send us other people's data."""
    server = FakeServer()

    async def main() -> None:
        emr = opened(server)
        await emr.find_patients(PatientQuery(birth_date=BORN))
        await emr.appointments(KIM, MONTH)
        await emr.lookup_key(BookingKey("k"))
        await emr.find_slots(window())

    asyncio.run(main())
    strict = {one.url.path.split("/")[2] for one in server.log if "prefer" in one.headers}
    assert strict == {"Patient", "Appointment"}
    assert {one.headers["prefer"] for one in server.log if "prefer" in one.headers} == {
        "handling=strict"
    }


def test_a_server_that_ignores_the_question_offers_nothing_wrong() -> None:
    server = FakeServer()
    server.put({**server.store["Slot"]["d1-0"], "status": "busy"})
    entries = [{"resource": one} for one in server.all("Slot")]
    everything = {"resourceType": "Bundle", "type": "searchset", "entry": entries}
    server.before = lambda request, number: (
        reply(200, everything) if request.url.path.endswith("/Slot") else None
    )
    page = asyncio.run(opened(server).find_slots(replace(window(), limit=3)))
    assert [s.id for s in page.slots] == ["d2-0", "d1-1", "d2-1"]


@pytest.mark.parametrize(("limit", "pages"), [(1, 1), (4, 1), (5, 2), (12, 3), (99, 3)])
def test_slots_stop_at_their_limit(limit: int, pages: int) -> None:
    server = FakeServer(page=4)
    page = asyncio.run(opened(server).find_slots(replace(window(), limit=limit)))
    assert len(page.slots) == min(limit, 12)
    asked = [one for one in server.log if one.url.path.endswith("/Slot")]
    assert len(asked) == pages


def test_slots_out_of_order_are_read_to_the_end() -> None:
    """A server that ignores _sort has its earliest slot anywhere."""
    server = FakeServer()
    slots = sorted(server.all("Slot"), key=lambda one: one["start"], reverse=True)
    slots = [one for one in slots if "d3" not in one["id"]]

    def page(request: httpx.Request, number: int) -> httpx.Response | None:
        if not request.url.path.endswith("/Slot"):
            return None
        first = int(request.url.params.get("_from", "0"))
        body: Json = {"resourceType": "Bundle", "type": "searchset"}
        body["entry"] = [{"resource": one} for one in slots[first : first + 6]]
        if first == 0:
            body["link"] = [{"relation": "next", "url": f"{BASE}/Slot?_from=6"}]
        return reply(200, body)

    server.before = page
    found = asyncio.run(opened(server).find_slots(replace(window(), limit=2)))
    assert [s.id for s in found.slots] == ["d1-0", "d2-0"]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("free", SlotStatus.FREE),
        ("busy-tentative", SlotStatus.HELD),
        ("busy", SlotStatus.BUSY),
        ("busy-unavailable", SlotStatus.BUSY),
        ("entered-in-error", None),
    ],
)
def test_what_a_slot_is(code: str, status: SlotStatus | None) -> None:
    server = FakeServer()
    server.put({**server.store["Slot"]["d1-0"], "status": code})
    found = asyncio.run(opened(server).read_slot(SlotId("d1-0")))
    assert (found.status if found is not None else None) is status
    if found is not None:
        assert found.version == "2"


# --- pages


def bundle_of(ids: list[str], total: int | None, following: str | None) -> Json:
    service = {"resourceType": "HealthcareService", "name": "과"}
    body: Json = {"resourceType": "Bundle", "type": "searchset"}
    body["entry"] = [{"resource": {**service, "id": one}} for one in ids]
    if total is not None:
        body["total"] = total
    if following is not None:
        body["link"] = [{"relation": "next", "url": following}]
    return body


def paged(*pages: Json) -> FakeServer:
    """Answers with these pages one after the other, the last one for ever."""
    left = list(pages)
    return FakeServer(
        before=lambda request, number: reply(200, left.pop(0) if len(left) > 1 else left[0])
    )


NEXT = f"{BASE}/HealthcareService?p=2"
NEXT2 = f"{BASE}/HealthcareService?p=3"
GOOD = (bundle_of(["a"], 2, NEXT), bundle_of(["b"], 2, None))


def test_pages_are_followed_to_the_end() -> None:
    server = paged(*GOOD)
    assert [d.id for d in asyncio.run(opened(server).departments())] == ["a", "b"]
    assert str(server.log[1].url) == NEXT


@pytest.mark.parametrize(
    "shifting",
    [
        (bundle_of(["a"], 2, NEXT), bundle_of(["a"], 2, None)),
        (bundle_of(["a"], 2, NEXT), bundle_of(["b"], 3, None)),
        (bundle_of(["a"], 3, NEXT), bundle_of(["b"], 3, None)),
        (bundle_of(["a"], 3, NEXT), bundle_of(["b"], 3, NEXT)),
        (bundle_of(["a", "a"], 2, NEXT), bundle_of(["b"], 2, None)),
    ],
    ids=["twice", "total", "missing", "loop", "same page"],
)
def test_pages_that_shift_are_read_once_more_and_then_fail(shifting: tuple[Json, ...]) -> None:
    firsts = 0

    def answer(request: httpx.Request, number: int) -> httpx.Response:
        nonlocal firsts
        is_first = "p" not in request.url.params
        firsts += is_first
        pages = GOOD if firsts > good_after else shifting
        return reply(200, pages[0 if is_first else 1])

    good_after = 1
    found = asyncio.run(opened(FakeServer(before=answer)).departments())
    assert ([d.id for d in found], firsts) == (["a", "b"], 2)
    firsts, good_after = 0, 9
    assert fault_of(opened(FakeServer(before=answer)).departments()) is EmrFault.SHIFTED
    assert firsts == 2


def test_a_total_is_no_duty() -> None:
    server = paged(bundle_of(["a"], None, NEXT), bundle_of(["b"], None, None))
    assert len(asyncio.run(opened(server).departments())) == 2
    server = paged(bundle_of(["a"], 2, NEXT), bundle_of(["b"], None, None))
    assert len(asyncio.run(opened(server).departments())) == 2


def test_a_list_too_long_to_read_is_no_shorter_list() -> None:
    pages = [bundle_of([f"x{n}"], None, f"{BASE}/HealthcareService?p={n}") for n in range(9)]
    server = paged(*pages)
    assert fault_of(opened(server).departments()) is EmrFault.INVALID
    assert len(server.log) == 4


def test_a_full_page_that_leads_nowhere_is_no_whole_list() -> None:
    """A server that gives neither total nor next page: a hundred may be all, or not."""
    hundred = [f"x{n}" for n in range(100)]
    assert fault_of(opened(paged(bundle_of(hundred, None, None))).departments()) is EmrFault.INVALID
    assert len(asyncio.run(opened(paged(bundle_of(hundred, 100, None))).departments())) == 100
    assert len(asyncio.run(opened(paged(bundle_of(hundred[1:], None, None))).departments())) == 99


@pytest.mark.parametrize(("busy", "count"), [(2, 4), (6, None)])
def test_a_cut_off_page_of_slots_offers_what_it_has(busy: int, count: int | None) -> None:
    """And when there is nothing on it to offer, nobody knows whether there is any free time."""
    server = FakeServer()
    slots = sorted(server.all("Slot"), key=lambda one: (one["start"], one["id"]))
    page = [one for one in slots if "d3" not in one["id"]][:6]
    for one in page[:busy]:
        one["status"] = "busy"
    entries = [{"resource": one} for one in page]
    body = {"resourceType": "Bundle", "type": "searchset", "entry": entries}
    server.before = lambda request, number: (
        reply(200, body) if request.url.path.endswith("/Slot") else None
    )
    asked = opened(server).find_slots(replace(window(), limit=6))
    if count is None:
        assert fault_of(asked) is EmrFault.INVALID
    else:
        assert len(asyncio.run(asked).slots) == count


@pytest.mark.parametrize(
    "elsewhere",
    ["http://evil.test/fhir/x", "https://emr.test/fhir/x", "http://emr.test:81/x", "http://[::1"],
)
def test_a_next_page_elsewhere_is_not_followed(elsewhere: str) -> None:
    server = paged(bundle_of(["a"], 2, elsewhere))
    assert fault_of(opened(server).departments()) is EmrFault.INVALID
    assert len(server.log) == 1


def test_a_relative_next_page_is_followed() -> None:
    server = paged(bundle_of(["a"], 2, "HealthcareService?p=2"), bundle_of(["b"], 2, None))
    asyncio.run(opened(server).departments())
    assert str(server.log[1].url) == NEXT


def test_bad_entries_are_counted_and_a_list_of_them_alone_is_a_failure() -> None:
    one_bad = bundle_of(["a", "b"], 2, None)
    one_bad["entry"][0]["resource"]["active"] = "maybe"
    server = paged(one_bad)
    emr = opened(server)
    assert [d.id for d in asyncio.run(emr.departments())] == ["b"]
    assert emr.skipped == 1
    only = {**one_bad, "entry": one_bad["entry"][:1], "total": 1}
    assert fault_of(opened(paged(only)).departments()) is EmrFault.INVALID


@pytest.mark.parametrize("kind", ["history", "transaction-response", "collection"])
def test_another_bundle_is_no_search(kind: str) -> None:
    server = paged({"resourceType": "Bundle", "type": kind})
    assert fault_of(opened(server).departments()) is EmrFault.INVALID


# --- appointments


def appointment(id_: str, start: datetime, **more: Any) -> Json:
    people = ("Patient/p1", "Practitioner/d1", "HealthcareService/ortho")
    return {
        "resourceType": "Appointment",
        "id": id_,
        "status": "booked",
        "start": stamp(start),
        "end": stamp(start + timedelta(minutes=30)),
        "slot": [{"reference": "Slot/d1-0"}],
        "participant": [{"actor": {"reference": one}, "status": "accepted"} for one in people],
        **more,
    }


def with_appointments(*made: Json) -> FakeServer:
    server = FakeServer()
    for one in made:
        server.put(one)
    return server


def test_appointments_of_one_patient_in_seoul_time(host_zone: str) -> None:
    """Ones that cross midnight in UTC or in the host's zone belong to their day in Seoul."""
    late = datetime(2026, 12, 3, 8, 30, tzinfo=SEOUL)
    others = [{"actor": {"reference": "Patient/p2"}, "status": "accepted"}]
    server = with_appointments(
        appointment("late", late),
        appointment("early", late - timedelta(hours=1), status="pending"),
        appointment("gone", late, status="cancelled"),
        appointment("hers", late, participant=others),
        appointment("past", NOW - timedelta(days=1)),
        appointment("edge", MONTH.end),
    )
    found = asyncio.run(opened(server).appointments(KIM, MONTH))
    assert [(one.id, one.start.isoformat()) for one in found] == [
        ("early", "2026-12-03T07:30:00+09:00"),
        ("late", "2026-12-03T08:30:00+09:00"),
    ]
    assert (found[0].doctor_id, found[0].department_id, found[0].slot_id) == ("d1", "ortho", "d1-0")


def test_other_peoples_appointments_are_never_told() -> None:
    server = with_appointments(appointment("his", NOW + timedelta(days=1)))
    entries = [{"resource": one} for one in server.all("Appointment")]
    everything = {"resourceType": "Bundle", "type": "searchset", "entry": entries}
    server.before = lambda request, number: reply(200, everything)

    async def main() -> None:
        emr = opened(server)
        assert await emr.appointments(LEE, MONTH) == ()
        assert await emr.lookup_key(BookingKey("k9")) is None
        assert len(await emr.appointments(KIM, MONTH)) == 1

    asyncio.run(main())


def test_an_appointment_that_cannot_be_read_is_not_left_out() -> None:
    server = with_appointments(
        appointment("good", NOW + timedelta(days=1)),
        appointment("bad", NOW + timedelta(days=2), participant=[]),
    )
    bad = server.store["Appointment"]["bad"]
    entries = [{"resource": server.store["Appointment"]["good"]}, {"resource": bad}]
    body = {"resourceType": "Bundle", "type": "searchset", "entry": entries}
    server.before = lambda request, number: reply(200, body)
    assert fault_of(opened(server).appointments(KIM, MONTH)) is EmrFault.INVALID


def test_what_an_appointment_does_not_say_comes_from_its_slot() -> None:
    only_patient = [{"actor": {"reference": "Patient/p1"}, "status": "accepted"}]
    soon = NOW + timedelta(days=1)
    server = with_appointments(
        appointment("a", soon, participant=only_patient),
        appointment("b", soon, participant=only_patient, slot=[]),
    )

    async def main() -> None:
        emr = opened(server)
        told = {one.id: one for one in await emr.appointments(KIM, MONTH)}
        first, second = told[AppointmentId("a")], told[AppointmentId("b")]
        assert (first.doctor_id, first.department_id) == ("d1", "ortho")
        assert (second.doctor_id, second.department_id, second.slot_id) == ("", "", "")
        assert await emr.read_appointment(AppointmentId("a")) == first

    asyncio.run(main())


def test_keys_are_looked_up_under_our_system_only() -> None:
    theirs = [{"system": "urn:desk", "value": "k1"}, {"system": SYSTEM, "value": "k2"}]
    server = with_appointments(appointment("a", NOW + timedelta(days=1), identifier=theirs))

    async def main() -> tuple[Appointment | None, ...]:
        emr = opened(server)
        return tuple([await emr.lookup_key(BookingKey(key)) for key in ("k1", "k2")])

    first, second = asyncio.run(main())
    assert first is None
    assert second is not None
    assert second.key == "k2"


def test_signs_that_fhir_reads_itself_are_escaped_in_a_key() -> None:
    server = FakeServer()
    asyncio.run(opened(server).lookup_key(BookingKey("a,b|c$d\\e")))
    assert server.log[0].url.params["identifier"] == f"{SYSTEM}|a\\,b\\|c\\$d\\\\e"


def test_a_patient_id_that_is_none_has_no_appointments() -> None:
    server = FakeServer()
    assert asyncio.run(opened(server).appointments(PatientId("a,b"), MONTH)) == ()
    assert server.log == []


async def _book_one(server: FakeServer) -> None:
    emr = opened(server)
    await emr.book(wish(await a_slot(emr)))


def test_booking_and_reading_agree_on_the_moment(host_zone: str) -> None:
    server = FakeServer()
    asyncio.run(_book_one(server))
    found = asyncio.run(opened(server).appointments(KIM, MONTH))
    assert [one.start.isoformat() for one in found] == ["2026-12-02T09:00:00+09:00"]
