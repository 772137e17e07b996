"""Booking over FHIR: one slot, one key, one appointment, whatever breaks in between (B2, B4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import httpx
import pytest
from fhir_fake import (
    KIM,
    LEE,
    NOW,
    SYSTEM,
    FakeServer,
    Json,
    a_slot,
    check_sent,
    opened,
    problem,
    reply,
    window,
    wish,
)

from wonmu.clock import FixedClock
from wonmu.emr.fhir import FhirEmr
from wonmu.emr.port import (
    AppointmentStatus,
    Booked,
    BookingIntent,
    BookResult,
    Held,
    Rejected,
    SlotStatus,
    Taken,
    Unknown,
)
from wonmu.errors import EmrFailure, EmrFault
from wonmu.hospital.config import WriteRule
from wonmu.ids import AppointmentId, BookingKey, PatientId, SlotId, Version

pytestmark = pytest.mark.unit

K1 = BookingKey("k1")
D1 = SlotId("d1-0")
CLIENT = (WriteRule.SLOT_CLAIM, WriteRule.TRANSACTION)
ALL = (*CLIENT, WriteRule.SERVER_DECIDES)
modes = pytest.mark.parametrize("mode", ALL, ids=lambda mode: mode.value)
client_modes = pytest.mark.parametrize("mode", CLIENT, ids=lambda mode: mode.value)


class Crash(BaseException):
    """The process dies."""


def server_for(mode: WriteRule, **more: Any) -> FakeServer:
    server = FakeServer(owner="server" if mode is WriteRule.SERVER_DECIDES else "client", **more)
    told = server.statement()
    told["rest"][0]["interaction"] = [{"code": "transaction"}]
    server.statement = lambda: told  # type: ignore[method-assign]
    return server


async def book(server: FakeServer, mode: WriteRule, **more: Any) -> BookResult:
    emr = opened(server, mode)
    return await emr.book(wish(await a_slot(emr, "d1-0"), **more))


def methods(server: FakeServer) -> list[str]:
    return [f"{one.method} {one.url.path.removeprefix('/fhir')}" for one in server.log]


@modes
def test_a_booking_is_read_back_and_repeats_under_its_key(mode: WriteRule) -> None:
    server = server_for(mode)

    async def main() -> None:
        emr = opened(server, mode)
        intent = wish(await a_slot(emr))
        first = await emr.book(intent)
        assert isinstance(first, Booked)
        made = first.appointment
        assert (made.patient_id, made.slot_id, made.doctor_id, made.department_id, made.key) == (
            "p1",
            "d1-0",
            "d1",
            "ortho",
            "k1",
        )
        assert made.status is AppointmentStatus.BOOKED
        assert await emr.book(intent) == Booked(made, replayed=True)
        assert await emr.lookup_key(K1) == made
        slot = await a_slot(emr)
        assert slot.status is SlotStatus.BUSY
        assert await emr.book(wish(slot, "k2", LEE)) == Taken(D1)
        assert await emr.book(BookingIntent(K1, LEE, D1, slot.version)) == Rejected("key_reused")

    asyncio.run(main())
    assert len(server.live()) == 1
    assert server.claimed() == ["d1-0"]
    assert server.store["Slot"]["d1-0"]["comment"] == "kept"
    check_sent(server)


def test_the_order_of_requests_in_a_claim() -> None:
    server = server_for(WriteRule.SLOT_CLAIM)
    asyncio.run(book(server, WriteRule.SLOT_CLAIM))
    writes = [one for one in server.log if one.method != "GET"]
    assert [(one.method, one.url.path) for one in writes] == [
        ("PUT", "/fhir/Slot/d1-0"),
        ("POST", "/fhir/Appointment"),
    ]
    assert writes[0].headers["if-match"] == 'W/"1"'
    assert writes[1].headers["if-none-exist"] == f"identifier={SYSTEM}|k1"
    last = methods(server)[methods(server).index("POST /Appointment") :]
    assert sorted(last[1:]) == ["GET /Appointment", "GET /Appointment/a1"]


@modes
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda i: BookingIntent(i.key, i.patient_id, SlotId("none"), i.slot_version),
            "unknown_slot",
        ),
        (
            lambda i: BookingIntent(i.key, PatientId("p9"), i.slot_id, i.slot_version),
            "unknown_patient",
        ),
        (
            lambda i: BookingIntent(i.key, PatientId("/"), i.slot_id, i.slot_version),
            "unknown_patient",
        ),
        (lambda i: BookingIntent(i.key, i.patient_id, i.slot_id, Version("99")), "stale_version"),
    ],
)
def test_rules_before_anything_is_written(
    mode: WriteRule, change: Callable[[BookingIntent], BookingIntent], reason: str
) -> None:
    server = server_for(mode)

    async def main() -> BookResult:
        emr = opened(server, mode)
        return await emr.book(change(wish(await a_slot(emr))))

    assert asyncio.run(main()) == Rejected(reason)
    assert {one.method for one in server.log} == {"GET"}


@modes
def test_a_time_that_is_past_and_a_patient_who_is_elsewhere(mode: WriteRule) -> None:
    server, clock = server_for(mode), FixedClock(NOW)

    async def main() -> None:
        emr = opened(server, mode, clock)
        slot, beside = await a_slot(emr), await a_slot(emr, "d2-0")
        assert isinstance(await emr.book(wish(slot)), Booked)
        assert await emr.book(wish(beside, "k2")) == Rejected("patient_busy")
        assert isinstance(await emr.book(wish(beside, "k3", LEE)), Booked)
        later = await a_slot(emr, "d1-1")
        clock.advance(timedelta(days=1, hours=1, minutes=30).total_seconds())
        assert await emr.book(wish(later, "k4", LEE)) == Rejected("past")

    asyncio.run(main())


# --- crashes and lost replies: at every request, before and after it took effect


def crash_at(server: FakeServer, at: int, *, after: bool, error: BaseException) -> None:
    def cut(request: httpx.Request, number: int) -> None:
        if number == at:
            raise error

    server.before = server.after = lambda request, number: None
    if after:
        server.after = cut
    else:
        server.before = cut


Act = Callable[[FhirEmr], Any]


def each_crash(
    make: Callable[[], FakeServer],
    mode: WriteRule,
    act: Act,
    check: Callable[[FakeServer, object], None],
    error: Callable[[], BaseException],
    repeats: int = 1,
) -> int:
    """``act`` cut at its n-th request, then again by a new process, for every n. Returns how many
    requests it takes."""
    for at in range(1, 60):
        for after in (False, True):
            server = make()
            began = len(server.log)
            crash_at(server, began + at, after=after, error=error())
            try:
                first = asyncio.run(act(opened(server, mode)))
            except (Crash, EmrFailure) as broken:
                first = broken
            reached = len(server.log) >= began + at
            server.before = server.after = lambda request, number: None
            result = first if not reached else asyncio.run(act(opened(server, mode)))
            check(server, result)
            check_sent(server)
        if not reached:
            return at - 1
    raise AssertionError("it never ends")


INTENT = BookingIntent(K1, KIM, D1, Version("1"))
ERRORS: dict[str, Callable[[], BaseException]] = {
    "crash": Crash,
    "silence": lambda: httpx.ReadTimeout("late"),
    "reset": lambda: httpx.ReadError("reset"),
    "refused": lambda: httpx.ConnectError("no"),
}
errors = pytest.mark.parametrize("error", ERRORS)


@modes
@errors
def test_a_booking_cut_anywhere_and_sent_again_is_one_booking(mode: WriteRule, error: str) -> None:
    def check(server: FakeServer, result: object) -> None:
        assert isinstance(result, Booked), result
        assert len(server.live()) == 1
        assert len(server.all("Appointment")) == 1
        assert server.claimed() == ["d1-0"]

    count = each_crash(
        lambda: server_for(mode), mode, lambda emr: emr.book(INTENT), check, ERRORS[error]
    )
    assert count >= 6


@modes
@errors
def test_a_move_cut_anywhere_and_sent_again_is_one_move(mode: WriteRule, error: str) -> None:
    old: list[AppointmentId] = []

    def make() -> FakeServer:
        server = server_for(mode)
        done = asyncio.run(book(server, mode, key="k0"))
        assert isinstance(done, Booked)
        old[:] = [done.appointment.id]
        return server

    def check(server: FakeServer, result: object) -> None:
        assert isinstance(result, Booked), result
        assert result.appointment.slot_id == "d1-1"
        assert [one["id"] for one in server.live()] == [result.appointment.id]
        assert server.claimed() == ["d1-1"]

    moved = BookingIntent(K1, KIM, SlotId("d1-1"), Version("1"))
    count = each_crash(make, mode, lambda emr: emr.reschedule(old[0], moved), check, ERRORS[error])
    assert count >= 9


@modes
@errors
def test_never_neither_while_a_move_is_cut(mode: WriteRule, error: str) -> None:
    """Right after the cut, before anybody repairs anything, the patient has an appointment."""
    moved = BookingIntent(K1, KIM, SlotId("d1-1"), Version("1"))
    for at in range(1, 25):
        server = server_for(mode)
        done = asyncio.run(book(server, mode, key="k0"))
        assert isinstance(done, Booked)
        crash_at(server, len(server.log) + at, after=True, error=ERRORS[error]())
        with suppress(Crash, EmrFailure):
            asyncio.run(opened(server, mode).reschedule(done.appointment.id, moved))
        assert len(server.live()) in (1, 2)


@client_modes
@errors
def test_a_booking_given_up_after_a_cut_leaves_no_claim(mode: WriteRule, error: str) -> None:
    """Nobody sends it again, but the claim is given back by its key."""
    for at in range(1, 12):
        for after in (False, True):
            server = server_for(mode)
            crash_at(server, at, after=after, error=ERRORS[error]())
            with suppress(Crash, EmrFailure):
                asyncio.run(opened(server, mode).book(INTENT))
            server.before = server.after = lambda request, number: None
            emr = opened(server, mode)
            asyncio.run(emr.release(D1, K1))
            assert len(server.claimed()) == len(server.live())


@modes
@errors
def test_a_known_failure_has_written_nothing(mode: WriteRule, error: str) -> None:
    """Whatever request is cut: if it is told as known, there is nothing to repair."""
    for at in range(1, 12):
        server = server_for(mode)
        crash_at(server, at, after=False, error=ERRORS[error]())
        result: object = None
        try:
            result = asyncio.run(opened(server, mode).book(INTENT))
        except (Crash, EmrFailure) as broken:
            result = broken
        if isinstance(result, EmrFailure):
            assert (result.outcome_known, server.live(), server.claimed()) == (True, [], [])
        else:
            assert isinstance(result, Booked | Unknown | Crash)


def test_a_lost_reply_is_found_by_its_key_within_four_seconds() -> None:
    """The search index lags: the third look finds it."""
    server, clock = server_for(WriteRule.SLOT_CLAIM), FixedClock(NOW)
    looks: list[float] = []

    def before(request: httpx.Request, number: int) -> httpx.Response | None:
        if server.made and request.method == "GET" and "identifier" in request.url.params:
            looks.append(clock.mono())
            if len(looks) < 3:
                return reply(200, {"resourceType": "Bundle", "type": "searchset", "total": 0})
        return None

    def after(request: httpx.Request, number: int) -> Exception | None:
        return httpx.ReadTimeout("late") if request.method == "POST" else None

    server.before, server.after = before, after

    async def main() -> BookResult:
        emr = opened(server, WriteRule.SLOT_CLAIM, clock)
        return await emr.book(wish(await a_slot(emr)))

    assert isinstance(asyncio.run(main()), Booked)
    assert looks == [0.5, 1.75, 4.0]


# --- races


@modes
@pytest.mark.parametrize("checks_match", [True, False])
@pytest.mark.parametrize("atomic", [True, False])
def test_many_callers_on_one_slot(mode: WriteRule, checks_match: bool, atomic: bool) -> None:
    """Also on servers that ignore If-Match or carry out transactions by halves: the reading back
    leaves the earliest alone."""
    server = server_for(mode, checks_match=checks_match, atomic=atomic, lying=not atomic)
    for number in range(12):
        patient = {**server.store["Patient"]["p1"], "id": f"q{number}"}
        server.put(patient)

    async def main() -> list[BookResult]:
        desks = [opened(server, mode) for _ in range(12)]
        slots = [await a_slot(emr) for emr in desks]
        wishes = [wish(s, f"k{n}", PatientId(f"q{n}")) for n, s in enumerate(slots)]
        return await asyncio.gather(*(e.book(w) for e, w in zip(desks, wishes, strict=True)))

    results = asyncio.run(main())
    booked = [one for one in results if isinstance(one, Booked)]
    assert len(booked) == 1
    assert [one["id"] for one in server.live()] == [booked[0].appointment.id]
    others = [one for one in results if not isinstance(one, Booked)]
    if checks_match:
        assert all(one in (Taken(D1), Rejected("stale_version")) for one in others), others
    assert server.claimed() == ["d1-0"]


@modes
def test_the_same_wish_sent_many_times_at_once(mode: WriteRule) -> None:
    server = server_for(mode)

    async def main() -> list[BookResult]:
        emr = opened(server, mode)
        intent = wish(await a_slot(emr))
        return await asyncio.gather(*(emr.book(intent) for _ in range(8)))

    results = asyncio.run(main())
    assert all(isinstance(one, Booked) for one in results), results
    assert len(server.live()) == 1


def desk_appointment(server: FakeServer, patient: str = "p2") -> Json:
    people = (f"Patient/{patient}", "Practitioner/d1")
    slot = server.store["Slot"]["d1-0"]
    return server.put(
        {
            "resourceType": "Appointment",
            "id": "desk",
            "status": "booked",
            "start": slot["start"],
            "end": slot["end"],
            "slot": [{"reference": "Slot/d1-0"}],
            "participant": [{"actor": {"reference": p}, "status": "accepted"} for p in people],
        }
    )


@client_modes
def test_a_desk_that_books_without_claiming_keeps_its_slot(mode: WriteRule) -> None:
    server = server_for(mode)
    desk_appointment(server)
    assert asyncio.run(book(server, mode)) == Taken(D1)
    assert [one["id"] for one in server.live()] == ["desk"]
    slot = server.store["Slot"]["d1-0"]
    assert (slot["status"], slot.get("identifier")) == ("busy", None)
    assert asyncio.run(opened(server, mode).book(INTENT)) == Taken(D1), "and again the same"
    check_sent(server)


@client_modes
def test_a_desk_that_comes_after_us_gives_way(mode: WriteRule) -> None:
    server = server_for(mode)

    def after(request: httpx.Request, number: int) -> None:
        if request.method == "POST" and "desk" not in server.store.get("Appointment", {}):
            desk_appointment(server)

    server.after = after
    assert isinstance(asyncio.run(book(server, mode)), Booked)


def test_a_server_without_conditional_creates_makes_two_and_one_goes() -> None:
    server = server_for(WriteRule.SLOT_CLAIM)
    twin: list[Json] = []

    def after(request: httpx.Request, number: int) -> None:
        if request.method == "POST" and not twin:
            twin.append(server.put({**server.store["Appointment"]["a1"], "id": "a0"}))

    server.after = after
    result = asyncio.run(book(server, WriteRule.SLOT_CLAIM))
    assert isinstance(result, Booked)
    assert [one["id"] for one in server.live()] == [result.appointment.id] == ["a1"]


# --- refusals of the server


def refusing(status: int, code: str, text: str = "") -> Callable[..., httpx.Response | None]:
    return lambda request, number: problem(status, code, text) if request.method == "POST" else None


@modes
@pytest.mark.parametrize(
    ("status", "code", "text", "result"),
    [
        (409, "conflict", "Slot/d1-0 is taken", Taken(D1)),
        (422, "conflict", "", Taken(D1)),
        (422, "business-rule", "too_many_today", Rejected("too_many_today")),
        (409, "business-rule", "He has one at that time.", Rejected("business-rule")),
    ],
)
def test_refusals_of_a_create(
    mode: WriteRule, status: int, code: str, text: str, result: BookResult
) -> None:
    server = server_for(mode)
    server.before = refusing(status, code, text)
    assert asyncio.run(book(server, mode)) == result
    assert server.claimed() == []


@modes
@pytest.mark.parametrize(
    ("status", "code", "fault"),
    [(422, "structure", EmrFault.UNPROCESSABLE), (409, "processing", EmrFault.CONFLICT)],
)
def test_a_refusal_that_is_no_rule_and_no_taken_slot_is_a_failure(
    mode: WriteRule, status: int, code: str, fault: EmrFault
) -> None:
    """Nobody may be told that somebody else has a slot that is still free."""
    server = server_for(mode)
    server.before = refusing(status, code)
    with pytest.raises(EmrFailure) as caught:
        asyncio.run(book(server, mode))
    assert caught.value.fault is fault
    assert caught.value.outcome_known
    assert server.claimed() == []


def test_a_slot_that_went_between_look_and_claim() -> None:
    for mode in ALL:
        server = server_for(mode)

        def before(request: httpx.Request, number: int, server: FakeServer = server) -> None:
            if request.method in ("PUT", "POST"):
                server.put({**server.store["Slot"]["d1-0"], "status": "busy"})

        server.before = before
        assert asyncio.run(book(server, mode)) == Taken(D1), mode
        assert server.live() == []


@pytest.mark.parametrize("lying", [False, True])
def test_a_transaction_that_is_carried_out_by_halves_is_taken_back(lying: bool) -> None:
    """A server that says transaction and means batch: the slot refused, the appointment made;
    and one that does so and answers that it refused the whole."""
    server = server_for(WriteRule.TRANSACTION, atomic=False, lying=lying)

    def before(request: httpx.Request, number: int) -> None:
        if request.method == "POST":
            server.put({**server.store["Slot"]["d1-0"], "status": "busy"})

    server.before = before
    assert asyncio.run(book(server, WriteRule.TRANSACTION)) == Taken(D1)
    assert (server.live(), len(server.all("Appointment"))) == ([], 1)
    check_sent(server)


@modes
@pytest.mark.parametrize("status", ["pending", "proposed", "waitlist"])
def test_what_the_hospital_has_not_confirmed_is_not_told_as_confirmed(
    mode: WriteRule, status: str
) -> None:
    server = server_for(mode)

    def after(request: httpx.Request, number: int) -> None:
        for one in server.live() if request.method == "POST" else ():
            server.put({**one, "status": status})

    server.after = after
    assert asyncio.run(book(server, mode)) == Unknown(K1)


@modes
def test_an_appointment_that_is_not_as_agreed_is_given_up(mode: WriteRule) -> None:
    server = server_for(mode)

    def after(request: httpx.Request, number: int) -> None:
        for one in server.live() if request.method == "POST" else ():
            later = server.store["Slot"]["d1-3"]
            server.put({**one, "start": later["start"], "end": later["end"]})

    server.after = after
    assert asyncio.run(book(server, mode)) == Rejected("not_as_agreed")
    assert server.live() == []
    assert server.claimed() == []


@pytest.mark.parametrize("lying", [False, True])
def test_the_other_half_alone_is_taken_back_as_well(lying: bool) -> None:
    """The slot claimed, the appointment refused."""
    server = server_for(WriteRule.TRANSACTION, atomic=False, lying=lying)
    create = server._post
    server._post = lambda kind, body, unless: (  # type: ignore[method-assign]
        problem(422, "business-rule", "full")
        if kind == "Appointment"
        else create(kind, body, unless)
    )
    assert asyncio.run(book(server, WriteRule.TRANSACTION)) == Rejected("full")
    assert (server.live(), server.claimed()) == ([], [])


# --- holds


@client_modes
def test_a_hold_is_ours_until_it_lapses(mode: WriteRule) -> None:
    server, clock = server_for(mode), FixedClock(NOW)

    async def main() -> None:
        mine, hers = opened(server, mode, clock), opened(server, mode, clock)
        slot = await a_slot(mine)
        held = await mine.hold(slot, K1, timedelta(minutes=10))
        assert isinstance(held, Held)
        assert (held.until, held.slot.status) == (NOW + timedelta(seconds=120), SlotStatus.HELD)
        assert await hers.hold(slot, BookingKey("k2"), timedelta(seconds=60)) == Taken(D1)
        assert await hers.book(wish(slot, "k2", LEE)) == Taken(D1)
        assert D1 not in {one.id for one in (await hers.find_slots(window())).slots}
        clock.advance(120)
        assert D1 in {one.id for one in (await hers.find_slots(window())).slots}
        again = await a_slot(hers)
        assert again.status is SlotStatus.FREE
        assert isinstance(await hers.book(wish(again, "k2", LEE)), Booked)
        assert await mine.release(slot.id, K1) is False

    asyncio.run(main())
    check_sent(server)


@client_modes
def test_a_hold_becomes_a_booking_or_is_given_back(mode: WriteRule) -> None:
    server = server_for(mode)

    async def main() -> None:
        emr = opened(server, mode)
        slot, other = await a_slot(emr), await a_slot(emr, "d1-1")
        for one in (slot, other):
            assert isinstance(await emr.hold(one, K1, timedelta(seconds=60)), Held)
        assert await emr.release(other.id, BookingKey("k2")) is False
        assert await emr.release(other.id, K1) is True
        assert await emr.release(other.id, K1) is False
        assert isinstance(await emr.book(wish(slot)), Booked)
        assert await emr.release(slot.id, K1) is False, "it is a booking now"

    asyncio.run(main())
    assert server.claimed() == ["d1-0"]
    assert server.store["Slot"]["d1-1"]["comment"] == "kept"


@client_modes
def test_what_was_given_back_is_no_claim_any_more(mode: WriteRule) -> None:
    """The desk takes the slot and keeps whatever else is written in it."""
    server = server_for(mode)

    async def main() -> None:
        emr = opened(server, mode)
        slot = await a_slot(emr)
        assert isinstance(await emr.hold(slot, K1, timedelta(seconds=60)), Held)
        assert await emr.release(slot.id, K1)
        assert isinstance(await emr.hold(slot, K1, timedelta(seconds=60)), Held), "ours again"
        assert await emr.release(slot.id, K1)
        server.put({**server.store["Slot"]["d1-0"], "status": "busy"})
        assert await emr.book(wish(slot)) == Taken(D1)
        assert await emr.release(slot.id, K1) is False

    asyncio.run(main())
    assert server.claimed() == ["d1-0"]


@client_modes
def test_what_is_booked_cannot_be_held(mode: WriteRule) -> None:
    server = server_for(mode)

    async def main() -> None:
        emr = opened(server, mode)
        slot = await a_slot(emr)
        assert isinstance(await emr.book(wish(slot)), Booked)
        assert await emr.hold(slot, K1, timedelta(seconds=60)) == Taken(D1)

    asyncio.run(main())


def test_a_hold_of_somebody_elses_is_never_lapsed() -> None:
    server = server_for(WriteRule.SLOT_CLAIM)
    server.put({**server.store["Slot"]["d1-0"], "status": "busy-tentative"})
    assert asyncio.run(book(server, WriteRule.SLOT_CLAIM)) == Taken(D1)


def test_no_holds_where_the_server_has_none() -> None:
    async def main() -> None:
        emr = opened(server_for(WriteRule.SERVER_DECIDES), WriteRule.SERVER_DECIDES)
        assert await emr.hold(await a_slot(emr), K1, timedelta(seconds=60)) == Rejected("no_holds")

    asyncio.run(main())
