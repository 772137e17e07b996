"""What a simulated caller does, and when: plain values, read by the line.

Steps are taken in their order, each at its moment; a moment that has passed already is now. Decides
nothing; it must never know what the call is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wonmu.call.voice import SYLLABLES_PER_SECOND
from wonmu.timeline.events import Kind


@dataclass(frozen=True, slots=True)
class Waiting:
    """When the agent has finished and waits for the caller, and then so many seconds later."""

    seconds: float = 0.5


@dataclass(frozen=True, slots=True)
class Seconds:
    """At so many seconds since the call was answered."""

    at: float


@dataclass(frozen=True, slots=True)
class While:
    """So many seconds into the agent's speech: the one that is heard now, else the next.

    ``line``: only a speech of this name (``agent.speaking``) counts, else any. A speech that was
    already further on when the step before ended counts at once.
    """

    into: float = 0.7
    line: str | None = None


@dataclass(frozen=True, slots=True)
class After:
    """So many seconds after an event of this kind whose data agree with ``data``.

    The first one written since the step before began; it may have been written already.
    """

    kind: Kind
    seconds: float = 0.0
    data: Mapping[str, object] = field(default_factory=dict)


Moment = Waiting | Seconds | While | After


@dataclass(frozen=True, slots=True)
class Say:
    """The caller speaks; ``seconds`` None: as long as the text takes.

    The step is over when the words are. ``heard_as``: what the recogniser makes of them.
    """

    text: str
    at: Moment = Waiting()
    seconds: float | None = None
    heard_as: str | None = None


@dataclass(frozen=True, slots=True)
class Keys:
    """The caller presses keys, ``gap`` seconds from one to the next."""

    keys: str
    at: Moment = Waiting()
    gap: float = 0.25


@dataclass(frozen=True, slots=True)
class Stay:
    """The caller stays on the line, silent, for so many seconds."""

    seconds: float
    at: Moment = Waiting()


@dataclass(frozen=True, slots=True)
class HangUp:
    """The caller hangs up, even in the middle of the agent's speech. The end of a script does
    so too, when the agent waits."""

    at: Moment = Waiting()


Step = Say | Keys | Stay | HangUp


def spoken_seconds(text: str) -> float:
    """How long a voice takes for the text: its syllables at the pace of an announcement."""
    return sum(1 for letter in text if letter.isalnum()) / SYLLABLES_PER_SECOND
