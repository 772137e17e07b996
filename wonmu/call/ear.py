"""When the caller has the floor, and when the caller's words are a turn (K2, S7, R54).

Takes what the recogniser reports, cuts the agent's speech as soon as words (not noise) come over
it, and hands a finished turn to the call. Kept here and not left to LiveKit, which drops words that
end while the talk changes hands and answers nobody while a tool runs. Decides nothing about what
words mean; it must never lose any.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from livekit.agents import Agent, AgentSession
from livekit.agents.voice.events import UserInputTranscribedEvent, UserStateChangedEvent

from wonmu.call.caller import is_noise
from wonmu.call.voice import Utterance

if TYPE_CHECKING:
    from wonmu.call.session import Call

SURE_WORDS = 2
"""Words from which on what is understood for now may cut the agent's speech. One word alone may
become one of the phrases that recognisers make of silence; its final text decides."""

_TOKEN = "ear"


class Ear:
    """The hearing of one call."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._seconds = 0.0
        self._words: list[str] = []
        self._over = False
        self._sound = False
        self._hearing = False
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._timer: asyncio.TimerHandle | None = None

    def listen(self, session: AgentSession[None], end_of_turn: float) -> None:
        """Take what this session's recogniser and voice detector report."""
        self._seconds = end_of_turn
        session.on("user_input_transcribed", self._transcribed)
        session.on("user_state_changed", self._state_changed)
        agents: set[Agent] = set()
        session.on("agent_state_changed", lambda _: agents.add(session.current_agent))

        async def let_go() -> None:
            self._stop_timer()
            self._done()
            for agent in agents:
                # Else LiveKit adds all words that the agent ever heard to the talk at its end,
                # unmasked, and logs them (N8).
                agent.update_options(stt=None)

        self._call.at_close.append(let_go)

    async def quiet(self) -> None:
        """Wait until the caller is not speaking."""
        await self._quiet.wait()

    def _transcribed(self, event: UserInputTranscribedEvent) -> None:
        """The recogniser understood something, finally or for now."""
        text = event.transcript.strip()
        if not text:
            return
        self._begin()
        words = " ".join([*self._words, text])
        if event.is_final or len(words.split()) >= SURE_WORDS:
            self._talk_over(words)
        if event.is_final:
            self._words.append(text)
            self._wait()
        else:
            self._stop_timer()

    def _state_changed(self, event: UserStateChangedEvent) -> None:
        """The voice detector, where there is one, hears the caller or does not any more."""
        self._sound = event.new_state == "speaking"
        if self._sound:
            self._begin()
            self._stop_timer()
        elif self._hearing:
            self._wait()

    def _begin(self) -> None:
        if self._hearing:
            return
        self._hearing = self._call.caller_speaks = True
        self._quiet.clear()
        # Held, so that the call is not "waiting" for a caller who is speaking.
        self._call.floor.hold(_TOKEN)

    def _talk_over(self, words: str) -> None:
        call = self._call
        if self._over or call.voice.speaking is None or call.state.latch.closed or is_noise(words):
            return
        self._over = True
        call.voice.cut()
        call.interrupt()

    def _wait(self) -> None:
        self._stop_timer()
        if not self._sound:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._seconds, self._turn)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _turn(self) -> None:
        self._timer = None
        words, over = " ".join(self._words), self._over
        if words:
            self._call.caller_says(words, barge_in=over)
            if over and is_noise(words):
                self._go_on()
        self._done()

    def _go_on(self) -> None:
        """What cut the agent was nobody's words after all: say again what was cut."""
        if (last := self._call.last_words) is not None:
            on_start, on_end = last.on_start, last.on_end
            self._call.speak(Utterance(last.text, last.line, on_start=on_start, on_end=on_end))

    def _done(self) -> None:
        self._words, self._over = [], False
        if self._hearing:
            self._hearing = self._call.caller_speaks = False
            self._quiet.set()
            self._call.floor.release(_TOKEN)
