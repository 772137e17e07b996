"""The loudspeaker of the simulated line: plays in the time that the sound takes.

Frames may come faster than they can be heard; they wait. What was played, from when to when, is
told to ``heard`` at the moment the speech is over or cut, before the session is told. It must never
report as played what was not.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from livekit import rtc
from livekit.agents.voice import io

SAMPLE_RATE = 8000
"""Samples a second, as on a telephone line."""


@dataclass(frozen=True, slots=True)
class Played:
    """One stretch that was audible, in seconds of the loop's clock."""

    start: float
    end: float


class Loudspeaker(io.AudioOutput):
    """Plays one speech at a time. ``heard``: its audible stretches, and whether it was cut."""

    def __init__(self, heard: Callable[[tuple[Played, ...], bool], None]) -> None:
        super().__init__(
            label="simulated-loudspeaker",
            capabilities=io.AudioOutputCapabilities(pause=False),
            sample_rate=SAMPLE_RATE,
        )
        self._heard = heard
        self._loop = asyncio.get_running_loop()
        self._stretches: list[Played] = []
        self._end: asyncio.TimerHandle | None = None
        self._cut = False
        self._open = True

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        if self._cut or not self._open:
            return
        await super().capture_frame(frame)
        now = self._loop.time()
        if not self._stretches:
            self._stretches.append(Played(now, now))
            self.on_playback_started(created_at=time.time())
        last = self._stretches[-1]
        if last.end < now:  # the words came too late, so there was a gap in the sound
            last = Played(now, now)
            self._stretches.append(last)
        self._stretches[-1] = Played(last.start, last.end + frame.duration)

    def flush(self) -> None:
        super().flush()
        self._cut = False
        if self._stretches:
            left = self._stretches[-1].end - self._loop.time()
            self._end = self._loop.call_later(max(0.0, left), self._finish, False)

    def clear_buffer(self) -> None:
        if self._stretches:
            # What still comes of this speech is not played.
            self._cut = self._end is None
            self._finish(True)

    def hang_up(self) -> None:
        """The line is down: nobody hears anything from here on."""
        self._open = False
        self.clear_buffer()

    def _finish(self, cut: bool) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None
        now = self._loop.time()
        played = tuple(
            Played(each.start, min(each.end, now)) for each in self._stretches if each.start <= now
        )
        self._stretches = []
        self._heard(played, cut)
        seconds = sum(each.end - each.start for each in played)
        self.on_playback_finished(playback_position=seconds, interrupted=cut)
