"""R4 http.html#create, #update, #ccreate, #concurrency: writing, and writing conditionally."""

from __future__ import annotations

from typing import Any

import pytest
from world import SYSTEM, World, is_outcome, key_of, new_key

pytestmark = pytest.mark.service


def test_creating_says_where_and_what_version(fhir: World) -> None:
    """http.html#create: 201, Location, ETag; the server chooses the id."""
    body = fhir.appointment(fhir.claimed_slot(), id="mine-please")
    answer = fhir.post("Appointment", body, Prefer="return=representation")
    assert answer.status_code == 201
    made = answer.json()
    assert made["id"] != "mine-please"
    assert f"Appointment/{made['id']}" in answer.headers["location"]
    assert answer.headers["etag"] == f'W/"{made["meta"]["versionId"]}"'
    assert fhir.get(f"Appointment/{made['id']}").json()["status"] == "booked"


def test_the_client_says_how_much_it_wants_back(server_owned: World) -> None:
    """http.html#ops: Prefer return=minimal, representation, OperationOutcome."""
    made = server_owned.booked()
    path = f"Appointment/{made['id']}"
    assert not server_owned.put(path, made, Prefer="return=minimal").content
    assert server_owned.put(path, made, Prefer="return=representation").json()["id"] == made["id"]
    assert is_outcome(server_owned.put(path, made, Prefer="return=OperationOutcome"))


def test_an_update_gives_a_new_version(fhir: World) -> None:
    """http.html#update; resource.html#metadata: versionId changes with the content."""
    made = fhir.booked()
    path = f"Appointment/{made['id']}"
    answer = fhir.put(path, {**made, "comment": "보호자 동반"}, If_Match=_etag(made))
    assert answer.status_code == 200
    assert answer.json()["meta"]["versionId"] != made["meta"]["versionId"]
    assert fhir.get(path).json()["comment"] == "보호자 동반"


def test_an_update_of_an_old_version_is_refused(fhir: World) -> None:
    """http.html#concurrency: If-Match of a version that is no longer there is 412."""
    made = fhir.booked()
    path = f"Appointment/{made['id']}"
    assert fhir.put(path, {**made, "comment": "하나"}, If_Match=_etag(made)).status_code == 200
    answer = fhir.put(path, {**made, "comment": "둘"}, If_Match=_etag(made))
    assert answer.status_code == 412
    assert is_outcome(answer)
    assert fhir.get(path).json()["comment"] == "하나"


def test_one_slot_is_claimed_by_one_version(client_owned: World) -> None:
    """http.html#concurrency, on the Slot: the lock of a client-owned calendar."""
    slot = client_owned.free_slot()
    path, mark = f"Slot/{slot['id']}", [{"system": SYSTEM, "value": new_key()}]
    claim = {**slot, "status": "busy", "identifier": mark}
    assert client_owned.put(path, claim, If_Match=_etag(slot)).status_code == 200
    assert client_owned.put(path, claim, If_Match=_etag(slot)).status_code == 412
    now = client_owned.get(path).json()
    assert now["status"] == "busy"
    assert now["identifier"] == mark


def test_what_a_client_adds_survives_the_next_writer(client_owned: World) -> None:
    """extensibility.html: extensions and comments are kept on the round trip."""
    slot = client_owned.free_slot()
    path = f"Slot/{slot['id']}"
    extension = [{"url": "urn:wonmu:test", "valueString": "표시"}]
    sent = {**slot, "status": "busy-tentative", "comment": "통화 중", "extension": extension}
    client_owned.put(path, sent)
    read = client_owned.get(path).json()
    assert (read["comment"], read["extension"]) == ("통화 중", extension)
    assert read["status"] == "busy-tentative"
    assert client_owned.put(path, {**read, "status": "free"}).status_code == 200


def test_creating_under_a_condition_that_nothing_meets(fhir: World) -> None:
    """http.html#ccreate: no match, so it is created."""
    body = fhir.appointment(fhir.claimed_slot())
    answer = fhir.post("Appointment", body, If_None_Exist=_condition(body))
    assert answer.status_code == 201


def test_creating_under_a_condition_that_one_meets(fhir: World) -> None:
    """http.html#ccreate: one match, so nothing is created: 200."""
    made = fhir.booked()
    body = {name: value for name, value in made.items() if name not in ("id", "meta")}
    answer = fhir.post("Appointment", body, If_None_Exist=_condition(made))
    assert answer.status_code == 200
    found = fhir.found("Appointment", ("identifier", f"{SYSTEM}|{key_of(made)}"))
    assert [each["id"] for each in found] == [made["id"]]


def test_creating_under_a_condition_that_several_meet(fhir: World) -> None:
    """http.html#ccreate: several matches, so the condition selects nothing: 412."""
    fhir.booked()
    fhir.booked()
    body = fhir.appointment(fhir.claimed_slot())
    condition = f"patient=Patient/{fhir.patient()}&status=booked"
    answer = fhir.post("Appointment", body, If_None_Exist=condition)
    assert answer.status_code == 412
    assert is_outcome(answer)


def test_a_cancelled_appointment_stays_readable(fhir: World) -> None:
    """appointment.html: status cancelled with a cancelation reason (app-4)."""
    made = fhir.booked()
    system = "http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason"
    reason = {"coding": [{"system": system, "code": "pat"}]}
    cancelled = {**made, "status": "cancelled", "cancelationReason": reason}
    answer = fhir.put(f"Appointment/{made['id']}", cancelled, If_Match=_etag(made))
    assert answer.status_code == 200
    read = fhir.get(f"Appointment/{made['id']}").json()
    assert (read["status"], read["cancelationReason"]) == ("cancelled", reason)


def test_a_cancelled_appointment_gives_its_slot_back(server_owned: World) -> None:
    """A record system that owns its slots frees them itself."""
    made = server_owned.booked()
    slot = made["slot"][0]["reference"]
    assert server_owned.get(slot).json()["status"] == "busy"
    server_owned.put(f"Appointment/{made['id']}", {**made, "status": "cancelled"})
    assert server_owned.get(slot).json()["status"] == "free"


def test_a_body_that_is_no_json_is_refused(fhir: World) -> None:
    """http.html#create: 400 for what cannot be parsed."""
    url = f"{fhir.target.url}/Appointment"
    headers = {"Content-Type": "application/fhir+json"}
    answer = fhir.http.post(url, content=b'{"resourceType":', headers=headers)
    assert answer.status_code >= 400


def test_the_id_of_the_address_counts(fhir: World) -> None:
    """http.html#update: 400 when the id inside differs."""
    made = fhir.booked()
    answer = fhir.put(f"Appointment/{made['id']}", {**made, "id": "another"})
    assert answer.status_code == 400
    assert is_outcome(answer)


BROKEN: dict[str, dict[str, Any]] = {
    "status-unknown": {"status": "perhaps"},
    "participant-missing": {"participant": None},
    "app-1": {"participant": [{"status": "accepted"}]},
    "app-2": {"end": None},
    "app-3": {"start": None, "end": None},
    "app-4": {"cancelationReason": {"text": "그냥"}},
    "no-offset": {"start": "2026-12-08T09:00:00"},
    "member-unknown": {"colour": "blue"},
    "participant-status": {"participant": [{"actor": {"reference": "Patient/x"}}]},
}


@pytest.mark.parametrize("broken", list(BROKEN))
def test_an_appointment_that_breaks_a_rule_is_refused(fhir: World, broken: str) -> None:
    """appointment.html: required members, required codes, app-1 to app-4; http.html#create: 422
    (or 400) with an OperationOutcome."""
    body = {**fhir.appointment(fhir.claimed_slot()), **BROKEN[broken]}
    sent = {name: value for name, value in body.items() if value is not None}
    answer = fhir.post("Appointment", sent)
    assert answer.status_code in (400, 422)
    assert is_outcome(answer)


def test_a_reference_to_nothing_is_refused(fhir: World) -> None:
    """http.html#create: 422 where referential integrity is kept, as a calendar must."""
    nothing = [{"reference": "Slot/there-is-none"}]
    body = {**fhir.appointment(fhir.claimed_slot()), "slot": nothing}
    answer = fhir.post("Appointment", body)
    assert answer.status_code in (400, 404, 409, 422)
    assert is_outcome(answer)


def _etag(resource: dict[str, Any]) -> str:
    return f'W/"{resource["meta"]["versionId"]}"'


def _condition(appointment: dict[str, Any]) -> str:
    return f"identifier={SYSTEM}|{key_of(appointment)}"
