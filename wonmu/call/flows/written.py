"""Telling how far a consented booking, change or cancellation has come (B2, T11, N6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wonmu.call.results import tell
from wonmu.lines import Value
from wonmu.visit.written import Told, written_line

if TYPE_CHECKING:
    from wonmu.call.session import Call


def tell_written(call: Call, stem: str, told: Told, /, **values: Value) -> None:
    """Speak the line of ``stem`` for how far it came, and leave the receipts that go with it."""
    name, filled = written_line(call, stem, told, **values)
    tell(call, name, wrote=True, **filled)
