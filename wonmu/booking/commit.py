"""How writing one consented booking can end (B2, B4, T11).

Decides nothing about retries by itself; it keeps "gone", "failed" and "nobody knows" apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wonmu.booking.draft_state import Digest
from wonmu.ids import BookingKey, SlotId


class CommitMode(StrEnum):
    """``request``: recorded for staff, record system untouched. ``direct``: written to it."""

    REQUEST = "request"
    DIRECT = "direct"


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """What is about to be written, and under which key."""

    mode: CommitMode
    digest: Digest
    key: BookingKey


@dataclass(frozen=True, slots=True)
class RequestRecorded:
    """The request is in the inbox. ``replayed``: it was there already under this key."""

    key: BookingKey
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class SlotGone:
    """The slot was free when staged and is not any more; nothing was written."""

    slot_id: SlotId


@dataclass(frozen=True, slots=True)
class CommitFailed:
    """Not written, or nobody knows (``outcome_known`` False: look it up by key before a retry)."""

    retryable: bool
    outcome_known: bool


CommitOutcome = RequestRecorded | SlotGone | CommitFailed
