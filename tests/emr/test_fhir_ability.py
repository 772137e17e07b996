"""How bookings are written is decided by what the server says and the hospital wants (B2)."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from fhir_fake import FakeServer, a_slot, opened, problem, reply, wish

from wonmu.emr.fhir.ability import decide
from wonmu.emr.fhir.models import CapabilityStatement
from wonmu.emr.port import Rejected, WriteMode
from wonmu.errors import EmrFailure, EmrFault
from wonmu.hospital.config import WriteRule
from wonmu.ids import AppointmentId, BookingKey

pytestmark = pytest.mark.unit

FREE = {"type": "Slot", "interaction": [{"code": "read"}, {"code": "update"}]}
VERSIONED = {**FREE, "versioning": "versioned-update"}
UNVERSIONED = {**FREE, "versioning": "no-version"}
OWNED = {"type": "Slot", "interaction": [{"code": "read"}], "versioning": "versioned"}
CREATES = {"type": "Appointment", "interaction": [{"code": "create"}]}
OPERATIONS = {**CREATES, "operation": [{"name": "$hold"}, {"name": "appointment-book"}]}
BOOKS = {**CREATES, "operation": [{"name": "book"}]}
READS = {"type": "Appointment", "interaction": [{"code": "read"}]}

CLAIM, TRANSACTION = WriteMode.SLOT_CLAIM, WriteMode.TRANSACTION
HOLD, SERVER, NONE = WriteMode.HOLD_AND_BOOK, WriteMode.SERVER_DECIDES, WriteMode.REQUEST_ONLY
AUTO = WriteRule.AUTO


def statement(*resources: dict[str, Any], transaction: bool = False) -> CapabilityStatement:
    interaction = [{"code": "transaction"}] if transaction else []
    rest = {"mode": "server", "resource": resources, "interaction": interaction}
    return CapabilityStatement.model_validate(
        {"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": [rest]}
    )


@pytest.mark.parametrize(
    ("told", "rule", "mode", "holds", "refused"),
    [
        (statement(VERSIONED, CREATES), AUTO, CLAIM, True, False),
        (statement({**FREE, "versioning": "versioned"}, CREATES), AUTO, CLAIM, True, False),
        (statement(VERSIONED, CREATES, transaction=True), AUTO, TRANSACTION, True, False),
        (statement(OWNED, CREATES, transaction=True), AUTO, SERVER, False, False),
        (statement(CREATES), AUTO, SERVER, False, False),
        (statement(OWNED, OPERATIONS), AUTO, HOLD, True, False),
        (statement(OWNED, BOOKS), AUTO, HOLD, False, False),
        (statement(VERSIONED, READS), AUTO, NONE, False, False),
        (statement(UNVERSIONED, CREATES), AUTO, NONE, False, False),
        (statement(FREE, CREATES), AUTO, NONE, False, False),
        (statement(), AUTO, NONE, False, False),
        (statement(VERSIONED, CREATES), WriteRule.SLOT_CLAIM, CLAIM, True, False),
        (statement(FREE, CREATES), WriteRule.SLOT_CLAIM, CLAIM, True, False),
        (statement(UNVERSIONED, CREATES), WriteRule.SLOT_CLAIM, NONE, False, True),
        (statement(OWNED, CREATES), WriteRule.SLOT_CLAIM, NONE, False, True),
        (statement(VERSIONED, CREATES), WriteRule.TRANSACTION, NONE, False, True),
        (
            statement(UNVERSIONED, CREATES, transaction=True),
            WriteRule.TRANSACTION,
            NONE,
            False,
            True,
        ),
        (statement(OWNED, CREATES), WriteRule.HOLD_AND_BOOK, NONE, False, True),
        (statement(OWNED, OPERATIONS), WriteRule.SERVER_DECIDES, SERVER, False, False),
        (statement(OWNED, READS), WriteRule.SERVER_DECIDES, NONE, False, True),
        (None, AUTO, NONE, False, False),
        (None, WriteRule.SLOT_CLAIM, CLAIM, True, False),
        (None, WriteRule.SERVER_DECIDES, SERVER, False, False),
        (None, WriteRule.HOLD_AND_BOOK, HOLD, True, False),
    ],
)
def test_the_mode(
    told: CapabilityStatement | None, rule: WriteRule, mode: WriteMode, holds: bool, refused: bool
) -> None:
    ability = decide(told, rule)
    assert (ability.mode, ability.holds, ability.refused) == (mode, holds, refused)
    assert bool(ability.reason) == (mode is NONE or told is None)


EMPTY = {"resourceType": "Bundle", "type": "searchset", "total": 0}


@pytest.mark.parametrize(
    "answer",
    [
        reply(200, EMPTY),
        problem(404, "not-found"),
        problem(400, "invalid"),
        httpx.Response(405),
        httpx.Response(501),
    ],
)
def test_a_server_without_metadata(answer: httpx.Response) -> None:
    server = FakeServer()
    server.before = lambda request, number: (
        answer if request.url.path.endswith("metadata") else None
    )

    async def main() -> None:
        auto = opened(server)
        found = await auto.capabilities()
        assert (found.mode, found.can_book, found.can_hold) == (NONE, False, False)
        assert "/metadata" in (await auto.ability()).reason
        told = await opened(server, WriteRule.SLOT_CLAIM).capabilities()
        assert (told.mode, told.hold_limit) == (CLAIM, timedelta(seconds=120))

    asyncio.run(main())


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (httpx.Response(503), EmrFault.UNAVAILABLE),
        (httpx.Response(401), EmrFault.UNAUTHORIZED),
        (httpx.Response(200, text="<html>"), EmrFault.INVALID),
        (reply(200, {"resourceType": "CapabilityStatement"}), EmrFault.INVALID),
    ],
)
def test_a_failure_to_tell_is_no_answer_and_not_kept(
    answer: httpx.Response, fault: EmrFault
) -> None:
    server = FakeServer()
    server.before = lambda request, number: answer if number == 1 else None

    async def main() -> None:
        emr = opened(server)
        with pytest.raises(EmrFailure) as caught:
            await emr.capabilities()
        assert caught.value.fault is fault
        assert (await emr.capabilities()).mode is CLAIM
        await emr.capabilities()
        assert len(server.log) == 2, "asked once when it worked"

    asyncio.run(main())


def test_request_only_writes_nothing() -> None:
    server = FakeServer()

    async def main() -> None:
        emr = opened(server, WriteRule.REQUEST_ONLY)
        slot, key = await a_slot(emr), BookingKey("k1")
        refusal = Rejected("request_only")
        assert await emr.book(wish(slot)) == refusal
        assert await emr.reschedule(AppointmentId("a"), wish(slot)) == refusal
        assert await emr.cancel(AppointmentId("a"), key) == refusal
        assert await emr.hold(slot, key, timedelta(seconds=60)) == refusal
        assert await emr.release(slot.id, key) is False

    asyncio.run(main())
    assert {one.method for one in server.log} == {"GET"}


def test_a_claim_without_versions_is_refused() -> None:
    server = FakeServer(checks_match=False)
    told = server.statement()
    told["rest"][0]["resource"][0]["versioning"] = "no-version"
    server.before = lambda request, number: (
        reply(200, told) if request.url.path.endswith("metadata") else None
    )

    async def main() -> None:
        emr = opened(server, WriteRule.SLOT_CLAIM)
        assert (await emr.ability()).refused
        assert await emr.book(wish(await a_slot(emr))) == Rejected("request_only")

    asyncio.run(main())
    assert server.all("Appointment") == []
