"""What a server can do, and so how bookings are written to it.

Decides the ``WriteMode`` from the CapabilityStatement and the hospital's settings. A mode that
relies on what the server says it has not is refused, and then nothing is written at all: a claim
on a server without versions would let two callers have one slot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from wonmu.emr.fhir import errors
from wonmu.emr.fhir.http import FhirClient
from wonmu.emr.fhir.models import CapabilityStatement, ResourceSupport, Rest
from wonmu.emr.fhir.parsing import parse_as, resource_type
from wonmu.emr.port import WriteMode
from wonmu.errors import EmrFault
from wonmu.hospital.config import WriteRule

_R4 = re.compile(r"4\.0(\.\d+)?")
_NO_METADATA = (400, 404, 405, 410, 501)
_ASKING = "asking what it can do"


@dataclass(frozen=True, slots=True)
class Ability:
    """``holds``: slots can be held. ``refused``: the settings want a mode that the server has not.

    ``reason``: one phrase for whoever runs the desk, empty when there is nothing to explain.
    """

    mode: WriteMode
    holds: bool
    reason: str = ""
    refused: bool = False


@dataclass(frozen=True, slots=True)
class _Offers:
    """The parts of a CapabilityStatement that matter here."""

    slot_update: bool
    slot_versioning: str | None
    creates: bool
    transaction: bool
    hold: bool
    book: bool


async def ask_ability(client: FhirClient, rule: WriteRule) -> Ability:
    """Raises ``FhirFailure``: no answer, or another version of FHIR than 4.0."""
    if rule is WriteRule.REQUEST_ONLY:
        return Ability(WriteMode.REQUEST_ONLY, False, "the settings say request_only")
    statement = await _statement(client)
    if statement is not None and _R4.fullmatch(statement.fhir_version) is None:
        raise errors.FhirFailure(EmrFault.WRONG_VERSION, _ASKING)
    return decide(statement, rule)


def decide(statement: CapabilityStatement | None, rule: WriteRule) -> Ability:
    """``statement`` None: the server tells nothing about itself, so the settings are believed."""
    if statement is None:
        return _believed(rule)
    offers = _offers(statement)
    mode = _strongest(offers) if rule is WriteRule.AUTO else WriteMode(rule.value)
    lacking = _lacking(mode, offers, sure=rule is WriteRule.AUTO)
    if lacking:
        refused = rule is not WriteRule.AUTO
        return Ability(WriteMode.REQUEST_ONLY, False, f"{mode.value}: {lacking}", refused)
    return Ability(mode, _holds(mode, offers.hold))


def _believed(rule: WriteRule) -> Ability:
    if rule is WriteRule.AUTO:
        reason = "the server does not tell what it can do (/metadata); set emr.fhir.write"
        return Ability(WriteMode.REQUEST_ONLY, False, reason)
    mode = WriteMode(rule.value)
    return Ability(mode, _holds(mode, True), "the server does not tell what it can do (/metadata)")


def _holds(mode: WriteMode, operation: bool) -> bool:
    claims = mode in (WriteMode.SLOT_CLAIM, WriteMode.TRANSACTION)
    return claims or (mode is WriteMode.HOLD_AND_BOOK and operation)


def _strongest(offers: _Offers) -> WriteMode:
    if offers.book:
        return WriteMode.HOLD_AND_BOOK
    if not offers.slot_update:
        return WriteMode.SERVER_DECIDES
    return WriteMode.TRANSACTION if offers.transaction else WriteMode.SLOT_CLAIM


def _lacking(mode: WriteMode, offers: _Offers, *, sure: bool) -> str:
    """What the mode needs and the server has not, empty if nothing. ``sure``: nobody but the
    statement vouches for it, so what it leaves out counts as missing."""
    if mode is WriteMode.HOLD_AND_BOOK:
        return "" if offers.book else "the server has no $book"
    if not offers.creates:
        return "the server takes no appointments"
    if mode is WriteMode.SERVER_DECIDES:
        return ""
    if not offers.slot_update:
        return "the server does not let slots be changed"
    if offers.slot_versioning == "no-version" or (sure and offers.slot_versioning is None):
        return "the server does not keep versions of slots"
    if mode is WriteMode.TRANSACTION and not offers.transaction:
        return "the server has no transactions"
    return ""


def _offers(statement: CapabilityStatement) -> _Offers:
    rest = next((one for one in statement.rest if one.mode == "server"), Rest(mode="server"))
    slot, appointment = _support(rest, "Slot"), _support(rest, "Appointment")
    operations = {one.name.removeprefix("$") for one in (*rest.operation, *appointment.operation)}
    return _Offers(
        slot_update="update" in _codes(slot),
        slot_versioning=slot.versioning,
        creates="create" in _codes(appointment),
        transaction=any(one.code == "transaction" for one in rest.interaction),
        hold=_has(operations, "hold"),
        book=_has(operations, "book"),
    )


def _has(operations: Iterable[str], name: str) -> bool:
    return any(one == name or one.endswith(f"-{name}") for one in operations)


def _support(rest: Rest, kind: str) -> ResourceSupport:
    return next((one for one in rest.resource if one.type == kind), ResourceSupport(type=kind))


def _codes(support: ResourceSupport) -> set[str]:
    return {one.code for one in support.interaction}


async def _statement(client: FhirClient) -> CapabilityStatement | None:
    """None when the server has none: some take /metadata for a search and find nothing."""
    try:
        body = await client.metadata()
    except errors.FhirFailure as failure:
        if failure.status in _NO_METADATA:
            return None
        raise
    try:
        kind = resource_type(body)
        return parse_as(CapabilityStatement, body) if kind == "CapabilityStatement" else None
    except ValueError:
        raise errors.unreadable(_ASKING) from None
