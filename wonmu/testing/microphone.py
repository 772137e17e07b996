"""The microphone of the simulated line, and the recogniser that understands it.

The caller's words travel as marks on the frames of sound, through the session's own path, to a
recogniser that stands where a provider's stands: start of speech, what is understood so far, the
final words, end of speech. While the caller is silent no frame is sent (as on lines that suppress
silence). Each mark is repeated, since the session loses frames while the talk changes hands.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from livekit import rtc
from livekit.agents import stt
from livekit.agents.language import LanguageCode
from livekit.agents.types import (
    DEFAULT_API_CONNECT_OPTIONS,
    NOT_GIVEN,
    APIConnectOptions,
    NotGivenOr,
)
from livekit.agents.utils import AudioBuffer
from livekit.agents.voice import io

from wonmu.testing.loudspeaker import SAMPLE_RATE

FRAME_SECONDS = 0.1
MARK = "wonmu.heard"
REPEATS = 5
"""How often the end of the words is marked; half a second outlasts any change of hands."""

FINAL_SECONDS = 0.3
"""From the end of the words to the recogniser's final text."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What the caller has said so far of one utterance."""

    number: int
    words: str
    final: bool = False


class Microphone(io.AudioInput):
    """Frames of the caller's side."""

    def __init__(self) -> None:
        super().__init__(label="simulated-microphone")
        self._frames: asyncio.Queue[rtc.AudioFrame] = asyncio.Queue()
        self._number = 0
        self._tails: set[asyncio.Task[None]] = set()

    async def __anext__(self) -> rtc.AudioFrame:
        return await self._frames.get()

    async def speak(self, text: str, seconds: float) -> None:
        """Say the text in so many seconds; returns when the words are over."""
        self._number += 1
        number, loop = self._number, asyncio.get_running_loop()
        began = loop.time()
        while (left := began + seconds - loop.time()) > FRAME_SECONDS:
            await asyncio.sleep(FRAME_SECONDS)
            said = (loop.time() - began) / seconds
            self._mark(Heard(number, _first(text, said)))
        await asyncio.sleep(max(0.0, left))
        self._mark(Heard(number, text, final=True))
        tail = asyncio.create_task(self._after(Heard(number, text, final=True)))
        self._tails.add(tail)
        tail.add_done_callback(self._tails.discard)

    def stop(self) -> None:
        """The caller is gone."""
        for tail in self._tails:
            tail.cancel()

    async def _after(self, heard: Heard) -> None:
        for _ in range(REPEATS - 1):
            await asyncio.sleep(FRAME_SECONDS)
            self._mark(heard)

    def _mark(self, heard: Heard) -> None:
        samples = int(SAMPLE_RATE * FRAME_SECONDS)
        frame = rtc.AudioFrame(bytes(2 * samples), SAMPLE_RATE, 1, samples, userdata={MARK: heard})
        self._frames.put_nowait(frame)


def _first(text: str, share: float) -> str:
    """The whole words within that share of the text."""
    letters = int(len(text) * share)
    return text if letters >= len(text) else text[: text.rfind(" ", 0, letters + 1) + 1].strip()


class ScriptedRecogniser(stt.STT[str]):
    """Understands every word, or what the script says it makes of them."""

    def __init__(self) -> None:
        super().__init__(
            capabilities=stt.STTCapabilities(
                streaming=True, interim_results=True, offline_recognize=False
            )
        )

    async def _recognize_impl(
        self,
        buffer: AudioBuffer,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> stt.SpeechEvent:
        raise NotImplementedError("the scripted recogniser streams")

    def stream(
        self,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> stt.RecognizeStream:
        return _Understanding(stt=self, conn_options=conn_options)


class _Understanding(stt.RecognizeStream):
    _number = 0
    _over = 0
    _words = ""

    async def _run(self) -> None:
        async for frame in self._input_ch:
            heard = frame.userdata.get(MARK) if isinstance(frame, rtc.AudioFrame) else None
            if isinstance(heard, Heard) and heard.number > self._over:
                await self._understand(heard)

    async def _understand(self, heard: Heard) -> None:
        if heard.number != self._number:
            self._number, self._words = heard.number, ""
            self._tell(stt.SpeechEventType.START_OF_SPEECH)
        if heard.words != self._words:
            self._words = heard.words
            self._tell(stt.SpeechEventType.INTERIM_TRANSCRIPT, heard.words)
        if heard.final:
            self._over = heard.number
            await asyncio.sleep(FINAL_SECONDS)
            self._tell(stt.SpeechEventType.FINAL_TRANSCRIPT, heard.words)
            self._tell(stt.SpeechEventType.END_OF_SPEECH)

    def _tell(self, kind: stt.SpeechEventType, words: str = "") -> None:
        data = [stt.SpeechData(language=LanguageCode("ko"), text=words)] if words else []
        self._event_ch.send_nowait(stt.SpeechEvent(type=kind, alternatives=data))
