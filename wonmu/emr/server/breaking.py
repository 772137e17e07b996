"""Broken connections and spoilt answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from starlette.responses import Response
from starlette.types import Receive, Send

from wonmu.emr.server.faults import Fault, FaultKind
from wonmu.emr.server.wire import MEDIA

_OTHER_VERSION = "5.0.0"


async def break_connection(send: Send, receive: Receive) -> None:
    """Cut the connection without an answer.

    uvicorn hands ``send`` over as a method of the object that knows the transport. Without one
    (in-process) the caller gets ``ConnectionResetError``.
    """
    transport = getattr(getattr(send, "__self__", None), "transport", None)
    if not isinstance(transport, asyncio.Transport):
        raise ConnectionResetError("the connection was broken on purpose")
    transport.abort()
    # Returning before uvicorn has noticed would make it send an error on what is closed.
    while (await receive())["type"] != "http.disconnect":
        pass


def spoilt(response: Response, faults: Sequence[Fault]) -> Response:
    """The answer as the faults want it to arrive."""
    kinds = {fault.kind for fault in faults}
    body = bytes(response.body)
    headers = {k: v for k, v in response.headers.items() if k.lower() != "content-length"}
    if FaultKind.WRONG_VERSION in kinds and body:
        headers["content-type"] = f"{MEDIA}; fhirVersion=5.0"
        value = json.loads(body)
        if "fhirVersion" in value:
            value["fhirVersion"] = _OTHER_VERSION
        body = json.dumps(value, ensure_ascii=False).encode()
    if FaultKind.INVALID_JSON in kinds:
        body = body[: len(body) // 2] or b"{"
    if body == response.body and headers.get("content-type") == response.headers.get(
        "content-type"
    ):
        return response
    return Response(body, status_code=response.status_code, headers=headers)
