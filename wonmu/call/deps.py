"""What a call is given. Everything that differs between a test, a demo and a hospital's line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from livekit.agents import tts

from wonmu.call.models import AnyModel
from wonmu.hospital.catalog import Catalog
from wonmu.hospital.hours import Calendar
from wonmu.ids import IdSource
from wonmu.lines import Lines
from wonmu.model.ladder import Limits
from wonmu.model.port import Rung
from wonmu.office import Office
from wonmu.transfer.port import StaffLine
from wonmu.visit.front import Front


@dataclass(frozen=True, slots=True)
class Desk(Front):
    """The front desk with what a phone call needs beside: models, limits, the line to staff."""

    models: tuple[AnyModel | Rung, ...] = ()
    """Asked in this order; the built-in model is always the last and need not be named."""
    limits: Limits = field(default_factory=Limits)
    staff: StaffLine | None = None
    """The line to the people of the desk; None: nobody can be dialled."""
    rungs: tuple[Rung, ...] = ()
    """The same models as specialists ask them."""
    voices: Mapping[str, tts.TTS[Any]] = field(default_factory=dict)
    """Voices by the names that settings use, for agents that have one of their own."""

    @classmethod
    def of(
        cls,
        office: Office,
        ids: IdSource,
        models: tuple[AnyModel | Rung, ...] = (),
        staff: StaffLine | None = None,
        rungs: tuple[Rung, ...] = (),
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
            rungs=rungs,
            ledger=office.ledger,
        )
