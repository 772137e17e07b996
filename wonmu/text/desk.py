"""What a conversation in text is given: the front desk, its models and limits. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from wonmu.model.ladder import Limits
from wonmu.model.port import Rung
from wonmu.visit.front import Front

IDENTITY_MINUTES = 15.0
"""How long a verified identity counts: long enough for a bill and a booking, short enough that
whoever finds the page open later is asked again."""

MOST_HOPS = 3
"""Step changes and questions to a specialist within one turn (R132)."""

MOST_ASKED = 5
"""Requests to a model within one turn, whatever came of them."""


@dataclass(frozen=True, slots=True)
class TextRules:
    """``identity_minutes``: how long a verified identity is remembered. ``hops``: see
    ``MOST_HOPS``. ``lock_seconds``: how long a turn waits for another turn of its conversation."""

    identity_minutes: float = IDENTITY_MINUTES
    hops: int = MOST_HOPS
    asked: int = MOST_ASKED
    lock_seconds: float = 30.0

    @property
    def identity(self) -> timedelta:
        return timedelta(minutes=self.identity_minutes)


@dataclass(frozen=True, slots=True)
class TextDesk:
    """One hospital's text desk. ``models`` are asked in order, then the built-in one."""

    front: Front
    models: tuple[Rung, ...] = ()
    limits: Limits = field(default_factory=Limits)
    rules: TextRules = field(default_factory=TextRules)
