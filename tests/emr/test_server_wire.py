"""FHIR over HTTP as the reference server speaks it: bodies, headers, refusals, the access log."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from emr_parts import NOW
from hypothesis import given
from hypothesis import strategies as st
from server_parts import KEY, Json, booking, etag, here, issue

from wonmu.emr.server.access import Access, jsonl_sink
from wonmu.emr.server.interaction import OPERATIONS, target_of
from wonmu.emr.server.problems import FhirProblem
from wonmu.emr.server.rules import SlotOwner
from wonmu.emr.server.shapes import RESOURCES
from wonmu.emr.server.validate import issues_of

pytestmark = pytest.mark.service

CLIENT = SlotOwner.CLIENT


def test_what_is_claimed_depends_on_the_rules(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path, CLIENT, transactions=False) as it:
            client = (await it.get("/metadata")).json()["rest"][0]
        async with here(tmp_path) as it:
            server = (await it.get("/metadata")).json()["rest"][0]
        assert "update" in _codes(client, "Slot")
        assert "update" not in _codes(server, "Slot")
        assert _entry(client, "Slot")["versioning"] == "versioned-update"
        assert "operation" not in _entry(client, "Appointment")
        names = {each["name"] for each in _entry(server, "Appointment")["operation"]}
        assert names == {name[1:] for name in OPERATIONS}
        assert [each["code"] for each in client["interaction"]] == ["batch"]
        assert [each["code"] for each in server["interaction"]] == ["transaction", "batch"]

    asyncio.run(main())


def _entry(rest: Json, kind: str) -> Json:
    return next(each for each in rest["resource"] if each["type"] == kind)


def _codes(rest: Json, kind: str) -> set[str]:
    return {each["code"] for each in _entry(rest, kind)["interaction"]}


def test_what_is_switched_off_is_refused(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path, transactions=False, operations=False) as it:
            bundle = {"resourceType": "Bundle", "type": "transaction", "entry": []}
            assert (await it.post("/", bundle)).status_code == 400
            answer = await it.get("/Appointment/$find?start=2026-12-03&end=2026-12-04")
            assert answer.status_code == 404

    asyncio.run(main())


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("PATCH", "/Slot/x", 405),
        ("DELETE", "/Slot", 405),
        ("PUT", "/Slot", 405),
        ("POST", "/metadata", 405),
        ("GET", "", 405),
        ("GET", "/Encounter", 404),
        ("GET", "/Slot/x/y/z", 404),
        ("GET", "/Slot/$find", 404),
        ("GET", "/Appointment/$book", 405),
        ("GET", "/Slot/no_underscore", 400),
        ("DELETE", "/Practitioner/d1", 405),
        ("GET", "/Slot?status:colour=free", 400),
        ("GET", "/Slot?start=apx2026", 400),
        ("GET", "/Slot?start=ge2026-12-08T09:00:00 09:00", 400),
        ("GET", "/Slot?_count=many", 400),
        ("GET", "/Slot?_sort=colour", 400),
        ("GET", "/Slot?_include=Slot:status", 400),
        ("GET", "/Slot?status=", 400),
        ("GET", "/Appointment/$find", 400),
    ],
)
def test_refusals_always_carry_an_outcome(
    tmp_path: Path, method: str, path: str, status: int
) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            answer = await it.http.request(method, path)
            assert answer.status_code == status, answer.text
            assert issue(answer)["diagnostics"]
            assert answer.headers["content-type"].startswith("application/fhir+json")

    asyncio.run(main())


def test_types_and_sizes_of_bodies(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            post = it.http.post
            xml = {"Content-Type": "application/fhir+xml"}
            assert (await post("/Appointment", content="<a/>", headers=xml)).status_code == 415
            as_json = {"Content-Type": "application/fhir+json"}
            for content in (
                "[]",
                "{",
                "\ud800".encode("utf-8", "surrogatepass"),
                "[" * 100_000,
                '{"a": NaN}',
            ):
                answer = await post("/Appointment", content=content, headers=as_json)
                assert (answer.status_code, bool(issue(answer))) == (400, True)
            deep = '{"resourceType":"Appointment","extension":' + "[" * 900 + "]" * 900 + "}"
            assert (await post("/Appointment", content=deep, headers=as_json)).status_code < 500
            big = json.dumps({"resourceType": "Appointment", "comment": "가" * 1_100_000})
            assert (await post("/Appointment", content=big, headers=as_json)).status_code == 413
            assert (await it.get("/Slot", Accept="application/fhir+xml")).status_code == 406
            assert (await it.get("/Slot?_count=1", Accept="text/html, */*")).status_code == 200
            assert (await it.get("/Patient/p-0001", If_None_Match="one")).status_code == 400

    asyncio.run(main())


def test_deleting_an_old_version_is_refused(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            (slot,) = await it.free()
            made = (await it.post("/Appointment", booking(slot))).json()
            path = f"/Appointment/{made['id']}"
            await it.put(path, {**made, "comment": "하나"})
            old = await it.http.delete(path, headers={"If-Match": etag(made)})
            assert old.status_code == 412
            assert (await it.http.delete(path)).status_code == 204
            assert (await it.get(f"/Slot/{slot['id']}")).json()["status"] == "free"

    asyncio.run(main())


def test_patients_are_written_in_the_shape_of_kr_core(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            body = {
                "resourceType": "Patient",
                "identifier": [{"system": "urn:wonmu:chart", "value": "77"}],
                "name": [{"text": "한가람"}],
                "birthDate": "1991-02-03",
                "telecom": [{"system": "phone", "value": "+82 10-0000-7777"}],
                "gender": "female",
            }
            made = await it.post("/Patient", body)
            assert made.status_code == 201, made.text
            (found,) = await it.found("/Patient?name=한가람&gender=female")
            assert found["telecom"] == body["telecom"]
            person = await it.records.find_patients(_phone("010-0000-7777"))
            assert [(each.name, each.chart_no) for each in person] == [("한가람", "77")]
            moved = {**made.json(), "telecom": [{"system": "phone", "value": "01000008888"}]}
            assert (await it.put(f"/Patient/{moved['id']}", moved)).status_code == 200
            assert await it.records.find_patients(_phone("01000007777")) == ()
            assert len(await it.records.find_patients(_phone("01000008888"))) == 1
            for lacking in ("identifier", "name", "birthDate"):
                answer = await it.post(
                    "/Patient", {key: value for key, value in body.items() if key != lacking}
                )
                assert answer.status_code == 422
                assert issue(answer)["expression"] == [f"Patient.{lacking}"]

    asyncio.run(main())


def _phone(spelling: str) -> Any:
    from wonmu.emr.port import PatientQuery

    return PatientQuery(phone=spelling)


def test_kinds_of_insurance_are_those_of_kr_core() -> None:
    def appointment(code: str) -> Json:
        system = "http://www.hl7korea.or.kr/CodeSystem/hira-insurance-types"
        coding = {"system": system, "code": code}
        return {
            "resourceType": "Appointment",
            "status": "proposed",
            "participant": [{"actor": {"reference": "Patient/p"}, "status": "accepted"}],
            "extension": [{"url": "urn:test", "valueCoding": coding}],
        }

    assert list(issues_of(appointment("4"))) == []
    assert [each.code for each in issues_of(appointment("3"))] == ["code-invalid"]


def test_who_looked_at_whose_data_is_logged_without_names(tmp_path: Path) -> None:
    async def main() -> list[Access]:
        async with here(tmp_path) as it:
            headers = {"User-Agent": "desk"}
            await it.http.get("/Patient?name=김민수&birthdate=1985-03-12", headers=headers)
            await it.http.get("/Patient/p-0002", headers=headers)
            await it.http.get("/Patient/nobody", headers=headers)
            (slot,) = await it.free()
            await it.http.post("/Appointment", json=booking(slot), headers=headers)
            return it.seen

    searched, read, missed, _, booked = asyncio.run(main())
    assert (searched.op, searched.patients) == ("search-type", ("p-0001",))
    assert searched.params == ("birthdate", "name")
    assert (read.who, read.patients, read.status) == ("127.0.0.1 desk", ("p-0002",), 200)
    assert (missed.status, missed.at) == (404, NOW)
    assert (booked.op, booked.patients, booked.status) == ("create", ("p-0001",), 201)
    assert "김민수" not in str(searched)
    assert "1985" not in str(searched)


def test_the_access_log_is_one_object_a_line(tmp_path: Path) -> None:
    sink = jsonl_sink(tmp_path / "access.jsonl")
    entry = Access(NOW, "127.0.0.1 desk", "read", "Patient", "p-0001", (), ("p-0001",), 200)
    sink(entry)
    sink(entry)
    lines = (tmp_path / "access.jsonl").read_text().splitlines()
    assert [json.loads(line)["patients"] for line in lines] == [["p-0001"]] * 2


def test_a_transaction_links_its_own_entries(tmp_path: Path) -> None:
    """A urn:uuid of an entry becomes a reference to what it created."""

    async def main() -> None:
        async with here(tmp_path) as it:
            (slot,) = await it.free()
            person = "urn:uuid:0c1f8ac4-0000-4000-8000-000000000001"
            patient = {
                "resourceType": "Patient",
                "identifier": [{"system": "urn:wonmu:chart", "value": "78"}],
                "name": [{"text": "한가온"}],
                "birthDate": "1992-02-03",
            }
            body = booking(slot)
            body["participant"][0]["actor"]["reference"] = person
            entries = [
                {"fullUrl": person, "resource": patient, "request": _post("Patient")},
                {"resource": body, "request": _post("Appointment")},
            ]
            bundle = {"resourceType": "Bundle", "type": "transaction", "entry": entries}
            answer = (await it.post("/", bundle)).json()
            made = [entry["resource"] for entry in answer["entry"]]
            links = [part["actor"]["reference"] for part in made[1]["participant"]]
            assert links[0] == f"Patient/{made[0]['id']}"

    asyncio.run(main())


def test_a_transaction_says_which_entry_was_refused(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            slot, other = await it.free(2)
            entries = [
                {"resource": booking(slot, "k1"), "request": _post("Appointment")},
                {"resource": booking(other, "k1"), "request": _post("Appointment")},
            ]
            bundle = {"resourceType": "Bundle", "type": "transaction", "entry": entries}
            answer = await it.post("/", bundle)
            assert answer.status_code == 409
            assert issue(answer)["expression"] == ["Bundle.entry[1]"]
            assert await it.found("/Appointment?identifier=k1") == []
            twice = {"request": {"method": "DELETE", "url": "Appointment/x"}}
            doubled = {**bundle, "entry": [twice, twice]}
            assert (await it.post("/", doubled)).status_code == 400

    asyncio.run(main())


def _post(kind: str) -> Json:
    return {"method": "POST", "url": kind}


_ACTOR = {"reference": "Patient/p-0001"}
_CREATE = {"method": "POST", "url": "Appointment"}
_LONG = "x" * 5000
ODD: dict[str, list[Json]] = {
    "Appointment": [
        {"participant": "x"},
        {"participant": [5]},
        {"participant": [{"actor": "x", "status": "accepted"}]},
        {"participant": [{"actor": {"reference": 5}, "status": "accepted"}]},
        {"participant": [{"actor": _ACTOR, "status": ["accepted"]}]},
        {"slot": [{"reference": 5}]},
        {"slot": [{}]},
        {"slot": {"reference": "Slot/x"}},
        {"slot": [{"reference": "Slot/x"}, {"reference": "Slot/y"}]},
        {"identifier": [{"system": 5, "value": {"a": 1}}]},
        {"identifier": [{"system": KEY, "value": {"a": 1}}]},
        {"identifier": [{"system": KEY, "value": _LONG}]},
        {"identifier": [{"system": KEY, "value": "a\x00b"}]},
        {"meta": "x"},
        {"meta": {"versionId": 5}},
        {"status": ["booked"]},
        {"start": 5},
        {"start": "0001-01-01T00:00:00+23:59"},
        {"end": "9999-12-31T23:59:59.999-12:00"},
        {"created": 5},
        {"created": "9999-12-31"},
        {"serviceType": [{"coding": "x"}]},
        {"serviceType": [{"coding": [5]}]},
        {"minutesDuration": "30"},
        {"comment": "\x00"},
    ],
    "Patient": [
        {"name": [{"text": 5}]},
        {"name": [{}]},
        {"identifier": [{"system": "urn:wonmu:chart", "value": 5}]},
        {"identifier": [{"system": "urn:wonmu:chart", "value": _LONG}]},
        {"telecom": [{"system": "phone", "value": 5}]},
        {"telecom": [{"system": "phone", "value": "0" * 99}]},
        {"birthDate": 5},
        {"birthDate": "0000-01-01"},
        {"active": "x"},
        {"link": [{"other": 5}]},
    ],
    "Slot": [
        {"schedule": "x"},
        {"schedule": {"reference": 5}},
        {"schedule": {"reference": "Schedule/none"}},
        {"start": None},
        {"end": "2026-12-02T08:00:00+09:00"},
        {"status": {}},
        {"comment": {}},
        {"overbooked": "x"},
    ],
    "Appointment/$book": [
        {"parameter": "x"},
        {"parameter": [5]},
        {"parameter": [{"name": "appointment-resource", "resource": "x"}]},
        {"parameter": [{"name": "appointment-resource", "resource": {"id": 5, "slot": [5]}}]},
        {"parameter": [{"name": "appointment-resource", "resource": {"participant": {"a": 1}}}]},
        {"parameter": [{"name": "appointment-resource", "resource": {"id": "x"}}]},
        {"parameter": [{"name": "appointment-reference", "valueReference": {"reference": 5}}]},
        {"parameter": [{"name": "appointment-reference", "valueString": "Appointment/hold.x"}]},
    ],
    "": [
        {"type": ["x"]},
        {"type": "batch", "entry": "x"},
        {"type": "transaction", "entry": [5]},
        {"type": "transaction", "entry": [{"request": {"method": ["x"], "url": 5}}]},
        {
            "type": "transaction",
            "entry": [{"fullUrl": 5, "resource": 5, "request": {"method": "POST", "url": "Slot"}}],
        },
        {"type": "transaction", "entry": [{"request": {"method": "POST", "url": ""}}]},
    ],
}
_KINDS = {"": "Bundle", "Appointment/$book": "Parameters"}


@pytest.mark.parametrize("path", list(ODD))
def test_odd_bodies_are_the_fault_of_whoever_sent_them(tmp_path: Path, path: str) -> None:
    async def main() -> None:
        async with here(tmp_path, CLIENT if path == "Slot" else SlotOwner.SERVER) as it:
            (slot,) = await it.free()
            person = (await it.get("/Patient/p-0003")).json()
            whole = {"Appointment": booking(slot), "Slot": slot, "Patient": person}
            for change in ODD[path]:
                base = {**whole.get(path, {}), "resourceType": _KINDS.get(path, path)}
                answer = await it.post(f"/{path}", {**base, **change})
                assert 400 <= answer.status_code < 500, (change, answer.text)
                assert issue(answer)

    asyncio.run(main())


@pytest.mark.parametrize(
    "query",
    [
        "Patient?birthdate=0001-01-01",
        "Patient?birthdate=9999-12-31",
        "Slot?start=9999-12-31T23:59:59%2B00:00",
        "Slot?start=ge0001-01-01",
        "Patient?name=%00",
        "Slot?_count=99999999999999999999",
        "Slot?_offset=99999999999999999999",
        "Slot?schedule=,",
        "Appointment/$find?start=2026-12-03&end=0001",
    ],
)
def test_odd_searches_are_refused(tmp_path: Path, query: str) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            assert (await it.get(f"/{query}")).status_code == 400

    asyncio.run(main())


_WILD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@given(
    kind=st.sampled_from(["Appointment", "Slot", "Patient"]),
    body=st.dictionaries(st.sampled_from(sorted({*RESOURCES["Appointment"], "name"})), _WILD),
)
def test_checking_a_body_never_fails(kind: str, body: Json) -> None:
    assert list(issues_of({**body, "resourceType": kind}))


@given(st.text(max_size=30))
def test_every_path_is_something_or_a_problem(path: str) -> None:
    try:
        target_of("GET", path)
    except FhirProblem as problem:
        status = problem.status
    else:
        status = 400
    assert status in (400, 404, 405)
