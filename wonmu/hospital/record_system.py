"""What a hospital may set about its record system, as frozen models (A8, B2).

Decides which settings exist, their types and their limits; see ``config`` for the rest of a
hospital's settings.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from wonmu.hospital.fields import Line, Settings

__all__ = [
    "BreakerRules",
    "EmrKind",
    "EmrSettings",
    "Fallback",
    "FhirSettings",
    "WriteRule",
]


class EmrKind(StrEnum):
    """``request_only`` is the embedded one, never written to; ``fhir`` is a server at a URL."""

    EMBEDDED = "embedded"
    REQUEST_ONLY = "request_only"
    FHIR = "fhir"


class WriteRule(StrEnum):
    """How bookings are written to a FHIR server; ``auto`` asks its CapabilityStatement.

    The other words are those of ``emr.port.WriteMode``.
    """

    AUTO = "auto"
    REQUEST_ONLY = "request_only"
    SLOT_CLAIM = "slot_claim"
    TRANSACTION = "transaction"
    HOLD_AND_BOOK = "hold_and_book"
    SERVER_DECIDES = "server_decides"


class Fallback(StrEnum):
    """What happens when the record system fails (A8)."""

    PERSON = "person"
    MEMO = "memo"


class FhirSettings(Settings):
    """A FHIR R4 server.

    ``url``: its base; ``token_env``: the environment variable with the bearer token, if it wants
    one; ``search_by_post``: searches for people go as a form and not in the URL, which access logs
    keep; ``booking_system``: identifier system of our booking keys; ``chart_system``: of chart
    numbers.
    """

    url: Annotated[str, Field(pattern=r"^https?://[^\s]+$")]
    write: Annotated[WriteRule, Field(strict=False)] = WriteRule.AUTO
    token_env: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$")] | None = None
    search_by_post: bool = True
    booking_system: Line = "urn:wonmu:booking"
    chart_system: Line = "urn:wonmu:chart"


class BreakerRules(Settings):
    """After ``failures`` within ``within_seconds`` nothing is asked for ``open_seconds``; then one
    request tries whether it works again (A8)."""

    failures: Annotated[int, Field(ge=1, le=100)] = 5
    within_seconds: Annotated[float, Field(ge=1, le=600, allow_inf_nan=False)] = 30.0
    open_seconds: Annotated[float, Field(ge=1, le=600, allow_inf_nan=False)] = 30.0


class EmrSettings(Settings):
    """``request_seconds``: limit of one request; ``tool_seconds``: cap on all requests of one step
    of the talk; ``read_tries``: how often a failed read is sent at most, the first included (A8).
    """

    kind: Annotated[EmrKind, Field(strict=False)] = EmrKind.EMBEDDED
    request_seconds: Annotated[float, Field(ge=0.1, le=30, allow_inf_nan=False)] = 3.0
    tool_seconds: Annotated[float, Field(ge=0.1, le=60, allow_inf_nan=False)] = 8.0
    read_tries: Annotated[int, Field(ge=1, le=5)] = 2
    breaker: BreakerRules = BreakerRules()
    fallback: Annotated[Fallback, Field(strict=False)] = Fallback.MEMO
    fhir: FhirSettings | None = None
