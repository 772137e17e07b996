"""The caller's side of a transfer: told once, then on hold until it is settled (P1, P3; R112).

Nothing the caller says here runs a tool. They can call it off; anything else is answered with the
truth that the line is being connected. It never dials and never ends the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import llm

from wonmu.call.hold import CALLED_OFF, END_CALL, Hold, TransferEnd
from wonmu.call.moves import Move, SayText, StaySilent
from wonmu.call.tasks.base import DeskTask
from wonmu.call.voice import Utterance
from wonmu.policy.holding import calls_off
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.stopping import says_goodbye
from wonmu.transfer.port import Briefing

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn


class TransferTask(DeskTask[TransferEnd]):
    """Lends the talk to the hold of one transfer."""

    name = "transfer"

    def __init__(
        self, call: Call, hold: Hold, briefing: Briefing, context: llm.ChatContext, *, line: str
    ) -> None:
        self._hold = hold
        self._briefing = briefing
        self._line = line
        super().__init__(call, instructions="", context=context)

    async def begin(self) -> None:
        words = self.call.lines.say(self._line, desk=desk_name(self.call))
        self.call.speak(Utterance(words, line=self._line, on_done=self._hold.music_on))
        self._hold.start(self._briefing, self.finish)

    def ended(self) -> None:
        self._hold.stop("task_over")

    def on_emergency(self) -> None:
        """The fixed words were spoken; a person is on the way already, so the hold goes on."""

    def decide(self, turn: CallerTurn) -> Move:
        if self.done() or self._hold.joining:
            return StaySilent(on_purpose=True)
        if calls_off(turn.text):
            self._hold.call_off(CALLED_OFF)
            return StaySilent()
        if read_intent(turn.text) is Intent.END_CALL or says_goodbye(turn.text):
            self._hold.call_off(END_CALL)
            return StaySilent()
        line = "transfer.holding"
        return SayText(self.call.lines.say(line), line)


def desk_name(call: Call) -> str:
    """What the people behind the line are called here."""
    desk = call.desk.hospital.desk
    return desk.name if desk is not None else call.lines.say("transfer.desk_name")
