"""Whoever owns the talk: the desk's own agent, or the billing agent a call was handed to (S1, H3).

What every owner decides before a model is asked, in one order: work under way, a key, a yes to an
offer, taking back what was asked for last, a person and the end, "is it done?", help on its way.
What differs (who may connect and end, what else is taken up) each owner says itself. It also keeps
the floor while the talk changes hands, so that nobody waits for a caller who has spoken.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from livekit.agents import Agent, llm

from wonmu.call.desk_agent import DeskVoice
from wonmu.call.flows.billing import undoes_request
from wonmu.call.meanwhile import answer_meanwhile
from wonmu.call.moves import AskModel, Move, SayText
from wonmu.call.people import want_person
from wonmu.korean.answers import Answer, read_answer
from wonmu.policy.asking_done import asks_if_done
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn, Choice

_HELP = ("119", "일일구", "응급실", "구급차")

LONGEST_CHANGE = 3.0
"""Seconds; a change of hands that never comes must not hold the floor (N11)."""


class Owner(DeskVoice, Agent):
    """Mixed from what all our agents share and what only owners decide."""

    # What a kind of owner decides for itself -------------------------------------------------

    def chosen(self, choice: Choice, turn: CallerTurn) -> Move:
        """A key of the menu is settled (T6)."""
        raise NotImplementedError

    def accepts(self, action: Action, turn: CallerTurn) -> Move | None:
        """A yes to an offer of ``action``; it was read by code, so no model chooses what it was
        a yes to. None: this owner knows nothing of it."""
        raise NotImplementedError

    def connects(self, turn: CallerTurn) -> Move:
        """The caller wants a person (T5)."""
        raise NotImplementedError

    def ends(self, turn: CallerTurn) -> Move:
        """The caller wants the call to end (T8)."""
        raise NotImplementedError

    def first(self, turn: CallerTurn) -> Move | None:
        """What comes before any wish is read."""
        return None

    def takes(self, turn: CallerTurn) -> Move | None:
        """What else code takes up, behind everything that all owners share."""
        return None

    # What they share -------------------------------------------------------------------------

    def decide(self, turn: CallerTurn) -> Move:
        state = self.call.state
        if state.tool_open:
            # A tool reads or writes: the caller is answered, an unwanted read ends (A2, A5).
            return answer_meanwhile(self.call, turn)
        if turn.choice is not None:
            return self.chosen(turn.choice, turn)
        accepted = state.proposals.accepted
        if accepted is not None and (used := self.accepts(accepted, turn)) is not None:
            return used
        if (early := self.first(turn) or undoes_request(self.call, turn)) is not None:
            return early
        match read_intent(turn.text):
            # Carried out on the caller's word alone, whatever a model makes of it (T5, T8).
            case Intent.PERSON:
                want_person(self.call, turn.text)
                return self.connects(turn)
            case Intent.END_CALL:
                return self.ends(turn)
            case _:
                pass
        if state.written is not None and self._asks_if_done(turn):
            return state.written
        if self._goes_for_help(turn):
            return SayText(self.call.lines.say("emergency.go"), "emergency.go")
        if (taken := self.takes(turn)) is not None:
            return taken
        if read_answer(turn.text).answer is Answer.REPEAT and self.call.last_words is not None:
            return self.call.last_words
        return AskModel()

    def _asks_if_done(self, turn: CallerTurn) -> bool:
        """ "예약된 거죠?" after a receipt: the receipt says it best (T12)."""
        wish = read_intent(turn.text)
        return wish in (Intent.NONE, Intent.VAGUE_BOOKING) and asks_if_done(turn.text)

    def _goes_for_help(self, turn: CallerTurn) -> bool:
        """The caller takes up the fixed words about 119."""
        last = self.call.last_words
        after_flag = last is not None and last.line == "emergency.instructions"
        return after_flag and any(word in turn.text for word in _HELP)

    def offered(self) -> set[str]:
        """Names of this owner's tools."""
        return {each.id for each in self.tools if isinstance(each, llm.Tool)}

    # Changing hands --------------------------------------------------------------------------

    def takes_over(self) -> None:
        """The talk is this owner's now: the words that led here are answered; nobody is greeted
        and nothing is asked anew (R135)."""
        self.call.answer_again()
        self.call.floor.release(_token(self.call))


def changes_owner(call: Call, left: str, to: str) -> None:
    """Written down when the tool that hands the talk over returns; holds the floor until the new
    owner ``takes_over``."""
    billing = call.desk.hospital.billing
    agent = billing.agent if billing is not None and to == "billing" else None
    data = {
        "from": left,
        "to": to,
        "voice": agent.voice if agent is not None else None,
        "rights": [right.value for right in agent.rights] if agent is not None else None,
    }
    call.recorder.write(Kind.OWNER_CHANGED, data)
    call.state.handovers += 1
    token = _token(call)
    call.floor.hold(token)
    loop = asyncio.get_running_loop()
    loop.call_later(LONGEST_CHANGE, lambda: call.floor.release(token))


def _token(call: Call) -> tuple[str, int]:
    """Each change has its own, so that the limit of one never ends the next."""
    return "owner", call.state.handovers
