"""How this record system behaves, and the systems its identifiers and codes belong to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

HOLD_SECONDS = 90
"""How long $hold keeps a slot: three times a read-back of 15 to 30 s."""

DEPARTMENT_SYSTEM = "urn:wonmu:department"
"""Code system of serviceType and specialty: the ids of departments."""

INSURANCE_SYSTEM = "http://www.hl7korea.or.kr/CodeSystem/hira-insurance-types"
INSURANCE = {"4": "건강보험", "5": "의료급여", "7": "보훈", "9": "무료진료"}
"""Kinds of insurance of KR Core; in Korea they belong to a visit and not to a patient."""

PATIENT_PROFILE = "http://www.hl7korea.or.kr/fhir/krcore/StructureDefinition/krcore-patient"
PRACTITIONER_PROFILE = (
    "http://www.hl7korea.or.kr/fhir/krcore/StructureDefinition/krcore-practitioner"
)


class SlotOwner(StrEnum):
    """Who changes the status of a slot."""

    CLIENT = "client"
    """Slots are plain data: a client claims one by a versioned update, then books on it."""
    SERVER = "server"
    """Slots cannot be written; creating an appointment, or $book, decides who has one."""


@dataclass(frozen=True, slots=True)
class ServerRules:
    """What this server can do. ``operations`` ($find, $hold, $book) go with ``SERVER`` only."""

    slot_owner: SlotOwner = SlotOwner.SERVER
    operations: bool = True
    transactions: bool = True
    hold: timedelta = timedelta(seconds=HOLD_SECONDS)
    booking_system: str = "urn:wonmu:booking"
    chart_system: str = "urn:wonmu:chart"
    page: int = 50
    """Entries of a page when ``_count`` is not given."""
    largest_page: int = 200

    @property
    def has_operations(self) -> bool:
        return self.operations and self.slot_owner is SlotOwner.SERVER
