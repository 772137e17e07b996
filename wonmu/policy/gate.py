"""The gate in front of every acting tool (T3–T7, N4, N10).

Decides from what the caller really said and what code saw accepted, never from the model's
arguments alone. A fault inside it is a refusal; it must never fail open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wonmu.policy.modes import Modes
from wonmu.policy.verdict import Action, Verdict


@dataclass(frozen=True, slots=True)
class GateRequest:
    """Everything the gate looks at.

    ``caller_words``: what the model hands in as the caller's words. ``heard_turns``: what the
    caller said, oldest first; pass only turns that may still count (after an exit: the later
    ones). ``accepted``: ``Proposals.accepted``. ``ended``: the terminal latch is closed.
    ``task_open``: a task has the talk. ``urgent``: a red flag was heard and the fixed words were
    not spoken yet.
    """

    action: Action
    caller_words: str
    heard_turns: Sequence[str]
    modes: Modes
    accepted: Action | None = None
    ended: bool = False
    task_open: bool = False
    urgent: bool = False


def decide(request: GateRequest) -> Verdict:
    """The verdict, in this order: ended, urgent, task open, words said, wish, mode."""
    raise NotImplementedError
