"""Cancelling and moving over FHIR: once, certainly, and the slot is free again (B2)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import httpx
import pytest
from fhir_fake import KIM, LEE, NOW, FakeServer, a_slot, check_sent, opened, problem, wish

from wonmu.clock import FixedClock
from wonmu.emr.fhir.appointments import REASONS
from wonmu.emr.port import (
    Appointment,
    AppointmentStatus,
    Booked,
    BookingIntent,
    Cancelled,
    NotThere,
    Rejected,
    Unknown,
)
from wonmu.errors import EmrFailure, EmrFault
from wonmu.hospital.config import WriteRule
from wonmu.ids import AppointmentId, BookingKey, SlotId, Version

pytestmark = pytest.mark.unit

C1 = BookingKey("c1")
ALL = (WriteRule.SLOT_CLAIM, WriteRule.TRANSACTION, WriteRule.SERVER_DECIDES)
modes = pytest.mark.parametrize("mode", ALL, ids=lambda mode: mode.value)


class Crash(BaseException):
    """The process dies."""


def server_for(mode: WriteRule) -> FakeServer:
    server = FakeServer(owner="server" if mode is WriteRule.SERVER_DECIDES else "client")
    told = server.statement()
    told["rest"][0]["interaction"] = [{"code": "transaction"}]
    server.statement = lambda: told  # type: ignore[method-assign]
    return server


def booked(server: FakeServer, mode: WriteRule, key: str = "k1") -> Appointment:
    async def main() -> Appointment:
        emr = opened(server, mode)
        result = await emr.book(wish(await a_slot(emr), key))
        assert isinstance(result, Booked)
        return result.appointment

    return asyncio.run(main())


@modes
def test_cancelling_twice(mode: WriteRule) -> None:
    server = server_for(mode)
    made = booked(server, mode)

    async def main() -> None:
        emr = opened(server, mode)
        first = await emr.cancel(made.id, C1)
        assert isinstance(first, Cancelled)
        assert not first.already
        gone = first.appointment
        assert (gone.status, gone.key) == (AppointmentStatus.CANCELLED, "k1")
        assert await emr.lookup_key(C1) == gone
        assert await emr.lookup_key(BookingKey("k1")) == gone
        assert await emr.cancel(made.id, C1) == Cancelled(gone, already=True)
        assert await emr.cancel(made.id, BookingKey("c2")) == Cancelled(gone, already=True)
        assert await emr.cancel(AppointmentId("none"), C1) == NotThere()
        slot = await a_slot(emr)
        assert await emr.book(BookingIntent(BookingKey("k1"), KIM, slot.id, slot.version)) == (
            Rejected("key_cancelled")
        )
        assert await emr.book(BookingIntent(C1, KIM, slot.id, slot.version)) == (
            Rejected("key_reused")
        )
        assert isinstance(await emr.book(wish(slot, "k2", LEE)), Booked)

    asyncio.run(main())
    written = server.store["Appointment"]["a1"]
    assert written["cancelationReason"]["coding"] == [{"system": REASONS, "code": "pat"}]
    assert [one.get("use") for one in written["identifier"]] == [None, "secondary"]
    assert server.store["Slot"]["d1-0"]["comment"] == "kept"
    check_sent(server)


@modes
def test_a_cancel_key_serves_one_appointment(mode: WriteRule) -> None:
    server = server_for(mode)
    first = booked(server, mode)

    async def main() -> None:
        emr = opened(server, mode)
        second = await emr.book(wish(await a_slot(emr, "d1-1"), "k2", LEE))
        assert isinstance(second, Booked)
        assert isinstance(await emr.cancel(first.id, C1), Cancelled)
        assert await emr.cancel(second.appointment.id, C1) == Rejected("key_reused")
        assert await emr.cancel(second.appointment.id, BookingKey("k1")) == Rejected("key_reused")

    asyncio.run(main())
    assert len(server.live()) == 1


@modes
@pytest.mark.parametrize("error", [Crash, httpx.ReadTimeout("late"), httpx.ReadError("reset")])
def test_a_cancellation_cut_anywhere_and_sent_again(mode: WriteRule, error: Any) -> None:
    count = 0
    for at in range(1, 20):
        for after in (False, True):
            server = server_for(mode)
            made = booked(server, mode)
            began = len(server.log)

            def cut(request: httpx.Request, number: int, at: int = began + at) -> None:
                if number == at:
                    raise error

            server.before = server.after = lambda request, number: None
            setattr(server, "after" if after else "before", cut)
            with suppress(Crash, EmrFailure):
                asyncio.run(opened(server, mode).cancel(made.id, C1))
            count = max(count, len(server.log) - began)
            server.before = server.after = lambda request, number: None
            result = asyncio.run(opened(server, mode).cancel(made.id, C1))
            assert isinstance(result, Cancelled)
            assert server.live() == []
            assert server.claimed() == []
            check_sent(server)
    assert 3 < count < 20


@modes
def test_somebody_changes_the_appointment_meanwhile(mode: WriteRule) -> None:
    """The newer state is read and cancelled; what the desk wrote stays."""
    server = server_for(mode)
    made = booked(server, mode)
    changed: list[int] = []

    def before(request: httpx.Request, number: int) -> None:
        if request.method == "PUT" and "Appointment" in request.url.path and not changed:
            changed.append(number)
            server.put({**server.store["Appointment"]["a1"], "comment": "휠체어"})

    server.before = before
    result = asyncio.run(opened(server, mode).cancel(made.id, C1))
    assert isinstance(result, Cancelled)
    assert not result.already
    assert server.store["Appointment"]["a1"]["comment"] == "휠체어"


@modes
def test_the_desk_cancels_meanwhile(mode: WriteRule) -> None:
    server = server_for(mode)
    made = booked(server, mode)

    def before(request: httpx.Request, number: int) -> None:
        if request.method == "PUT" and "Appointment" in request.url.path:
            server.put({**server.store["Appointment"]["a1"], "status": "cancelled"})

    server.before = before
    result = asyncio.run(opened(server, mode).cancel(made.id, C1))
    assert isinstance(result, Cancelled)
    assert result.already


def test_a_slot_that_others_use_by_now_is_left_alone() -> None:
    mode = WriteRule.SLOT_CLAIM
    server = server_for(mode)
    made = booked(server, mode)
    other = {**server.store["Appointment"]["a1"], "id": "other", "identifier": []}
    server.put(other)
    assert isinstance(asyncio.run(opened(server, mode).cancel(made.id, C1)), Cancelled)
    assert server.claimed() == ["d1-0"], "somebody else's appointment is on it"

    server = server_for(mode)
    made = booked(server, mode)
    slot = server.store["Slot"]["d1-0"]
    mark = {"system": "urn:wonmu:booking", "value": "somebody"}
    server.put({**slot, "identifier": [mark]})
    assert isinstance(asyncio.run(opened(server, mode).cancel(made.id, C1)), Cancelled)
    assert server.claimed() == ["d1-0"], "another key has claimed it"


def test_a_slot_that_cannot_be_freed_does_not_undo_the_cancellation() -> None:
    mode = WriteRule.SLOT_CLAIM
    server = server_for(mode)
    made = booked(server, mode)
    server.before = lambda request, number: (
        httpx.Response(503) if "PUT" in request.method and "Slot" in request.url.path else None
    )
    assert isinstance(asyncio.run(opened(server, mode).cancel(made.id, C1)), Cancelled)
    assert server.claimed() == ["d1-0"]
    server.before = lambda request, number: None
    assert isinstance(asyncio.run(opened(server, mode).cancel(made.id, C1)), Cancelled)
    assert server.claimed() == []


@modes
def test_what_is_too_late_to_cancel(mode: WriteRule) -> None:
    server = server_for(mode)
    made = booked(server, mode)
    clock = FixedClock(NOW + timedelta(days=2))
    assert asyncio.run(opened(server, mode, clock).cancel(made.id, C1)) == Rejected("past")
    server.put({**server.store["Appointment"]["a1"], "status": "arrived"})
    assert asyncio.run(opened(server, mode).cancel(made.id, C1)) == Rejected("past")


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (lambda: problem(422, "business-rule", "too_late"), Rejected("too_late")),
        (lambda: problem(409, "business-rule", "too_late"), Rejected("too_late")),
        (lambda: problem(403, "forbidden"), EmrFault.FORBIDDEN),
        (lambda: httpx.Response(503), Unknown(C1)),
        (lambda: httpx.ReadTimeout("late"), Unknown(C1)),
    ],
)
def test_refusals_of_a_cancellation(answer: Callable[[], Any], result: object) -> None:
    mode = WriteRule.SERVER_DECIDES
    server = server_for(mode)
    made = booked(server, mode)
    server.before = lambda request, number: answer() if request.method == "PUT" else None

    async def main() -> object:
        try:
            return await opened(server, mode).cancel(made.id, C1)
        except EmrFailure as failure:
            return failure.fault

    assert asyncio.run(main()) == result
    assert len(server.live()) == 1


def test_an_appointment_that_breaks_the_rules_is_not_sent_back() -> None:
    mode = WriteRule.SLOT_CLAIM
    server = server_for(mode)
    made = booked(server, mode)
    one = server.store["Appointment"]["a1"]
    server.put({**one, "participant": [*one["participant"], {"status": "accepted"}]})
    with pytest.raises(EmrFailure) as caught:
        asyncio.run(opened(server, mode).cancel(made.id, C1))
    assert caught.value.fault is EmrFault.INVALID


# --- moving


@modes
def test_a_move_and_the_same_again(mode: WriteRule) -> None:
    server = server_for(mode)
    old = booked(server, mode)

    async def main() -> None:
        emr = opened(server, mode)
        intent = wish(await a_slot(emr, "d1-1"), "k2")
        moved = await emr.reschedule(old.id, intent)
        assert isinstance(moved, Booked)
        assert await emr.reschedule(old.id, intent) == Booked(moved.appointment, replayed=True)
        gone = await emr.read_appointment(old.id)
        assert gone is not None
        assert gone.status is AppointmentStatus.CANCELLED

    asyncio.run(main())
    assert server.claimed() == ["d1-1"]
    check_sent(server)


@modes
def test_a_move_at_the_same_hour_to_another_doctor(mode: WriteRule) -> None:
    server = server_for(mode)
    old = booked(server, mode)

    async def main() -> object:
        emr = opened(server, mode)
        return await emr.reschedule(old.id, wish(await a_slot(emr, "d2-0"), "k2"))

    assert isinstance(asyncio.run(main()), Booked)
    assert server.claimed() == ["d2-0"]


@modes
def test_moves_that_are_none(mode: WriteRule) -> None:
    server = server_for(mode)
    old = booked(server, mode)

    async def main() -> None:
        emr = opened(server, mode)
        slot, same = await a_slot(emr, "d1-1"), await a_slot(emr)
        none = AppointmentId("none")
        assert await emr.reschedule(none, wish(slot, "k2")) == Rejected("no_appointment")
        assert await emr.reschedule(old.id, wish(slot, "k2", LEE)) == Rejected("not_this_patient")
        assert await emr.reschedule(old.id, wish(same, "k2")) == Rejected("same_slot")
        await emr.cancel(old.id, C1)
        assert await emr.reschedule(old.id, wish(slot, "k2")) == Rejected("no_appointment")

    asyncio.run(main())
    assert server.live() == []


@modes
def test_a_move_whose_old_one_cannot_be_cancelled_is_booked(mode: WriteRule) -> None:
    """And the same again goes on with the old one."""
    server = server_for(mode)
    old = booked(server, mode)
    intent = BookingIntent(BookingKey("k2"), KIM, SlotId("d1-1"), Version("1"))
    server.before = lambda request, number: (
        httpx.Response(403) if request.url.path.endswith(f"Appointment/{old.id}")
        and request.method == "PUT" else None
    )  # fmt: skip
    first = asyncio.run(opened(server, mode).reschedule(old.id, intent))
    assert isinstance(first, Booked)
    assert len(server.live()) == 2
    server.before = lambda request, number: None
    assert isinstance(asyncio.run(opened(server, mode).reschedule(old.id, intent)), Booked)
    assert [one["id"] for one in server.live()] == [first.appointment.id]
    assert server.claimed() == ["d1-1"]


@modes
def test_a_move_that_fails_leaves_the_old_one(mode: WriteRule) -> None:
    server = server_for(mode)
    old = booked(server, mode)
    server.before = lambda request, number: (
        problem(422, "business-rule", "full") if request.method == "POST" else None
    )

    async def main() -> object:
        emr = opened(server, mode)
        return await emr.reschedule(old.id, wish(await a_slot(emr, "d1-1"), "k2"))

    assert asyncio.run(main()) == Rejected("full")
    assert [one["id"] for one in server.live()] == [old.id]
    assert server.claimed() == ["d1-0"]
