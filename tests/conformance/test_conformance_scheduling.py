"""IHE ITI Scheduling 1.0: ITI-115 $find, ITI-116 $hold, ITI-117 $book, ITI-118."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from world import SYSTEM, World, matches, new_key

pytestmark = pytest.mark.service

Json = dict[str, Any]


@pytest.fixture
def ihe(server_owned: World) -> World:
    if not {"find", "book"} <= server_owned.operations():
        pytest.skip("this server does not claim $find and $book")
    return server_owned


def test_find_lists_proposed_appointments(ihe: World) -> None:
    """ITI-115: a searchset of proposed Appointments; _count is honoured, total is present."""
    bundle = _find(ihe, _count="2")
    assert bundle["type"] == "searchset"
    assert bundle["total"] > 2
    found = matches(bundle)
    assert len(found) == 2
    assert {each["status"] for each in found} == {"proposed"}


def test_find_can_be_limited_to_a_practitioner(ihe: World) -> None:
    """ITI-115: practitioner 0..* Reference."""
    doctor = ihe.found("Practitioner", ("_count", "1"))[0]["id"]
    for each in matches(_find(ihe, practitioner=f"Practitioner/{doctor}")):
        actors = {part["actor"]["reference"] for part in each["participant"]}
        assert f"Practitioner/{doctor}" in actors


def test_what_is_held_is_no_longer_offered(ihe: World) -> None:
    """ITI-116: $hold gives one pending Appointment; ITI-115: held ones SHALL NOT be listed."""
    offered = matches(_find(ihe))[0]
    (held,) = matches(_hold(ihe, offered).json())
    assert held["status"] == "pending"
    assert offered["start"] == held["start"]
    slot = offered["slot"][0]["reference"]
    assert slot not in {each["slot"][0]["reference"] for each in matches(_find(ihe))}
    assert ihe.found("Slot", ("_id", slot.partition("/")[2]), ("status", "free")) == []


def test_what_is_held_cannot_be_held_again(ihe: World) -> None:
    """ITI-116: unavailable is an OperationOutcome, severity fatal, code not-found."""
    offered = matches(_find(ihe))[0]
    assert _hold(ihe, offered).status_code == 200
    answer = _hold(ihe, offered)
    outcome = answer.json()
    if outcome["resourceType"] == "Bundle":  # ITI-116 lets it come inside a Bundle
        outcome = outcome["entry"][0]["resource"]
    assert outcome["issue"][0]["severity"] == "fatal"
    assert outcome["issue"][0]["code"] == "not-found"


def test_a_hold_becomes_a_booking(ihe: World) -> None:
    """ITI-117: pending in, booked out; sent again, it is the same one."""
    (held,) = matches(_hold(ihe, matches(_find(ihe))[0]).json())
    key = {"system": SYSTEM, "value": new_key()}
    body = {**held, "identifier": [key], "participant": [*held["participant"], _patient(ihe)]}
    (booked,) = matches(_book(ihe, body))
    assert booked["status"] == "booked"
    assert ihe.get(f"Appointment/{booked['id']}").json()["identifier"] == [key]
    (again,) = matches(_book(ihe, body))
    assert again["id"] == booked["id"]


def test_a_booking_is_cancelled_by_booking_it_cancelled(ihe: World) -> None:
    """ITI-117: the appointment-resource with status cancelled."""
    made = ihe.booked()
    (gone,) = matches(_book(ihe, {**made, "status": "cancelled"}))
    assert gone["status"] == "cancelled"
    assert ihe.get(made["slot"][0]["reference"]).json()["status"] == "free"


def test_a_booking_is_moved_by_booking_it_elsewhere(ihe: World) -> None:
    """ITI-117: the appointment-resource with status booked and another time."""
    made, slot = ihe.booked(), ihe.free_slot()
    there = [{"reference": f"Slot/{slot['id']}"}]
    moved_body = {**made, "slot": there, "start": slot["start"], "end": slot["end"]}
    (moved,) = matches(_book(ihe, moved_body))
    assert (moved["id"], moved["start"]) == (made["id"], slot["start"])
    assert ihe.get(made["slot"][0]["reference"]).json()["status"] == "free"
    assert ihe.get(f"Slot/{slot['id']}").json()["status"] == "busy"


def test_appointments_of_a_patient_with_their_actors(ihe: World) -> None:
    """ITI-118: patient and date are required of servers, _include of actors SHALL be honoured."""
    made = ihe.booked()
    patient = f"Patient/{ihe.patient()}"
    pairs = (("patient", patient), ("date", f"ge{made['start'][:10]}"), ("_count", "200"))
    bundle = ihe.search("Appointment", *pairs, ("_include", "Appointment:actor"))
    assert made["id"] in {each["id"] for each in matches(bundle)}
    kinds = {
        entry["resource"]["resourceType"]
        for entry in bundle["entry"]
        if entry["search"]["mode"] == "include"
    }
    assert kinds >= {"Patient", "Practitioner"}


def _find(ihe: World, **more: str) -> Json:
    start = datetime.fromisoformat(ihe.free_slot()["start"])
    window = {"start": start.isoformat(), "end": (start + timedelta(days=2)).isoformat()}
    answer = ihe.get("Appointment/$find", params={**window, **more})
    assert answer.status_code == 200, answer.text
    bundle: Json = answer.json()
    return bundle


def _hold(ihe: World, appointment: Json) -> Any:
    link = {"reference": f"Appointment/{appointment['id']}"}
    return ihe.post("Appointment/$hold", _parameters("appointment-reference", valueReference=link))


def _book(ihe: World, appointment: Json) -> Json:
    body = _parameters("appointment-resource", resource=appointment)
    answer = ihe.post("Appointment/$book", body)
    assert answer.status_code == 200, answer.text
    bundle: Json = answer.json()
    return bundle


def _parameters(name: str, **value: Json) -> Json:
    return {"resourceType": "Parameters", "parameter": [{"name": name, **value}]}


def _patient(ihe: World) -> Json:
    return {"actor": {"reference": f"Patient/{ihe.patient()}"}, "status": "accepted"}
