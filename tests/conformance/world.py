"""One server as the checks see it: a client, free slots for one check each, bodies to send."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
from targets import Target

Json = dict[str, Any]
SYSTEM = "urn:wonmu:booking"
FHIR_JSON = "application/fhir+json"


@dataclass(slots=True)
class World:
    """``owner``: client when slots are written by clients; learnt from the server's own claims."""

    target: Target
    http: httpx.Client
    capabilities: Json
    _free: Iterator[Json] | None = None
    _patients: list[str] = field(default_factory=list)
    _doctors: dict[str, str] = field(default_factory=dict)

    @property
    def client_owned(self) -> bool:
        """Without a CapabilityStatement slots are plain data."""
        if "rest" not in self.capabilities:
            return True
        return "update" in self.interactions("Slot")

    def interactions(self, kind: str) -> set[str]:
        for entry in self.capabilities.get("rest", [{}])[0].get("resource", ()):
            if entry["type"] == kind:
                return {each["code"] for each in entry["interaction"]}
        return set()

    def operations(self) -> set[str]:
        for entry in self.capabilities.get("rest", [{}])[0].get("resource", ()):
            if entry["type"] == "Appointment":
                return {each["name"] for each in entry.get("operation", ())}
        return set()

    def get(self, path: str, **kwargs: Any) -> httpx.Response:
        return self.http.get(f"{self.target.url}/{path}", **kwargs)

    def search(self, kind: str, *pairs: tuple[str, str]) -> Json:
        response = self.get(kind, params=list(pairs))
        assert response.status_code == 200, response.text
        bundle: Json = response.json()
        return bundle

    def found(self, kind: str, *pairs: tuple[str, str]) -> list[Json]:
        return matches(self.search(kind, *pairs))

    def post(self, path: str, body: Json, **headers: str) -> httpx.Response:
        return self._send("POST", path, body, headers)

    def put(self, path: str, body: Json, **headers: str) -> httpx.Response:
        return self._send("PUT", path, body, headers)

    def _send(self, method: str, path: str, body: Json, names: dict[str, str]) -> httpx.Response:
        headers = {name.replace("_", "-"): value for name, value in names.items()}
        url = f"{self.target.url}/{path}".rstrip("/")
        headers.setdefault("Content-Type", FHIR_JSON)
        return self.http.request(method, url, json=body, headers=headers)

    def free_slot(self) -> Json:
        """A free slot that was not given out before, as it is now."""
        if self._free is None:
            self._free = iter(self._all_free())
        for slot in self._free:
            now: Json = self.get(f"Slot/{slot['id']}").json()
            if now["status"] == "free":
                return now
        raise AssertionError("the server has no free slot left")

    def _all_free(self) -> list[Json]:
        """Of one schedule, so that no patient gets two at the same time."""
        schedule = self.found("Schedule", ("active", "true"), ("_count", "1"))[0]["id"]
        pairs = (("schedule", f"Schedule/{schedule}"), ("status", "free"), ("_sort", "start"))
        found = self.found("Slot", *pairs, ("_count", "200"))
        return found[2:]

    def patient(self) -> str:
        if not self._patients:
            self._patients = [each["id"] for each in self.found("Patient", ("_count", "5"))]
        return self._patients[0]

    def claimed_slot(self) -> Json:
        """A slot on which an appointment may be created now."""
        slot = self.free_slot()
        if not self.client_owned:
            return slot
        response = self.put(f"Slot/{slot['id']}", {**slot, "status": "busy"})
        assert response.status_code == 200, response.text
        claimed: Json = response.json()
        return claimed

    def appointment(self, slot: Json, **members: Any) -> Json:
        """A body to send; its identifier is new."""
        body = {
            "resourceType": "Appointment",
            "status": "booked",
            "identifier": [{"system": SYSTEM, "value": new_key()}],
            "slot": [{"reference": f"Slot/{slot['id']}"}],
            "start": slot["start"],
            "end": slot["end"],
            "participant": [
                {"actor": {"reference": f"Patient/{self.patient()}"}, "status": "accepted"},
                {"actor": {"reference": self._doctor(slot)}, "status": "accepted"},
            ],
        }
        return {**body, **members}

    def _doctor(self, slot: Json) -> str:
        calendar = slot["schedule"]["reference"]
        if calendar not in self._doctors:
            actors = [link["reference"] for link in self.get(calendar).json()["actor"]]
            named = (actor for actor in actors if actor.startswith("Practitioner/"))
            self._doctors[calendar] = next(named)
        return self._doctors[calendar]

    def booked(self) -> Json:
        response = self.post("Appointment", self.appointment(self.claimed_slot()))
        assert response.status_code == 201, response.text
        made: Json = response.json()
        return made


def new_key() -> str:
    return f"conformance-{uuid4()}"


def matches(bundle: Json) -> list[Json]:
    return [
        entry["resource"]
        for entry in bundle.get("entry", ())
        if entry.get("search", {}).get("mode", "match") == "match"
    ]


def is_outcome(response: httpx.Response) -> bool:
    body = response.json()
    return bool(body["resourceType"] == "OperationOutcome" and body["issue"])


def key_of(appointment: Json) -> str:
    value: str = appointment["identifier"][0]["value"]
    return value
