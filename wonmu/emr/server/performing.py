"""Which function answers which interaction, and in what transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from wonmu.emr.server import bundle, operations, writes
from wonmu.emr.server.capability import capability_statement
from wonmu.emr.server.interaction import OPERATIONS, Answer, Interaction
from wonmu.emr.server.problems import FhirProblem, Issue
from wonmu.emr.server.query import read_query
from wonmu.emr.server.search import run_search, searchset
from wonmu.emr.server.tx import Collision, Store, Tx


@dataclass(frozen=True, slots=True)
class Bent:
    """Faults that change what a search sees: an index of an earlier moment, pages that shift."""

    as_of: datetime | None = None
    shift: int = 0


STRAIGHT = Bent()


async def perform(store: Store, asked: Interaction, base: str, bent: Bent = STRAIGHT) -> Answer:
    """Answer one interaction. Raises ``FhirProblem``; nothing was written then."""
    if asked.target.op == "transaction":
        return await bundle.run_bundle(store, asked, base, perform, within)
    if not asked.writes:
        async with store.read(base, bent.as_of) as tx:
            return await within(tx, asked, bent)
    return await twice(lambda: _written(store, asked, base))


async def twice(attempt: Callable[[], Awaitable[Answer]]) -> Answer:
    """Once more after losing to another writer: the second look sees what the other one wrote."""
    try:
        return await attempt()
    except Collision:
        pass
    try:
        return await attempt()
    except Collision as again:
        raise again.problem from again


async def _written(store: Store, asked: Interaction, base: str) -> Answer:
    async with store.write(base) as tx:
        return await within(tx, asked)


async def within(tx: Tx, asked: Interaction, bent: Bent = STRAIGHT) -> Answer:
    """The interaction inside an open transaction."""
    match asked.target.op:
        case "capabilities":
            return Answer(200, capability_statement(tx))
        case "read":
            return await writes.read(tx, asked)
        case "vread":
            return await writes.vread(tx, asked)
        case "history-instance":
            return await writes.history(tx, asked)
        case "search-type":
            return await _search(tx, asked, bent)
        case "create":
            return await writes.create(tx, asked)
        case "update":
            return await writes.update(tx, asked)
        case "delete":
            return await writes.delete(tx, asked)
        case op if op in OPERATIONS:
            return await operations.run_operation(tx, asked)
    raise FhirProblem(400, Issue("not-supported", "it cannot be done here"))


async def _search(tx: Tx, asked: Interaction, bent: Bent) -> Answer:
    kind = asked.target.kind
    query = read_query(kind, asked.pairs, tx.rules, strict=asked.strict)
    page = await run_search(tx, kind, query, shift=bent.shift)
    return Answer(200, searchset(kind, query, page, tx.base))
