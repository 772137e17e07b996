"""The end of a call that leads nowhere: a machine on the line, hold music, a talk for ever (R128).

A caller's turn led somewhere when a tool or a task succeeded, a condition changed, or an answer
came from the hospital's facts that was not given before. Decides only when it is enough; a call is
never ended in the middle of a speech, a tool or a transfer.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from wonmu.korean.folding import fold
from wonmu.timeline.events import Event, Kind, Status

if TYPE_CHECKING:
    from wonmu.call.session import Call

_RESULTS = frozenset(
    {Kind.BOOKING_STAGED, Kind.MEMO_STORED, Kind.TRANSFER_SETTLED, Kind.EMERGENCY_SPOKEN}
)
_LAYING = frozenset({"set_wish", "choose_time"})
"""Tools that succeed whatever they are given; the draft shows whether they changed anything."""

_RUN = 7
"""Syllables in a row that an answer shares with the facts; set phrases share fewer."""


class Limits:
    """Counts the turns and the minutes of one call."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._turn = 0
        self._empty = 0
        self._useful = False
        self._wish: object = None
        self._answers: set[str] = set()
        self._facts = ""
        self._timer: asyncio.TimerHandle | None = None
        self._too_long = False
        call.recorder.add_sink(self._note)

    def start(self) -> None:
        """The call was answered."""
        self._facts = self._call.published.facts.folded
        minutes = self._call.desk.hospital.limits.call_minutes
        self._timer = asyncio.get_running_loop().call_later(minutes * 60, self._over)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def reached(self) -> str | None:
        """The limit that is reached, asked when the agent has finished: an end reason or None."""
        if self._too_long:
            return "time_limit"
        self._settle()
        most = self._call.desk.hospital.limits.unproductive_turns
        return "turn_limit" if self._empty >= most else None

    def _over(self) -> None:
        self._too_long = True
        if not self._call.floor.busy and not self._call.state.latch.closed:
            self._call.end_at_limit("time_limit")

    def _settle(self) -> None:
        turn = self._call.state.turn
        if turn == self._turn:
            return
        wish = self._conditions()
        useful = self._useful or wish != self._wish
        self._empty = 0 if useful else self._empty + turn - self._turn
        self._turn, self._useful, self._wish = turn, False, wish

    def _conditions(self) -> object:
        opened = self._call.state.booking
        return None if opened is None else opened.draft.state.wish

    def _note(self, event: Event) -> None:
        self._useful = self._useful or self._leads_on(event)

    def _leads_on(self, event: Event) -> bool:
        match event.kind:
            case Kind.TOOL_ENDED:
                done = event.status in (Status.SUCCESS, Status.ESCALATED)
                return done and event.data["name"] not in _LAYING
            case Kind.TASK_LEFT:
                return event.status is Status.SUCCESS
            case Kind.AGENT_SAID:
                return event.data.get("line") == "model.answer" and self._is_news(event)
            case kind:
                return kind in _RESULTS

    def _is_news(self, event: Event) -> bool:
        """Whether the words hold a published fact and were not said before in this call."""
        words = fold(str(event.data.get("heard", "")))
        if words in self._answers:
            return False
        self._answers.add(words)
        return any(words[at : at + _RUN] in self._facts for at in range(len(words) - _RUN + 1))
