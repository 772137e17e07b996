"""What a visitor's browser is sent: words and flags, and nothing else of a visit.

Decides the shapes on the wire. It must never carry an event, an id of ours or a digest.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Speaker(StrEnum):
    DESK = "desk"
    VISITOR = "visitor"


class Ending(StrEnum):
    """Why a visit is over. The conversation can be gone on with unless it was forgotten."""

    CLOSED = "closed"
    """The desk and the visitor agreed, or the desk's limits were reached."""
    IDLE = "idle"
    FORGOTTEN = "forgotten"
    SHUTDOWN = "shutdown"


@dataclass(frozen=True, slots=True)
class Message:
    """``seq`` counts from 1 within a visit, without gaps. ``client_id``: the sender's own name."""

    seq: int
    speaker: Speaker
    text: str
    client_id: str | None = None

    def to_json(self) -> dict[str, object]:
        out: dict[str, object] = {"seq": self.seq, "from": self.speaker.value, "text": self.text}
        if self.client_id is not None:
            out["client_id"] = self.client_id
        return out


@dataclass(frozen=True, slots=True)
class Typing:
    """The desk is at work on an answer."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The desk has finished and waits for the visitor."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A turn could not be answered for a fault of ours."""

    client_id: str | None


@dataclass(frozen=True, slots=True)
class Ended:
    why: Ending


Frame = Message | Typing | Waiting | Failed | Ended
