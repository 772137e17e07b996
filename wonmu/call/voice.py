"""What was said, and how much of it was heard.

``Voice`` is the end of the speech path in text: it takes the words of each speech at the pace of a
voice, so that talking over the agent cuts it where it was. Planned words and heard words are kept
apart; only what passed through here in full counts as heard (consent, receipts, proposals).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from livekit.agents import AgentSession
from livekit.agents.voice import SpeechHandle, io

from wonmu.timeline.events import Kind
from wonmu.timeline.record import Recorder

SYLLABLES_PER_SECOND = 7.0
"""Pace of a spoken Korean announcement; only the proportions matter to the talk."""


@dataclass(slots=True)
class Utterance:
    """One speech of the agent. ``text`` grows while a model is still writing."""

    text: str
    line: str | None = None
    final: bool = False
    turn: int = 0
    begun: bool = False
    aside: bool = False
    """Not what "say that again" asks for (a prompt, a notice)."""
    on_start: Callable[[], None] | None = None
    on_end: Callable[[bool], None] | None = None
    """Called once with True when every word was heard."""
    on_done: Callable[[], None] | None = None
    """Called when the speech is over, spoken or not."""


def words_of(text: str) -> list[str]:
    """The text in pieces small enough to be cut between, white space kept."""
    return [word + " " for word in text.split()]


async def spoken(text: str) -> AsyncIterator[str]:
    """The text as a stream of words."""
    for word in words_of(text):
        yield word


class Voice(io.TextOutput):
    """Paces, records and reports every speech of one session."""

    def __init__(
        self,
        session: AgentSession[None],
        recorder: Recorder,
        mask: Callable[[str], str],
        may_speak: Callable[[Utterance], bool],
        on_heard: Callable[[Utterance, str, bool], None],
    ) -> None:
        super().__init__(label="wonmu-voice", next_in_chain=None)
        self._session = session
        self._recorder = recorder
        self._mask = mask
        self._may_speak = may_speak
        self._on_heard = on_heard
        self._known: dict[str, Utterance] = {}
        self._now: Utterance | None = None
        self._heard: list[str] = []

    def announce(self, handle: SpeechHandle, utterance: Utterance) -> None:
        """Say what a speech handle is going to speak."""
        self._known[handle.id] = utterance
        handle.add_done_callback(self._forget)

    def _forget(self, handle: SpeechHandle) -> None:
        self._known.pop(handle.id, None)

    @property
    def speaking(self) -> Utterance | None:
        return self._now

    async def capture_text(self, text: str) -> None:
        if self._now is None and not self._begin():
            return
        syllables = sum(1 for letter in text if letter.isalnum())
        await asyncio.sleep(syllables / SYLLABLES_PER_SECOND)
        self._heard.append(text)

    def cut(self) -> None:
        """The caller talks over the agent: what is being said ends here."""
        self.flush()

    def flush(self) -> None:
        heard = "".join(self._heard).strip()
        self._heard = []
        self._end(heard)

    def _end(self, heard: str) -> None:
        """Note the end of a speech of which ``heard`` was heard."""
        now, self._now = self._now, None
        if now is None:
            return
        full = heard.split() == now.text.split()
        data: dict[str, object] = {
            "text": self._mask(now.text.strip()),
            "heard": self._mask(now.text.strip()) if full else self._mask(heard),
            "full": full,
            "turn": now.turn,
            "line": now.line,
        }
        if now.final:
            data["final"] = True
        self._recorder.write(Kind.AGENT_SAID, data)
        if now.on_end is not None:
            now.on_end(full)
        self._on_heard(now, heard, full)

    def _begin(self) -> bool:
        """Note the start of a speech; False when nothing may be spoken any more."""
        handle = self._session.current_speech
        known = self._known.get(handle.id) if handle is not None else None
        planned = known or Utterance("")
        if not self._may_speak(planned):
            return False
        self._now = planned
        planned.begun = True
        self._recorder.write(
            Kind.AGENT_SPEAKING,
            {
                "text": self._mask(self._now.text.strip()),
                "turn": self._now.turn,
                "line": self._now.line,
            },
        )
        if self._now.on_start is not None:
            self._now.on_start()
        return True
