"""The owner of the call, from the greeting to the goodbye (S1, S2, T1, T2).

It answers from what the hospital has published, lends the talk to tasks through its tools, and
takes the path of each exit. It holds no rule: gates, proposals and checks are asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import NOT_GIVEN, llm

from wonmu.call.context import trimmed
from wonmu.call.moves import AskModel, Move, SayText, UseTool
from wonmu.call.owner import Owner
from wonmu.call.tools.billing import billing_doors
from wonmu.call.tools.booking import (
    cancel_booking,
    change_booking,
    create_booking,
    inquire_booking,
)
from wonmu.call.tools.control import connect_person, end_call
from wonmu.call.voice import Utterance
from wonmu.korean.questions import is_question
from wonmu.policy.modes import BILLING_ACTIONS
from wonmu.policy.proposals import Closed, Declined, Kept, find_proposal
from wonmu.policy.stopping import says_goodbye, wants_more, wants_to_stop
from wonmu.policy.verdict import Action

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn, Choice

_TOOL_OF = {
    Action.BOOKING_CREATE: "create_booking",
    Action.BOOKING_INQUIRE: "inquire_booking",
    Action.BOOKING_CHANGE: "change_booking",
    Action.BOOKING_CANCEL: "cancel_booking",
    Action.CONNECT_PERSON: "connect_person",
    Action.END_CALL: "end_call",
}


class Supervisor(Owner):
    """One per call. ``back_from``: the talk of the agent that hands the call back; then nobody is
    greeted again, and the caller's last words are answered (R135)."""

    def __init__(self, call: Call, back_from: llm.ChatContext | None = None) -> None:
        self.call = call
        self._back = back_from is not None
        desk = call.desk
        super().__init__(
            instructions=call.lines.prompt(
                "supervisor",
                hospital=desk.hospital.name,
                facts=call.published.facts.text,
            ),
            tools=[
                create_booking(call),
                inquire_booking(call),
                change_booking(call),
                cancel_booking(call),
                *billing_doors(call),
                connect_person(call),
                end_call(call),
            ],
            chat_ctx=trimmed(back_from) if back_from is not None else NOT_GIVEN,
        )

    async def on_enter(self) -> None:
        if self._back:
            self.takes_over()
            return
        greeting = self.call.desk.hospital.greeting.text
        self.call.speak(Utterance(greeting, line="greeting"))
        if (menu := self.call.menu.announcement()) is not None:
            self.call.speak(Utterance(menu, line="menu.announce"))
        self.call.floor.release("start")

    def chosen(self, choice: Choice, turn: CallerTurn) -> Move:
        """A key is settled: its tool is forced; a question goes without tools (T6)."""
        if choice.action is None:
            return AskModel("none")
        if choice.action is Action.BILLING_ASK:
            # A key is no question yet: with a desk of its own that desk asks, else this one does.
            if "to_billing" in self.offered():
                return UseTool("to_billing", {"caller_words": choice.words})
            return SayText(self.call.lines.say("billing.what"), "billing.what")
        return UseTool(_TOOL_OF[choice.action], {"caller_words": choice.words})

    def accepts(self, action: Action, turn: CallerTurn) -> Move | None:
        words = {"caller_words": turn.text}
        if action not in BILLING_ACTIONS:
            tool = _TOOL_OF.get(action)
            return None if tool is None else UseTool(tool, words)
        if "ask_specialist" in self.offered():
            return UseTool("ask_specialist", {**words, "specialists": ["billing"]})
        return UseTool("to_billing", words) if "to_billing" in self.offered() else None

    def connects(self, turn: CallerTurn) -> Move:
        return UseTool("connect_person", {"caller_words": turn.text})

    def ends(self, turn: CallerTurn) -> Move:
        return UseTool("end_call", {"caller_words": turn.text})

    def first(self, turn: CallerTurn) -> Move | None:
        if self.call.state.booking is None or not wants_to_stop(turn.text):
            return None
        self.call.state.booking = None
        return SayText(self.call.lines.say("booking.stopped"), "booking.stopped")

    def takes(self, turn: CallerTurn) -> Move | None:
        """The closing question and what is no agreement to it (T8)."""
        match self.call.state.reading:
            case Kept(Action.END_CALL):
                return self.call.last_words
            case Declined(Action.END_CALL):
                return self._go_on()
            case Closed(Action.END_CALL) if wants_more(turn.text):
                return self._go_on()
            case _ if says_goodbye(turn.text):
                # Taking leave is no request to hang up, but the moment to ask for one.
                line = "gate.propose_end"
                return SayText(self.call.lines.say(line), line, on_end=self._propose_end)
            case _:
                return None

    def _go_on(self) -> SayText:
        return SayText(self.call.lines.say("ending.go_on"), "ending.go_on")

    def _propose_end(self, full: bool) -> None:
        if full:
            self.call.propose(Action.END_CALL)

    def follow_up(self, turn: CallerTurn, answered: str) -> SayText | None:
        """A booking left on the way is offered again once the other matter is answered (S7)."""
        state = self.call.state
        if state.booking is None or state.tool_open or not is_question(turn.text):
            return None
        if find_proposal(answered) is not None:
            return None
        line = "booking.go_on"
        return SayText(self.call.lines.say(line), line, on_end=self._propose_booking)

    def _propose_booking(self, full: bool) -> None:
        if full:
            self.call.propose(Action.BOOKING_CREATE)

    def situation(self) -> str:
        state = self.call.state
        open_now = state.proposals.open
        return self.call.lines.prompt(
            "supervisor_situation",
            proposed=open_now.value if open_now is not None else "none",
            booking="있음" if state.booking is not None else "없음",
        )
