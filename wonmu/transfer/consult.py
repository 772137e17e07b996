"""Reaching a person: dial, tell apart, brief, wait for the yes (P1, P3).

Decides in which order and for how long. It never talks to the caller and never joins; whatever
goes wrong or is cancelled on the way, the staff's leg is released.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from wonmu.transfer.port import (
    Briefing,
    Decision,
    NotReached,
    Outcome,
    Presence,
    StaffLeg,
    StaffLine,
)

CONSULT_SECONDS = 60.0
"""From picking up to the yes. A person who picks up and never answers must not hold the caller."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds of ringing, and from picking up to accepting."""

    ring_seconds: float
    consult_seconds: float = CONSULT_SECONDS


class Step(StrEnum):
    """Where a consult has got to, for the timeline."""

    ANSWERED = "answered"
    BRIEFED = "briefed"
    ACCEPTED = "accepted"


async def reach(
    line: StaffLine,
    number: str,
    briefing: Briefing,
    limits: Limits,
    on_step: Callable[[Step], None] = lambda step: None,
) -> StaffLeg | NotReached:
    """A leg on which a person accepted and waits to be joined, or why there is none."""
    try:
        # Not wait_for: in 3.11 it can swallow a cancellation, and the caller would be gone.
        async with asyncio.timeout(limits.ring_seconds):
            dialled = await line.dial(number)
    except TimeoutError:
        return NotReached(Outcome.NO_ANSWER, "ring_limit")
    except OSError as error:
        return NotReached(Outcome.FAILED, type(error).__name__)
    if isinstance(dialled, NotReached):
        return dialled
    on_step(Step.ANSWERED)
    return await _consult(dialled, briefing, limits, on_step)


async def _consult(
    leg: StaffLeg, briefing: Briefing, limits: Limits, on_step: Callable[[Step], None]
) -> StaffLeg | NotReached:
    accepted = False
    try:
        async with asyncio.timeout(limits.consult_seconds):
            refused = await _ask(leg, briefing, on_step)
        accepted = refused is None
        return leg if refused is None else refused
    except TimeoutError:
        return NotReached(Outcome.NO_ANSWER, "not_accepted")
    except OSError as error:
        return NotReached(Outcome.FAILED, type(error).__name__)
    finally:
        if not accepted:
            await leg.release()


async def _ask(
    leg: StaffLeg, briefing: Briefing, on_step: Callable[[Step], None]
) -> NotReached | None:
    """Why the one who picked up does not take the call; None when they do."""
    match await leg.presence():
        case Presence.MACHINE:
            return NotReached(Outcome.VOICEMAIL)
        case Presence.GONE:
            return NotReached(Outcome.FAILED, "staff_dropped")
        case Presence.PERSON:
            await leg.brief(briefing)
            on_step(Step.BRIEFED)
    match await leg.decision():
        case Decision.DECLINED:
            return NotReached(Outcome.DECLINED)
        case Decision.GONE:
            return NotReached(Outcome.FAILED, "staff_dropped")
        case Decision.ACCEPTED:
            on_step(Step.ACCEPTED)
            return None
