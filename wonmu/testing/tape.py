"""Writes the recording of one call while it is played.

Takes sounds from the loudspeaker and the caller's side, and events from the timeline; decides
nothing. What it holds can leave the process: words are masked as in the timeline, keys are tones.
"""

from __future__ import annotations

from dataclasses import replace

from wonmu.testing.loudspeaker import Played
from wonmu.testing.recording import Mark, Recording, Sound, Track
from wonmu.timeline.events import Event, Kind

KEY_SECONDS = 0.1
"""Length of a key's tone."""

_HEARD = frozenset({Kind.AGENT_SPEAKING, Kind.AGENT_SAID, Kind.CALLER_HEARD})
"""Told by the sounds themselves."""

_WORDS = ("name", "outcome", "fault", "reason", "op", "state", "act", "step", "line", "status")
"""Data that say in a word which event it is; none of them is about a person."""

_IDS = ("id", "key")


class Tape:
    """The sounds and marks so far. ``zero``: the loop's time at which the call was answered."""

    def __init__(self, zero: float, title: str) -> None:
        self._zero = zero
        self._title = title
        self._sounds: list[Sound] = []
        self._marks: list[Mark] = []
        self._unnamed = 0
        self._hold: float | None = None
        self._seconds = 0.0

    def played(self, stretches: tuple[Played, ...], cut: bool) -> None:
        """The loudspeaker's report; the words follow with ``agent.said``."""
        self._unnamed = len(stretches)
        for number, each in enumerate(stretches, start=1):
            start, end = each.start - self._zero, each.end - self._zero
            broken = cut and number == len(stretches)
            self._sounds.append(Sound(Track.AGENT, start, end, cut=broken))

    def caller(self, start: float, end: float, text: str) -> None:
        self._sounds.append(Sound(Track.CALLER, start - self._zero, end - self._zero, text))

    def key(self, at: float) -> None:
        start = at - self._zero
        self._sounds.append(Sound(Track.CALLER, start, start + KEY_SECONDS, keys=True))

    def event(self, event: Event) -> None:
        """A sink of the call's recorder."""
        self._seconds = max(self._seconds, event.mono)
        if event.kind is Kind.AGENT_SAID:
            self._name(str(event.data["heard"]), bool(event.data["full"]), event.data.get("line"))
        if event.kind is Kind.TRANSFER_HOLD and self._hold is None:
            self._hold = event.mono
        if self._hold is not None and event.kind in (Kind.TRANSFER_SETTLED, Kind.CALL_ENDED):
            self._sounds.append(Sound(Track.HOLD, self._hold, event.mono))
            self._hold = None
        if event.kind not in _HEARD:
            self._marks.append(_mark(event))

    def recording(self) -> Recording:
        sounds = sorted((_rounded(each) for each in self._sounds), key=lambda s: (s.start, s.end))
        return Recording(round(self._seconds, 3), tuple(sounds), tuple(self._marks), self._title)

    def _name(self, heard: str, full: bool, line: object) -> None:
        """Give the words to the speech that has just been played."""
        name = line if isinstance(line, str) else None
        for number in range(len(self._sounds) - self._unnamed, len(self._sounds)):
            sound = replace(self._sounds[number], line=name)
            if number == len(self._sounds) - 1:
                sound = replace(sound, text=heard, cut=sound.cut and not full)
            self._sounds[number] = sound
        self._unnamed = 0


def _rounded(sound: Sound) -> Sound:
    """To the millisecond: the loop's clock adds up fractions that mean nothing."""
    return replace(sound, start=round(sound.start, 3), end=round(sound.end, 3))


def _mark(event: Event) -> Mark:
    text = next((str(event.data[word]) for word in _WORDS if event.data.get(word)), "")
    if event.kind is Kind.KEYPAD_PRESSED:
        text = "done" if event.data.get("done") else ""
    ids = next((str(event.data[word]) for word in _IDS if event.data.get(word)), "")
    return Mark(round(event.mono, 3), event.kind.value, text, ids)
