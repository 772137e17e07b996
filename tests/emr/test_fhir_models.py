"""FHIR resources read and written back: nothing lost, nothing invented (B2)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fhir_fake import FakeServer
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from wonmu.emr.fhir import parse_slots
from wonmu.emr.fhir.models import Appointment, Bundle, Parameter, Parameters, Participant, Slot
from wonmu.emr.fhir.parsing import parse_as, parse_page, to_wire

pytestmark = pytest.mark.unit

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1)
LEAVES = WORDS | st.integers(-(2**31), 2**31) | st.booleans()
UNKNOWN = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3) | st.dictionaries(WORDS, inner, min_size=1)
    ),
    max_leaves=6,
)
EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
MOMENTS = st.integers(0, 20 * 365 * 86400).map(lambda seconds: EPOCH + timedelta(seconds=seconds))


def slot_json(**more: Any) -> dict[str, Any]:
    base = {
        "resourceType": "Slot",
        "id": "s1",
        "meta": {"versionId": "7", "lastUpdated": "2026-11-30T01:00:00.000Z"},
        "schedule": {"reference": "Schedule/c1"},
        "status": "free",
        "start": "2026-12-01T00:00:00Z",
        "end": "2026-12-01T00:30:00Z",
    }
    return {**base, **more}


def encoded(value: object) -> bytes:
    return json.dumps(value).encode()


@given(UNKNOWN, UNKNOWN, MOMENTS)
def test_a_slot_keeps_what_we_do_not_know(top: object, inside: object, start: datetime) -> None:
    sent = slot_json(
        start=start.isoformat(),
        end=(start + timedelta(minutes=10)).isoformat(),
        extension=[{"url": "urn:x", "valueThing": inside}],
        _comment=top,
        schedule={"reference": "Schedule/c1", "display": "진료", "other": inside},
    )
    back = json.loads(to_wire(parse_as(Slot, encoded(sent))))
    moments = ("start", "end", "meta")
    assert {k: v for k, v in back.items() if k not in moments} == {
        k: v for k, v in sent.items() if k not in moments
    }
    assert datetime.fromisoformat(back["start"]) == start
    assert back["start"].endswith("+09:00")


def test_a_null_inside_a_list_of_primitives_stays() -> None:
    name = [{"given": ["a", "b"], "_given": [None, {"id": "x"}]}]
    back = json.loads(to_wire(parse_as(Slot, encoded(slot_json(contained=name)))))
    assert back["contained"] == name


@pytest.mark.parametrize(
    "broken",
    [
        {"status": "gone"},
        {"start": "2026-12-01T09:00:00"},
        {"start": "2026-12-01"},
        {"start": 1764547200},
        {"schedule": None},
        {"end": None},
    ],
)
def test_a_broken_slot_is_no_slot(broken: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        parse_as(Slot, encoded(slot_json(**broken)))


def bundle(*resources: object, **more: object) -> bytes:
    entries = [{"resource": one, "search": {"mode": "match"}} for one in resources]
    return encoded({"resourceType": "Bundle", "type": "searchset", "entry": entries, **more})


def test_one_bad_entry_is_skipped_and_counted() -> None:
    body = bundle(slot_json(), slot_json(id="s2", status="?"), slot_json(id="s3"), "nonsense")
    assert [slot.id for slot in parse_slots(body)] == ["s1", "s3"]
    assert parse_page(body).skipped == 2


def test_a_resource_nobody_asked_for_is_no_slot() -> None:
    other = {"resourceType": "Practitioner", "id": "d1"}
    assert [slot.id for slot in parse_slots(bundle(other, slot_json()))] == ["s1"]


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"{}", b'{"resourceType":"Slot"}', b"\xff\xfe", b"[" * 9000]
)
def test_what_is_no_bundle_is_an_error_and_not_empty(body: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        parse_slots(body)


def test_included_resources_and_outcomes_are_no_matches() -> None:
    page = parse_page(
        encoded(
            {
                "resourceType": "Bundle",
                "type": "searchset",
                "entry": [
                    {"resource": slot_json(), "search": {"mode": "match"}},
                    {
                        "resource": {"resourceType": "Practitioner", "id": "d1"},
                        "search": {"mode": "include"},
                    },
                    {
                        "resource": {
                            "resourceType": "OperationOutcome",
                            "issue": [{"severity": "warning", "code": "informational"}],
                        },
                        "search": {"mode": "outcome"},
                    },
                ],
            }
        )
    )
    assert (len(page.found), len(page.others)) == (1, 1)
    assert page.outcome is not None
    assert not page.outcome.failed()


def test_resources_inside_others_carry_their_type() -> None:
    slot = parse_as(Slot, encoded(slot_json()))
    written = json.loads(to_wire(Parameters(parameter=(Parameter(name="x", resource=slot),))))
    assert written["parameter"][0]["resource"]["resourceType"] == "Slot"
    made = Appointment(status="proposed", participant=(Participant(status="accepted"),))
    assert json.loads(to_wire(made))["resourceType"] == "Appointment"


def appointment(**more: object) -> Appointment:
    start = "2026-12-01T00:00:00Z"
    base = {
        "resourceType": "Appointment",
        "status": "booked",
        "start": start,
        "end": start,
        "participant": [{"actor": {"reference": "Patient/p1"}, "status": "accepted"}],
    }
    return parse_as(Appointment, encoded({**base, **more}))


@pytest.mark.parametrize(
    ("more", "rules"),
    [
        ({}, ()),
        ({"participant": [{"status": "accepted"}]}, ("app-1",)),
        ({"end": None}, ("app-2", "app-3")),
        ({"start": None, "end": None}, ("app-3",)),
        ({"start": None, "end": None, "status": "cancelled"}, ()),
        ({"cancelationReason": {"text": "x"}}, ("app-4",)),
        ({"cancelationReason": {"text": "x"}, "status": "noshow"}, ()),
    ],
)
def test_the_rules_of_appointments(more: dict[str, object], rules: tuple[str, ...]) -> None:
    assert appointment(**more).broken_rules() == rules


def test_an_unknown_code_cannot_be_sent() -> None:
    with pytest.raises(ValidationError):
        Appointment.model_validate({"status": "maybe", "participant": [{"status": "accepted"}]})
    with pytest.raises(ValidationError):
        Bundle.model_validate({"type": "transaction", "entry": [{"request": {"method": "DELETE"}}]})


def test_the_fake_server_serves_what_can_be_read() -> None:
    server = FakeServer()
    for kind in ("Slot", "Schedule", "PractitionerRole", "Patient", "HealthcareService"):
        assert parse_page(bundle(*server.all(kind))).skipped == 0
