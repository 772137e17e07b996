"""What is read of the record system for a visit, and how such a read can end (A7, T11).

A result is its own type or ``Stopped`` or ``Failed``; a failure never turns into an empty answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from wonmu.booking.result import ExitCode
from wonmu.errors import EmrFault, WonmuError
from wonmu.timeline.events import Kind, Status

T = TypeVar("T")


class Name(StrEnum):
    """What is read; also the stem of the lines spoken meanwhile."""

    PATIENT = "patient"
    BOOKINGS = "bookings"
    SLOTS = "slots"
    BILLING = "billing"


@dataclass(frozen=True, slots=True)
class Stopped:
    """The caller ended it, by this code. Nothing of it is told."""

    code: ExitCode


@dataclass(frozen=True, slots=True)
class Failed:
    """It could not be read, and why. Not the same as nothing (T11)."""

    fault: EmrFault


class VisitOver(WonmuError):
    """The talk ended while something was read for it: nothing may come of that (A5, N5)."""


def started_as(name: Name) -> Kind:
    """The kind of span a read is: what is the patient's own is looked up, the rest searched."""
    own = name in (Name.BOOKINGS, Name.BILLING)
    return Kind.LOOKUP_STARTED if own else Kind.SEARCH_STARTED


def settled_as(
    result: T | Stopped | Failed, count: Callable[[T], int] | None
) -> tuple[Status, dict[str, object]]:
    """Status and data of the end of a read, for the timeline."""
    match result:
        case Stopped(code=code):
            return Status.CANCELLED, {"outcome": "cancelled", "count": None, "reason": code.value}
        case Failed(fault=fault):
            return Status.ERROR, {"outcome": "error", "count": None, "fault": fault.value}
        case _:
            found = count(result) if count is not None else None
            return Status.SUCCESS, {"outcome": "completed", "count": found}
