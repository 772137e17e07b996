"""A FHIR server of a few pages, in memory, for the adapter's own tests.

It does what a plain resource store does (versions, If-Match, If-None-Exist, searches, pages,
transactions) and stamps its moments in UTC. ``owner`` is who changes slots. ``cut`` may break any
exchange, before or after it took effect.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from wonmu.clock import SEOUL, FixedClock
from wonmu.emr.fhir import FhirEmr, open_fhir
from wonmu.emr.fhir.models import Appointment
from wonmu.emr.port import BookingIntent, Slot, SlotQuery
from wonmu.hospital.config import FhirSettings, WriteRule
from wonmu.ids import BookingKey, DepartmentId, PatientId, SlotId

Json = dict[str, Any]
BASE = "http://emr.test/fhir"
NOW = datetime(2026, 12, 1, 8, 0, tzinfo=SEOUL)
KIM, LEE = PatientId("p1"), PatientId("p2")
ORTHO = DepartmentId("ortho")
SYSTEM = "urn:wonmu:booking"

Cut = Callable[[httpx.Request, int], httpx.Response | Exception | None]
"""Given the request and its number; None lets it pass."""


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class FakeServer:
    owner: str = "client"
    atomic: bool = True
    lying: bool = False
    """Transactions are carried out by parts and refused as a whole."""
    checks_match: bool = True
    page: int = 50
    store: dict[str, dict[str, Json]] = field(default_factory=dict)
    log: list[httpx.Request] = field(default_factory=list)
    sent: list[Json] = field(default_factory=list)
    before: Cut = lambda request, number: None
    after: Cut = lambda request, number: None
    ticks: int = 0
    made: int = 0

    def __post_init__(self) -> None:
        self._seed()

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self.handle)

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.log.append(request)
        number = len(self.log)
        self._note(request)
        for cut in (self.before, None, self.after):
            if cut is None:
                answer = self._answer(request)
                continue
            spoilt = cut(request, number)
            if isinstance(spoilt, Exception):
                raise spoilt
            if spoilt is not None:
                return spoilt
        return answer

    def all(self, kind: str) -> list[Json]:
        return list(self.store.get(kind, {}).values())

    def live(self) -> list[Json]:
        return [one for one in self.all("Appointment") if one["status"] != "cancelled"]

    def claimed(self) -> list[str]:
        return [one["id"] for one in self.all("Slot") if one["status"] != "free"]

    def put(self, resource: Json) -> Json:
        """Store as the next version, as any client of the server may."""
        kind = self.store.setdefault(resource["resourceType"], {})
        old = kind.get(resource.get("id", ""))
        version = int(old["meta"]["versionId"]) + 1 if old else 1
        self.ticks += 1
        at = stamp(NOW + timedelta(seconds=self.ticks))
        meta = {**resource.get("meta", {}), "versionId": str(version), "lastUpdated": at}
        kept = {**resource, "meta": meta}
        kind[resource["id"]] = kept
        return kept

    # --- what follows is the server's inside

    def _seed(self) -> None:
        for id_, name in (("ortho", "정형외과"), ("skin", "피부과")):
            self.put({"resourceType": "HealthcareService", "id": id_, "name": name, "active": True})
        self._seed_doctor("d1", "박서준", "ortho")
        self._seed_doctor("d2", "한지민", "ortho")
        self._seed_doctor("d3", "오민석", "skin")
        self._seed_patient("p1", "김민수", "010-0000-1111")
        self._seed_patient("p2", "이지은", "+821000002222")

    def _seed_patient(self, id_: str, name: str, phone: str) -> None:
        patient: Json = {"resourceType": "Patient", "id": id_, "birthDate": "1985-03-12"}
        patient["name"] = [{"use": "official", "text": name}]
        patient["telecom"] = [{"system": "phone", "value": phone}]
        patient["identifier"] = [{"system": "urn:wonmu:chart", "value": f"C-{id_}"}]
        self.put(patient)

    def _seed_doctor(self, id_: str, name: str, where: str) -> None:
        self.put({"resourceType": "Practitioner", "id": id_, "name": [{"text": name}]})
        service = [{"reference": f"HealthcareService/{where}"}]
        person = {"reference": f"Practitioner/{id_}"}
        role: Json = {"resourceType": "PractitionerRole", "id": f"{id_}-{where}", "active": True}
        self.put({**role, "practitioner": person, "healthcareService": service})
        schedule: Json = {"resourceType": "Schedule", "id": f"cal-{id_}", "active": True}
        self.put({**schedule, "actor": [person, *service]})
        for number in range(6):
            self._seed_slot(id_, number)

    def _seed_slot(self, doctor: str, number: int) -> None:
        start = NOW + timedelta(days=1, hours=1, minutes=30 * number)
        self.put({"resourceType": "Slot", "id": f"{doctor}-{number}", "status": "free",
                  "schedule": {"reference": f"Schedule/cal-{doctor}"}, "comment": "kept",
                  "start": stamp(start), "end": stamp(start + timedelta(minutes=30))})  # fmt: skip

    def _note(self, request: httpx.Request) -> None:
        if request.content and "json" in request.headers.get("content-type", ""):
            body = json.loads(request.content)
            entries = [e["resource"] for e in body.get("entry", [])]
            self.sent += entries or [body]

    def _answer(self, request: httpx.Request) -> httpx.Response:
        parts = urlsplit(str(request.url))
        path = parts.path.removeprefix("/fhir").strip("/").split("/")
        query = parse_qsl(parts.query)
        if path == ["metadata"]:
            return reply(200, self.statement())
        if path == [""]:
            return self._transaction(json.loads(request.content))
        if path[-1] == "_search":
            query = parse_qsl(request.content.decode())
            path = path[:1]
        kind = path[0]
        match request.method:
            case "GET" if len(path) == 2:
                found = self.store.get(kind, {}).get(path[1])
                return problem(404, "not-found") if found is None else reply(200, found)
            case "GET" | "POST" if len(path) == 1 and not _has_body(request):
                return self._search(kind, query)
            case "PUT":
                body = json.loads(request.content)
                return self._put(kind, path[1], body, request.headers.get("if-match"))
            case "POST":
                body = json.loads(request.content)
                return self._post(kind, body, request.headers.get("if-none-exist"))
        return problem(405, "not-supported")

    def statement(self) -> Json:
        codes = ["read", "search-type", "create", "update"]
        slot = codes if self.owner == "client" else codes[:2]
        rest: Json = {"mode": "server", "resource": [
            {"type": "Slot", "interaction": [{"code": c} for c in slot],
             "versioning": "versioned-update"},
            {"type": "Appointment", "interaction": [{"code": c} for c in codes]},
        ]}  # fmt: skip
        return {"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": [rest]}

    def _put(self, kind: str, id_: str, body: Json, match: str | None) -> httpx.Response:
        old = self.store.get(kind, {}).get(id_)
        if old is None or (kind == "Slot" and self.owner == "server"):
            return problem(405, "not-supported")
        if self.checks_match and match != f'W/"{old["meta"]["versionId"]}"':
            return problem(412, "conflict")
        if kind == "Appointment" and self.owner == "server" and body["status"] == "cancelled":
            self._server_slot(body, "free")
        return reply(200, self.put(body))

    def _post(self, kind: str, body: Json, unless: str | None) -> httpx.Response:
        if unless is not None:
            there = list(self._matches(kind, parse_qsl(unless)))
            if there:
                return reply(200, there[0])
        if self.owner == "server" and kind == "Appointment":
            slot = self.store["Slot"][body["slot"][0]["reference"].split("/")[1]]
            if slot["status"] != "free":
                return problem(409, "conflict")
            self._server_slot(body, "busy")
        self.made += 1
        return reply(201, self.put({**body, "id": f"a{self.made}"}))

    def _server_slot(self, appointment: Json, status: str) -> None:
        slot = self.store["Slot"][appointment["slot"][0]["reference"].split("/")[1]]
        self.put({**slot, "status": status})

    def _transaction(self, bundle: Json) -> httpx.Response:
        saved = json.loads(json.dumps(self.store))
        entries, refused = [], None
        for entry in bundle["entry"]:
            ask, body = entry["request"], entry["resource"]
            if ask["method"] == "PUT":
                kind, id_ = ask["url"].split("/")
                answer = self._put(kind, id_, body, ask.get("ifMatch"))
            else:
                answer = self._post(ask["url"], body, ask.get("ifNoneExist"))
            if answer.status_code >= 400:
                refused = answer
                if self.atomic:
                    self.store = saved
                    return answer
            done = {"response": {"status": str(answer.status_code)}, "resource": answer.json()}
            entries.append(done)
        if self.lying and refused is not None:
            return refused
        kind = "transaction-response"
        return reply(200, {"resourceType": "Bundle", "type": kind, "entry": entries})

    def _search(self, kind: str, query: list[tuple[str, str]]) -> httpx.Response:
        params = dict(query)
        size, first = int(params.get("_count", 50)), int(params.get("_from", 0))
        size = min(size, self.page)
        found = sorted(
            self._matches(kind, query), key=lambda one: (one.get("start", ""), one["id"])
        )
        bundle: Json = {"resourceType": "Bundle", "type": "searchset", "total": len(found)}
        bundle["entry"] = [
            {"resource": one, "search": {"mode": "match"}} for one in found[first : first + size]
        ]
        if first + size < len(found):
            kept = [pair for pair in query if pair[0] != "_from"]
            url = httpx.URL(f"{BASE}/{kind}", params=[*kept, ("_from", str(first + size))])
            bundle["link"] = [{"relation": "next", "url": str(url)}]
        return reply(200, bundle)

    def _matches(self, kind: str, query: list[tuple[str, str]]) -> Iterator[Json]:
        for one in self.all(kind):
            wanted = [value for name, value in query if name == "_id"]
            named = all(one["id"] in value.split(",") for value in wanted)
            if named and all(_fits(one, name, value) for name, value in query if name[0] != "_"):
                yield one


def _has_body(request: httpx.Request) -> bool:
    return "json" in request.headers.get("content-type", "")


def _fits(one: Json, name: str, value: str) -> bool:
    wanted = value.split(",")
    match name:
        case "start" | "date":
            at = datetime.fromisoformat(one["start"])
            limit = datetime.fromisoformat(value[2:])
            return at >= limit if value.startswith("ge") else at < limit
        case "status":
            return one["status"] in wanted
        case "birthdate":
            return bool(one["birthDate"] == value)
        case "telecom":
            return any(phone["value"] in wanted for phone in one["telecom"])
        case "identifier":
            pairs = [f"{i['system']}|{i['value']}" for i in one.get("identifier", [])]
            return value in pairs
        case "name":
            return any(value in name["text"] for name in one["name"])
        case "patient" | "practitioner" if "participant" in one:
            links = [p["actor"]["reference"] for p in one["participant"]]
            return any(link in wanted for link in links)
        case "slot" | "actor":
            links = [link["reference"].removeprefix(f"{BASE}/") for link in one.get(name, [])]
            return any(link.split("/_history/")[0] in wanted for link in links)
        case "service":
            return any(link["reference"] in wanted for link in one["healthcareService"])
        case "schedule" | "practitioner":
            return one[name]["reference"] in wanted
    return True


def reply(status: int, body: Json, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=body, headers=headers)


def problem(status: int, code: str, text: str = "", **headers: str) -> httpx.Response:
    issue = {"severity": "error", "code": code, "diagnostics": text}
    return reply(status, {"resourceType": "OperationOutcome", "issue": [issue]}, **headers)


def opened(
    server: FakeServer,
    write: WriteRule = WriteRule.AUTO,
    clock: FixedClock | None = None,
    **more: Any,
) -> FhirEmr:
    """The adapter on the fake; waiting moves its clock and takes no time."""
    ticking = clock or FixedClock(NOW)

    async def wait(seconds: float) -> None:
        ticking.advance(seconds)

    settings = FhirSettings(url=BASE, write=write, **more)
    return open_fhir(settings, ticking, env={}, transport=server.transport(), wait=wait)


def window() -> SlotQuery:
    return SlotQuery(ORTHO, NOW, NOW + timedelta(days=7))


async def a_slot(emr: FhirEmr, id_: str = "d1-0") -> Slot:
    found = await emr.read_slot(SlotId(id_))
    assert found is not None
    return found


def wish(slot: Slot, key: str = "k1", patient: PatientId = KIM) -> BookingIntent:
    return BookingIntent(BookingKey(key), patient, slot.id, slot.version)


def check_sent(server: FakeServer) -> None:
    """Everything the adapter sent keeps FHIR's rules and writes moments of Seoul."""
    for body in server.sent:
        if body["resourceType"] == "Appointment":
            assert Appointment.model_validate_json(json.dumps(body)).broken_rules() == ()
        for name in ("start", "end"):
            if name in body:
                assert body[name].endswith("+09:00"), body[name]
        assert "" not in body.values()
        assert [] not in body.values()
        assert None not in body.values()
