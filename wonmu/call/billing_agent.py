"""The billing agent: owns the talk after the call was handed to the billing desk (H3, S2).

Own prompt, own voice, own rights. What it knows of the call is the last few things said; who was
identified and what is proven stay with the call and not in anybody's window. It greets nobody a
second time. Whatever is not billing goes back to the desk with the caller's last words, and so do
a wish for a person and the end of the call, unless the hospital gives it the right to do those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import llm
from livekit.agents.types import NOT_GIVEN

from wonmu.call.context import trimmed
from wonmu.call.moves import Move, SayText, UseTool
from wonmu.call.owner import Owner
from wonmu.call.tools.billing import billing_tools, hand_back
from wonmu.call.tools.control import connect_person, end_call
from wonmu.hospital.billing import VoiceRight
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.proposals import Declined
from wonmu.policy.stopping import says_goodbye
from wonmu.policy.verdict import Action

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn, Choice

_BACK = "back_to_desk"
_BOOKING = frozenset(
    {Intent.CREATE, Intent.INQUIRE, Intent.CHANGE, Intent.CANCEL, Intent.VAGUE_BOOKING}
)
_TOOL_OF = {
    Action.REFUND_REQUEST: "request_refund",
    Action.BILLING_ASK: "lookup_invoice",
    Action.CONNECT_PERSON: "connect_person",
    Action.END_CALL: "end_call",
}


class BillingAgent(Owner):
    """Made anew for each hand-over; the desk's own agent waits for nothing meanwhile."""

    def __init__(self, call: Call, context: llm.ChatContext) -> None:
        self.call = call
        desk, billing = call.desk, call.desk.hospital.billing
        self._rights = frozenset(billing.agent.rights if billing is not None else ())
        voice = billing.agent.voice if billing is not None else None
        tools: list[llm.Tool | llm.Toolset] = [*billing_tools(call), hand_back(call)]
        if VoiceRight.TRANSFER in self._rights:
            tools.append(connect_person(call))
        if VoiceRight.END in self._rights:
            tools.append(end_call(call))
        super().__init__(
            instructions=call.lines.prompt(
                "billing_agent",
                hospital=desk.hospital.name,
                facts=call.published.facts.text,
            ),
            chat_ctx=trimmed(context),
            tts=desk.voices.get(voice, NOT_GIVEN) if voice is not None else NOT_GIVEN,
            tools=tools,
        )

    async def on_enter(self) -> None:
        self.takes_over()

    def chosen(self, choice: Choice, turn: CallerTurn) -> Move:
        if choice.action is Action.BILLING_ASK:
            return SayText(self.call.lines.say("billing.what"), "billing.what")
        return self._back(turn)

    def accepts(self, action: Action, turn: CallerTurn) -> Move | None:
        tool = _TOOL_OF.get(action)
        return None if tool is None else self._may(tool, turn)

    def connects(self, turn: CallerTurn) -> Move:
        return self._may("connect_person", turn)

    def ends(self, turn: CallerTurn) -> Move:
        return self._may("end_call", turn)

    def takes(self, turn: CallerTurn) -> Move | None:
        if read_intent(turn.text) in _BOOKING:
            return self._back(turn)
        if says_goodbye(turn.text) or isinstance(self.call.state.reading, Declined):
            # The closing question belongs to the desk.
            return self._back(turn)
        return None

    def _may(self, tool: str, turn: CallerTurn) -> Move:
        """The tool, if this agent has it; else the desk does it."""
        if tool in self.offered():
            return UseTool(tool, {"caller_words": turn.text})
        return self._back(turn)

    def _back(self, turn: CallerTurn) -> UseTool:
        return UseTool(_BACK, {"caller_words": turn.text})

    def situation(self) -> str:
        open_now = self.call.state.proposals.open
        proposed = open_now.value if open_now is not None else "none"
        return self.call.lines.prompt("billing_agent_situation", proposed=proposed)
