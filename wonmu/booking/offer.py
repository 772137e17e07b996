"""Which free times are offered (B1, T9).

Picks a few concrete slots near the wish. Must never offer a slot that the search did not return,
and never one that is not free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from wonmu.emr.port import Slot

if TYPE_CHECKING:
    from wonmu.korean.dates import When

OFFER_LIMIT = 3
"""More than three times cannot be kept in mind on the phone."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One time that was offered; ``number`` counts from 1 in the order spoken."""

    slot: Slot
    number: int


@dataclass(frozen=True, slots=True)
class OfferList:
    """The offers of one search. ``as_of``: when the record system answered."""

    offers: tuple[Offer, ...]
    as_of: datetime


def choose_offers(
    slots: Sequence[Slot], when: When | None, *, limit: int = OFFER_LIMIT
) -> tuple[Offer, ...]:
    """The times to say aloud: at most ``limit``, no start twice, only free slots.

    A named clock time that is free comes first and the nearest others follow. "The soonest" gives
    the earliest. Otherwise the times are spread over what fits the wish; if nothing fits it, the
    nearest ones are given instead (the talk must then say that the wish itself is not free).
    """
    raise NotImplementedError


def fits(slot: Slot, when: When | None) -> bool:
    """Whether the slot lies inside the wish: its day range and its time range or clock time."""
    raise NotImplementedError
