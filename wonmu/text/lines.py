"""The lines as they are read instead of heard: figures for words, no keypad.

A line ``text.<name>``, or ``typed.<name>`` with ``_`` for the dot, stands in for ``<name>``.
Nothing else is different, so that what code says in both channels is one set of lines with one set
of names in the timeline.
"""

from __future__ import annotations

from wonmu.lines import Lines
from wonmu.lines.template import Template


class TextLines(Lines):
    """``TextLines.load("ko")``."""

    def _wordings(self, name: str) -> tuple[Template, ...]:
        others = (f"text.{name}", f"typed.{name.replace('.', '_')}")
        return super()._wordings(next(filter(self.has, others), name))
