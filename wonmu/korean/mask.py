"""Personal data out of text that leaves the process (N8, D2, E5).

Decides which spans of a text are a resident number, a telephone number, a birth date, a card or
another long number, written or spoken, and puts a placeholder there. Never touches wished days,
times or prices, and never keeps what it took out anywhere but in its result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from wonmu.korean.mask_dates import birth_spans
from wonmu.korean.mask_kinds import PLACEHOLDER, Secret, Span
from wonmu.korean.mask_numbers import number_spans

__all__ = ["PLACEHOLDER", "Found", "Masked", "Secret", "mask_text"]


@dataclass(frozen=True, slots=True)
class Found:
    """One masked span; ``raw`` is personal and hidden from repr."""

    kind: Secret
    raw: str

    def __repr__(self) -> str:
        return f"Found({self.kind.value})"


@dataclass(frozen=True, slots=True)
class Masked:
    """``found`` in the order of finding."""

    text: str
    found: tuple[Found, ...]


def mask_text(text: str, *, today: date | None = None) -> Masked:
    """``text`` with placeholders. Masking the result again finds nothing.

    ``today`` tells wished days from birth dates in full dates without further words; without it
    a full date counts as a birth date when it lies before the first year of this product.
    """
    found: list[Found] = []
    while True:
        # Again until nothing is left: what stood beside a masked span may read differently now.
        spans = list(_without_overlaps(text, today))
        if not spans:
            return Masked(text, tuple(found))
        found += [Found(span.kind, text[span.start : span.end]) for span in spans]
        for span in reversed(spans):
            text = text[: span.start] + PLACEHOLDER[span.kind] + text[span.end :]


def _without_overlaps(text: str, today: date | None) -> Iterator[Span]:
    """Dates with 년 and 월 first: their parts are also short runs of digits."""
    spans = [*birth_spans(text, today), *number_spans(text, today)]
    taken: list[Span] = []
    for span in spans:
        if all(span.end <= other.start or other.end <= span.start for other in taken):
            taken.append(span)
    yield from sorted(taken, key=lambda span: span.start)
