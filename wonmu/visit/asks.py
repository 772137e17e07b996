"""One question as data: its lines, and the reader of its answer (D1, D2, D4, D5).

Decides nothing about how often it is put; whoever has the talk does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from wonmu.lines import Value

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Got(Generic[V]):
    """The answer."""

    value: V


@dataclass(frozen=True, slots=True)
class Not:
    """No usable answer; ``line`` says why, or is None for the question's own retry line."""

    line: str | None = None


Reading = Got[V] | Not


@dataclass(frozen=True, slots=True)
class Question(Generic[V]):
    """A question as lines and a reader. ``secret``: the line that stands in the timeline and
    before a model for words that hold the answer; None when they may leave."""

    name: str
    line: str
    retry: str
    read: Callable[[str], Reading[V]]
    values: dict[str, Value] = field(default_factory=dict)
    secret: str | None = None
    short: str | None = None
    """The question without its opening words, for when it is put again."""
    tries: int = 3
    visit: bool = True
    """Whether words about the visit may come instead of the answer and cost no try."""
