"""The mouth before the loudspeaker: what may not be spoken is not played, what was cut is counted
in whole words, whatever the voice tells about its words (N1, N5)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from livekit import rtc

from wonmu.call.sound import PATIENCE_SECONDS, Mouth, SoundVoice, session_for
from wonmu.ids import CallId, CountingIds
from wonmu.loop import LoopClock, run
from wonmu.testing.loudspeaker import SAMPLE_RATE, Loudspeaker, Played
from wonmu.timeline.events import Kind
from wonmu.timeline.record import Recorder

pytestmark = pytest.mark.unit

TEXT = "하나둘 셋넷다섯 여섯"
"""Three words of three, four and two syllables."""


class Line:
    """A mouth and its loudspeaker, without a call."""

    def __init__(self, allowed: bool = True, quiet: bool = True) -> None:
        self.played: list[tuple[tuple[Played, ...], bool]] = []
        self.speaker = Loudspeaker(lambda stretches, cut: self.played.append((stretches, cut)))
        clock = LoopClock(datetime(2026, 12, 1, tzinfo=UTC))
        self.recorder = Recorder(CallId("c"), clock, CountingIds())
        self.voice = SoundVoice(
            session_for(None), self.recorder, str, lambda _: allowed, lambda *_: None
        )
        self.calm = asyncio.Event()
        if quiet:
            self.calm.set()
        self.mouth = Mouth(self.voice, self.speaker, self._quiet)

    async def _quiet(self) -> None:
        await self.calm.wait()

    async def speak(self, seconds: float) -> None:
        await self.voice.capture_text(TEXT)
        self.voice.flush()
        samples = int(SAMPLE_RATE * seconds)
        await self.mouth.capture_frame(rtc.AudioFrame(bytes(2 * samples), SAMPLE_RATE, 1, samples))
        self.mouth.flush()

    def heard(self) -> list[object]:
        return [e.data["heard"] for e in self.recorder.events if e.kind is Kind.AGENT_SAID]


def test_what_may_not_be_spoken_is_not_played() -> None:
    async def main() -> Line:
        line = Line(allowed=False)
        await line.speak(1.0)
        await line.mouth.wait_for_playout()
        return line

    line = run(main)
    assert line.played == []
    assert line.recorder.events == []


@pytest.mark.parametrize(
    ("at", "heard"), [(0.2, ""), (0.31, "하나둘"), (0.69, "하나둘"), (0.71, "하나둘 셋넷다섯")]
)
def test_a_cut_counts_whole_words_even_when_the_voice_tells_no_times(at: float, heard: str) -> None:
    async def main() -> Line:
        line = Line()
        await line.speak(0.9)  # a tenth of a second a syllable
        await asyncio.sleep(at)
        line.voice.cut()
        event = await line.mouth.wait_for_playout()
        assert event.interrupted
        assert event.playback_position == pytest.approx(at)
        return line

    line = run(main)
    assert line.heard() == [heard]
    assert line.played[0][1] is True


def test_what_is_played_to_its_end_is_heard_in_full() -> None:
    async def main() -> Line:
        line = Line()
        await line.speak(0.9)
        event = await line.mouth.wait_for_playout()
        assert not event.interrupted
        line.voice.cut()  # nothing is being said any more
        return line

    assert run(main).heard() == [TEXT]


def test_it_waits_for_the_caller_but_not_for_ever() -> None:
    async def main() -> tuple[float, float]:
        loop, starts = asyncio.get_running_loop(), []
        for leaves_off in (1.0, None):
            line, began = Line(quiet=False), loop.time()
            if leaves_off is not None:
                loop.call_later(leaves_off, line.calm.set)
            await line.speak(0.5)
            starts.append(loop.time() - began)
        return starts[0], starts[1]

    assert list(run(main)) == pytest.approx([1.0, PATIENCE_SECONDS])
