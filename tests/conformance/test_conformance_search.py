"""R4 search.html: what is found, in what order, on which page."""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import quote

import pytest
from world import World, is_outcome, matches

pytestmark = pytest.mark.service


def test_slots_of_a_calendar_in_a_window(fhir: World) -> None:
    """search.html#date: ge and lt on an instant make a half-open window; repeated means AND."""
    slot = fhir.free_slot()
    start = datetime.fromisoformat(slot["start"])
    until = (start + timedelta(hours=2)).isoformat()
    schedule = slot["schedule"]["reference"]
    pairs = (("schedule", schedule), ("start", f"ge{slot['start']}"), ("start", f"lt{until}"))
    found = fhir.found("Slot", *pairs, ("_sort", "start"), ("_count", "100"))
    starts = [datetime.fromisoformat(each["start"]) for each in found]
    assert starts[0] == start
    assert starts == sorted(starts)
    assert all(start <= each < start + timedelta(hours=2) for each in starts)
    assert all(each["schedule"]["reference"] == schedule for each in found)


def test_moments_are_compared_and_not_their_spellings(fhir: World) -> None:
    """search.html#date: an offset and Z may name the same moment."""
    slot = fhir.free_slot()
    start = datetime.fromisoformat(slot["start"])
    in_utc = (start - timedelta(hours=9)).strftime("%Y-%m-%dT%H:%M:%SZ")
    same = [("schedule", slot["schedule"]["reference"]), ("_count", "200")]
    with_offset = fhir.found("Slot", *same, ("start", f"ge{slot['start']}"))
    with_z = fhir.found("Slot", *same, ("start", f"ge{in_utc}"))
    assert [each["id"] for each in with_offset] == [each["id"] for each in with_z]


def test_a_comma_means_or(fhir: World) -> None:
    """search.html#combining."""
    schedules = [each["id"] for each in fhir.found("Schedule", ("_count", "10"))][:2]
    value = ",".join(f"Schedule/{each}" for each in schedules)
    found = fhir.found("Slot", ("schedule", value), ("_count", "200"), ("_sort", "start"))
    assert {each["schedule"]["reference"] for each in found} == set(value.split(","))
    both = fhir.search("Slot", ("status", "free,busy"), ("_count", "1"))["total"]
    each = [fhir.search("Slot", ("status", s), ("_count", "1"))["total"] for s in ("free", "busy")]
    assert both == sum(each)


def test_pages_follow_each_other_without_gaps(fhir: World) -> None:
    """http.html#paging: link next; search.html#count."""
    schedule = fhir.found("Schedule", ("active", "true"), ("_count", "1"))[0]["id"]
    pairs = [("schedule", f"Schedule/{schedule}"), ("_sort", "start")]
    bundle = fhir.search("Slot", *pairs, ("_count", "7"))
    seen = []
    for _ in range(4):
        assert len(matches(bundle)) == 7
        seen += [each["id"] for each in matches(bundle)]
        links = {link["relation"]: link["url"] for link in bundle["link"]}
        assert "self" in links
        bundle = fhir.http.get(_absolute(fhir, links["next"])).json()
    whole = fhir.found("Slot", *pairs, ("_count", "28"))
    assert seen == [each["id"] for each in whole]


def _absolute(fhir: World, link: str) -> str:
    """A link may be relative to the base (Medplum's router knows no base of its own)."""
    return link if link.startswith(fhir.target.url) else fhir.target.url + "/" + _tail(link)


def _tail(link: str) -> str:
    return link[link.index("Slot?") :]


def test_the_total_counts_every_match(fhir: World) -> None:
    """search.html#total."""
    slot = fhir.free_slot()
    until = datetime.fromisoformat(slot["start"]) + timedelta(days=6)
    window = (("start", f"ge{slot['start']}"), ("start", f"lt{until.isoformat()}"))
    pairs = (("schedule", slot["schedule"]["reference"]), ("status", "busy"), *window)
    bundle = fhir.search("Slot", *pairs, ("_count", "200"))
    assert bundle["type"] == "searchset"
    assert bundle["total"] == len(matches(bundle)) > 3
    assert fhir.search("Slot", *pairs, ("_count", "3"))["total"] == bundle["total"]


def test_sorting_the_other_way_round(fhir: World) -> None:
    """search.html#sort: a dash means descending."""
    slot = fhir.free_slot()
    until = datetime.fromisoformat(slot["start"]) + timedelta(days=2)
    window = (("start", f"ge{slot['start']}"), ("start", f"lt{until.isoformat()}"))
    pairs = (("schedule", slot["schedule"]["reference"]), *window, ("_count", "100"))
    upwards = [each["start"] for each in fhir.found("Slot", *pairs, ("_sort", "start"))]
    downwards = [each["start"] for each in fhir.found("Slot", *pairs, ("_sort", "-start"))]
    assert downwards == upwards[::-1]
    assert len(upwards) > 2


def test_what_is_referred_to_can_come_along(fhir: World) -> None:
    """search.html#include: search.mode tells what matched from what was included."""
    slot = fhir.free_slot()
    bundle = fhir.search("Slot", ("_id", slot["id"]), ("_include", "Slot:schedule"))
    assert [each["id"] for each in matches(bundle)] == [slot["id"]]
    others = [e["resource"] for e in bundle["entry"] if e["search"]["mode"] == "include"]
    assert [f"Schedule/{each['id']}" for each in others] == [slot["schedule"]["reference"]]


def test_a_calendar_is_found_by_its_doctor(fhir: World) -> None:
    """schedule.html: search parameter actor."""
    doctor = fhir.found("Practitioner", ("_count", "1"))[0]["id"]
    found = fhir.found("Schedule", ("actor", f"Practitioner/{doctor}"))
    assert found
    for each in found:
        assert f"Practitioner/{doctor}" in {link["reference"] for link in each["actor"]}


def test_the_doctors_of_a_department_with_their_names(fhir: World) -> None:
    """practitionerrole.html: service; _include of the practitioner."""
    role = fhir.found("PractitionerRole", ("active", "true"), ("_count", "1"))[0]
    service = role["healthcareService"][0]["reference"]
    pairs = (("service", service), ("_include", "PractitionerRole:practitioner"))
    bundle = fhir.search("PractitionerRole", *pairs)
    roles = matches(bundle)
    assert role["id"] in {each["id"] for each in roles}
    included = {
        f"Practitioner/{entry['resource']['id']}"
        for entry in bundle["entry"]
        if entry["search"]["mode"] == "include"
    }
    assert included == {each["practitioner"]["reference"] for each in roles}


def test_a_department_is_found_by_its_name(fhir: World) -> None:
    """healthcareservice.html: name; search.html#string: the beginning is enough."""
    service = fhir.found("HealthcareService", ("_count", "1"))[0]
    found = fhir.found("HealthcareService", ("name", service["name"][:2]))
    assert service["id"] in {each["id"] for each in found}


def test_a_patient_is_found_by_chart_number_and_by_birth_date(fhir: World) -> None:
    """search.html#token: system|value; patient.html: birthdate."""
    patient = fhir.get(f"Patient/{fhir.patient()}").json()
    chart = patient["identifier"][0]
    found = fhir.found("Patient", ("identifier", f"{chart['system']}|{chart['value']}"))
    assert [each["id"] for each in found] == [patient["id"]]
    born = fhir.found("Patient", ("birthdate", patient["birthDate"]))
    assert patient["id"] in {each["id"] for each in born}
    assert all(each["birthDate"] == patient["birthDate"] for each in born)


def test_a_phone_is_found_in_the_spelling_it_has(fhir: World) -> None:
    """search.html#token: a phone is compared as it was written."""
    patient = fhir.get(f"Patient/{fhir.patient()}").json()
    written = patient["telecom"][0]["value"]
    other = f"+82 {written.replace('-', '').removeprefix('0')}"
    several = ("telecom", f"phone|{other},phone|{written}")
    assert patient["id"] in {each["id"] for each in fhir.found("Patient", several)}
    assert fhir.found("Patient", ("telecom", f"phone|{other}")) == []


def test_a_name_is_found_in_its_text(fhir: World) -> None:
    """patient.html: name covers text; KR Core 1.0.2: servers SHALL search by name."""
    patient = fhir.get(f"Patient/{fhir.patient()}").json()
    found = fhir.found("Patient", ("name", patient["name"][0]["text"]))
    assert patient["id"] in {each["id"] for each in found}


def test_a_search_may_be_sent_as_a_form(fhir: World) -> None:
    """search.html#searching-http: POST [type]/_search keeps birth dates out of addresses."""
    patient = fhir.get(f"Patient/{fhir.patient()}").json()
    url = f"{fhir.target.url}/Patient/_search"
    answer = fhir.http.post(url, data={"birthdate": patient["birthDate"]})
    assert answer.status_code == 200
    assert patient["id"] in {each["id"] for each in matches(answer.json())}


def test_the_coming_appointments_of_a_patient(fhir: World) -> None:
    """appointment.html: patient, date, status."""
    made = fhir.booked()
    patient = f"Patient/{fhir.patient()}"
    pairs = (("patient", patient), ("date", f"ge{made['start'][:10]}"), ("_sort", "date"))
    status = ("status", "booked,pending,proposed")
    found = fhir.found("Appointment", *pairs, status, ("_count", "200"))
    assert made["id"] in {each["id"] for each in found}
    assert all(each["status"] in status[1].split(",") for each in found)
    none = fhir.found("Appointment", *pairs, ("status", "noshow"))
    assert none == []


def test_who_sits_on_a_slot_and_what_became_of_a_key(fhir: World) -> None:
    """appointment.html: slot, identifier."""
    made = fhir.booked()
    slot = made["slot"][0]["reference"]
    key = made["identifier"][0]
    there = fhir.found("Appointment", ("slot", slot), ("status", "booked,pending"))
    assert [each["id"] for each in there] == [made["id"]]
    by_key = fhir.found("Appointment", ("identifier", f"{key['system']}|{key['value']}"))
    assert [each["id"] for each in by_key] == [made["id"]]
    assert fhir.found("Appointment", ("identifier", f"urn:other|{key['value']}")) == []


def test_an_unknown_parameter_is_ignored_when_lenient(fhir: World) -> None:
    """search.html#errors: servers MAY ignore what they do not know."""
    answer = fhir.get("Patient", params={"favourite-colour": "blue", "_count": "1"})
    assert answer.status_code in (200, 400)
    if answer.status_code == 200:
        assert matches(answer.json())


def test_an_unknown_parameter_is_refused_when_strict(fhir: World) -> None:
    """search.html#errors, http.html: Prefer: handling=strict asks for an error."""
    strict = {"Prefer": "handling=strict"}
    answer = fhir.get("Patient", params={"favourite-colour": "blue"}, headers=strict)
    assert answer.status_code == 400
    assert is_outcome(answer)


def test_a_bare_plus_is_not_an_offset(fhir: World) -> None:
    """RFC 3986, R4 search.html: a plus sign in a query must be written as %2B."""
    slot = fhir.free_slot()
    schedule = slot["schedule"]["reference"]
    url = f"{fhir.target.url}/Slot?schedule={schedule}&start=ge{quote(slot['start'], safe=':')}"
    found = {each["id"] for each in matches(fhir.http.get(url).json())}
    assert slot["id"] in found
