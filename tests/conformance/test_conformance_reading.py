"""R4 http.html#read, #vread, #history, #delete, #cread: one resource, now and before."""

from __future__ import annotations

from email.utils import parsedate_to_datetime

import pytest
from world import World, is_outcome

pytestmark = pytest.mark.service


def test_a_read_says_what_version_it_is(fhir: World) -> None:
    """http.html#versioning: ETag is the versionId as a weak tag."""
    answer = fhir.get(f"Patient/{fhir.patient()}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/fhir+json")
    assert answer.headers["etag"] == f'W/"{answer.json()["meta"]["versionId"]}"'
    assert answer.json()["meta"]["lastUpdated"]


def test_last_modified_is_an_http_date(server_owned: World) -> None:
    """http.html#versioning: Last-Modified SHOULD be there (not every server does it)."""
    answer = server_owned.get(f"Patient/{server_owned.patient()}")
    assert parsedate_to_datetime(answer.headers["last-modified"]).tzinfo is not None


def test_what_is_not_there_is_404_with_an_outcome(fhir: World) -> None:
    """http.html#read: 404; http.html#2.21.0.10: an OperationOutcome says why."""
    answer = fhir.get("Slot/there-is-none")
    assert answer.status_code == 404
    assert is_outcome(answer)


def test_a_type_that_fhir_does_not_have_is_an_error(fhir: World) -> None:
    """http.html#read: 400 or 404 for an unknown type."""
    answer = fhir.get("Slots/1")
    assert answer.status_code in (400, 404)
    assert is_outcome(answer)


def test_an_earlier_version_can_be_read(fhir: World) -> None:
    """http.html#vread."""
    first = fhir.booked()
    changed = {**first, "comment": "휠체어"}
    second = fhir.put(f"Appointment/{first['id']}", changed).json()
    old = first["meta"]["versionId"]
    answer = fhir.get(f"Appointment/{first['id']}/_history/{old}")
    assert answer.status_code == 200
    assert "comment" not in answer.json()
    assert answer.json()["meta"]["versionId"] == old != second["meta"]["versionId"]
    assert second["comment"] == "휠체어"


def test_the_history_lists_versions_newest_first(fhir: World) -> None:
    """http.html#history."""
    first = fhir.booked()
    second = fhir.put(f"Appointment/{first['id']}", {**first, "comment": "늦음"}).json()
    bundle = fhir.get(f"Appointment/{first['id']}/_history").json()
    assert bundle["type"] == "history"
    versions = [entry["resource"]["meta"]["versionId"] for entry in bundle["entry"]]
    assert versions == [second["meta"]["versionId"], first["meta"]["versionId"]]


def test_a_deleted_resource_is_gone(fhir: World) -> None:
    """http.html#delete: 200, 202 or 204; then 410, and 404 is only for what never was."""
    made = fhir.booked()
    path = f"{fhir.target.url}/Appointment/{made['id']}"
    assert fhir.http.delete(path).status_code in (200, 202, 204)
    answer = fhir.http.get(path)
    assert answer.status_code == 410
    assert is_outcome(answer)


def test_a_read_may_ask_for_a_newer_version_only(fhir: World) -> None:
    """http.html#cread: 304 under If-None-Match of the current version."""
    path = f"Patient/{fhir.patient()}"
    etag = fhir.get(path).headers["etag"]
    answer = fhir.get(path, headers={"If-None-Match": etag})
    assert answer.status_code == 304
    assert not answer.content
