"""Running a search: what matches, in what order, which page, and what it refers to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from wonmu.emr.server.kinds import KINDS
from wonmu.emr.server.params import matches, sort_key
from wonmu.emr.server.problems import Issue, Json, outcome
from wonmu.emr.server.query import Query
from wonmu.emr.server.side import changed_since, versions
from wonmu.emr.server.tx import Tx
from wonmu.emr.server.values import reference


@dataclass(frozen=True, slots=True)
class Page:
    """``hits`` of one page out of ``total``; ``included`` were asked for with _include."""

    hits: tuple[Json, ...]
    included: tuple[Json, ...]
    total: int


async def run_search(tx: Tx, kind: str, query: Query, *, shift: int = 0) -> Page:
    """``shift``: as if that many entries in front had gone while the pages were read."""
    if tx.as_of is None and not shift and not query.only_count:
        quick = await KINDS[kind].page(tx, query)
        if quick is not None:
            hits, total = quick
            return Page(tuple(hits), tuple(await _included(tx, query, hits)), total)
    found = await all_matches(tx, kind, query)
    if shift and query.offset:
        found = found[shift:]
    if query.only_count:
        return Page((), (), len(found))
    hits = found[query.offset : query.offset + query.count]
    return Page(tuple(hits), tuple(await _included(tx, query, hits)), len(found))


async def all_matches(tx: Tx, kind: str, query: Query) -> list[Json]:
    """Every match, in the order asked for and then by id, so that pages do not overlap."""
    candidates = await KINDS[kind].candidates(tx, query)
    if tx.as_of is not None:
        candidates = await _as_they_were(tx, kind, candidates)
    found = [each for each in candidates if _matches_all(each, query, tx.base)]
    found.sort(key=lambda each: str(each["id"]))
    for param, descending in reversed(query.sort):
        found.sort(key=lambda each: sort_key(param, each)[1], reverse=descending)
        found.sort(key=lambda each: sort_key(param, each)[0])
    return found


def _matches_all(resource: Json, query: Query, base: str) -> bool:
    return all(matches(criterion, resource, base) for criterion in query.criteria)


async def _as_they_were(tx: Tx, kind: str, now: list[Json]) -> list[Json]:
    """What an index that lags would know: changed resources in the version of that moment."""
    assert tx.as_of is not None
    changed = await changed_since(tx, kind, tx.as_of)
    found = [each for each in now if each["id"] not in set(changed)]
    for identity in changed:
        then = [v for v in await versions(tx, kind, identity) if v.changed_at <= tx.as_of]
        if then and then[0].resource is not None:
            found.append(then[0].resource)
    return found


async def _included(tx: Tx, query: Query, hits: Iterable[Json]) -> list[Json]:
    wanted: dict[tuple[str, str], None] = {}
    for include in query.includes:
        for hit in hits:
            if hit["resourceType"] != include.kind:
                continue
            for link in include.param.values(hit):
                pair = reference(link.get("reference"), tx.base)
                if pair is not None and include.target in (None, pair[0]) and pair[0] in KINDS:
                    wanted[pair] = None
    found = [await KINDS[kind].get(tx, identity) for kind, identity in wanted]
    return [each.resource for each in found if each is not None]


def searchset(kind: str, query: Query, page: Page, base: str) -> Json:
    """The page as a Bundle with links (R4 bundle.html, search.html#return)."""
    entries = [_entry(each, "match", base) for each in page.hits]
    entries += [_entry(each, "include", base) for each in page.included]
    if query.ignored:
        names = ", ".join(sorted(set(query.ignored)))
        issue = Issue("not-supported", f"ignored parameters: {names}", severity="warning")
        entries.append({"resource": outcome([issue]), "search": {"mode": "outcome"}})
    bundle: Json = {
        "resourceType": "Bundle",
        "type": "searchset",
        "total": page.total,
        "link": _links(kind, query, page.total, base),
    }
    if entries:
        bundle["entry"] = entries
    return bundle


def _entry(resource: Json, mode: str, base: str) -> Json:
    url = f"{base}/{resource['resourceType']}/{resource['id']}"
    return {"fullUrl": url, "resource": resource, "search": {"mode": mode}}


def _links(kind: str, query: Query, total: int, base: str) -> list[Json]:
    def link(relation: str, offset: int) -> Json:
        pairs = [*query.asked, ("_count", str(query.count)), ("_offset", str(offset))]
        return {"relation": relation, "url": f"{base}/{kind}?{urlencode(pairs)}"}

    links = [link("self", query.offset)]
    if query.only_count:
        return links
    if query.offset + query.count < total:
        links.append(link("next", query.offset + query.count))
    if query.offset > 0:
        links.append(link("previous", max(0, query.offset - query.count)))
    return links
