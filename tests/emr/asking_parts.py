"""A record system made of a script, and somebody who notes what the guard reports."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from wonmu.clock import SEOUL
from wonmu.emr.breaker import BreakerState
from wonmu.emr.port import (
    BookingIntent,
    Department,
    Emr,
    NotThere,
    SlotPage,
    SlotQuery,
)
from wonmu.errors import EmrFailure, EmrFault
from wonmu.ids import AppointmentId, BookingKey, DepartmentId, PatientId, SlotId, Version

NOON = datetime(2026, 12, 1, 12, tzinfo=SEOUL)
QUERY = SlotQuery(DepartmentId("skin"), NOON, NOON.replace(day=9))
INTENT = BookingIntent(BookingKey("k1"), PatientId("p-1"), SlotId("s-1"), Version("1"))
FOREVER = 1e6


def now() -> float:
    return round(asyncio.get_running_loop().time(), 6)


@dataclass(frozen=True, slots=True)
class Turn:
    """What becomes of one request: after ``seconds`` an answer, or the failure."""

    seconds: float = 0.0
    error: Exception | None = None


def fails(
    fault: EmrFault = EmrFault.UNAVAILABLE,
    seconds: float = 0.0,
    *,
    retryable: bool = True,
    known: bool = True,
    retry_after: float | None = None,
) -> Turn:
    return Turn(
        seconds,
        EmrFailure(
            fault, "test", retryable=retryable, outcome_known=known, retry_after=retry_after
        ),
    )


HANGS = Turn(FOREVER)
ANSWERS = Turn()


class Script:
    """Takes its turns in order; the last one is repeated. ``asked``: when it was asked.

    ``ended``: how many requests it carried to their end.
    """

    def __init__(self, *turns: Turn) -> None:
        self._turns = list(turns) or [ANSWERS]
        self.asked: list[float] = []
        self.ended = 0

    def then(self, *turns: Turn) -> None:
        self._turns = list(turns)

    async def _take(self) -> None:
        self.asked.append(now())
        turn = self._turns.pop(0) if len(self._turns) > 1 else self._turns[0]
        await asyncio.sleep(turn.seconds)
        self.ended += 1
        if turn.error is not None:
            raise turn.error

    async def departments(self) -> tuple[Department, ...]:
        await self._take()
        return ()

    async def find_slots(self, query: SlotQuery) -> SlotPage:
        await self._take()
        return SlotPage((), NOON)

    async def cancel(self, appointment_id: AppointmentId, key: BookingKey) -> NotThere:
        await self._take()
        return NotThere()

    async def release(self, slot_id: SlotId, key: BookingKey) -> bool:
        await self._take()
        return True

    async def close(self) -> None:
        pass

    @property
    def emr(self) -> Emr:
        return cast(Emr, self)


class Notes:
    """A ``Watcher`` that keeps what it was told."""

    def __init__(self) -> None:
        self.failures: list[tuple[str, EmrFault]] = []
        self.retries: list[tuple[str, EmrFault, int, float]] = []
        self.changes: list[tuple[BreakerState, EmrFault | None]] = []

    def failed(self, op: str, fault: EmrFault) -> None:
        self.failures.append((op, fault))

    def retried(self, op: str, fault: EmrFault, number: int, wait: float) -> None:
        self.retries.append((op, fault, number, round(wait, 6)))

    def breaker_changed(self, state: BreakerState, fault: EmrFault | None) -> None:
        self.changes.append((state, fault))
