"""R4 http.html#concurrency, #ccreate: many at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

import httpx
import pytest
from world import SYSTEM, World, key_of, new_key

pytestmark = pytest.mark.service

AT_ONCE = 20


def test_of_many_claims_of_one_version_one_wins(client_owned: World) -> None:
    """http.html#concurrency: everybody else gets 412 (some servers say 409)."""
    slot = client_owned.free_slot()
    etag = f'W/"{slot["meta"]["versionId"]}"'

    async def claim(http: httpx.AsyncClient) -> int:
        mark = [{"system": SYSTEM, "value": new_key()}]
        body = {**slot, "status": "busy", "identifier": mark}
        url = f"{client_owned.target.url}/Slot/{slot['id']}"
        return (await http.put(url, json=body, headers={"If-Match": etag})).status_code

    statuses = Counter(_all_at_once(claim))
    assert statuses[200] == 1
    assert statuses[412] + statuses[409] == AT_ONCE - 1


def test_of_many_creates_under_one_condition_one_is_made(fhir: World) -> None:
    """http.html#ccreate: the same key is the same appointment for everybody."""
    body = fhir.appointment(fhir.claimed_slot())
    headers = {"If-None-Exist": f"identifier={SYSTEM}|{key_of(body)}"}

    async def create(http: httpx.AsyncClient) -> int:
        url = f"{fhir.target.url}/Appointment"
        return (await http.post(url, json=body, headers=headers)).status_code

    statuses = Counter(_all_at_once(create))
    assert statuses == {201: 1, 200: AT_ONCE - 1}
    found = fhir.found("Appointment", ("identifier", f"{SYSTEM}|{key_of(body)}"))
    assert len(found) == 1


def test_of_many_bookings_of_one_slot_one_is_made(server_owned: World) -> None:
    """A record system that owns its slots gives each to one appointment: 409 for the others."""
    slot = server_owned.free_slot()
    bodies = [server_owned.appointment(slot) for _ in range(AT_ONCE)]

    async def create(http: httpx.AsyncClient) -> int:
        url = f"{server_owned.target.url}/Appointment"
        return (await http.post(url, json=bodies.pop())).status_code

    assert Counter(_all_at_once(create)) == {201: 1, 409: AT_ONCE - 1}
    assert len(server_owned.found("Appointment", ("slot", f"Slot/{slot['id']}"))) == 1


def _all_at_once(ask: Callable[[httpx.AsyncClient], Awaitable[int]]) -> list[int]:
    async def main() -> list[int]:
        headers = {"Content-Type": "application/fhir+json"}
        async with httpx.AsyncClient(headers=headers, timeout=20) as http:
            return await asyncio.gather(*(ask(http) for _ in range(AT_ONCE)))

    return asyncio.run(main())
