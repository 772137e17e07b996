"""Which search parameters each kind of resource has, and how a value is matched (R4 search.html).

One table for all of it: the CapabilityStatement, the search and the conditional create read it.
Paths and types are those of the search parameters of R4 4.0.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from unicodedata import normalize

from wonmu.emr.server.problems import Json, bad_request
from wonmu.emr.server.values import Range, at_path, date_range, reference


class Type(StrEnum):
    TOKEN = "token"
    REFERENCE = "reference"
    DATE = "date"
    STRING = "string"


@dataclass(frozen=True, slots=True)
class Param:
    """``paths``: where the values lie, ``|`` between several; ``only``: kind of the target."""

    name: str
    type: Type
    paths: str
    only: str | None = None
    system: str | None = None
    """Of telecom: only entries of this system (``phone``)."""

    def values(self, resource: Json) -> list[Any]:
        found = [v for path in self.paths.split("|") for v in at_path(resource, path)]
        if self.only is not None:
            found = [v for v in found if _target(v, "")[0] == self.only]
        if self.system is not None:
            found = [v for v in found if isinstance(v, dict) and v.get("system") == self.system]
        return found


@dataclass(frozen=True, slots=True)
class Criterion:
    """One parameter of a query; any of ``values`` may match."""

    param: Param
    modifier: str | None
    values: tuple[str, ...]


PREFIXES = ("eq", "ne", "gt", "lt", "ge", "le", "sa", "eb")
MODIFIERS: dict[Type, tuple[str, ...]] = {
    Type.TOKEN: ("not", "missing"),
    Type.REFERENCE: ("missing",),
    Type.DATE: ("missing",),
    Type.STRING: ("exact", "contains", "missing"),
}


def matches(criterion: Criterion, resource: Json, base: str) -> bool:
    found = criterion.param.values(resource)
    match criterion.modifier:
        case "missing":
            return (not found) == (criterion.values == ("true",))
        case "not":
            return not any(_one(criterion, each, found, base) for each in criterion.values)
    return any(_one(criterion, each, found, base) for each in criterion.values)


def _one(criterion: Criterion, wanted: str, found: list[Any], base: str) -> bool:
    match criterion.param.type:
        case Type.TOKEN:
            return any(_token(wanted, pair) for value in found for pair in tokens(value))
        case Type.REFERENCE:
            return any(_reference(wanted, value, base) for value in found)
        case Type.DATE:
            prefix, range_ = read_date(wanted, criterion.param.name)
            return any(_date(prefix, range_, value) for value in found)
        case Type.STRING:
            return any(_string(wanted, value, criterion.modifier) for value in found)


def tokens(value: Any) -> Iterator[tuple[str, str]]:
    """System and code of a code, boolean, Coding, CodeableConcept, Identifier or ContactPoint."""
    if isinstance(value, bool):
        yield "", "true" if value else "false"
    elif isinstance(value, str):
        yield "", value
    elif isinstance(value, dict):
        for coding in value.get("coding", ()):
            yield from tokens(coding)
        code = value.get("code", value.get("value"))
        if isinstance(code, str):
            yield str(value.get("system", "")), code


def _token(wanted: str, pair: tuple[str, str]) -> bool:
    system, bar, code = wanted.rpartition("|")
    if not bar:
        return pair[1] == code
    return pair[0] == system and code in ("", pair[1])


def _target(value: Any, base: str) -> tuple[str, str]:
    link = value.get("reference") if isinstance(value, dict) else None
    return reference(link, base) or ("", "")


def _reference(wanted: str, value: Any, base: str) -> bool:
    kind, identity = _target(value, base)
    pair = reference(wanted, base)
    return identity == wanted if pair is None else pair == (kind, identity)


def read_date(wanted: str, name: str) -> tuple[str, Range]:
    """Prefix and range of a date parameter. Raises a 400 when it cannot be read."""
    prefix = wanted[:2] if wanted[:2].isalpha() else ""
    range_ = date_range(wanted[len(prefix) :])
    if range_ is None or (prefix and prefix not in PREFIXES):
        raise bad_request(f"{name}: is no date of this server's prefixes {', '.join(PREFIXES)}")
    return prefix or "eq", range_


_COMPARE: dict[str, Callable[[Range, Range], bool]] = {
    "eq": lambda want, have: want.contains(have),
    "ne": lambda want, have: not want.contains(have),
    "gt": lambda want, have: have.high > want.high or have.low >= want.high,
    "lt": lambda want, have: have.low < want.low,
    "ge": lambda want, have: have.high > want.high or have.low >= want.low,
    "le": lambda want, have: have.low < want.high,
    "sa": lambda want, have: have.low >= want.high,
    "eb": lambda want, have: have.high <= want.low and have.low < want.low,
}


def _date(prefix: str, wanted: Range, value: Any) -> bool:
    have = _value_range(value)
    return have is not None and _COMPARE[prefix](wanted, have)


def _value_range(value: Any) -> Range | None:
    if isinstance(value, str):
        have = date_range(value)
        # A start with seconds is a point in time: half-open windows must not see its length.
        return Range(have.low, have.low) if have is not None and _is_precise(value) else have
    if isinstance(value, dict) and ("start" in value or "end" in value):
        start = date_range(str(value.get("start", "1800")))
        end = date_range(str(value.get("end", "2199")))
        return None if start is None or end is None else Range(start.low, end.high)
    return None


def _is_precise(value: str) -> bool:
    return value.count(":") >= 2


def _string(wanted: str, value: Any, modifier: str | None) -> bool:
    if not isinstance(value, str):
        return False
    if modifier == "exact":
        return value == wanted
    have, want = _folded(value), _folded(wanted)
    return want in have if modifier == "contains" else have.startswith(want)


def _folded(text: str) -> str:
    return normalize("NFC", text).casefold()


def sort_key(param: Param, resource: Json) -> tuple[bool, datetime | str]:
    """Values of one parameter compare among themselves; those without one come last."""
    found = param.values(resource)
    if param.type is Type.DATE:
        ranges = [r.low for r in map(_value_range, found) if r is not None]
        return (not ranges, min(ranges) if ranges else "")
    texts = [code for value in found for _, code in tokens(value)]
    texts = texts or [_target(value, "")[1] for value in found]
    return (not texts, min(texts, default=""))


T, R, D, S = Type.TOKEN, Type.REFERENCE, Type.DATE, Type.STRING

_COMMON = (Param("_id", T, "id"), Param("_lastUpdated", D, "meta.lastUpdated"))
_CODES = (
    Param("service-category", T, "serviceCategory"),
    Param("service-type", T, "serviceType"),
    Param("specialty", T, "specialty"),
)
_IDENTIFIER = Param("identifier", T, "identifier")
_ACTIVE = Param("active", T, "active")
_PHONES = (Param("phone", T, "telecom", system="phone"), Param("telecom", T, "telecom"))
_NAMES = (
    Param("name", S, "name.text|name.family|name.given|name.prefix|name.suffix"),
    Param("family", S, "name.family"),
    Param("given", S, "name.given"),
    Param("phonetic", S, "name.text|name.family|name.given"),
)
_ACTOR = "participant.actor"

PARAMS: dict[str, tuple[Param, ...]] = {
    "Patient": (
        *_COMMON,
        _IDENTIFIER,
        Param("birthdate", D, "birthDate"),
        *_PHONES,
        *_NAMES,
        Param("gender", T, "gender"),
        _ACTIVE,
        Param("general-practitioner", R, "generalPractitioner"),
        Param("link", R, "link.other"),
    ),
    "Practitioner": (*_COMMON, _IDENTIFIER, *_NAMES, _ACTIVE, *_PHONES),
    "PractitionerRole": (
        *_COMMON,
        Param("practitioner", R, "practitioner"),
        Param("specialty", T, "specialty"),
        Param("service", R, "healthcareService"),
        Param("location", R, "location"),
        Param("organization", R, "organization"),
        Param("role", T, "code"),
        _ACTIVE,
        Param("date", D, "period"),
    ),
    "HealthcareService": (
        *_COMMON,
        Param("name", S, "name"),
        Param("service-type", T, "type"),
        Param("service-category", T, "category"),
        Param("specialty", T, "specialty"),
        Param("location", R, "location"),
        Param("organization", R, "providedBy"),
        _ACTIVE,
        _IDENTIFIER,
    ),
    "Schedule": (
        *_COMMON,
        Param("actor", R, "actor"),
        Param("date", D, "planningHorizon"),
        *_CODES,
        _ACTIVE,
        _IDENTIFIER,
    ),
    "Slot": (
        *_COMMON,
        Param("schedule", R, "schedule"),
        Param("start", D, "start"),
        Param("status", T, "status"),
        *_CODES,
        Param("appointment-type", T, "appointmentType"),
        _IDENTIFIER,
    ),
    "Appointment": (
        *_COMMON,
        Param("patient", R, _ACTOR, only="Patient"),
        Param("practitioner", R, _ACTOR, only="Practitioner"),
        Param("location", R, _ACTOR, only="Location"),
        Param("actor", R, _ACTOR),
        Param("date", D, "start"),
        Param("status", T, "status"),
        Param("slot", R, "slot"),
        _IDENTIFIER,
        *_CODES,
        Param("appointment-type", T, "appointmentType"),
        Param("part-status", T, "participant.status"),
        Param("reason-code", T, "reasonCode"),
        Param("based-on", R, "basedOn"),
        Param("supporting-info", R, "supportingInformation"),
    ),
    "Organization": (*_COMMON, Param("name", S, "name"), _ACTIVE, _IDENTIFIER),
    "Location": (
        *_COMMON,
        Param("name", S, "name"),
        Param("status", T, "status"),
        Param("organization", R, "managingOrganization"),
        _IDENTIFIER,
    ),
}


def param_of(kind: str, name: str) -> Param | None:
    return next((param for param in PARAMS[kind] if param.name == name), None)
