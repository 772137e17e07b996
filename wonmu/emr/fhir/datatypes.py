"""The FHIR R4 datatypes that scheduling needs.

Decides how a member is typed and nothing about what it means. Unknown members are kept, so that a
resource can be sent back whole: an update replaces all of it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, PlainSerializer
from pydantic.alias_generators import to_camel

from wonmu.clock import SEOUL


def instant_text(moment: datetime) -> str:
    """An instant as we send it: with the offset of Seoul, ``+09:00``."""
    return moment.astimezone(SEOUL).isoformat()


Instant = Annotated[
    AwareDatetime, Field(strict=True), PlainSerializer(instant_text, return_type=str)
]
"""A moment with an offset. Text only: a bare number is no instant."""


class Element(BaseModel):
    """Base of everything: unknown members stay, Python names are the wire's in snake case."""

    model_config = ConfigDict(
        extra="allow", frozen=True, alias_generator=to_camel, populate_by_name=True
    )


class Coding(Element):
    system: str | None = None
    code: str | None = None
    display: str | None = None


class CodeableConcept(Element):
    coding: tuple[Coding, ...] = ()
    text: str | None = None


class Period(Element):
    """``start`` and ``end`` are FHIR dateTimes: a year alone is legal, so they stay text."""

    start: str | None = None
    end: str | None = None


class Identifier(Element):
    use: str | None = None
    system: str | None = None
    value: str | None = None
    period: Period | None = None


class Reference(Element):
    reference: str | None = None
    display: str | None = None


class HumanName(Element):
    use: str | None = None
    text: str | None = None
    family: str | None = None
    given: tuple[str, ...] = ()


class ContactPoint(Element):
    system: str | None = None
    value: str | None = None
    use: str | None = None


class Meta(Element):
    version_id: str | None = None
    last_updated: Instant | None = None
