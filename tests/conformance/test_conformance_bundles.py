"""R4 http.html#transaction: batches and transactions."""

from __future__ import annotations

from typing import Any

import pytest
from world import SYSTEM, World, key_of

pytestmark = pytest.mark.service

Json = dict[str, Any]


def test_a_transaction_claims_and_books(client_owned: World) -> None:
    """http.html#transaction: entries succeed together, with ifMatch and ifNoneExist inside."""
    slot = client_owned.free_slot()
    body = client_owned.appointment(slot)
    answer = client_owned.post("", _bundle("transaction", _claim(slot), _booking(body)))
    assert answer.status_code == 200, answer.text
    bundle = answer.json()
    assert bundle["type"] == "transaction-response"
    statuses = [entry["response"]["status"][:3] for entry in bundle["entry"]]
    assert statuses == ["200", "201"]
    assert client_owned.get(f"Slot/{slot['id']}").json()["status"] == "busy"
    assert len(_by_key(client_owned, body)) == 1


def test_a_transaction_sent_again_changes_nothing(client_owned: World) -> None:
    """http.html#trules: ifNoneExist in an entry works as If-None-Exist does."""
    slot = client_owned.free_slot()
    body = client_owned.appointment(slot)
    for _ in range(2):
        slot = client_owned.get(f"Slot/{slot['id']}").json()
        answer = client_owned.post("", _bundle("transaction", _claim(slot), _booking(body)))
        assert answer.status_code == 200, answer.text
    assert answer.json()["entry"][1]["response"]["status"][:3] == "200"
    assert len(_by_key(client_owned, body)) == 1


def test_a_transaction_is_all_or_nothing(client_owned: World) -> None:
    """http.html#transaction: SHALL succeed or fail as a single action."""
    slot = client_owned.free_slot()
    body = client_owned.appointment(slot)
    stale = {**_claim(slot)}
    stale["request"] = {**stale["request"], "ifMatch": 'W/"0"'}
    answer = client_owned.post("", _bundle("transaction", stale, _booking(body)))
    assert answer.status_code == 412
    assert answer.json()["resourceType"] == "OperationOutcome"
    assert _by_key(client_owned, body) == []
    assert client_owned.get(f"Slot/{slot['id']}").json()["status"] == "free"


def test_a_batch_is_each_entry_on_its_own(fhir: World) -> None:
    """http.html#transaction: in a batch there is no interdependency."""
    patient = fhir.patient()
    entries = [
        {"request": {"method": "GET", "url": "Slot/there-is-none"}},
        {"request": {"method": "GET", "url": f"Patient/{patient}"}},
    ]
    answer = fhir.post("", {"resourceType": "Bundle", "type": "batch", "entry": entries})
    assert answer.status_code == 200
    bundle = answer.json()
    assert bundle["type"] == "batch-response"
    assert [entry["response"]["status"][:3] for entry in bundle["entry"]] == ["404", "200"]
    assert bundle["entry"][1]["resource"]["id"] == patient


def _claim(slot: Json) -> Json:
    return {
        "resource": {**slot, "status": "busy"},
        "request": {
            "method": "PUT",
            "url": f"Slot/{slot['id']}",
            "ifMatch": f'W/"{slot["meta"]["versionId"]}"',
        },
    }


def _booking(body: Json) -> Json:
    condition = f"identifier={SYSTEM}|{key_of(body)}"
    request = {"method": "POST", "url": "Appointment", "ifNoneExist": condition}
    return {"resource": body, "request": request}


def _bundle(kind: str, *entries: Json) -> Json:
    return {"resourceType": "Bundle", "type": kind, "entry": list(entries)}


def _by_key(world: World, body: Json) -> list[Json]:
    return world.found("Appointment", ("identifier", f"{SYSTEM}|{key_of(body)}"))
