"""Requests to a FHIR server and the answers they got.

Knows FHIR's REST rules (content type, ETag, If-Match, If-None-Exist) and nothing of bookings.
Every answer outside 2xx, every broken connection and every error told as a success raises
``FhirFailure``; nothing is sent twice here. The token goes to the server's own origin only, and
redirects are not followed, because they could carry it elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

import httpx

from wonmu.clock import Clock
from wonmu.emr.fhir import errors
from wonmu.emr.fhir.models import Bundle, OperationOutcome, Parameters, Resource
from wonmu.emr.fhir.parsing import outcome_in, parse_as, parse_bundle, resource_type, to_wire
from wonmu.loop import outside

R = TypeVar("R", bound=Resource)

JSON = "application/fhir+json"
TIMEOUT = httpx.Timeout(connect=1.0, read=2.5, write=2.5, pool=0.5)
"""Seconds; below the 3 s that a request may take in all, so that a failure says which part."""

LIMITS = httpx.Limits(max_connections=40, max_keepalive_connections=20, keepalive_expiry=4.0)
"""Idle connections go before common servers close them at 5 s: a write on one just closed would
have an unknown outcome."""

STRICT = ("Patient", "Appointment")
"""A server that does not know a parameter must refuse these searches: ignoring it, it would send
us other people's data. The rest is checked again on this side and may be searched loosely."""

_VERSION = re.compile(r";\s*fhirversion\s*=\s*\"?([0-9.]+)", re.IGNORECASE)
"""FHIR's parameter of a media type, in major.minor."""

Params = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Written:
    """What a create or update answered. ``body`` None: the server sent the resource not back."""

    id: str | None
    body: bytes | None


class FhirClient:
    """One server. ``base`` ends without a slash."""

    def __init__(self, http: httpx.AsyncClient, base: str, clock: Clock) -> None:
        self._http = http
        self._base = base
        self._clock = clock

    async def read(self, kind: type[R], id_: str, doing: str) -> R | None:
        """None only when the server says in FHIR's way that there is no such resource."""
        name = kind.model_fields["resource_type"].default
        try:
            body = await self._get(f"{self._base}/{name}/{id_}", doing)
        except errors.FhirFailure as failure:
            if failure.status in (404, 410) and failure.issues:
                return None
            raise
        found = _parsed(kind, body, doing)
        if found.id != id_:
            raise errors.unreadable(doing)
        return found

    async def metadata(self) -> bytes:
        return await self._get(f"{self._base}/metadata", "asking what it can do")

    async def search(self, kind: str, params: Params, doing: str, *, form: bool = False) -> bytes:
        """The first page. ``form``: the parameters go in the body and not in the URL."""
        headers = {"Prefer": "handling=strict"} if kind in STRICT else {}
        if not form:
            return await self._get(f"{self._base}/{kind}?{urlencode(params)}", doing, headers)
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        url, body = f"{self._base}/{kind}/_search", urlencode(params).encode()
        answer = await self._send("POST", url, doing, headers, body, write=False)
        return _unless_failed(answer.content, doing, write=False)

    async def next_page(self, link: str, doing: str) -> bytes:
        """Raises when the link leads away from this server."""
        base = httpx.URL(self._base + "/")
        try:
            url = base.join(link)
        except httpx.InvalidURL:
            raise errors.unreadable(doing) from None
        if (url.scheme, url.host, url.port) != (base.scheme, base.host, base.port):
            raise errors.unreadable(f"{doing}: its next page is on another server")
        return await self._get(str(url), doing)

    async def create(self, resource: Resource, unless: Params, doing: str) -> Written:
        """A conditional create: one that matches ``unless`` already is answered instead."""
        headers = {
            "If-None-Exist": urlencode(unless, safe=":/|"),
            "Prefer": "return=representation",
        }
        url = f"{self._base}/{resource.resource_type}"
        answer = await self._send("POST", url, doing, headers, to_wire(resource), write=True)
        return _written(answer, resource.resource_type, doing)

    async def update(self, resource: Resource, doing: str) -> Written:
        """A versioned update: only over the state that ``resource`` was read in."""
        headers = {"Prefer": "return=representation", **_if_match(resource)}
        url = f"{self._base}/{resource.resource_type}/{resource.id}"
        answer = await self._send("PUT", url, doing, headers, to_wire(resource), write=True)
        return _written(answer, resource.resource_type, doing)

    async def transaction(self, bundle: Bundle, doing: str) -> Bundle:
        headers = {"Prefer": "return=representation"}
        answer = await self._send("POST", self._base, doing, headers, to_wire(bundle), write=True)
        return _bundle(answer.content, doing)

    async def operate(self, path: str, given: Parameters, doing: str, *, write: bool) -> Bundle:
        """An operation that answers with a bundle. An error told as a success is a refusal: the
        scheduling operations of IHE say so, and then nothing was written."""
        url = f"{self._base}/{path}"
        answer = await self._send("POST", url, doing, {}, to_wire(given), write=write)
        refused = outcome_in(answer.content)
        if refused is not None:
            raise errors.of_outcome(refused, doing, answer.status_code, write=False)
        bundle = _bundle(answer.content, doing)
        for entry in bundle.entry:
            if isinstance(entry.resource, OperationOutcome) and entry.resource.failed():
                raise errors.of_outcome(entry.resource, doing, answer.status_code, write=False)
        return bundle

    async def close(self) -> None:
        with outside():
            await self._http.aclose()

    async def _get(self, url: str, doing: str, headers: dict[str, str] | None = None) -> bytes:
        answer = await self._send("GET", url, doing, headers or {}, None, write=False)
        return _unless_failed(answer.content, doing, write=False)

    async def _send(
        self,
        method: str,
        url: str,
        doing: str,
        headers: dict[str, str],
        body: bytes | None,
        *,
        write: bool,
    ) -> httpx.Response:
        if body is not None:
            headers = {"Content-Type": JSON, **headers}
        try:
            with outside():
                answer = await self._http.request(method, url, headers=headers, content=body)
        except httpx.HTTPError as error:
            raise errors.of_exception(error, doing, write=write) from error
        if not answer.is_success:
            raise errors.of_answer(answer, doing, self._clock.now(), write=write)
        if not _speaks_r4(answer):
            raise errors.wrong_version(doing, write=write)
        return answer


def _speaks_r4(answer: httpx.Response) -> bool:
    """Whether the answer's media type names no other version of FHIR than ours; most name none."""
    named = _VERSION.search(answer.headers.get("content-type", ""))
    return named is None or named[1] == "4.0"


def etag_of(resource: Resource) -> str | None:
    version = resource.meta.version_id if resource.meta is not None else None
    return None if not version else f'W/"{version}"'


def _if_match(resource: Resource) -> dict[str, str]:
    """Without a version no write may go out: most servers let the last writer win then."""
    tag = etag_of(resource)
    if tag is None:
        raise errors.unreadable(f"changing a {resource.resource_type} that has no version")
    return {"If-Match": tag}


def _unless_failed(body: bytes, doing: str, *, write: bool) -> bytes:
    outcome = outcome_in(body)
    if outcome is not None and outcome.failed():
        raise errors.of_outcome(outcome, doing, write=write)
    return body


def _parsed(kind: type[R], body: bytes, doing: str) -> R:
    try:
        return parse_as(kind, body)
    except ValueError:
        raise errors.unreadable(doing) from None


def _written(answer: httpx.Response, kind: str, doing: str) -> Written:
    """The id comes from Location when the body holds no resource (Prefer is only a wish).

    A success that answers with something else altogether is none to rely on.
    """
    body = _unless_failed(answer.content, doing, write=True)
    place = answer.headers.get("location") or answer.headers.get("content-location") or ""
    id_ = place.split("/_history/")[0].rstrip("/").rsplit("/", 1)[-1]
    if not body.strip():
        return Written(id_ or None, None)
    try:
        told = resource_type(body)
    except ValueError:
        told = ""
    if told not in (kind, "OperationOutcome"):
        raise errors.unreadable(doing, write=True)
    return Written(id_ or None, body if told == kind else None)


def _bundle(body: bytes, doing: str) -> Bundle:
    try:
        return parse_bundle(body)[0]
    except ValueError:
        raise errors.unreadable(doing, write=True) from None
