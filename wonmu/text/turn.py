"""One turn in the hands of code: the visit, the memory, and the few things both need together.

Decides nothing; every change of step goes through here, so that each is an event (H2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wonmu.lines import Value
from wonmu.policy.verdict import Action
from wonmu.text.said import Said
from wonmu.text.state import Memory, Step
from wonmu.text.talk import Talk
from wonmu.timeline.events import Kind, Status


@dataclass(frozen=True, slots=True)
class Done:
    """How a tool ended: ``body`` is what a model may see of it, and all it may see."""

    status: Status
    body: Mapping[str, object]
    reason: str = ""


@dataclass(slots=True)
class Turn:
    """``memory`` is written back to the checkpoint when the node ends."""

    talk: Talk
    memory: Memory

    @property
    def text(self) -> str:
        """The visitor's words, masked."""
        return self.talk.text

    def go(self, step: Step) -> bool:
        """Change the step; False when it is that already."""
        before = self.memory.step
        if before is step:
            return False
        if before is Step.BOOKING and self.memory.booking is not None:
            # Left on the way, it can be taken up again (S7).
            self.memory.booking = {**self.memory.booking, "aside": True}
        self.memory.step = step
        data = {"from": before.value, "to": step.value}
        self.talk.recorder.write(Kind.STEP_CHANGED, data)
        return True

    def leave(self, line: str, /, **values: Value) -> None:
        """Leave a line of code to be said next, instead of a model's words."""
        self.memory.pending.append(self.talk.words(line, **values))

    def leave_said(self, *said: Said) -> None:
        self.memory.pending.extend(said)

    def leave_offer(self, line: str, action: Action, /, **values: Value) -> None:
        """The same, offering ``action``."""
        self.memory.pending.append(self.talk.offer(line, action, **values))
