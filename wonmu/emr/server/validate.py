"""Whether a resource that a client sent may be written (R4 4.0.1; KR Core for Patient).

Checks what booking depends on: members that exist, required members and codes, moments, the
invariants app-1 to app-4, and that what is referred to is there. It is no general validator: the
inside of extensions and of members that nothing here reads is taken as it is.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import date
from typing import Any

from wonmu.emr.server.kinds import KINDS
from wonmu.emr.server.kinds.slot import BUSY_CODES
from wonmu.emr.server.problems import FhirProblem, Issue, Json
from wonmu.emr.server.rules import INSURANCE, INSURANCE_SYSTEM
from wonmu.emr.server.shapes import shape_issues
from wonmu.emr.server.tx import Tx
from wonmu.emr.server.values import at_path, date_range, instant, reference

APPOINTMENT_CODES = [
    "proposed",
    "pending",
    "booked",
    "arrived",
    "fulfilled",
    "cancelled",
    "noshow",
    "entered-in-error",
    "checked-in",
    "waitlist",
]
_PARTICIPANT_CODES = ("accepted", "declined", "tentative", "needs-action")
_REQUIRED_CODES = ("required", "optional", "information-only")
_WITHOUT_TIME = ("proposed", "cancelled", "waitlist")
_GENDERS = ("male", "female", "other", "unknown")
_PHONE_SYSTEMS = ("phone", "fax", "email", "pager", "url", "sms", "other")


async def check(tx: Tx, body: Json) -> None:
    """Raises a 422 with every issue found."""
    issues = list(issues_of(body))
    issues += [issue async for issue in _dangling(tx, body)] if not issues else []
    if issues:
        raise FhirProblem(422, *issues)


def issues_of(body: Json) -> Iterator[Issue]:
    """What is wrong inside, without looking at anything else."""
    kind = body["resourceType"]
    wrong = list(shape_issues(kind, body))
    yield from wrong
    special = _SPECIAL.get(kind)
    if special is not None and not wrong:
        yield from special(body)
        yield from _insurance(kind, body)


def _slot(body: Json) -> Iterator[Issue]:
    yield from _needs(body, "Slot", "schedule", "status", "start", "end")
    yield from _code(body, "Slot", "status", ("free", *BUSY_CODES))
    yield from _period(body, "Slot")
    pair = reference(_link(body.get("schedule")))
    if "schedule" in body and (pair is None or pair[0] != "Schedule"):
        yield Issue("value", "it must refer to a Schedule of this server", "Slot.schedule")


def _appointment(body: Json) -> Iterator[Issue]:
    yield from _needs(body, "Appointment", "status", "participant")
    yield from _code(body, "Appointment", "status", APPOINTMENT_CODES)
    yield from _period(body, "Appointment")
    yield from _invariants(body)
    if body.get("minutesDuration", 1) < 1:
        yield Issue("value", "it must be a number above zero", "Appointment.minutesDuration")
    for number, each in enumerate(_objects(body.get("participant"))):
        yield from _participant(each, f"Appointment.participant[{number}]")
    for number, link in enumerate(_objects(body.get("slot"))):
        pair = reference(_link(link))
        if pair is None or pair[0] != "Slot":
            yield Issue("value", "it must refer to a Slot", f"Appointment.slot[{number}]")


def _participant(each: Json, at: str) -> Iterator[Issue]:
    if "type" not in each and "actor" not in each:
        yield Issue("invariant", "app-1: a participant has a type or an actor", at)
    yield from _needs(each, at, "status")
    yield from _code(each, at, "status", _PARTICIPANT_CODES)
    yield from _code(each, at, "required", _REQUIRED_CODES)


def _invariants(body: Json) -> Iterator[Issue]:
    has_start, has_end, status = "start" in body, "end" in body, body.get("status")
    if has_start != has_end:
        yield Issue("invariant", "app-2: start and end, or neither", "Appointment.start")
    if not (has_start and has_end) and status not in _WITHOUT_TIME:
        text = "app-3: only proposed, cancelled and waitlist may be without start and end"
        yield Issue("invariant", text, "Appointment.start")
    if "cancelationReason" in body and status not in ("cancelled", "noshow"):
        text = "app-4: a cancelation reason goes with cancelled and noshow only"
        yield Issue("invariant", text, "Appointment.cancelationReason")


def _patient(body: Json) -> Iterator[Issue]:
    yield from _needs(body, "Patient", "identifier", "name", "birthDate")
    yield from _code(body, "Patient", "gender", _GENDERS)
    for number, each in enumerate(_objects(body.get("identifier"))):
        yield from _needs(each, f"Patient.identifier[{number}]", "system", "value")
    for number, each in enumerate(_objects(body.get("name"))):
        yield from _needs(each, f"Patient.name[{number}]", "text")
    for number, each in enumerate(_objects(body.get("telecom"))):
        yield from _needs(each, f"Patient.telecom[{number}]", "value")
        yield from _code(each, f"Patient.telecom[{number}]", "system", _PHONE_SYSTEMS)
    if "birthDate" in body and not _is_day(body["birthDate"]):
        yield Issue("value", "it must be a whole day, such as 1985-03-12", "Patient.birthDate")


_SPECIAL: dict[str, Callable[[Json], Iterator[Issue]]] = {
    "Slot": _slot,
    "Appointment": _appointment,
    "Patient": _patient,
}


def _needs(body: Json, at: str, *names: str) -> Iterator[Issue]:
    for name in names:
        if body.get(name) in (None, "", [], {}):
            yield Issue("required", "it is required", f"{at}.{name}")


def _code(body: Json, at: str, name: str, allowed: tuple[str, ...] | list[str]) -> Iterator[Issue]:
    if name in body and body[name] not in allowed:
        yield Issue("code-invalid", f"it must be one of {', '.join(allowed)}", f"{at}.{name}")


def _period(body: Json, kind: str) -> Iterator[Issue]:
    for name in ("start", "end"):
        if name in body and instant(body[name]) is None:
            yield Issue("value", "it must be a moment with seconds and offset", f"{kind}.{name}")
    start, end = instant(body.get("start")), instant(body.get("end"))
    if start is not None and end is not None and not start < end:
        yield Issue("invariant", "the end must come after the start", f"{kind}.end")
    created = body.get("created")
    if created is not None and not (isinstance(created, str) and date_range(created)):
        yield Issue("value", "it must be a date", f"{kind}.created")


def _insurance(kind: str, body: Json) -> Iterator[Issue]:
    """Codings of the insurance kinds of KR Core, wherever they are inside extensions."""
    for coding in _codings(body.get("extension")):
        if coding.get("system") == INSURANCE_SYSTEM and coding.get("code") not in INSURANCE:
            yield Issue("code-invalid", "it is no kind of insurance", f"{kind}.extension")


def _codings(value: Any) -> Iterator[Json]:
    if isinstance(value, list):
        for each in value:
            yield from _codings(each)
    elif isinstance(value, dict):
        if "system" in value:
            yield value
        for each in value.values():
            yield from _codings(each)


def _is_day(text: object) -> bool:
    try:
        return isinstance(text, str) and len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _link(value: Any) -> object:
    return value.get("reference") if isinstance(value, dict) else None


def _objects(value: Any) -> list[Json]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


_REFERENCES = {
    "Slot": ("schedule",),
    "Appointment": ("slot", "participant.actor"),
    "Patient": ("generalPractitioner", "managingOrganization", "link.other"),
}


async def _dangling(tx: Tx, body: Json) -> AsyncIterator[Issue]:
    """References to what is not here."""
    kind = body["resourceType"]
    for path in _REFERENCES.get(kind, ()):
        for link in at_path(body, path):
            text = _link(link)
            pair = reference(text, tx.base)
            if text is None or (isinstance(text, str) and text.startswith("#")):
                continue
            if pair is None or pair[0] not in KINDS:
                yield Issue("not-found", "it refers to nothing of this server", f"{kind}.{path}")
            elif await KINDS[pair[0]].get(tx, pair[1]) is None:
                yield Issue("not-found", f"there is no {pair[0]} of this id", f"{kind}.{path}")
