"""A second opinion on every resource that leaves us: ``validateResource`` of @medplum/core 5.2.13,
which knows the R4 structures, cardinalities, types and the invariants app-1 to app-4."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from medplum_peer import Validator, missing
from targets import NOW, ORTHO, plan

from wonmu.clock import FixedClock
from wonmu.emr.fhir import FhirEmr, open_fhir
from wonmu.emr.port import Booked, BookingIntent, Cancelled, Held, Slot, SlotQuery
from wonmu.emr.seed import seed
from wonmu.emr.server.app import create_app
from wonmu.emr.server.params import PARAMS
from wonmu.emr.server.rules import ServerRules, SlotOwner
from wonmu.emr.sql import open_embedded
from wonmu.hospital.config import FhirSettings, WriteRule
from wonmu.ids import BookingKey, PatientId, SlotId

pytestmark = pytest.mark.service

Json = dict[str, Any]
BASE = "http://records.test/fhir"
KIM = PatientId("p-0001")
OWNERS = {
    WriteRule.SLOT_CLAIM: SlotOwner.CLIENT,
    WriteRule.TRANSACTION: SlotOwner.CLIENT,
    WriteRule.HOLD_AND_BOOK: SlotOwner.SERVER,
    WriteRule.SERVER_DECIDES: SlotOwner.SERVER,
}


@pytest.fixture(scope="module")
def validator() -> Iterator[Validator]:
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    started = Validator()
    yield started
    started.close()


class Recorder(httpx.AsyncBaseTransport):
    """Keeps the JSON of every request and answer."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner
        self.sent: list[Json] = []
        self.answered: list[Json] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if "json" in request.headers.get("content-type", ""):
            self.sent.append(json.loads(request.content))
        response = await self._inner.handle_async_request(request)
        body = await response.aread()
        if body:
            self.answered.append(json.loads(body))
        return httpx.Response(response.status_code, headers=response.headers, content=body)


@asynccontextmanager
async def served(folder: Path, owner: SlotOwner) -> AsyncIterator[Recorder]:
    records = await open_embedded(str(folder / "emr.sqlite"), FixedClock(NOW))
    await seed(records, plan(), NOW, Random(7))
    app = create_app(records, FixedClock(NOW), ServerRules(slot_owner=owner))
    try:
        yield Recorder(httpx.ASGITransport(app=app))
    finally:
        await records.close()


@pytest.mark.parametrize("rule", list(OWNERS), ids=lambda rule: str(rule))
def test_what_our_adapter_sends_is_valid(
    validator: Validator, tmp_path: Path, rule: WriteRule
) -> None:
    """A hold, its release, a booking, a move and a cancellation, in each way of writing."""

    async def main() -> list[Json]:
        async with served(tmp_path, OWNERS[rule]) as recorder:
            settings = FhirSettings(url=BASE, write=rule)
            emr = open_fhir(settings, FixedClock(NOW), env={}, transport=recorder, wait=_no_wait)
            await _play(emr, rule)
            await emr.close()
            return recorder.sent

    sent = [each for body in asyncio.run(main()) for each in _resources(body)]
    kinds = {each["resourceType"] for each in sent}
    assert "Appointment" in kinds
    assert ("Slot" in kinds) == (OWNERS[rule] is SlotOwner.CLIENT)
    _assert_valid(validator, sent)


async def _play(emr: FhirEmr, rule: WriteRule) -> None:
    query = SlotQuery(ORTHO, NOW, NOW + timedelta(days=9))
    found = (await emr.find_slots(query)).slots
    by_start = {slot.start: slot for slot in found}
    first, second, third = [*by_start.values()][4:7]
    if rule is not WriteRule.SERVER_DECIDES:
        held = await emr.hold(first, BookingKey("k-hold"), timedelta(seconds=60))
        assert isinstance(held, Held), held
        await emr.release(first.id, BookingKey("k-hold"))
    booked = await emr.book(_intent(second, "k-book"))
    assert isinstance(booked, Booked), booked
    moved = await emr.reschedule(booked.appointment.id, _intent(third, "k-move"))
    assert isinstance(moved, Booked), moved
    gone = await emr.cancel(moved.appointment.id, BookingKey("k-cancel"))
    assert isinstance(gone, Cancelled), gone
    freed = await emr.read_slot(SlotId(third.id))
    assert freed is not None
    assert freed.status == "free"


def _intent(slot: Slot, key: str) -> BookingIntent:
    return BookingIntent(BookingKey(key), KIM, slot.id, slot.version)


async def _no_wait(_seconds: float) -> None:
    return None


@pytest.mark.parametrize("owner", list(SlotOwner))
def test_what_our_server_answers_is_valid(
    validator: Validator, tmp_path: Path, owner: SlotOwner
) -> None:
    """Every kind it has, its CapabilityStatement, searchsets, histories, outcomes."""

    async def main() -> list[Json]:
        async with (
            served(tmp_path, owner) as recorder,
            httpx.AsyncClient(transport=recorder, base_url=BASE) as http,
        ):
            await http.get("/metadata")
            for kind in PARAMS:
                await http.get(f"/{kind}", params={"_count": "3", "unknown": "x"})
            await http.get("/Slot/there-is-none")
            await http.get("/Slot/d1-20261202-0900/_history")
            window = {"start": "2026-12-03", "end": "2026-12-04", "_count": "3"}
            await http.get("/Appointment/$find", params=window)
            batch = [{"request": {"method": "GET", "url": "Patient/p-0001"}}]
            await http.post("/", json={"resourceType": "Bundle", "type": "batch", "entry": batch})
            return recorder.answered

    answered = asyncio.run(main())
    inside = [each for body in answered for each in _resources(body)]
    assert {each["resourceType"] for each in inside} >= {*PARAMS, "OperationOutcome"}
    _assert_valid(validator, [*answered, *inside])


def test_the_validator_sees_a_broken_resource(validator: Validator) -> None:
    appointment: Json = {"resourceType": "Appointment", "status": "booked", "participant": [{}]}
    issues = validator.issues_of(appointment)
    assert any("app-1" in issue for issue in issues)
    assert any("app-3" in issue for issue in issues)


def _resources(value: Any) -> Iterator[Json]:
    """Resources inside bundles and parameters; alone, the body itself."""
    match value.get("resourceType"):
        case "Bundle":
            for entry in value.get("entry", ()):
                yield from _resources(entry.get("resource", {}))
        case "Parameters":
            for parameter in value["parameter"]:
                yield from _resources(parameter.get("resource", {}))
        case str():
            yield value


def _assert_valid(validator: Validator, resources: list[Json]) -> None:
    found = [(each["resourceType"], validator.issues_of(each)) for each in resources]
    wrong = [(kind, issues) for kind, issues in found if issues]
    assert wrong == []
