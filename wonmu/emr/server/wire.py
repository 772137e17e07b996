"""Between HTTP and interactions: bodies, headers and answers of FHIR over HTTP (R4 http.html)."""

from __future__ import annotations

import json
from dataclasses import replace
from email.utils import format_datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from wonmu.clock import utc
from wonmu.emr.server.interaction import Answer, Interaction, Target, pairs_of
from wonmu.emr.server.problems import FhirProblem, Issue, Json, bad_request, outcome
from wonmu.emr.server.query import Pairs
from wonmu.emr.server.side import dumps

MEDIA = "application/fhir+json"
_JSON = (MEDIA, "application/json")
_FORM = "application/x-www-form-urlencoded"
_LARGEST_BODY = 1024 * 1024
"""Bytes; an appointment has about two thousand."""


async def read_interaction(request: Request, target: Target) -> Interaction:
    """Raises a 400, 406, 413 or 415 when the request cannot be read."""
    _check_accept(request)
    pairs = _texts(pairs_of(request.url.query))
    asked = Interaction(
        target,
        pairs,
        if_match=request.headers.get("if-match"),
        if_none_match=request.headers.get("if-none-match"),
        if_none_exist=request.headers.get("if-none-exist"),
        strict="handling=strict" in request.headers.get("prefer", ""),
    )
    if request.method not in ("POST", "PUT"):
        return asked
    raw = await request.body()
    if len(raw) > _LARGEST_BODY:
        raise FhirProblem(413, Issue("too-long", f"the body is larger than {_LARGEST_BODY} bytes"))
    if target.op == "search-type":
        _check_type(request, (_FORM,))
        return replace(asked, pairs=[*pairs, *_texts(pairs_of(_decoded(raw)))])
    _check_type(request, _JSON)
    return replace(asked, body=_object(raw))


def _texts(pairs: Pairs) -> Pairs:
    if not all(is_text(name) and is_text(value) for name, value in pairs):
        raise bad_request("a parameter has characters that FHIR has not")
    return pairs


def _check_accept(request: Request) -> None:
    """Refuse only a client that takes no JSON at all."""
    wanted = request.query_params.get("_format") or request.headers.get("accept", "")
    if "xml" in wanted and "json" not in wanted and "*/*" not in wanted:
        raise FhirProblem(406, Issue("not-supported", "this server speaks JSON only"))


def _check_type(request: Request, allowed: tuple[str, ...]) -> None:
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if sent not in allowed:
        raise FhirProblem(415, Issue("not-supported", f"the body must be {allowed[0]}"))


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise bad_request("the body is not UTF-8") from None


def _object(raw: bytes) -> Json:
    try:
        value: Any = json.loads(_decoded(raw), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise FhirProblem(400, Issue("structure", "the body is not JSON")) from None
    if not isinstance(value, dict):
        raise FhirProblem(400, Issue("structure", "the body must be a JSON object"))
    if not is_text(dumps(value)):
        raise FhirProblem(400, Issue("structure", "the body has characters that FHIR has not"))
    return value


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def is_text(text: str) -> bool:
    """Whether it is text that a database takes: no NUL (escaped in JSON), no half characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text and "\\u0000" not in text


def respond(answer: Answer, base: str, prefer: str = "", headers: Json | None = None) -> Response:
    """``prefer``: the client's header; only ``return=`` counts here (R4 http.html#ops)."""
    out = {**(headers or {})}
    if answer.etag is not None:
        out["ETag"] = answer.etag
    if answer.changed_at is not None:
        out["Last-Modified"] = format_datetime(utc(answer.changed_at), usegmt=True)
    if answer.status == 201 and answer.location is not None:
        out["Location"] = f"{base}/{answer.location}"
    body = answer.resource
    is_write = answer.location is not None and answer.status in (200, 201) and prefer
    if is_write and "return=minimal" in prefer:
        body = None
    elif is_write and "return=OperationOutcome" in prefer:
        body = outcome([Issue("informational", "it is done", severity="information")])
    if body is None:
        return Response(status_code=answer.status, headers=out)
    return Response(
        dumps(body), status_code=answer.status, headers=out, media_type=f"{MEDIA}; charset=utf-8"
    )
