"""Faults on purpose: each kind, by header and by rule (A8)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from server_parts import HOST, Json, booking, here, issue

from wonmu.emr.server.faults import FaultKind, FaultPlan, Rule, read_faults
from wonmu.emr.server.problems import FhirProblem
from wonmu.emr.server.rules import SlotOwner
from wonmu.emr.server.serving import serving_here
from wonmu.loop import run

pytestmark = pytest.mark.service

PATIENT = "/Patient/p-0001"


def test_latency_passes_before_anything_happens(tmp_path: Path) -> None:
    async def main() -> float:
        async with here(tmp_path) as it:
            loop = asyncio.get_running_loop()
            began = loop.time()
            assert (await it.get(PATIENT, X_Wonmu_Fault="latency=2.5")).status_code == 200
            return loop.time() - began

    assert run(main) == pytest.approx(2.5, abs=0.5)


@pytest.mark.parametrize(
    ("fault", "status", "retry_after"),
    [("status=503", 503, None), ("status=429;retry-after=2", 429, "2"), ("status=401", 401, None)],
)
def test_a_status_is_answered_and_nothing_happens(
    tmp_path: Path, fault: str, status: int, retry_after: str | None
) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            (slot,) = await it.free()
            answer = await it.post("/Appointment", booking(slot), X_Wonmu_Fault=fault)
            assert answer.status_code == status
            assert answer.headers.get("retry-after") == retry_after
            assert issue(answer)
            assert await it.found("/Appointment?identifier=k1") == []

    asyncio.run(main())


def test_an_outcome_comes_with_200(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            answer = await it.get(PATIENT, X_Wonmu_Fault="outcome")
            assert answer.status_code == 200
            assert issue(answer)["severity"] == "fatal"

    asyncio.run(main())


def test_json_is_cut_after_it_was_done(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            (slot,) = await it.free()
            answer = await it.post("/Appointment", booking(slot), X_Wonmu_Fault="invalid-json")
            assert answer.status_code == 201
            with pytest.raises(json.JSONDecodeError):
                answer.json()
            assert len(await it.found("/Appointment?identifier=k1")) == 1

    asyncio.run(main())


def test_another_version_of_fhir(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            answer = await it.get("/metadata", X_Wonmu_Fault="wrong-version")
            assert answer.json()["fhirVersion"] == "5.0.0"
            other = await it.get(PATIENT, X_Wonmu_Fault="wrong-version")
            assert "fhirVersion=5.0" in other.headers["content-type"]

    asyncio.run(main())


def test_pages_shift_while_they_are_read(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            whole = [each["id"] for each in await it.found("/Patient?_count=6")]
            first = await it.found("/Patient?_count=3", X_Wonmu_Fault="shifting-pages")
            path = "/Patient?_count=3&_offset=3"
            second = (await it.get(path, X_Wonmu_Fault="shifting-pages")).json()
            ids = [each["resource"]["id"] for each in second["entry"]]
            assert [each["id"] for each in first] == whole[:3]
            assert ids[:2] == whole[4:6], "one entry is missing between the pages"
            assert second["total"] == (await it.get(path)).json()["total"] - 1

    asyncio.run(main())


def test_the_desk_is_faster_than_a_booking(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            (slot,) = await it.free()
            answer = await it.post("/Appointment", booking(slot), X_Wonmu_Fault="taken")
            assert answer.status_code == 409
            assert (await it.get(f"/Slot/{slot['id']}")).json()["status"] == "busy"
            assert await it.found(f"/Appointment?slot=Slot/{slot['id']}") == []

    asyncio.run(main())


def test_the_desk_is_faster_than_a_claim(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path, SlotOwner.CLIENT) as it:
            (slot,) = await it.free()
            await it.faults({"fault": "taken", "method": "PUT", "path": "^Slot/"})
            assert (await it.claim(slot)).status_code == 412
            now = (await it.get(f"/Slot/{slot['id']}")).json()
            assert (now["status"], "identifier" in now) == ("busy", False)

    asyncio.run(main())


def test_the_desk_takes_what_a_search_has_shown(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            await it.faults({"fault": "taken", "op": "search-type", "times": 1})
            (slot,) = await it.free()
            answer = await it.post("/Appointment", booking(slot))
            assert answer.status_code == 409

    asyncio.run(main())


def test_the_desk_takes_what_is_held(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            (offered,) = await it.found(
                "/Appointment/$find?start=2026-12-03&end=2026-12-04&_count=1"
            )
            link = {"name": "appointment-reference", "valueReference": _link(offered)}
            hold = {"resourceType": "Parameters", "parameter": [link]}
            held = (await it.post("/Appointment/$hold", hold)).json()["entry"][0]["resource"]
            link["valueReference"] = _link(held)
            answer = await it.post("/Appointment/$book", hold, X_Wonmu_Fault="taken")
            assert answer.status_code == 409

    asyncio.run(main())


def _link(appointment: Json) -> Json:
    return {"reference": f"Appointment/{appointment['id']}"}


def test_a_stale_index_knows_nothing_of_the_last_seconds(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            slot, other = await it.free(2)
            before = [each["id"] for each in await it.found("/Slot?status=free&_count=200")]
            it.clock.advance(60)
            made = (await it.post("/Appointment", booking(slot))).json()
            it.clock.advance(3)
            stale = {"X_Wonmu_Fault": "stale=5"}
            assert await it.found("/Appointment?identifier=k1", **stale) == []
            assert before == [
                each["id"] for each in await it.found("/Slot?status=free&_count=200", **stale)
            ]
            fresh = await it.found("/Slot?status=free&_count=200")
            assert slot["id"] not in {each["id"] for each in fresh}
            it.clock.advance(10)
            (found,) = await it.found("/Appointment?identifier=k1", **stale)
            assert found["id"] == made["id"]
            assert other["id"] in before

    asyncio.run(main())


def test_a_connection_breaks_before_or_after_it_was_done(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it, serving_here(it.server) as url:
            slots = await it.free(2)
            async with httpx.AsyncClient() as http:
                for fault, slot in zip(("reset-before", "reset-after"), slots, strict=True):
                    with pytest.raises(httpx.TransportError):
                        await http.post(
                            f"{url}/Appointment",
                            json=booking(slot, key=fault),
                            headers={"X-Wonmu-Fault": fault},
                        )
                assert (await http.get(f"{url}{PATIENT}")).status_code == 200
            assert await it.found("/Appointment?identifier=reset-before") == []
            assert len(await it.found("/Appointment?identifier=reset-after")) == 1

    asyncio.run(main())


def test_a_broken_connection_in_this_process_is_an_error(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            with pytest.raises(ConnectionResetError):
                await it.get(PATIENT, X_Wonmu_Fault="reset-before")

    asyncio.run(main())


def test_several_faults_at_once(tmp_path: Path) -> None:
    async def main() -> tuple[float, int]:
        async with here(tmp_path) as it:
            loop = asyncio.get_running_loop()
            began = loop.time()
            answer = await it.get(PATIENT, X_Wonmu_Fault="latency=1, status=503")
            return loop.time() - began, answer.status_code

    seconds, status = run(main)
    assert (round(seconds), status) == (1, 503)


def test_a_rule_hits_what_it_names_and_only_so_often(tmp_path: Path) -> None:
    async def main() -> list[int]:
        async with here(tmp_path) as it:
            rule = {
                "fault": "status=503",
                "op": "read",
                "path": "^Patient/",
                "after": 1,
                "times": 2,
            }
            assert (await it.faults(rule)).status_code == 200
            found = []
            for path in (PATIENT, "/Slot?_count=1", PATIENT, PATIENT, PATIENT):
                found.append((await it.get(path)).status_code)
            listed = (await it.http.get(f"{HOST}/admin/faults")).json()
            assert listed[0]["seen"] == 4
            return found

    assert asyncio.run(main()) == [200, 200, 503, 503, 200]


def test_rules_can_be_cleared(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            await it.faults({"fault": "status=503"})
            assert (await it.get(PATIENT)).status_code == 503
            assert (await it.http.delete(f"{HOST}/admin/faults")).json() == []
            assert (await it.get(PATIENT)).status_code == 200

    asyncio.run(main())


def test_faults_are_taken_from_this_machine_only(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it, it.client("192.0.2.7") as elsewhere:
            answer = await elsewhere.post(f"{HOST}/admin/faults", json={"fault": "status=503"})
            assert answer.status_code == 403
            headers = {"X-Wonmu-Fault": "status=503"}
            assert (await elsewhere.get(PATIENT, headers=headers)).status_code == 200
            await it.faults({"fault": "status=503"})
            assert (await elsewhere.get(PATIENT)).status_code == 200

    asyncio.run(main())


@pytest.mark.parametrize(
    "text", ["explode", "latency", "latency=fast", "status=200", "status=", "stale=-1"]
)
def test_a_fault_that_there_is_not_is_refused(text: str) -> None:
    with pytest.raises(FhirProblem):
        read_faults(text)


@pytest.mark.parametrize(
    "rule",
    [
        "status=503",
        {},
        {"fault": ""},
        {"fault": "status=503", "colour": "blue"},
        {"fault": "status=503", "path": "("},
        {"fault": "status=503", "times": "two"},
        {"fault": "status=503", "after": -1},
        {"fault": "status=503", "op": 3},
    ],
)
def test_a_rule_that_cannot_be_read_is_refused_and_not_set(tmp_path: Path, rule: Any) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            answer = await it.faults({"fault": "latency=0"}, rule)
            assert answer.status_code == 400
            assert it.server.faults.rules == []

    asyncio.run(main())


def test_a_header_that_cannot_be_read_is_a_400(tmp_path: Path) -> None:
    async def main() -> None:
        async with here(tmp_path) as it:
            assert (await it.get(PATIENT, X_Wonmu_Fault="explode")).status_code == 400

    asyncio.run(main())


def test_every_kind_can_be_written() -> None:
    values = {FaultKind.LATENCY: "=1", FaultKind.STATUS: "=500", FaultKind.STALE: "=5"}
    for kind in FaultKind:
        (fault,) = read_faults(f"{kind}{values.get(kind, '')}")
        assert fault.kind is kind


def test_a_plan_may_be_set_from_the_start() -> None:
    plan = FaultPlan()
    plan.add(Rule(read_faults("status=503"), "status=503", op="create", times=1))
    assert plan.faults_for("POST", "Appointment", "create", "")[0].value == 503
    assert plan.faults_for("POST", "Appointment", "create", "") == ()
