"""Offers the agent made, and whether the caller took one up (T4, T5, T8).

A yes counts for exactly the action that was proposed in the agent's turn just before it, once.
It must never carry a yes over to another action or a later turn.

``turn`` is the number of the agent's turns so far: the turn that makes the proposal, and for the
caller's words the last agent's turn before them.
"""

from __future__ import annotations

from dataclasses import dataclass

from wonmu.policy.verdict import Action


@dataclass(frozen=True, slots=True)
class Accepted:
    action: Action


@dataclass(frozen=True, slots=True)
class Declined:
    action: Action


@dataclass(frozen=True, slots=True)
class Closed:
    """The proposal is gone without an answer to it."""

    action: Action


@dataclass(frozen=True, slots=True)
class Kept:
    """The caller did not understand; the proposal stays if the agent's next turn repeats it."""

    action: Action


ProposalReading = Accepted | Declined | Closed | Kept | None


class Proposals:
    """At most one open proposal and at most one accepted one."""

    def propose(self, action: Action, turn: int) -> Closed | None:
        """Open a proposal in the agent's turn ``turn``; an older one is closed by it."""
        raise NotImplementedError

    def agent_turn(self, turn: int) -> Closed | None:
        """The agent spoke a turn. A proposal of an earlier turn, or an unused yes, is closed."""
        raise NotImplementedError

    def caller_turn(self, words: str, turn: int) -> ProposalReading:
        """Read the caller's words. Anything but a plain yes closes; "네?" keeps (``Kept``)."""
        raise NotImplementedError

    @property
    def open(self) -> Action | None:
        raise NotImplementedError

    @property
    def accepted(self) -> Action | None:
        """What the caller's latest words agreed to, as long as it was not used."""
        raise NotImplementedError

    def use(self, action: Action) -> bool:
        """Spend the yes on ``action``; False if there is none for exactly this action."""
        raise NotImplementedError


def find_proposal(agent_text: str) -> Action | None:
    """The action that the agent's free text offers; the last question decides, None if none."""
    raise NotImplementedError
