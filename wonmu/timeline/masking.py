"""Events as they may leave the process: logs, exports, traces (E5, N8).

Decides which fields are words about a person (``PERSONAL``) and hides digits and birth dates in
them. It must never let a field through because its value has an unexpected type.
"""

from __future__ import annotations

from wonmu.timeline.events import Event


def masked(event: Event) -> Event:
    """The same event with personal fields masked; the original is left as it is."""
    raise NotImplementedError


def masked_text(text: str) -> str:
    """``text`` with phone numbers, resident numbers and birth dates replaced by placeholders."""
    raise NotImplementedError
