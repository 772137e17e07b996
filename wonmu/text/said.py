"""Words that code has ready: what is said, under which line, and what hangs on it. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wonmu.policy.verdict import Action
from wonmu.timeline.events import Kind


@dataclass(frozen=True, slots=True)
class Note:
    """An event that belongs to the words: written just before they are said."""

    kind: Kind
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Said:
    """``offers``: the action that a yes to these words is a yes to (T4, T5)."""

    text: str
    line: str
    offers: Action | None = None
    notes: tuple[Note, ...] = ()
    final: bool = False
    """The one goodbye; nothing is said after it (N5)."""
    readback: str | None = None
    """Digest of the booking that these words read back whole."""

    def to_json(self) -> dict[str, Any]:
        """As it lies in a checkpoint."""
        return {
            "text": self.text,
            "line": self.line,
            "offers": self.offers.value if self.offers is not None else None,
            "notes": [{"kind": note.kind.value, "data": dict(note.data)} for note in self.notes],
            "final": self.final,
            "readback": self.readback,
        }

    @classmethod
    def of_json(cls, found: Mapping[str, Any]) -> Said:
        offers = found["offers"]
        notes = tuple(Note(Kind(each["kind"]), each["data"]) for each in found["notes"])
        action = Action(offers) if offers is not None else None
        return cls(
            found["text"], found["line"], action, notes, found["final"], found.get("readback")
        )
