"""From bytes to models and back.

Decides what counts as unreadable: a body that is no JSON, another resource type than asked for, a
resource without its required members. In a list one bad entry is skipped and counted, because one
broken record must not hide a hospital's whole calendar; whether skipping is bearable is decided by
whoever asked. Raises ``ValueError`` (pydantic's among them) and never returns half a resource.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from wonmu.emr.fhir.datatypes import Instant
from wonmu.emr.fhir.models import Bundle, Entry, Link, OperationOutcome, Resource, Slot, SlotCode

R = TypeVar("R", bound=Resource)


class _Slim(BaseModel):
    """Unknown members are dropped: a third of the time that a list of slots takes."""

    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=to_camel)


class ListedMeta(_Slim):
    version_id: str | None = None


class ListedReference(_Slim):
    reference: str | None = None


class ListedPeriod(_Slim):
    end: str | None = None


class ListedIdentifier(_Slim):
    system: str | None = None
    value: str | None = None
    period: ListedPeriod | None = None


class ListedSlot(_Slim):
    """A slot as a list shows it: enough to offer it, not enough to send it back."""

    resource_type: Literal["Slot"]
    id: str
    meta: ListedMeta | None = None
    identifier: tuple[ListedIdentifier, ...] = ()
    schedule: ListedReference
    status: SlotCode
    start: Instant
    end: Instant


class _SlotSearch(_Slim):
    mode: Literal["match"] = "match"


class _SlotEntry(_Slim):
    resource: ListedSlot
    search: _SlotSearch | None = None


class _SlotBundle(_Slim):
    resource_type: Literal["Bundle"]
    type: str
    total: int | None = None
    link: tuple[Link, ...] = ()
    entry: tuple[_SlotEntry, ...] = ()


_SLOTS = TypeAdapter(_SlotBundle)
_BUNDLE = TypeAdapter(Bundle)
_ENTRY = TypeAdapter(Entry)
_LISTED = TypeAdapter(ListedSlot)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a search. ``others``: what came along and is no match; ``skipped``: entries
    that could not be read; ``outcome``: what the server had to say about the search."""

    type: str
    found: tuple[Resource, ...]
    slots: tuple[ListedSlot, ...]
    others: tuple[Resource, ...]
    outcome: OperationOutcome | None
    next: str | None
    total: int | None
    skipped: int


def parse_slots(body: bytes) -> tuple[ListedSlot, ...]:
    """The slots of a searchset, bad entries left out.

    Raises ``ValueError`` when the body is no searchset at all.
    """
    return parse_slot_page(body).slots


def parse_slot_page(body: bytes) -> Page:
    """A page of slots, the fast way when every entry is a good slot. Raises like ``parse_page``."""
    try:
        read = _SLOTS.validate_json(body)
    except ValidationError:
        page = parse_page(body)
        slots = tuple(_listed(one) for one in page.found if isinstance(one, Slot) and one.id)
        return Page(
            page.type, (), slots, page.others, page.outcome, page.next, page.total, page.skipped
        )
    slots = tuple(entry.resource for entry in read.entry)
    return Page(read.type, (), slots, (), None, _next(read.link), read.total, 0)


def parse_page(body: bytes) -> Page:
    """One page of a search. Raises ``ValueError`` when the body is no bundle."""
    bundle, skipped = parse_bundle(body)
    found: list[Resource] = []
    others: list[Resource] = []
    outcome = None
    for entry in bundle.entry:
        mode = entry.search.mode if entry.search is not None else None
        if isinstance(entry.resource, OperationOutcome):
            if outcome is None or entry.resource.failed():
                outcome = entry.resource
        elif entry.resource is not None:
            (found if mode in (None, "match") else others).append(entry.resource)
    return Page(
        bundle.type,
        tuple(found),
        (),
        tuple(others),
        outcome,
        _next(bundle.link),
        bundle.total,
        skipped,
    )


def parse_bundle(body: bytes) -> tuple[Bundle, int]:
    """A bundle's readable entries, and how many were not. Raises ``ValueError`` for no bundle."""
    try:
        return _typed(_BUNDLE.validate_json(body)), 0
    except ValidationError:
        return _entry_by_entry(_object(body))


def parse_as(kind: type[R], body: bytes) -> R:
    """Raises ``ValueError`` when the body is not one readable resource of this kind."""
    return _typed(kind.model_validate_json(body))


def resource_type(body: bytes) -> str:
    """Raises ``ValueError`` when the body is no JSON object that names its type."""
    found = _object(body).get("resourceType")
    if not isinstance(found, str):
        raise ValueError("no resourceType")
    return found


def outcome_in(body: bytes) -> OperationOutcome | None:
    """The OperationOutcome a body holds, or None when it is anything else."""
    try:
        return parse_as(OperationOutcome, body)
    except ValueError:
        return None


def to_wire(resource: Resource) -> bytes:
    """The resource as JSON. Members never set are left out, unknown ones go back as they came."""
    written = resource.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return json.dumps(_pruned(written), ensure_ascii=False).encode()


def _typed(resource: R) -> R:
    if "resource_type" not in resource.model_fields_set:
        raise ValueError("no resourceType")
    return resource


def _next(links: tuple[Link, ...]) -> str | None:
    return next((link.url for link in links if link.relation == "next"), None)


def _listed(slot: Slot) -> ListedSlot:
    return _LISTED.validate_json(to_wire(slot))


def _pruned(value: object) -> object:
    """FHIR allows no null member and nothing empty; a null inside a list has a meaning there."""
    if isinstance(value, dict):
        kept = {name: _pruned(inner) for name, inner in value.items()}
        return {name: inner for name, inner in kept.items() if inner not in (None, [], {})}
    if isinstance(value, list):
        return [_pruned(inner) for inner in value]
    return value


def _object(body: bytes) -> dict[str, object]:
    try:
        found = json.loads(body)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(found, dict):
        raise ValueError("no JSON object")
    return found


def _entry_by_entry(raw: dict[str, object]) -> tuple[Bundle, int]:
    entries = raw.pop("entry", [])
    if not isinstance(entries, list):
        raise ValueError("entry is no list")
    readable, skipped = [], 0
    for one in entries:
        try:
            readable.append(_ENTRY.validate_json(json.dumps(one)))
        except ValidationError:
            skipped += 1
    bundle = _typed(Bundle.model_validate_json(json.dumps(raw)))
    return bundle.model_copy(update={"entry": tuple(readable)}), skipped
