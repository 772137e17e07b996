"""Faults on purpose: what is to go wrong, for which requests, and how many times.

A fault comes with a request (header ``X-Wonmu-Fault``) or from a rule that was set before, since a
client under test cannot always set headers. Both are taken from this machine only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from wonmu.emr.server.problems import FhirProblem, Json, bad_request

HEADER = "x-wonmu-fault"


class FaultKind(StrEnum):
    LATENCY = "latency"
    """``latency=2.5``: seconds before anything happens."""
    STATUS = "status"
    """``status=503`` or ``status=429;retry-after=2``: refused, nothing happens."""
    RESET_BEFORE = "reset-before"
    """The connection breaks, nothing happens."""
    RESET_AFTER = "reset-after"
    """It is done, then the connection breaks: the lost reply."""
    OUTCOME = "outcome"
    """HTTP 200 with an OperationOutcome, nothing happens."""
    INVALID_JSON = "invalid-json"
    """It is done; the answer is cut in the middle."""
    WRONG_VERSION = "wrong-version"
    """The answer says that it is FHIR 5.0.0."""
    SHIFTING_PAGES = "shifting-pages"
    """Between two pages of a search an entry in front went away."""
    TAKEN = "taken"
    """The desk takes the slot: before a write the one it names, after a search the first hit."""
    STALE = "stale"
    """``stale=5``: searches answer as of that many seconds ago."""


_NUMBERS = {
    FaultKind.LATENCY: (0.0, 600.0),
    FaultKind.STATUS: (400, 599),
    FaultKind.STALE: (0, 1e6),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """``value``: seconds or a status; ``retry_after``: seconds, of a status only."""

    kind: FaultKind
    value: float = 0.0
    retry_after: str | None = None


@dataclass(slots=True)
class Rule:
    """Applies to requests that match, after the first ``after`` of them, ``times`` times.

    ``method``: GET, POST …; ``path``: a regular expression searched in the path below the base;
    ``op``: an interaction such as search-type, create or $book. None matches everything.
    """

    faults: tuple[Fault, ...]
    text: str
    method: str | None = None
    path: str | None = None
    op: str | None = None
    after: int = 0
    times: int | None = None
    seen: int = 0

    def hits(self, method: str, path: str, op: str) -> bool:
        if self.method not in (None, method) or self.op not in (None, op):
            return False
        if self.path is not None and re.search(self.path, path) is None:
            return False
        self.seen += 1
        past = self.seen - self.after
        return past > 0 and (self.times is None or past <= self.times)

    def json(self) -> Json:
        return {
            "fault": self.text,
            "method": self.method,
            "path": self.path,
            "op": self.op,
            "after": self.after,
            "times": self.times,
            "seen": self.seen,
        }


class FaultPlan:
    """The rules that are set."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []

    def add(self, *rules: Rule) -> None:
        self.rules.extend(rules)

    def clear(self) -> None:
        self.rules.clear()

    def faults_for(self, method: str, path: str, op: str, header: str) -> tuple[Fault, ...]:
        """Those of the header first, then those of every rule that matches."""
        found = list(read_faults(header)) if header else []
        for rule in self.rules:
            if rule.hits(method, path, op):
                found.extend(rule.faults)
        return tuple(found)


def read_faults(text: str) -> tuple[Fault, ...]:
    """``latency=0.2, status=503``. Raises a 400 when it cannot be read."""
    return tuple(_fault(part.strip()) for part in text.split(",") if part.strip())


def _fault(text: str) -> Fault:
    head, _, tail = text.partition(";")
    name, _, value = head.strip().partition("=")
    try:
        kind = FaultKind(name.strip())
    except ValueError:
        raise _unread(text) from None
    retry_after = tail.strip().removeprefix("retry-after=") or None
    if kind not in _NUMBERS:
        return Fault(kind)
    low, high = _NUMBERS[kind]
    try:
        number = float(value)
    except ValueError:
        raise _unread(text) from None
    if not low <= number <= high:
        raise _unread(text)
    return Fault(kind, number, retry_after)


def _unread(text: str) -> FhirProblem:
    return bad_request(f"no fault of this server: {text[:40]}; one of {', '.join(FaultKind)}")


def read_rules(value: Any) -> list[Rule]:
    """A rule or a list of them, as posted to /admin/faults. Raises a 400."""
    return [_rule(each) for each in (value if isinstance(value, list) else [value])]


_FIELDS = frozenset({"fault", "method", "path", "op", "after", "times"})


def _rule(value: Any) -> Rule:
    if not isinstance(value, dict) or not isinstance(value.get("fault"), str):
        raise bad_request('a rule looks like {"fault": "status=503", "op": "create", "times": 1}')
    _only(value, _FIELDS)
    faults = read_faults(value["fault"])
    if not faults:
        raise bad_request("a rule needs a fault")
    path = _text(value, "path")
    try:
        re.compile(path or "")
    except re.error as error:
        raise bad_request(f"path is no regular expression: {error}") from None
    method, op = _text(value, "method"), _text(value, "op")
    after, times = _whole(value, "after"), _whole(value, "times")
    return Rule(faults, value["fault"], method, path, op, after or 0, times)


def _only(value: Json, known: Iterable[str]) -> None:
    unknown = sorted(set(value) - set(known))
    if unknown:
        raise bad_request(f"a rule has no {', '.join(unknown)}")


def _text(value: Json, name: str) -> str | None:
    found = value.get(name)
    if found is not None and not isinstance(found, str):
        raise bad_request(f"{name} is a text")
    return found


def _whole(value: Json, name: str) -> int | None:
    found = value.get(name)
    if found is not None and (isinstance(found, bool) or not isinstance(found, int) or found < 0):
        raise bad_request(f"{name} is a number")
    return found
