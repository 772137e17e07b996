"""Making or moving one booking, one turn at a time and without a voice (B1–B4, T8, T9, N1, N2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wonmu.booking.draft import Digest
from wonmu.booking.result import Completed, ExitCode, Exited
from wonmu.visit.own import OwnBooking
from wonmu.visit.people import Who
from wonmu.visit.turned import Agreed, Saying, Turned
from wonmu.visit.visit import Visit
from wonmu.visit.wishes import FirstWish

BookingEnd = Completed | Exited | Agreed


@dataclass(frozen=True, slots=True)
class BookingState:
    """The snapshot. Holds no read-back and no consent: those do not outlive the process."""

    who: Who

    def to_json(self) -> dict[str, Any]:
        raise NotImplementedError

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BookingState:
        raise NotImplementedError


class BookingEngine:
    """Insurance, wish, offers, staging, read-back, consent, commit.

    Outcomes: ``Agreed`` (save the state, then ``commit``); ``Completed`` (what came of it is in
    ``say``); ``Exited``. Said by the engine itself: "stopped" for CANCELLED_BY_CALLER, "already"
    for (NO_CANDIDATE, "duplicate"). SYSTEM_ERROR is the owner's to fall back from
    (``booking.failed_callback``, ``booking.failed_person`` with ``why``), and so is a person.
    Every call takes the latest state and gives the next one.
    """

    def __init__(self, visit: Visit) -> None: ...

    async def open(
        self,
        who: Who,
        first: FirstWish | None = None,
        *,
        asides: Sequence[str] = (),
        insurance: str | None = None,
        replaces: OwnBooking | None = None,
    ) -> Turned[BookingState, BookingEnd]:
        """Begin. ``first``: what the visitor has said of the wish already. ``asides``: turns about
        the visit said while identity was asked. ``insurance``: known from an earlier booking of
        the visitor's own. ``replaces``: the booking being moved."""
        raise NotImplementedError

    async def set_wish(
        self, state: BookingState, wish: FirstWish
    ) -> Turned[BookingState, BookingEnd]:
        """Lay words for department, doctor and time, and go on. The owner has checked that they
        were really said (T4)."""
        raise NotImplementedError

    async def choose(self, state: BookingState, number: int) -> Turned[BookingState, BookingEnd]:
        """The offer of that number; asks which when there is none."""
        raise NotImplementedError

    async def answer(
        self, state: BookingState, words: str, turn: int
    ) -> Turned[BookingState, BookingEnd] | None:
        """Code's reading of the visitor's turn number ``turn`` (1, 2, …, never used twice in a
        visit): yes, no, repeat, leaving, the insurance kind. None: a model must read it, offered
        set_wish, choose_time and leave_booking; after a side answer in words the owner puts
        ``question(state)`` behind them."""
        raise NotImplementedError

    def heard(self, state: BookingState, digest: Digest, turn: int) -> BookingState:
        """The read-back was delivered whole, as the answer to the visitor's turn ``turn``. Writes
        booking.readback. Only a yes in turn ``turn + 1`` is a consent to it (N1)."""
        raise NotImplementedError

    async def question(self, state: BookingState) -> tuple[Saying, ...]:
        """The open question, to be put again; the whole read-back where one is open."""
        raise NotImplementedError

    async def commit(self, state: BookingState) -> Turned[BookingState, BookingEnd]:
        """Write what was agreed to, under the key in the state. Again with the same state: the
        same outcome, nothing written twice."""
        raise NotImplementedError

    async def resumed(self, state: BookingState) -> Turned[BookingState, BookingEnd]:
        """After a restart: the open question again; what was staged is read and read back anew;
        a write that had reached the inbox is told, one that had not needs a new yes."""
        raise NotImplementedError

    def leave(
        self, state: BookingState, code: ExitCode = ExitCode.CANCELLED_BY_CALLER
    ) -> Turned[BookingState, BookingEnd]:
        """Stop; nothing is booked."""
        raise NotImplementedError

    def situation(self, state: BookingState) -> str:
        """The state of the work in words, for a model (prompt ``booking_situation``)."""
        raise NotImplementedError
