"""Whether a sentence of the agent may be spoken (T12, N6, R02, R06).

A sentence that claims a finished act, or states a booked time, or offers a time or doctor, needs a
receipt of this call. Decides sentence by sentence and rewrites nothing. It must never let a claim
through because it is politely worded, and never block a question, a condition or a plan.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Act(StrEnum):
    """Finished acts that a sentence can claim."""

    BOOK = "book"
    CHANGE = "change"
    CANCEL = "cancel"
    CONNECT = "connect"
    MEMO = "memo"
    CALLBACK = "callback"
    MESSAGE = "message"


class ClaimKind(StrEnum):
    ACT = "act"
    BOOKED_TIME = "booked_time"
    OFFERED_TIME = "offered_time"
    DOCTOR = "doctor"


@dataclass(frozen=True, slots=True)
class Receipts:
    """What this call can prove.

    ``acts``: acts that succeeded. ``times``: starts of bookings recorded or looked up, aware.
    ``offered``: starts that a search of this call returned or that were staged, aware.
    ``doctors``: names from this hospital's lists or this call's results; None = not checked.
    """

    acts: frozenset[Act] = frozenset()
    times: frozenset[datetime] = frozenset()
    offered: frozenset[datetime] = frozenset()
    doctors: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Spoken:
    """Nothing to object to."""


@dataclass(frozen=True, slots=True)
class Blocked:
    kind: ClaimKind
    act: Act | None = None


def check_sentence(sentence: str, receipts: Receipts) -> Spoken | Blocked:
    """Check one sentence (or a short text: its first claim without a receipt blocks it)."""
    raise NotImplementedError


def looks_like_tool_call(text: str, tool_names: Collection[str]) -> bool:
    """Whether a model wrote a tool call as text: JSON, a code fence, tags, ``name(...)`` (R02)."""
    raise NotImplementedError
