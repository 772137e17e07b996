"""The reference record system as an ASGI app: FHIR under ``/fhir``, faults under ``/admin``.

Decides nothing about bookings. It reads a request, lets faults have their way, performs the
interaction, logs the access and answers. FastAPI comes with the extra ``serve``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from wonmu.clock import Clock
from wonmu.emr.server import wire
from wonmu.emr.server.access import AccessSink, access_of
from wonmu.emr.server.breaking import break_connection, spoilt
from wonmu.emr.server.desk import take_first_hit, take_named_slot
from wonmu.emr.server.faults import HEADER, Fault, FaultKind, FaultPlan, read_rules
from wonmu.emr.server.interaction import Answer, Interaction, Target, target_of
from wonmu.emr.server.performing import Bent, perform
from wonmu.emr.server.problems import FhirProblem, Issue, Json, outcome
from wonmu.emr.server.rules import ServerRules
from wonmu.emr.server.tx import Store
from wonmu.emr.sql import SqlEmr
from wonmu.ids import IdSource, RandomIds
from wonmu.loop import outside

_log = logging.getLogger(__name__)
_LOCAL = frozenset({"127.0.0.1", "::1"})


def create_app(
    records: SqlEmr,
    clock: Clock,
    rules: ServerRules | None = None,
    *,
    ids: IdSource | None = None,
    access: AccessSink | None = None,
    plan: FaultPlan | None = None,
) -> RecordServer:
    """The server on an open record system; usable in-process with ``httpx.ASGITransport``.

    ``access``: gets an entry for every access; ``plan``: fault rules set from the start. All
    requests must come on the event loop that ``records`` was opened on.
    """
    store = Store(records, clock, rules or ServerRules(), ids or RandomIds(), clock.now())
    return RecordServer(store, plan or FaultPlan(), access)


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One request on its way through."""

    request: Request
    target: Target | FhirProblem
    faults: Sequence[Fault]
    base: str

    def has(self, kind: FaultKind) -> bool:
        return any(fault.kind is kind for fault in self.faults)

    def value(self, kind: FaultKind) -> float | None:
        return next((fault.value for fault in self.faults if fault.kind is kind), None)


class RecordServer:
    """An ASGI app. ``faults`` may be changed while it runs."""

    def __init__(self, store: Store, faults: FaultPlan, access: AccessSink | None) -> None:
        self.store = store
        self.faults = faults
        self._access = access
        self._app = FastAPI(title="Wonmu record system", docs_url=None, redoc_url=None)
        self._app.add_route("/admin/faults", self._admin, methods=["GET", "POST", "DELETE"])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _below_base(scope["path"]) is not None:
            await self._fhir(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _fhir(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Outside the framework, because a broken connection must pass nothing on its way."""
        request = Request(scope, receive)
        try:
            exchange = self._exchange(request)
        except FhirProblem as problem:
            await _refusal(problem)(scope, receive, send)
            return
        await asyncio.sleep(exchange.value(FaultKind.LATENCY) or 0)
        if exchange.has(FaultKind.RESET_BEFORE):
            await break_connection(send, receive)
            return
        response = _canned(exchange.faults) or await self._answer(exchange)
        if exchange.has(FaultKind.RESET_AFTER):
            await break_connection(send, receive)
            return
        await spoilt(response, exchange.faults)(scope, receive, send)

    def _exchange(self, request: Request) -> _Exchange:
        path = _below_base(request.scope["path"]) or ""
        base = f"{request.url.scheme}://{request.url.netloc}/fhir"
        try:
            target: Target | FhirProblem = target_of(request.method, path)
        except FhirProblem as problem:
            target = problem
        if not _is_local(request):
            return _Exchange(request, target, (), base)
        op = target.op if isinstance(target, Target) else ""
        header = ",".join(request.headers.getlist(HEADER))
        faults = self.faults.faults_for(request.method, path, op, header)
        return _Exchange(request, target, faults, base)

    async def _answer(self, exchange: _Exchange) -> Response:
        asked: Interaction | None = None
        headers: Json = {}
        try:
            if isinstance(exchange.target, FhirProblem):
                raise exchange.target
            asked = await wire.read_interaction(exchange.request, exchange.target)
            answer = await self._performed(asked, exchange)
        except FhirProblem as problem:
            answer = Answer(problem.status, outcome(problem.issues))
            headers = dict(problem.headers)
        except RecursionError:
            answer = Answer(400, outcome([Issue("structure", "the body is nested too deep")]))
        except Exception:  # noqa: BLE001 - the boundary of a request; a fault of ours is a 500
            _log.exception("a request failed")
            answer = Answer(500, outcome([Issue("exception", "a fault of this server")]))
        if self._access is not None:
            who = _who(exchange.request)
            self._access(access_of(self.store.clock.now(), who, asked, answer))
        writes = asked is not None and asked.target.op in ("create", "update")
        prefer = exchange.request.headers.get("prefer", "") if writes else ""
        return wire.respond(answer, exchange.base, prefer, headers)

    async def _performed(self, asked: Interaction, exchange: _Exchange) -> Answer:
        taken = exchange.has(FaultKind.TAKEN)
        with outside():
            if taken and asked.target.op != "search-type":
                await take_named_slot(self.store, asked, exchange.base)
            answer = await perform(self.store, asked, exchange.base, self._bent(exchange))
            if taken and asked.target.op == "search-type":
                await take_first_hit(self.store, answer)
        return answer

    def _bent(self, exchange: _Exchange) -> Bent:
        stale = exchange.value(FaultKind.STALE)
        now = self.store.clock.now()
        as_of = None if stale is None else now - timedelta(seconds=stale)
        return Bent(as_of, 1 if exchange.has(FaultKind.SHIFTING_PAGES) else 0)

    async def _admin(self, request: Request) -> Response:
        """Rules of faults: GET lists them, POST adds, DELETE clears. From this machine only."""
        if not _is_local(request):
            return _refusal(FhirProblem(403, Issue("forbidden", "from this machine only")))
        try:
            if request.method == "POST":
                self.faults.add(*read_rules(await _posted(request)))
        except FhirProblem as problem:
            return _refusal(problem)
        if request.method == "DELETE":
            self.faults.clear()
        return JSONResponse([rule.json() for rule in self.faults.rules])


async def _posted(request: Request) -> Any:
    try:
        return await request.json()
    except ValueError:
        raise FhirProblem(400, Issue("structure", "the body is not JSON")) from None


def _below_base(path: str) -> str | None:
    if path == "/fhir" or path.startswith("/fhir/"):
        return path.removeprefix("/fhir").strip("/")
    return None


def _is_local(request: Request) -> bool:
    return request.client is not None and request.client.host in _LOCAL


def _who(request: Request) -> str:
    host = request.client.host if request.client is not None else "unknown"
    return f"{host} {request.headers.get('user-agent', '')[:80]}".strip()


def _refusal(problem: FhirProblem) -> Response:
    answer = Answer(problem.status, outcome(problem.issues))
    return wire.respond(answer, "", headers=dict(problem.headers))


def _canned(faults: Sequence[Fault]) -> Response | None:
    """The answer of a fault that lets nothing happen."""
    for fault in faults:
        if fault.kind is FaultKind.STATUS:
            after = {} if fault.retry_after is None else {"Retry-After": fault.retry_after}
            issue = Issue("transient", "this is a fault on purpose")
            return _refusal(FhirProblem(int(fault.value), issue, headers=after))
        if fault.kind is FaultKind.OUTCOME:
            issue = Issue("exception", "this is a fault on purpose", severity="fatal")
            return _refusal(FhirProblem(200, issue))
    return None


__all__ = ["RecordServer", "create_app"]
