"""R4 http.html#capabilities, capabilitystatement.html: the server says what it does, truly."""

from __future__ import annotations

import pytest
from world import World, is_outcome

pytestmark = pytest.mark.service


def test_the_capability_statement_is_one_of_r4(fhir: World) -> None:
    """capabilitystatement.html: fhirVersion, kind, status, date, format are required."""
    said = fhir.get("metadata").json()
    assert said["resourceType"] == "CapabilityStatement"
    assert said["fhirVersion"] == "4.0.1"
    assert said["kind"] == "instance"
    assert said["status"]
    assert said["date"]
    assert any("json" in each for each in said["format"])
    assert said["rest"][0]["mode"] == "server"


def test_what_it_claims_to_search_it_searches(fhir: World) -> None:
    """capabilitystatement.html: rest.resource.interaction, rest.resource.searchParam."""
    for entry in fhir.capabilities.get("rest", [{}])[0].get("resource", ()):
        if "search-type" not in {each["code"] for each in entry["interaction"]}:
            continue
        pairs = {
            param["name"]: {"date": "ge2000-01-01"}.get(param["type"], "nothing")
            for param in entry.get("searchParam", ())
        }
        strict = {"Prefer": "handling=strict"}
        answer = fhir.get(entry["type"], params=pairs, headers=strict)
        assert answer.status_code == 200, (entry["type"], answer.text)
        assert answer.json()["total"] == 0


def test_what_it_does_not_claim_it_refuses(server_owned: World) -> None:
    """http.html#update: 405 where an interaction is not supported."""
    slot = server_owned.free_slot()
    answer = server_owned.put(f"Slot/{slot['id']}", {**slot, "status": "busy"})
    assert answer.status_code == 405
    assert is_outcome(answer)
    assert server_owned.get(f"Slot/{slot['id']}").json()["status"] == "free"
