"""Transactions and batches (R4 http.html#transaction).

A transaction is one database transaction: entries run as DELETE, POST, PUT, GET whatever their
order, and any refusal takes everything back. A batch is each entry on its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from wonmu.emr.server.interaction import Answer, Interaction, pairs_of, target_of
from wonmu.emr.server.problems import (
    FhirProblem,
    Issue,
    Json,
    bad_request,
    not_supported,
    outcome,
)
from wonmu.emr.server.tx import Collision, Store, Tx

Perform = Callable[[Store, Interaction, str], Awaitable[Answer]]
Within = Callable[[Tx, Interaction], Awaitable[Answer]]

_ORDER = {"DELETE": 0, "POST": 1, "PUT": 2, "GET": 3, "HEAD": 3}
_MOST = 200


async def run_bundle(
    store: Store, asked: Interaction, base: str, perform: Perform, within: Within
) -> Answer:
    body = asked.body
    if body is None or body.get("resourceType") != "Bundle":
        raise bad_request("the body is no Bundle", "resourceType")
    entries = body.get("entry", [])
    if not isinstance(entries, list) or len(entries) > _MOST:
        raise bad_request(f"a Bundle has a list of at most {_MOST} entries", "Bundle.entry")
    match body.get("type"):
        case "batch":
            answers = [
                await _alone(store, each, n, base, perform) for n, each in _numbered(entries)
            ]
        case "transaction" if store.rules.transactions:
            answers = await _together(store, entries, base, within)
        case "transaction":
            raise not_supported("transactions are not supported here", 400)
        case _:
            raise bad_request("only batch and transaction can be posted", "Bundle.type")
    kind = f"{body['type']}-response"
    response: Json = {"resourceType": "Bundle", "type": kind}
    if answers:
        response["entry"] = [answer.entry(base) for answer in answers]
    return Answer(200, response)


def _numbered(entries: list[Any]) -> list[tuple[int, Any]]:
    return list(enumerate(entries))


async def _alone(store: Store, entry: Any, number: int, base: str, perform: Perform) -> Answer:
    try:
        return await perform(store, _interaction(entry, number, base), base)
    except FhirProblem as problem:
        return Answer(problem.status, outcome(problem.issues))


async def _together(store: Store, entries: list[Any], base: str, within: Within) -> list[Answer]:
    try:
        return await _attempt(store, entries, base, within)
    except Collision:
        pass
    try:
        return await _attempt(store, entries, base, within)
    except Collision as again:
        raise again.problem from again


async def _attempt(store: Store, entries: list[Any], base: str, within: Within) -> list[Answer]:
    _refuse_doubles(entries)
    answers: dict[int, Answer] = {}
    links: dict[str, str] = {}
    async with store.write(base) as tx:
        for number, entry in sorted(_numbered(entries), key=lambda each: _rank(each[1])):
            asked = _interaction(_linked(entry, links), number, base)
            try:
                answers[number] = await within(tx, asked)
            except FhirProblem as problem:
                raise _placed(problem, number) from problem
            except Collision as lost:
                raise Collision(_placed(lost.problem, number)) from lost
            _note_link(entry, answers[number], links)
    return [answers[number] for number in range(len(entries))]


def _refuse_doubles(entries: list[Any]) -> None:
    """R4: one resource may be written once in a transaction."""
    urls = [
        entry["request"].get("url")
        for entry in entries
        if _rank(entry) in (_ORDER["DELETE"], _ORDER["PUT"])
    ]
    if len(urls) != len({str(url) for url in urls}):
        raise bad_request("a transaction writes one resource twice", "Bundle.entry")


def _rank(entry: Any) -> int:
    request = entry.get("request") if isinstance(entry, dict) else None
    method = request.get("method") if isinstance(request, dict) else None
    return _ORDER.get(method, 4) if isinstance(method, str) else 4


def _interaction(entry: Any, number: int, base: str) -> Interaction:
    at = f"Bundle.entry[{number}]"
    request = entry.get("request") if isinstance(entry, dict) else None
    if not isinstance(request, dict):
        raise bad_request("an entry needs a request", f"{at}.request")
    method, url = request.get("method"), request.get("url")
    if not isinstance(method, str) or not isinstance(url, str):
        raise bad_request("a request needs a method and a url", f"{at}.request")
    path, _, query = url.removeprefix(base).partition("?")
    target = target_of(method, path)
    if target.op == "transaction":
        raise bad_request("a Bundle inside a Bundle", f"{at}.request.url")
    body = entry.get("resource")
    return Interaction(
        target,
        pairs_of(query),
        body if isinstance(body, dict) else None,
        if_match=_text(request.get("ifMatch")),
        if_none_match=_text(request.get("ifNoneMatch")),
        if_none_exist=_text(request.get("ifNoneExist")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _linked(value: Any, links: dict[str, str]) -> Any:
    """References to other entries (urn:uuid:…) become references to what was created."""
    if isinstance(value, dict):
        return {
            name: links.get(each, each)
            if name == "reference" and isinstance(each, str)
            else _linked(each, links)
            for name, each in value.items()
        }
    return [_linked(each, links) for each in value] if isinstance(value, list) else value


def _note_link(entry: Any, answer: Answer, links: dict[str, str]) -> None:
    full = entry.get("fullUrl")
    if isinstance(full, str) and answer.resource is not None and "id" in answer.resource:
        links[full] = f"{answer.resource['resourceType']}/{answer.resource['id']}"


def _placed(problem: FhirProblem, number: int) -> FhirProblem:
    at = f"Bundle.entry[{number}]"
    issues = [
        Issue(issue.code, issue.text, f"{at}.resource.{issue.at}" if issue.at else at)
        for issue in problem.issues
    ]
    return FhirProblem(problem.status, *issues, headers=problem.headers)
