"""Base of all bounded tasks (S3–S6, S9).

A task enters, talks, and finishes exactly once with a typed result; it has a limit on turns and on
seconds, and a typed exit for both. It never awaits a reply or its playout, never hangs up, never
hands the call to anybody.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

from livekit.agents import AgentTask, llm

from wonmu.booking.result import ExitCode, Exited
from wonmu.call.context import trimmed
from wonmu.call.desk_agent import DeskVoice
from wonmu.call.moves import Move, StaySilent
from wonmu.call.people import want_person
from wonmu.korean.answers import is_bare_yes
from wonmu.timeline.events import Kind, Status
from wonmu.visit.leaving import wants_out

if TYPE_CHECKING:
    from livekit.agents.voice import SpeechHandle

    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn

R = TypeVar("R")

TURN_LIMIT = 24
"""Caller turns in one task; a booking with every change of mind fits in half of it."""
SECONDS_LIMIT = 420.0
"""Seconds one task may last."""


class DeskTask(DeskVoice, AgentTask[R | Exited], Generic[R]):
    """A bounded task with a typed result or a typed exit."""

    name = "task"
    turn_limit = TURN_LIMIT
    seconds_limit = SECONDS_LIMIT

    def __init__(
        self,
        call: Call,
        *,
        instructions: str,
        context: llm.ChatContext,
        tools: list[llm.Tool] | None = None,
    ) -> None:
        self.call = call
        self.lender: SpeechHandle | None = None
        self._turns = 0
        self._timer: asyncio.TimerHandle | None = None
        super().__init__(
            instructions=instructions, chat_ctx=trimmed(context), tools=list(tools or [])
        )

    # Life cycle ------------------------------------------------------------------------------

    async def on_enter(self) -> None:
        # An exception in on_enter would leave LiveKit waiting in this task for ever (trap 3).
        try:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self.seconds_limit, self._out_of_time)
            await self.begin()
        except Exception as error:  # noqa: BLE001 - the task boundary
            self.call.recorder.write(
                Kind.FAULT, {"where": f"{self.name}.on_enter", "error": type(error).__name__}
            )
            self.leave(ExitCode.SYSTEM_ERROR, "on_enter")
        finally:
            self.call.floor.release(self)

    async def on_exit(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.ended()

    async def begin(self) -> None:
        """Say the first words. Must not wait for them."""

    def ended(self) -> None:
        """Take listeners away."""

    def finish(self, result: R | Exited) -> None:
        """Give the talk back with a result, once."""
        if self.done():
            return
        if self.lender is not None:
            self.call.floor.unpark(self.lender)
        self.complete(result)

    def leave(self, code: ExitCode, detail: str = "") -> None:
        self.finish(Exited(code, detail))

    def _out_of_time(self) -> None:
        self.leave(ExitCode.TIME_LIMIT)

    # Turns -----------------------------------------------------------------------------------

    def decide(self, turn: CallerTurn) -> Move:
        self._turns += 1
        if self.done():
            return StaySilent()
        if self._turns > self.turn_limit:
            self.leave(ExitCode.TURN_LIMIT)
            return StaySilent()
        if turn.choice is not None:
            # The only key that reaches a task is the one for a person (R116).
            want_person(self.call, turn.text)
            self.leave(ExitCode.STAFF_CONNECTION)
            return StaySilent()
        if self._answers_a_prompt(turn) and (question := self.open_question()) is not None:
            return question
        if not self.answers(turn) and (code := self._wants_out(turn)) is not None:
            if code is ExitCode.STAFF_CONNECTION:
                want_person(self.call, turn.text)
            self.leave(code)
            return StaySilent()
        return self.take(turn)

    def _answers_a_prompt(self, turn: CallerTurn) -> bool:
        """A yes to "do you hear me?" answers nothing else."""
        return self.call.silence.came_between(turn) and is_bare_yes(turn.text)

    def take(self, turn: CallerTurn) -> Move:
        """What to do with a turn that belongs to this task."""
        raise NotImplementedError

    def on_emergency(self) -> None:
        self.leave(ExitCode.EMERGENCY)

    def _wants_out(self, turn: CallerTurn) -> ExitCode | None:
        """Leaving is decided from the caller's words, in every state of every task (S7, R116)."""
        return wants_out(turn.text)

    def answers(self, turn: CallerTurn) -> bool:
        """Whether the turn plainly answers this task's own question ("나중에 할게요")."""
        return False


def outcome_of(result: object) -> tuple[Status, str, str]:
    """Status, outcome and reason of a result, for the timeline."""
    if isinstance(result, Exited):
        return Status.EXITED, "exited", result.code.value
    return Status.SUCCESS, "completed", ""
