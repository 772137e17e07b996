"""What a call is given. Everything that differs between a test, a demo and a hospital's line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from wonmu.call.models import AnyModel
from wonmu.clock import Clock
from wonmu.desk.inbox import Inbox
from wonmu.desk.outbox.direct import DirectDesk
from wonmu.emr.breaker import Breaker
from wonmu.emr.port import Emr
from wonmu.hospital.catalog import Catalog
from wonmu.hospital.config import Hospital
from wonmu.hospital.hours import Calendar
from wonmu.ids import IdSource
from wonmu.lines import Lines
from wonmu.model.ladder import Limits
from wonmu.model.port import Rung
from wonmu.office import Office
from wonmu.transfer.port import StaffLine

_BY_RULES = Breaker()
"""Stands for a breaker that the desk makes from the hospital's own rules."""


@dataclass(frozen=True, slots=True)
class Desk:
    """One hospital's front desk: its published facts, its stores, its models."""

    hospital: Hospital
    calendar: Calendar
    catalog: Catalog
    lines: Lines
    emr: Emr
    inbox: Inbox
    clock: Clock
    ids: IdSource
    models: tuple[AnyModel | Rung, ...] = ()
    """Asked in this order; the built-in model is always the last and need not be named."""
    limits: Limits = field(default_factory=Limits)
    direct: DirectDesk | None = None
    """Writes bookings to the record system; None: they are requests for staff (B2)."""
    staff: StaffLine | None = None
    """The line to the people of the desk; None: nobody can be dialled."""
    breaker: Breaker = _BY_RULES
    """Before ``emr``, one for all calls of this desk and of every copy of it."""

    def __post_init__(self) -> None:
        if self.breaker is _BY_RULES:
            object.__setattr__(self, "breaker", Breaker(self.hospital.emr.breaker))

    @classmethod
    def of(
        cls,
        office: Office,
        ids: IdSource,
        models: tuple[AnyModel | Rung, ...] = (),
        staff: StaffLine | None = None,
    ) -> Desk:
        """The desk of an open office: every door has the same one."""
        hospital = office.hospital
        return cls(
            hospital=hospital,
            calendar=Calendar(hospital),
            catalog=Catalog(hospital),
            lines=Lines.load(hospital.language),
            emr=office.emr,
            inbox=office.inbox,
            clock=office.clock,
            ids=ids,
            models=models,
            direct=office.direct,
            staff=staff,
        )

    def holidays(self) -> Mapping[date, str]:
        """Public holidays of this and the next year, by day."""
        year = self.clock.now().year
        return {**self.calendar.holidays(year), **self.calendar.holidays(year + 1)}
