"""The judge of silences: pure, and able to fail (N11).

The caller waits for the agent from the caller's words (or keys, or the answering of the call) until
the agent has finished (``turn.waiting``), and while a lookup or a write is open. A stretch of that
time in which nobody is audible is a silence; a silence in which it is the caller's turn is not the
agent's and not told here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from wonmu.testing.recording import Recording, Sound, Track

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


_OPENS = {
    "lookup.started": "lookup",
    "search.started": "search",
    "commit.step": "commit",
}
_CLOSES = {
    "lookup.settled": "lookup",
    "search.settled": "search",
    "commit.settled": "commit",
}
"""While one of these is open the caller waits, even if the agent asked for nothing."""

_GONE = frozenset({"caller.hangup", "call.ended"})

_EXPLAINS = frozenset({"lookup.filler"})
"""A mark that says: the words that begin now, or are being said, tell what is waited for."""

FILLERS = ("lookup.",)
"""Beginnings of the names of lines that tell what is waited for."""

NEAR = 0.5
"""Seconds between the mark of a filler and its first sound at most."""

SHORTEST = 0.05
"""Seconds; a shorter gap is between two sounds and no silence."""


def silences(recording: Recording, fillers: tuple[str, ...] = FILLERS) -> tuple[Silence, ...]:
    """Every stretch in which nobody is audible while the caller waits for the agent.

    ``fillers``: beginnings of the names of the lines that explain a wait.
    """
    return tuple(_silences(recording, fillers))


def _silences(recording: Recording, fillers: tuple[str, ...]) -> Iterator[Silence]:
    for start, end in _gaps(recording):
        before = _before(recording, start)
        for begin, stop in _waited(recording, start, end):
            if stop - begin > SHORTEST:
                cue = Cue.FILLER if _explains(recording, before, fillers) else Cue.NONE
                yield Silence(begin, stop, cue, _told(before))


def _over(recording: Recording) -> float:
    """When the caller or the call was gone."""
    return min(
        (mark.at for mark in recording.marks if mark.kind in _GONE), default=recording.seconds
    )


def _gaps(recording: Recording) -> Iterator[tuple[float, float]]:
    """The stretches without any sound, up to the end of the call."""
    over = _over(recording)
    heard_until = 0.0
    for sound in sorted(recording.sounds, key=lambda each: each.start):
        if sound.start >= over:
            break
        if sound.start > heard_until:
            yield heard_until, sound.start
        heard_until = max(heard_until, sound.end)
    if over > heard_until:
        yield heard_until, over


def _waited(recording: Recording, start: float, end: float) -> Iterator[tuple[float, float]]:
    """The parts of a gap in which the caller waits for the agent."""
    moments = sorted({start, end, *(m.at for m in recording.marks if start < m.at < end)})
    begin: float | None = None
    for left in moments[:-1]:
        waits = _caller_waits(recording, left)
        if waits and begin is None:
            begin = left
        elif not waits and begin is not None:
            yield begin, left
            begin = None
    if begin is not None:
        yield begin, end


def _caller_waits(recording: Recording, at: float) -> bool:
    """Whether it is the agent's turn at that moment (and not a moment later)."""
    agents = True
    turns = [(sound.start, 0) for sound in recording.sounds if _speaks(sound)]
    turns += [(m.at, 0) for m in recording.marks if m.kind == "keypad.pressed" and m.text == "done"]
    turns += [(mark.at, 1) for mark in recording.marks if mark.kind == "turn.waiting"]
    for when, whose in sorted(turns):
        if when > at:
            break
        agents = whose == 0
    return agents or _open(recording, at)


def _speaks(sound: Sound) -> bool:
    return sound.track is Track.CALLER and not sound.keys


def _open(recording: Recording, at: float) -> bool:
    """Whether something is looked up or written at that moment."""
    under_way: set[tuple[str, str]] = set()
    for mark in recording.marks:
        if mark.at > at:
            break
        if mark.kind in _OPENS:
            under_way.add((_OPENS[mark.kind], mark.id))
        elif mark.kind in _CLOSES:
            under_way.discard((_CLOSES[mark.kind], mark.id))
    return bool(under_way)


def _before(recording: Recording, start: float) -> Sound | None:
    ended = [sound for sound in recording.sounds if sound.end <= start]
    return max(ended, key=lambda sound: sound.end, default=None)


def _explains(recording: Recording, sound: Sound | None, fillers: tuple[str, ...]) -> bool:
    if sound is None or sound.track is not Track.AGENT or sound.cut:
        return False
    return (sound.line or "").startswith(fillers) or any(
        mark.kind in _EXPLAINS and sound.start - NEAR <= mark.at <= sound.end
        for mark in recording.marks
    )


def _told(sound: Sound | None) -> str:
    if sound is None:
        return ""
    return f"{sound.track.value}: {'(keys)' if sound.keys else sound.text}"


def uncued(recording: Recording, longest: float = LONGEST) -> tuple[Silence, ...]:
    """Silences above ``longest`` seconds that nobody has explained; none is what N11 asks for."""
    return tuple(
        each for each in silences(recording) if each.cue is Cue.NONE and each.seconds > longest
    )
