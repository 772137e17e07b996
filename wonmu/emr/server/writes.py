"""create, update, delete and the reads of one resource, inside a transaction that is open."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from wonmu.emr.server.conditional import check_match, existing, note_condition, reserve
from wonmu.emr.server.interaction import Answer, Interaction, etag_version
from wonmu.emr.server.kinds import KINDS, SLOTS
from wonmu.emr.server.kinds.base import Found, Kind, as_list, remember_all
from wonmu.emr.server.problems import (
    FhirProblem,
    Issue,
    Json,
    bad_request,
    not_found,
    not_supported,
)
from wonmu.emr.server.side import keep, remember, side_of, versions
from wonmu.emr.server.tx import Collision, Tx
from wonmu.emr.server.validate import check
from wonmu.emr.server.values import local, reference


async def read(tx: Tx, asked: Interaction) -> Answer:
    kind, identity = asked.target.kind, asked.target.id
    found = await KINDS[kind].get(tx, identity)
    if found is None:
        raise await _missing(tx, kind, identity)
    answer = _answer(200, found)
    seen = asked.if_none_match
    if seen is not None and etag_version(seen) == str(found.version):
        return Answer(304, None, found.version, found.changed_at)
    return answer


async def vread(tx: Tx, asked: Interaction) -> Answer:
    kind, identity = asked.target.kind, asked.target.id
    for old in await versions(tx, kind, identity):
        if str(old.version) == asked.target.version:
            if old.resource is None:
                raise _gone(kind, identity)
            return Answer(200, old.resource, old.version, old.changed_at)
    found = await KINDS[kind].get(tx, identity)
    if found is None or str(found.version) != asked.target.version:
        raise FhirProblem(404, Issue("not-found", "this version is not kept"))
    return _answer(200, found)


async def history(tx: Tx, asked: Interaction) -> Answer:
    """Versions that are kept, newest first; those of other doors are not."""
    kind, identity = asked.target.kind, asked.target.id
    old = await versions(tx, kind, identity)
    found = await KINDS[kind].get(tx, identity)
    if found is None and not old:
        raise await _missing(tx, kind, identity)
    entries = [
        _history_entry(tx, kind, identity, each.version, local(each.changed_at), each.resource)
        for each in old
    ]
    if found is not None and all(each.version != found.version for each in old):
        at = local(found.changed_at)
        entries.insert(0, _history_entry(tx, kind, identity, found.version, at, found.resource))
    bundle = {"resourceType": "Bundle", "type": "history", "total": len(entries)}
    return Answer(200, {**bundle, "entry": entries})


def _history_entry(
    tx: Tx, kind: str, identity: str, version: int, at: str, resource: Json | None
) -> Json:
    method = "DELETE" if resource is None else "POST" if version == 1 else "PUT"
    url = kind if method == "POST" else f"{kind}/{identity}"
    entry: Json = {
        "fullUrl": f"{tx.base}/{kind}/{identity}",
        "request": {"method": method, "url": url},
        "response": {"status": "200", "etag": f'W/"{version}"', "lastModified": at},
    }
    return entry if resource is None else {**entry, "resource": resource}


async def create(tx: Tx, asked: Interaction) -> Answer:
    kind = _writable(tx, asked)
    body = _body(asked, kind.name)
    if asked.if_none_exist is not None:
        there = await existing(tx, kind.name, asked.if_none_exist)
        if there is not None:
            return _answer(200, await kind.must(tx, there["id"]))
    await check(tx, body)
    if asked.if_none_exist is not None:
        await reserve(tx, kind.name, asked.if_none_exist)
    async with slots_noted(tx, _slots(body)):
        identity = await kind.create(tx, body)
    if asked.if_none_exist is not None:
        await note_condition(tx, kind.name, asked.if_none_exist, identity)
    found = await kind.must(tx, identity)
    await remember_all(tx, kind.name, [found])
    return _answer(201, found)


async def update(tx: Tx, asked: Interaction) -> Answer:
    kind, identity = _writable(tx, asked), asked.target.id
    body = _body(asked, kind.name)
    if body.get("id") != identity:
        raise bad_request("the id inside must be the id of the address", f"{kind.name}.id")
    before = await kind.get(tx, identity)
    if before is None:
        # R4 http.html#upsert: without client-defined ids, 405.
        raise FhirProblem(405, Issue("not-supported", f"there is no {kind.name} of this id"))
    check_match(asked.if_match, before.version)
    await check(tx, body)
    await remember_all(tx, kind.name, [before])
    async with slots_noted(tx, (*_slots(before.resource), *_slots(body))):
        await _replaced(tx, kind, before, asked)
    found = await kind.must(tx, identity)
    await remember_all(tx, kind.name, [found])
    return _answer(200, found)


async def _replaced(tx: Tx, kind: Kind, before: Found, asked: Interaction) -> None:
    """Without If-Match the last writer wins, so losing to another one is no reason to refuse."""
    try:
        await kind.update(tx, before, _body(asked, kind.name))
    except FhirProblem as problem:
        if problem.status == 412 and asked.if_match is None:
            raise Collision(problem) from problem
        raise


async def delete(tx: Tx, asked: Interaction) -> Answer:
    kind, identity = _writable(tx, asked), asked.target.id
    found = await kind.get(tx, identity)
    if found is None:
        side = await side_of(tx, kind.name, identity)
        if side is not None and side.deleted:
            return Answer(204, None, side.version)
        raise not_found(kind.name, identity)
    check_match(asked.if_match, found.version)
    await remember_all(tx, kind.name, [found])
    async with slots_noted(tx, _slots(found.resource)):
        await kind.delete(tx, found)
    gone = found.version + 1
    await keep(tx, kind.name, identity, gone, {}, deleted=True)
    await remember(tx, kind.name, identity, gone, None, tx.now)
    return Answer(204, None, gone)


@asynccontextmanager
async def slots_noted(tx: Tx, identities: Iterable[str]) -> AsyncIterator[None]:
    """Keep the versions of these slots before and after, if the block changes them."""
    before = [found for each in identities if (found := await SLOTS.get(tx, each)) is not None]
    yield
    for old in before:
        new = await SLOTS.get(tx, old.resource["id"])
        if new is not None and new.version != old.version:
            await remember_all(tx, "Slot", [old])
            noted = Found(new.resource, new.version, tx.now)
            await remember_all(tx, "Slot", [noted])


def _slots(resource: Json) -> tuple[str, ...]:
    links = as_list(resource.get("slot")) if resource["resourceType"] == "Appointment" else []
    pairs = [reference(link.get("reference")) for link in links if isinstance(link, dict)]
    return tuple(dict.fromkeys(pair[1] for pair in pairs if pair is not None))


def _writable(tx: Tx, asked: Interaction) -> Kind:
    kind = KINDS[asked.target.kind]
    if not kind.writable(tx):
        raise not_supported(f"{kind.name} cannot be written here")
    return kind


def _body(asked: Interaction, kind: str) -> Json:
    if asked.body is None:
        raise bad_request("a resource is needed in the body")
    if asked.body.get("resourceType") != kind:
        raise bad_request(f"the body is no {kind}", "resourceType")
    return asked.body


def _answer(status: int, found: Found) -> Answer:
    resource = found.resource
    location = f"{resource['resourceType']}/{resource['id']}/_history/{found.version}"
    return Answer(status, resource, found.version, found.changed_at, location)


async def _missing(tx: Tx, kind: str, identity: str) -> FhirProblem:
    side = await side_of(tx, kind, identity)
    if side is not None and side.deleted:
        return _gone(kind, identity)
    return not_found(kind, identity)


def _gone(kind: str, identity: str) -> FhirProblem:
    return FhirProblem(410, Issue("deleted", f"{kind}/{identity} was deleted"))
