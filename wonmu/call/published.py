"""What a hospital has published, as the checks of a model's words need it (T2, T12)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from wonmu.hospital.facts import facts_text
from wonmu.ids import Won
from wonmu.korean.folding import fold
from wonmu.policy.amounts import published_amounts
from wonmu.visit.front import Front


@dataclass
class Published:
    """The facts of one call's day, read when they are first needed."""

    front: Front

    @cached_property
    def text(self) -> str:
        return facts_text(self.front.hospital, self.front.clock.now())

    @cached_property
    def amounts(self) -> frozenset[Won]:
        return published_amounts(self.text)

    @cached_property
    def folded(self) -> str:
        return fold(self.text)
