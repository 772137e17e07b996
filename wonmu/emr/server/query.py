"""A search as it was asked for, read strictly (R4 search.html)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wonmu.emr.server.params import MODIFIERS, Criterion, Param, Type, param_of, read_date
from wonmu.emr.server.problems import bad_request, not_supported
from wonmu.emr.server.rules import ServerRules

Pairs = list[tuple[str, str]]

_DIGITS = 9
_CONTROLS = frozenset({"_format", "_total", "_pretty"})
"""Accepted and without effect: there is one format, and the total is always exact."""


@dataclass(frozen=True, slots=True)
class Include:
    kind: str
    param: Param
    target: str | None


@dataclass(frozen=True, slots=True)
class Query:
    """``asked``: parameters that count, for the self link; ``ignored``: names of those that do not
    (never their values)."""

    criteria: tuple[Criterion, ...]
    count: int
    offset: int
    sort: tuple[tuple[Param, bool], ...]
    """Parameter, and whether descending."""
    includes: tuple[Include, ...]
    only_count: bool
    asked: tuple[tuple[str, str], ...]
    ignored: tuple[str, ...]

    def values(self, *names: str) -> tuple[str, ...] | None:
        """Values of the first plain criterion of one of these parameters; None: not asked for."""
        for criterion in self.criteria:
            if criterion.param.name in names and criterion.modifier is None:
                return criterion.values
        return None


def read_query(kind: str, pairs: Pairs, rules: ServerRules, *, strict: bool = False) -> Query:
    """Raises a 400 for what cannot be read and, when ``strict``, for unknown parameters."""
    criteria: list[Criterion] = []
    ignored: list[str] = []
    kept: Pairs = []
    for name, value in pairs:
        if name.startswith("_") and name not in ("_id", "_lastUpdated"):
            if not _is_control(name):
                ignored.append(name)
            continue
        found = _criterion(kind, name, value)
        if found is None:
            ignored.append(name)
        else:
            criteria.append(found)
            kept.append((name, value))
    if strict and ignored:
        raise not_supported(f"unknown search parameters: {', '.join(sorted(set(ignored)))}", 400)
    sort = tuple(_sorts(kind, _last(pairs, "_sort")))
    includes = tuple(_include(value) for name, value in pairs if name == "_include")
    kept += [(name, value) for name, value in pairs if name in ("_sort", "_include")]
    count = _number(_last(pairs, "_count"), "_count", rules.page)
    offset = _number(_last(pairs, "_offset"), "_offset", 0)
    summary = _last(pairs, "_summary") == "count" or count == 0
    page = min(count, rules.largest_page)
    return Query(
        tuple(criteria), page, offset, sort, includes, summary, tuple(kept), tuple(ignored)
    )


def _is_control(name: str) -> bool:
    return name in _CONTROLS or name in ("_count", "_offset", "_sort", "_include", "_summary")


def _criterion(kind: str, full: str, value: str) -> Criterion | None:
    name, _, modifier = full.partition(":")
    param = param_of(kind, name)
    if param is None:
        return None
    if modifier and modifier not in MODIFIERS[param.type]:
        # R4 search.html#modifiers: a modifier that is not understood must be refused.
        raise bad_request(f"{name}: the modifier {modifier} is not known here")
    values = tuple(_unescaped(part) for part in re.split(r"(?<!\\),", value))
    if not any(values):
        raise bad_request(f"{name}: has no value")
    if param.type is Type.DATE and modifier != "missing":
        for each in values:
            read_date(each, name)
    return Criterion(param, modifier or None, values)


def _unescaped(text: str) -> str:
    return re.sub(r"\\([,|$\\])", r"\1", text)


def _sorts(kind: str, text: str | None) -> list[tuple[Param, bool]]:
    found = []
    for name in (text or "").split(","):
        if not name:
            continue
        param = param_of(kind, name.removeprefix("-"))
        if param is None:
            raise bad_request("_sort: names a parameter that is not known here")
        found.append((param, name.startswith("-")))
    return found


def _include(text: str) -> Include:
    """``Slot:schedule`` or ``Schedule:actor:Practitioner``."""
    kind, _, rest = text.partition(":")
    name, _, target = rest.partition(":")
    try:
        param = param_of(kind, name)
    except KeyError:
        param = None
    if param is None or param.type is not Type.REFERENCE:
        raise bad_request("_include: names a parameter that is not known here")
    return Include(kind, param, target or None)


def _last(pairs: Pairs, name: str) -> str | None:
    return next((value for key, value in reversed(pairs) if key == name), None)


def _number(text: str | None, name: str, otherwise: int) -> int:
    if text is None:
        return otherwise
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise bad_request(f"{name}: is no number")
    return int(text)
