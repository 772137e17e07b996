"""A caller who says nothing: asked again, then let go politely (N4, N11, R72, R77).

Counts only the quiet after the agent has finished. It never speaks while anything holds the floor
(a speech, a tool, a transfer) or while the keypad has a timer of its own, and what it says asks for
no yes: an answer to it agrees to nothing.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from wonmu.call.voice import Utterance

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn


class Silence:
    """The ladder of one call: so many prompts in a row, then the end."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._timer: asyncio.TimerHandle | None = None
        self._asked = 0
        self._bare_at = -1

    def wait(self) -> None:
        """The agent has finished; from now on silence is the caller's."""
        self.stop()
        seconds = self._call.desk.hospital.silence.ask_after_seconds
        self._timer = asyncio.get_running_loop().call_later(seconds, self._over)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def broken(self) -> None:
        """The caller spoke or pressed a key."""
        self.stop()
        self._asked = 0

    def came_between(self, turn: CallerTurn) -> bool:
        """Whether the last words before this turn were a prompt that put no question again."""
        return turn.after == self._bare_at

    def _over(self) -> None:
        self._timer = None
        call = self._call
        if call.state.latch.closed or call.floor.busy:
            return
        if call.keypad.armed:
            # Whoever waits for keys asks again by its own rules.
            self.wait()
        elif self._asked < call.desk.hospital.silence.asks:
            self._asked += 1
            call.speak(self._prompt())
        else:
            call.say_goodbye("silence", "silence.goodbye")

    def _prompt(self) -> Utterance:
        say = self._call.lines.say
        if self._asked == self._call.desk.hospital.silence.asks:
            return self._bare("silence.last")
        question = self._call.open_question()
        if question is None:
            return self._bare("silence.ask")
        if question.on_start is not None or question.on_end is not None:
            # A read-back counts only when it is put as itself, not wrapped in a prompt.
            return self._bare("silence.ask_short")
        line = "silence.ask_question"
        return Utterance(say(line, question=question.text), line=line, aside=True)

    def _bare(self, line: str) -> Utterance:
        return Utterance(self._call.lines.say(line), line=line, aside=True, on_start=self._began)

    def _began(self) -> None:
        self._bare_at = self._call.state.speeches
