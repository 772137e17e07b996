"""How far a consented booking has come (B2, B4, T11).

Keeps apart what is told in different words: taken down for staff, confirmed by the record system,
not known yet, refused by it, not written by it. Only ``CONFIRMED`` may be called confirmed.
"""

from __future__ import annotations

from enum import StrEnum


class CommitMode(StrEnum):
    """``request``: recorded for staff. ``direct``: written to the record system and read back."""

    REQUEST = "request"
    DIRECT = "direct"


class Written(StrEnum):
    """What a caller may be told of a consented booking that is safely in the inbox."""

    REQUESTED = "requested"
    """Staff will enter it; that was the plan."""
    CONFIRMED = "confirmed"
    """In the record system, read back and as agreed."""
    PENDING = "pending"
    """Nobody knows yet whether the record system has it; that is being found out."""
    REFUSED = "refused"
    """The record system refused by a rule; staff has the request."""
    NOT_WRITTEN = "not_written"
    """The record system failed and has nothing of it; staff has the request."""
