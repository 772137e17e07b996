"""A voice whose sound lasts as long as its words would (design: time and sound in tests).

Stands where a provider's voice stands. The sound is silence of the right length, each word with its
time, so that a cut tells which words were heard.
"""

from __future__ import annotations

from livekit.agents import tts
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, APIConnectOptions
from livekit.agents.voice import io

from wonmu.testing.loudspeaker import SAMPLE_RATE
from wonmu.testing.script import spoken_seconds

LEAST_SECONDS = 0.05
"""A text of signs only still makes a sound, else the session takes the voice for broken."""


class TimedVoice(tts.TTS[str]):
    """Speaks at the pace of an announcement, without any delay of its own."""

    def __init__(self) -> None:
        super().__init__(
            capabilities=tts.TTSCapabilities(streaming=True, aligned_transcript=True),
            sample_rate=SAMPLE_RATE,
            num_channels=1,
        )

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.ChunkedStream:
        raise NotImplementedError("the timed voice streams; the session never asks for a file")

    def stream(
        self, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.SynthesizeStream:
        return _Spoken(tts=self, conn_options=conn_options)


class _Spoken(tts.SynthesizeStream):
    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(
            request_id="timed",
            sample_rate=SAMPLE_RATE,
            num_channels=1,
            mime_type="audio/pcm",
            stream=True,
        )
        output_emitter.start_segment(segment_id="timed")
        end = 0.0
        samples = 0
        async for word in self._input_ch:
            if not isinstance(word, str):
                output_emitter.flush()
                continue
            self._mark_started()
            end += spoken_seconds(word) or (LEAST_SECONDS if end == 0.0 else 0.0)
            # Whole samples only, and no rounding that adds up.
            more = round(end * SAMPLE_RATE) - samples
            samples += more
            output_emitter.push_timed_transcript(io.TimedString(word, end_time=end))
            output_emitter.push(bytes(2 * more))
        output_emitter.end_segment()
