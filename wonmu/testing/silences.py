"""The judge of silences: pure, and able to fail (N11).

The caller waits for the agent from the caller's words (or keys, or the answering of the call) until
the agent has finished (``turn.waiting``), and while a lookup or a write is open. A stretch of that
time in which nobody is audible is a silence; a silence in which it is the caller's turn is not the
agent's and not told here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wonmu.testing.recording import Recording

LONGEST = 4.0
"""Seconds of uncued silence that N11 allows."""


class Cue(StrEnum):
    """How the silence was explained beforehand."""

    NONE = "none"
    FILLER = "filler"
    """The agent has just said what is waited for."""


@dataclass(frozen=True, slots=True)
class Silence:
    start: float
    end: float
    cue: Cue = Cue.NONE
    after: str = ""
    """What was last heard before it."""

    @property
    def seconds(self) -> float:
        return self.end - self.start


def silences(recording: Recording) -> tuple[Silence, ...]:
    """Every stretch in which nobody is audible while the caller waits for the agent."""
    raise NotImplementedError


def uncued(recording: Recording, longest: float = LONGEST) -> tuple[Silence, ...]:
    """Silences above ``longest`` seconds that nobody has explained; none is what N11 asks for."""
    return tuple(
        each for each in silences(recording) if each.cue is Cue.NONE and each.seconds > longest
    )
