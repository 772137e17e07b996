"""Sound on the line: what was heard is what was played (S2, N1, K2).

With sound the words of a speech come all at once and the loudspeaker takes its time with them, so
the loudspeaker's own report decides when a speech began, and how much of it was heard when it is
cut. Nothing is played after a terminal result but the planned goodbye (N5), and nothing is begun
while the caller is speaking.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from livekit import rtc
from livekit.agents import AgentSession, stt, tts, vad
from livekit.agents.types import USERDATA_TIMED_TRANSCRIPT
from livekit.agents.voice import io

from wonmu.call.models import NoModel
from wonmu.call.voice import Utterance, Voice, words_of

if TYPE_CHECKING:
    from livekit.agents.voice.turn import TurnHandlingOptions

    from wonmu.call.session import Call

PATIENCE_SECONDS = 3.0
"""Longest wait for a caller's words to end before the agent speaks all the same: a television is
never silent, and after 4 s of silence a caller must hear something (N11)."""

EPSILON = 1e-3
"""A word is heard if it ended no later than this after the cut: the clocks' rounding, in s."""

TURN_HANDLING: TurnHandlingOptions = {
    # The turn is taken by ``Ear``: LiveKit's own way drops the words that end during a handover
    # and waits up to 5 s for a running tool before it hands them on.
    "turn_detection": "manual",
    # Words said over an uninterruptible moment (a write) must still be recognised.
    "interruption": {"resume_false_interruption": False, "discard_audio_if_uninterruptible": False},
    # Words are masked, and proposals closed, before any model is asked (N8, T5).
    "preemptive_generation": {"enabled": False},
}


@dataclass(frozen=True, slots=True)
class Sound:
    """What a call with sound is given.

    ``end_of_turn``: seconds of quiet after the recogniser's final words until they are a turn.
    """

    stt: stt.STT[Any]
    tts: tts.TTS[Any]
    microphone: io.AudioInput
    loudspeaker: io.AudioOutput
    vad: vad.VAD | None = None
    end_of_turn: float = 0.5


class SoundVoice(Voice):
    """The voice of a session whose words are played: takes them at once, and is told the rest."""

    _text = ""
    _whole = False

    async def capture_text(self, text: str) -> None:
        if self._whole:
            self._text, self._whole = "", False
        self._text += text

    def flush(self) -> None:
        """The words are complete; whether they are heard is the loudspeaker's business."""
        self._whole = True

    def cut(self) -> None:
        self.stop()

    def stop(self) -> None:
        """Replaced by the mouth."""

    def starts(self) -> bool:
        """The first sound of a speech; False when nothing may be spoken any more."""
        return self._now is not None or self._begin()

    def ends(self, heard: Callable[[str], str]) -> str:
        """The sound is over; ``heard`` tells what of the text was played."""
        words = heard(self._text).strip()
        self._text, self._whole = "", False
        self._end(words)
        return words


class Mouth(io.AudioOutput):
    """Stands before the loudspeaker: lets sound through or not, and reports what was played."""

    def __init__(
        self, voice: SoundVoice, loudspeaker: io.AudioOutput, quiet: Callable[[], Awaitable[None]]
    ) -> None:
        super().__init__(
            label="wonmu-mouth",
            capabilities=io.AudioOutputCapabilities(pause=False),
            next_in_chain=loudspeaker,
            sample_rate=loudspeaker.sample_rate,
        )
        self._voice = voice
        self._quiet = quiet
        self._open = False
        self._dumb = False
        self._given = 0.0
        self._timed: list[tuple[str, float]] = []
        voice.stop = self.clear_buffer  # type: ignore[method-assign]

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        if not self._open:
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await self._quiet()
            self._open, self._dumb = True, not self._voice.starts()
            self._given, self._timed = 0.0, []
        if self._dumb or self.next_in_chain is None:
            return
        await super().capture_frame(frame)
        self._given += frame.duration
        for word in frame.userdata.get(USERDATA_TIMED_TRANSCRIPT, []):
            if isinstance(word, io.TimedString) and isinstance(word.end_time, float):
                self._timed.append((str(word), word.end_time))
        await self.next_in_chain.capture_frame(frame)

    def flush(self) -> None:
        super().flush()
        self._open = False
        if self.next_in_chain is not None:
            self.next_in_chain.flush()

    def clear_buffer(self) -> None:
        if self.next_in_chain is not None:
            self.next_in_chain.clear_buffer()

    def on_playback_finished(
        self,
        *,
        playback_position: float,
        interrupted: bool,
        synchronized_transcript: str | None = None,
    ) -> None:
        def heard(text: str) -> str:
            if not interrupted:
                return text
            if synchronized_transcript is not None:
                return synchronized_transcript
            return self._played(text, playback_position)

        words = self._voice.ends(heard)
        # The conversation's memory holds what was heard, not what was planned.
        super().on_playback_finished(
            playback_position=playback_position,
            interrupted=interrupted,
            synchronized_transcript=words if interrupted else synchronized_transcript,
        )

    def _played(self, text: str, seconds: float) -> str:
        """The words whose sound was over after so many seconds."""
        if self._timed:
            return "".join(word for word, end in self._timed if end <= seconds + EPSILON)
        words = words_of(text)
        lengths = [sum(1 for letter in word if letter.isalnum()) for word in words]
        pace = sum(lengths) / self._given if self._given else 0.0
        said = 0
        for number, length in enumerate(lengths):
            said += length
            if said > (seconds + EPSILON) * pace:
                return "".join(words[:number])
        return text


def session_for(sound: Sound | None) -> AgentSession[None]:
    """A session of words, or one of sound."""
    if sound is None:
        return AgentSession(
            llm=NoModel(),
            vad=None,
            turn_handling={"turn_detection": None},
            max_tool_steps=1,
            user_away_timeout=None,
        )
    session: AgentSession[None] = AgentSession(
        llm=NoModel(),
        stt=sound.stt,
        tts=sound.tts,
        vad=sound.vad,
        turn_handling=TURN_HANDLING,
        max_tool_steps=1,
        user_away_timeout=None,
        # The filters of LiveKit hold words back until a sentence ends; ours are plain words.
        tts_text_transforms=None,
        # Words that were no turn when the caller hung up are nobody's.
        session_close_transcript_timeout=0.0,
        # There is no echo to cancel on a telephone line; a caller may talk over the greeting.
        aec_warmup_duration=None,
    )
    session.input.audio = sound.microphone
    return session


def voice_for(
    call: Call,
    sound: Sound | None,
    may_speak: Callable[[Utterance], bool],
    on_heard: Callable[[Utterance, str, bool], None],
) -> Voice:
    """The voice of a call, connected to its session's outputs and to its ear."""
    made = Voice if sound is None else SoundVoice
    voice = made(call.session, call.recorder, call.masked, may_speak, on_heard)
    if isinstance(voice, SoundVoice) and sound is not None:
        call.session.output.audio = Mouth(voice, sound.loudspeaker, call.ear.quiet)
        call.ear.listen(call.session, sound.end_of_turn)
    call.session.output.transcription = voice
    return voice
