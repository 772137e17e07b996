"""What an engine gives back for one turn: words to be said, the state to be kept, how it ended.

An engine never talks. Its owner says ``say`` in order, keeps ``state`` (JSON, in a checkpoint), and
tells the engine with ``heard`` when a read-back was delivered whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from wonmu.booking.draft import Digest
from wonmu.ids import BookingKey

S = TypeVar("S")
O = TypeVar("O")  # noqa: E741 - an outcome


@dataclass(frozen=True, slots=True)
class Saying:
    """One thing to be said, word for word. ``line``: the name it goes by in the timeline.

    ``readback``: set when these words are the question whose yes is a consent; once they were
    delivered whole, the owner calls the engine's ``heard`` with this digest.
    """

    text: str
    line: str
    readback: Digest | None = None


@dataclass(frozen=True, slots=True)
class Agreed:
    """The visitor has agreed, nothing is written yet. The owner saves the state – the key is in
    it – and then calls the engine's ``commit`` with it."""

    key: BookingKey


@dataclass(frozen=True, slots=True)
class Turned(Generic[S, O]):
    """The result of one call to an engine.

    ``outcome`` None: the engine waits for the visitor. ``private``: what must be kept and shown to
    models instead of the visitor's words, because they hold a secret; None: they may be kept
    (masked like any words).
    """

    say: tuple[Saying, ...]
    state: S
    outcome: O | None = None
    private: str | None = None
