"""Events as they may leave the process: logs, exports, traces (E5, N8).

Decides which fields are words about a person (``PERSONAL``) and hides numbers and birth dates in
them. It must never let a field through because its value has an unexpected type.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import date
from typing import Any

from wonmu.clock import SEOUL
from wonmu.korean.mask import mask_text
from wonmu.timeline.events import PERSONAL, Event

HIDDEN = "[가림]"
NAME = "[이름]"

_WHOLE = frozenset({"caller", "patient"})
"""Fields that are a number or a name as a whole; nothing of them is kept."""


def masked(event: Event, names: Collection[str] = ()) -> Event:
    """The same event with personal fields masked; ``names`` known to belong to a person go too.

    Names that nobody hands in stay: they cannot be told from other words with certainty.
    """
    personal = PERSONAL.get(event.kind, frozenset())
    today = event.at.astimezone(SEOUL).date()
    return replace(
        event,
        data={k: _value(k, v, names, today) if k in personal else v for k, v in event.data.items()},
    )


def masked_json(event: Event, names: Collection[str] = ()) -> dict[str, Any]:
    """The masked event as one JSON object, for a line of an export."""
    return masked(event, names).to_json()


def _value(field: str, value: object, names: Collection[str], today: date) -> object:
    if value is None or isinstance(value, bool) or value == "":
        return value
    if field in _WHOLE or not isinstance(value, str):
        return HIDDEN
    hidden = mask_text(value, today=today).text
    for name in sorted((n for n in names if n), key=len, reverse=True):
        hidden = hidden.replace(name, NAME)
    return hidden
