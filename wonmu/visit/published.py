"""What a hospital has published, as prompts and the checks of a model's words need it (T2, T12)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from wonmu.hospital.facts import facts_text
from wonmu.ids import Won
from wonmu.korean.folding import fold
from wonmu.policy.amounts import published_amounts
from wonmu.visit.front import Front


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of one day. ``amounts``: anybody may be told those; ``folded``: for comparing."""

    text: str
    amounts: frozenset[Won]
    folded: str


class Published:
    """The facts, read when they are first needed and again when the day has changed."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self._of: tuple[date, Facts] | None = None

    @property
    def facts(self) -> Facts:
        now = self._front.clock.now()
        if self._of is None or self._of[0] != now.date():
            text = facts_text(self._front.hospital, now)
            self._of = now.date(), Facts(text, published_amounts(text), fold(text))
        return self._of[1]
