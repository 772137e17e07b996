"""The FHIR R4 (4.0.1) resources of scheduling, as frozen models.

Codes are closed lists: what we send cannot carry a wrong one, and an entry read with one is a bad
entry (see ``parsing``). ``broken_rules`` are the invariants app-1 to app-4 of Appointment. Nothing
here knows a server or the port.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from wonmu.emr.fhir.datatypes import (
    CodeableConcept,
    ContactPoint,
    Element,
    HumanName,
    Identifier,
    Instant,
    Meta,
    Reference,
)

SlotCode = Literal["busy", "free", "busy-unavailable", "busy-tentative", "entered-in-error"]
AppointmentCode = Literal[
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
ParticipantCode = Literal["accepted", "declined", "tentative", "needs-action"]
SeverityCode = Literal["fatal", "error", "warning", "information"]


class Resource(Element):
    """``meta.version_id`` is opaque; an id is missing only in what is not stored yet."""

    resource_type: str
    id: str | None = None
    meta: Meta | None = None

    @model_serializer(mode="wrap")
    def _with_type(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        """Its type is written also where nobody set it."""
        return {"resourceType": self.resource_type, **write(self)}


class Patient(Resource):
    resource_type: Literal["Patient"] = "Patient"
    active: bool | None = None
    identifier: tuple[Identifier, ...] = ()
    name: tuple[HumanName, ...] = ()
    telecom: tuple[ContactPoint, ...] = ()
    birth_date: str | None = None


class Practitioner(Resource):
    resource_type: Literal["Practitioner"] = "Practitioner"
    active: bool | None = None
    name: tuple[HumanName, ...] = ()


class PractitionerRole(Resource):
    """A doctor in a department."""

    resource_type: Literal["PractitionerRole"] = "PractitionerRole"
    active: bool | None = None
    practitioner: Reference | None = None
    healthcare_service: tuple[Reference, ...] = ()


class HealthcareService(Resource):
    """A department as something that can be booked."""

    resource_type: Literal["HealthcareService"] = "HealthcareService"
    active: bool | None = None
    name: str | None = None


class Schedule(Resource):
    """A calendar of one or more actors."""

    resource_type: Literal["Schedule"] = "Schedule"
    active: bool | None = None
    actor: tuple[Reference, ...] = ()


class Slot(Resource):
    resource_type: Literal["Slot"] = "Slot"
    identifier: tuple[Identifier, ...] = ()
    schedule: Reference
    status: SlotCode
    start: Instant
    end: Instant


class Participant(Element):
    actor: Reference | None = None
    type: tuple[CodeableConcept, ...] = ()
    status: ParticipantCode


class Appointment(Resource):
    resource_type: Literal["Appointment"] = "Appointment"
    identifier: tuple[Identifier, ...] = ()
    status: AppointmentCode
    cancelation_reason: CodeableConcept | None = None
    start: Instant | None = None
    end: Instant | None = None
    minutes_duration: int | None = None
    slot: tuple[Reference, ...] = ()
    created: str | None = None
    participant: Annotated[tuple[Participant, ...], Field(min_length=1)]

    def broken_rules(self) -> tuple[str, ...]:
        """The names of the invariants this appointment breaks; empty when it is fit to send."""
        broken = []
        if any(not one.type and one.actor is None for one in self.participant):
            broken.append("app-1")
        if (self.start is None) != (self.end is None):
            broken.append("app-2")
        timeless = self.status in ("proposed", "cancelled", "waitlist")
        if not timeless and (self.start is None or self.end is None):
            broken.append("app-3")
        if self.cancelation_reason is not None and self.status not in ("cancelled", "noshow"):
            broken.append("app-4")
        return tuple(broken)


class Issue(Element):
    severity: SeverityCode
    code: str
    details: CodeableConcept | None = None
    diagnostics: str | None = None


class OperationOutcome(Resource):
    resource_type: Literal["OperationOutcome"] = "OperationOutcome"
    issue: tuple[Issue, ...] = ()

    def failed(self) -> bool:
        """True when an issue is an error or worse; warnings and hints are no failure."""
        return any(issue.severity in ("fatal", "error") for issue in self.issue)


class Operation(Element):
    """An operation a server offers, by its name without the dollar sign."""

    name: str
    definition: str | None = None


class Interaction(Element):
    code: str


class ResourceSupport(Element):
    type: str
    interaction: tuple[Interaction, ...] = ()
    versioning: str | None = None
    conditional_create: bool | None = None
    operation: tuple[Operation, ...] = ()


class Rest(Element):
    mode: str
    resource: tuple[ResourceSupport, ...] = ()
    interaction: tuple[Interaction, ...] = ()
    operation: tuple[Operation, ...] = ()


class CapabilityStatement(Resource):
    resource_type: Literal["CapabilityStatement"] = "CapabilityStatement"
    fhir_version: str
    rest: tuple[Rest, ...] = ()


class Link(Element):
    relation: str
    url: str


class Search(Element):
    mode: str | None = None


class EntryRequest(Element):
    method: Literal["PUT", "POST"]
    url: str
    if_match: str | None = None
    if_none_exist: str | None = None


class EntryResponse(Element):
    """``status`` begins with the HTTP status: ``201 Created``."""

    status: str
    location: str | None = None
    etag: str | None = None


AnyResource = Annotated[
    Patient
    | Practitioner
    | PractitionerRole
    | HealthcareService
    | Schedule
    | Slot
    | Appointment
    | OperationOutcome,
    Field(discriminator="resource_type"),
]
"""What may stand in an entry."""


class Entry(Element):
    resource: AnyResource | None = None
    full_url: str | None = None
    search: Search | None = None
    request: EntryRequest | None = None
    response: EntryResponse | None = None


class Bundle(Resource):
    resource_type: Literal["Bundle"] = "Bundle"
    type: str
    total: int | None = None
    link: tuple[Link, ...] = ()
    entry: tuple[Entry, ...] = ()


class Parameter(Element):
    name: str
    resource: AnyResource | None = None
    value_string: str | None = None
    value_date_time: Instant | None = None
    value_reference: Reference | None = None


class Parameters(Resource):
    resource_type: Literal["Parameters"] = "Parameters"
    parameter: tuple[Parameter, ...] = ()
