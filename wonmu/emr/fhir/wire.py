"""What every step of a write needs, in one value, and how a lost write is looked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from wonmu.clock import Clock
from wonmu.emr.fhir.http import FhirClient
from wonmu.emr.fhir.places import Places
from wonmu.hospital.config import FhirSettings

Wait = Callable[[float], Awaitable[object]]
"""Lets seconds pass between looking a lost write up: ``asyncio.sleep`` or a test's own."""

LOOK_AGAIN = (0.5, 1.25, 2.25)
"""Seconds before each look for a lost write, 4 s in all: search indexes of real servers lag, and
a caller waits no longer."""


@dataclass(frozen=True, slots=True)
class Wire:
    client: FhirClient
    settings: FhirSettings
    clock: Clock
    wait: Wait
    places: Places

    @property
    def system(self) -> str:
        """The identifier system of our keys."""
        return self.settings.booking_system
