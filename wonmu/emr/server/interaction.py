"""One FHIR interaction as data: what is asked for, and the answer; from HTTP or from a Bundle."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import parse_qsl, unquote

from wonmu.emr.server.kinds import KINDS
from wonmu.emr.server.problems import FhirProblem, Issue, Json, bad_request, not_supported
from wonmu.emr.server.query import Pairs
from wonmu.emr.server.values import ID, local

OPERATIONS = ("$find", "$hold", "$book")
WRITES = ("create", "update", "delete")


@dataclass(frozen=True, slots=True)
class Target:
    """``op``: read, vread, history-instance, search-type, create, update, delete, capabilities,
    transaction, or the name of an operation."""

    op: str
    kind: str = ""
    id: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Interaction:
    target: Target
    pairs: Pairs = field(default_factory=list)
    body: Json | None = None
    if_match: str | None = None
    if_none_match: str | None = None
    if_none_exist: str | None = None
    strict: bool = False

    @property
    def writes(self) -> bool:
        return self.target.op in WRITES or self.target.op in ("$hold", "$book")


@dataclass(frozen=True, slots=True)
class Answer:
    """``version`` and ``changed_at`` become ETag and Last-Modified; ``location`` is relative."""

    status: int
    resource: Json | None = None
    version: int | None = None
    changed_at: datetime | None = None
    location: str | None = None

    @property
    def etag(self) -> str | None:
        return None if self.version is None else f'W/"{self.version}"'

    def entry(self, base: str) -> Json:
        """This answer inside a response Bundle."""
        response: Json = {"status": str(self.status)}
        if self.location is not None:
            response["location"] = f"{base}/{self.location}"
        if self.etag is not None:
            response["etag"] = self.etag
        if self.changed_at is not None:
            response["lastModified"] = local(self.changed_at)
        if self.resource is None:
            return {"response": response}
        if self.resource["resourceType"] == "OperationOutcome":
            return {"response": {**response, "outcome": self.resource}}
        return {"resource": self.resource, "response": response}


def target_of(method: str, path: str) -> Target:
    """What a method on a path below the base means. Raises a 400, 404 or 405."""
    parts = [unquote(part) for part in path.strip("/").split("/") if part]
    if not parts:
        return _known("POST", method, Target("transaction"))
    if parts == ["metadata"]:
        return _known("GET", method, Target("capabilities"))
    kind = parts[0]
    if kind not in KINDS:
        text = f"this server has no {kind[:40]}" if kind.isalnum() else "there is nothing here"
        raise FhirProblem(404, Issue("not-supported", text))
    match parts[1:]:
        case []:
            return _type_level(method, kind)
        case ["_search"]:
            return _known("POST", method, Target("search-type", kind))
        case [name] if name.startswith("$"):
            return _operation(method, kind, name)
        case [identity]:
            return _instance_level(method, kind, identity)
        case [identity, "_history"]:
            return _known("GET", method, Target("history-instance", kind, identity))
        case [identity, "_history", version]:
            return _known("GET", method, Target("vread", kind, identity, version))
    raise FhirProblem(404, Issue("not-supported", "there is nothing here"))


def _known(allowed: str, method: str, target: Target) -> Target:
    if method == allowed:
        return target
    raise FhirProblem(
        405, Issue("not-supported", f"only {allowed} works here"), headers={"Allow": allowed}
    )


def _type_level(method: str, kind: str) -> Target:
    match method:
        case "GET":
            return Target("search-type", kind)
        case "POST":
            return Target("create", kind)
    raise not_supported(f"{method} of a whole type (conditional update or delete)")


def _operation(method: str, kind: str, name: str) -> Target:
    if kind != "Appointment" or name not in OPERATIONS:
        raise FhirProblem(404, Issue("not-supported", "there is no such operation"))
    if method == "POST" or (method == "GET" and name == "$find"):
        return Target(name, kind)
    raise not_supported(f"{name} is called with POST")


def _instance_level(method: str, kind: str, identity: str) -> Target:
    if ID.fullmatch(identity) is None:
        raise bad_request("an id has 1 to 64 letters, digits, dots and dashes")
    match method:
        case "GET" | "HEAD":
            return Target("read", kind, identity)
        case "PUT":
            return Target("update", kind, identity)
        case "DELETE":
            return Target("delete", kind, identity)
    raise not_supported(f"{method} is not supported; use PUT")


def pairs_of(query: str) -> Pairs:
    return parse_qsl(query, keep_blank_values=True)


_ETAG = re.compile(r'(W/)?"(?P<version>[^"]+)"')


def etag_version(text: str) -> str:
    """The version inside an ETag; weak or not. Raises a 400."""
    found = _ETAG.fullmatch(text.strip())
    if found is None:
        raise bad_request('If-Match and If-None-Match look like W/"1"')
    return found["version"]
