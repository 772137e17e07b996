"""The reference record server in this process, for the tests of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx
from emr_parts import NOW, plan

from wonmu.clock import FixedClock
from wonmu.emr.seed import seed
from wonmu.emr.server.access import Access
from wonmu.emr.server.app import RecordServer, create_app
from wonmu.emr.server.rules import ServerRules, SlotOwner
from wonmu.emr.sql import SqlEmr, open_embedded
from wonmu.ids import CountingIds

Json = dict[str, Any]
KEY = "urn:wonmu:booking"
HOST = "http://records.test"


class Here:
    """A server, its record system, its clock, and a client of it."""

    def __init__(self, records: SqlEmr, clock: FixedClock, server: RecordServer) -> None:
        self.records = records
        self.clock = clock
        self.server = server
        self.seen: list[Access] = []
        self.http = self.client("127.0.0.1")

    def client(self, address: str) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(app=self.server, client=(address, 1))
        return httpx.AsyncClient(transport=transport, base_url=f"{HOST}/fhir")

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.http.get(path, headers=_headers(headers))

    async def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        return await self.http.post(path, json=body, headers=_headers(headers))

    async def put(self, path: str, body: Any, **headers: str) -> httpx.Response:
        return await self.http.put(path, json=body, headers=_headers(headers))

    async def found(self, path: str, **headers: str) -> list[Json]:
        answer = await self.get(path, **headers)
        assert answer.status_code == 200, answer.text
        return [entry["resource"] for entry in answer.json().get("entry", ())]

    async def free(self, count: int = 1) -> list[Json]:
        """Free slots of one doctor, from tomorrow on."""
        window = "start=ge2026-12-02T00:00:00%2B09:00&_sort=start"
        path = f"/Slot?schedule=Schedule/d1&status=free&{window}&_count={count}"
        return await self.found(path)

    async def claim(self, slot: Json, status: str = "busy") -> httpx.Response:
        return await self.put(
            f"/Slot/{slot['id']}", {**slot, "status": status}, If_Match=etag(slot)
        )

    async def faults(self, *rules: Json) -> httpx.Response:
        return await self.http.post(f"{HOST}/admin/faults", json=list(rules))


def _headers(given: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in given.items()}


def etag(resource: Json) -> str:
    return f'W/"{resource["meta"]["versionId"]}"'


def booking(slot: Json, key: str | None = "k1", patient: str = "p-0001", **more: Any) -> Json:
    """A valid appointment on a slot."""
    doctor = slot["schedule"]["reference"].removeprefix("Schedule/")
    body = {
        "resourceType": "Appointment",
        "status": "booked",
        "slot": [{"reference": f"Slot/{slot['id']}"}],
        "start": slot["start"],
        "end": slot["end"],
        "participant": [
            {"actor": {"reference": f"Patient/{patient}"}, "status": "accepted"},
            {"actor": {"reference": f"Practitioner/{doctor}"}, "status": "accepted"},
        ],
        **more,
    }
    return body if key is None else {**body, "identifier": [{"system": KEY, "value": key}]}


@asynccontextmanager
async def here(
    store: Path | str, owner: SlotOwner = SlotOwner.SERVER, **rules: Any
) -> AsyncIterator[Here]:
    """``store``: a folder, or the path or URL of a store."""
    where = str(store / "emr.sqlite") if isinstance(store, Path) else store
    clock = FixedClock(NOW)
    records = await open_embedded(where, clock)
    await seed(records, plan(), NOW, Random(7))
    seen: list[Access] = []
    settings = ServerRules(slot_owner=owner, **rules)
    server = create_app(records, clock, settings, ids=CountingIds(), access=seen.append)
    made = Here(records, clock, server)
    made.seen = seen
    try:
        yield made
    finally:
        await made.http.aclose()
        await records.close()


def issue(answer: httpx.Response) -> Json:
    """The first issue of an OperationOutcome."""
    body: Json = answer.json()
    assert body["resourceType"] == "OperationOutcome", body
    first: Json = body["issue"][0]
    return first
