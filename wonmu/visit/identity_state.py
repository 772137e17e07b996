"""The snapshot of an identification under way (D2, N8).

Holds a birth date only from its answer until the identification has settled, because the next step
needs it; ``settled`` leaves no fact about anybody.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Any

from wonmu.identity.facts import IdentityFacts, Level


class Asking(StrEnum):
    """What the visitor was asked for."""

    NOTHING = "nothing"
    BIRTH = "birth"
    NAME = "name"
    PHONE = "phone"
    IF_NEW = "if_new"
    CONFIRM_NEW = "confirm_new"


@dataclass(frozen=True, slots=True)
class IdentityState:
    """``misses`` and ``turns`` count for the present question. ``asides``: what was said about the
    visit instead of an answer (masked), for the booking to take up."""

    level: Level
    facts: IdentityFacts
    asking: Asking = Asking.NOTHING
    misses: int = 0
    turns: int = 0
    takes_asides: bool = False
    asides: tuple[str, ...] = ()

    def settled(self) -> IdentityState:
        """What is left once it is known who it is, or that nobody is."""
        return replace(self, facts=IdentityFacts(), asking=Asking.NOTHING, misses=0, turns=0)

    def to_json(self) -> dict[str, Any]:
        facts = self.facts
        return {
            "level": self.level.value,
            "asking": self.asking.value,
            "misses": self.misses,
            "turns": self.turns,
            "takes_asides": self.takes_asides,
            "asides": list(self.asides),
            "facts": {
                "caller_phone": facts.caller_phone,
                "birth_date": facts.birth_date.isoformat() if facts.birth_date else None,
                "name": facts.name,
                "phone": facts.phone,
                "for_other": facts.for_other,
                "relation": facts.relation,
                "says_new": facts.says_new,
                "confirmed": facts.confirmed,
                "refused": facts.refused,
                "tries": facts.tries,
            },
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> IdentityState:
        facts = dict(data["facts"])
        born = facts["birth_date"]
        facts["birth_date"] = date.fromisoformat(born) if born else None
        return cls(
            Level(data["level"]),
            IdentityFacts(**facts),
            Asking(data["asking"]),
            data["misses"],
            data["turns"],
            data["takes_asides"],
            tuple(data["asides"]),
        )
