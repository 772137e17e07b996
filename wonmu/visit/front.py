"""One hospital's front desk as every channel has it: published facts, stores, record system.

What only a phone call needs (models, limits, the line to staff) is in the call's own desk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from wonmu.clock import Clock
from wonmu.desk.billing.port import Ledger
from wonmu.desk.inbox import Inbox
from wonmu.desk.outbox.direct import DirectDesk
from wonmu.emr.breaker import Breaker
from wonmu.emr.port import Emr
from wonmu.hospital.catalog import Catalog
from wonmu.hospital.config import Hospital
from wonmu.hospital.hours import Calendar
from wonmu.ids import IdSource
from wonmu.lines import Lines

_BY_RULES = Breaker()
"""Stands for a breaker that the desk makes from the hospital's own rules."""


@dataclass(frozen=True, slots=True)
class Front:
    """The front desk. Shared by all its calls and conversations."""

    hospital: Hospital
    calendar: Calendar
    catalog: Catalog
    lines: Lines
    emr: Emr
    inbox: Inbox
    clock: Clock
    ids: IdSource
    direct: DirectDesk | None = None
    """Writes bookings to the record system; None: they are requests for staff (B2)."""
    breaker: Breaker = _BY_RULES
    """Before ``emr``, one for all calls of this desk and of every copy of it."""
    ledger: Ledger | None = None
    """The bills; None where the hospital's billing desk is not answered here."""

    def __post_init__(self) -> None:
        if self.breaker is _BY_RULES:
            object.__setattr__(self, "breaker", Breaker(self.hospital.emr.breaker))

    def holidays(self) -> Mapping[date, str]:
        """Public holidays of this and the next year, by day."""
        year = self.clock.now().year
        return {**self.calendar.holidays(year), **self.calendar.holidays(year + 1)}
