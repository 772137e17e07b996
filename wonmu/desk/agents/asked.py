"""How often specialists are asked within one turn of the caller (H1).

Decides by counting. A caller's agent that asks again and again gets the earlier answer back, and
nobody is asked. It must never carry a count or an answer into another turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from wonmu.desk.agents.answer import Answer, NeedsIdentity
from wonmu.hospital.billing import SpecialistLimits

MOST_HOPS = 3
"""Questions to specialists in one turn, whoever is asked."""


class WhyRefused(StrEnum):
    ASKED_ALREADY = "asked_already"
    """This specialist was asked as often as the hospital allows in one turn."""
    TOO_MANY_HOPS = "too_many_hops"


@dataclass(frozen=True, slots=True)
class Refusal:
    """``earlier``: what this specialist answered in this turn, None if it has not."""

    name: str
    why: WhyRefused
    earlier: Answer | None


class Asked:
    """The count of the present turn."""

    def __init__(self, limits: SpecialistLimits) -> None:
        self._limits = limits
        self._turn: int | None = None
        self._asks: list[str] = []
        self._again: set[str] = set()
        """Those that may be asked once more than the limit says."""
        self._answers: dict[str, Answer] = {}

    def admit(
        self, names: Iterable[str], *, turn: int
    ) -> tuple[tuple[str, ...], tuple[Refusal, ...]]:
        """Who may be asked now, each once, and who may not. Those admitted are counted at once."""
        self._begin(turn)
        admitted: list[str] = []
        refused: list[Refusal] = []
        for name in dict.fromkeys(names):
            why = self._why_not(name)
            if why is None:
                self._asks.append(name)
                admitted.append(name)
            else:
                refused.append(Refusal(name, why, self._answers.get(name)))
        return tuple(admitted), tuple(refused)

    def answered(self, name: str, answer: Answer, *, turn: int) -> None:
        """Keep the answer; one that comes in a later turn is not kept."""
        if turn == self._turn:
            self._answers[name] = answer

    def identified(self) -> None:
        """Somebody was identified in this turn: whoever only lacked that may be asked once more.

        What was asked stays counted as hops.
        """
        lacked = {n for n, answer in self._answers.items() if isinstance(answer, NeedsIdentity)}
        self._again |= lacked

    def _begin(self, turn: int) -> None:
        if turn != self._turn:
            self._turn = turn
            self._asks.clear()
            self._again.clear()
            self._answers.clear()

    def _why_not(self, name: str) -> WhyRefused | None:
        if self._asks.count(name) >= self._limits.asks + (name in self._again):
            return WhyRefused.ASKED_ALREADY
        return WhyRefused.TOO_MANY_HOPS if len(self._asks) >= MOST_HOPS else None
