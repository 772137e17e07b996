"""A visitor's own bookings: told, moved, cancelled, one turn at a time (B3, T8, N1, N3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wonmu.booking.commit import Written
from wonmu.booking.draft import Digest
from wonmu.booking.result import Completed, ExitCode, Exited
from wonmu.visit.booking_engine import BookingState
from wonmu.visit.people import KnownWho
from wonmu.visit.turned import Agreed, Saying, Turned
from wonmu.visit.visit import Visit
from wonmu.visit.wishes import FirstWish


@dataclass(frozen=True, slots=True)
class Listed:
    """The bookings were told; there may be none."""

    count: int


@dataclass(frozen=True, slots=True)
class CancelDone:
    """How far the cancellation has come; ``known``: such a request was open already."""

    written: Written
    known: bool = False


OwnEnd = Listed | Completed | CancelDone | Agreed | Exited


@dataclass(frozen=True, slots=True)
class OwnState:
    """The snapshot. ``booking``: set once a new time is being found."""

    who: KnownWho
    booking: BookingState | None = None

    def to_json(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> OwnState:
        raise NotImplementedError


class OwnEngine:
    """Inquire, change, cancel. The owner has settled identity at level READ.

    Said by the engine: the list, "none", every question, results, "kept" for a stop. SYSTEM_ERROR
    is the owner's to fall back from (``own.failed_*`` for detail "bookings", ``booking.failed_*``
    for "search…"/"record", ``own.cancel_failed`` for "cancel").
    While ``state.booking`` is set, ``set_wish``/``choose`` work as in ``BookingEngine`` and a model
    gets the booking tools; otherwise it gets none.
    """

    def __init__(self, visit: Visit) -> None: ...

    async def inquire(self, who: KnownWho) -> Turned[OwnState, OwnEnd]:
        raise NotImplementedError

    async def change(
        self, who: KnownWho, words: str, when: str | None = None, asides: Sequence[str] = ()
    ) -> Turned[OwnState, OwnEnd]:
        """``words``: the visitor's wish to change, which may name the booking and where to."""
        raise NotImplementedError

    async def cancel(self, who: KnownWho, words: str) -> Turned[OwnState, OwnEnd]:
        raise NotImplementedError

    async def answer(
        self, state: OwnState, words: str, turn: int
    ) -> Turned[OwnState, OwnEnd] | None:
        """As ``BookingEngine.answer``."""
        raise NotImplementedError

    async def set_wish(self, state: OwnState, wish: FirstWish) -> Turned[OwnState, OwnEnd]:
        raise NotImplementedError

    async def choose(self, state: OwnState, number: int) -> Turned[OwnState, OwnEnd]:
        raise NotImplementedError

    def heard(self, state: OwnState, digest: Digest, turn: int) -> OwnState:
        raise NotImplementedError

    async def question(self, state: OwnState) -> tuple[Saying, ...]:
        raise NotImplementedError

    async def commit(self, state: OwnState) -> Turned[OwnState, OwnEnd]:
        raise NotImplementedError

    async def resumed(self, state: OwnState) -> Turned[OwnState, OwnEnd]:
        raise NotImplementedError

    def leave(
        self, state: OwnState, code: ExitCode = ExitCode.CANCELLED_BY_CALLER
    ) -> Turned[OwnState, OwnEnd]:
        raise NotImplementedError

    def situation(self, state: OwnState) -> str:
        raise NotImplementedError
