"""Members and types of the resources that clients may write, as far as they are read here.

R4 4.0.1. ``[X]`` is a list of X. A datatype names only the members that something looks into;
its others, and extensions, are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wonmu.emr.server.problems import Issue, Json

_RESOURCE = {
    "resourceType": "string",
    "id": "string",
    "meta": "Meta",
    "implicitRules": "string",
    "language": "string",
    "text": "object",
    "contained": "[object]",
    "extension": "[object]",
    "modifierExtension": "[object]",
    "identifier": "[Identifier]",
}
_SCHEDULING = {
    "serviceCategory": "[CodeableConcept]",
    "serviceType": "[CodeableConcept]",
    "specialty": "[CodeableConcept]",
    "appointmentType": "CodeableConcept",
    "status": "string",
    "start": "string",
    "end": "string",
    "comment": "string",
}
RESOURCES: dict[str, Mapping[str, str]] = {
    "Slot": {
        **_RESOURCE,
        **_SCHEDULING,
        "schedule": "Reference",
        "overbooked": "boolean",
    },
    "Appointment": {
        **_RESOURCE,
        **_SCHEDULING,
        "cancelationReason": "CodeableConcept",
        "reasonCode": "[CodeableConcept]",
        "reasonReference": "[Reference]",
        "priority": "integer",
        "description": "string",
        "supportingInformation": "[Reference]",
        "minutesDuration": "integer",
        "slot": "[Reference]",
        "created": "string",
        "patientInstruction": "string",
        "basedOn": "[Reference]",
        "participant": "[Participant]",
        "requestedPeriod": "[Period]",
    },
    "Patient": {
        **_RESOURCE,
        "active": "boolean",
        "name": "[HumanName]",
        "telecom": "[ContactPoint]",
        "gender": "string",
        "birthDate": "string",
        "deceasedBoolean": "boolean",
        "deceasedDateTime": "string",
        "address": "[object]",
        "maritalStatus": "CodeableConcept",
        "multipleBirthBoolean": "boolean",
        "multipleBirthInteger": "integer",
        "photo": "[object]",
        "contact": "[object]",
        "communication": "[object]",
        "generalPractitioner": "[Reference]",
        "managingOrganization": "Reference",
        "link": "[Link]",
    },
}
_PARTS: dict[str, Mapping[str, str]] = {
    "object": {},
    "Meta": {"versionId": "string", "lastUpdated": "string", "profile": "[string]"},
    "Identifier": {"use": "string", "system": "string", "value": "string"},
    "Coding": {"system": "string", "code": "string", "display": "string"},
    "CodeableConcept": {"coding": "[Coding]", "text": "string"},
    "Reference": {"reference": "string", "type": "string", "display": "string"},
    "Period": {"start": "string", "end": "string"},
    "Participant": {
        "type": "[CodeableConcept]",
        "actor": "Reference",
        "required": "string",
        "status": "string",
    },
    "HumanName": {
        "use": "string",
        "text": "string",
        "family": "string",
        "given": "[string]",
        "prefix": "[string]",
        "suffix": "[string]",
    },
    "ContactPoint": {"system": "string", "value": "string", "use": "string"},
    "Link": {"other": "Reference", "type": "string"},
}


def shape_issues(kind: str, body: Json) -> Iterator[Issue]:
    """Members that there are not, empty ones, and wrong types; nothing for other kinds."""
    members = RESOURCES.get(kind, {})
    for name, value in body.items():
        at = f"{kind}.{name}"
        if name.removeprefix("_") not in members:
            yield Issue("structure", "there is no such member", at)
        elif value is None or value in ("", [], {}):
            yield Issue("structure", "a member must not be empty", at)
        elif not name.startswith("_"):
            yield from _typed(value, members[name], at)


def _typed(value: Any, type_: str, at: str) -> Iterator[Issue]:
    if type_.startswith("["):
        if not isinstance(value, list):
            yield Issue("structure", "it must be a list", at)
            return
        for number, each in enumerate(value):
            yield from _typed(each, type_[1:-1], f"{at}[{number}]")
    elif type_ in _PARTS:
        if not isinstance(value, dict):
            yield Issue("structure", f"it must be a {type_}", at)
            return
        for name, part in _PARTS[type_].items():
            if name in value:
                yield from _typed(value[name], part, f"{at}.{name}")
    elif not _is(value, type_):
        yield Issue("structure", f"it must be a {type_}", at)


def _is(value: Any, type_: str) -> bool:
    match type_:
        case "string":
            return isinstance(value, str) and value != ""
        case "boolean":
            return isinstance(value, bool)
    return isinstance(value, int) and not isinstance(value, bool)
