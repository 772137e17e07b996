"""One specialist's own window: an agent, made for one question and forgotten (H1).

Decides how far the agent may go: so many model calls, no tool twice with the same arguments, an end
as soon as the ledger failed or identity is missing. The window holds the prompt, the question and
what its own tools answered; nothing of the caller's talk, nothing of an agent around it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.types import Command

from wonmu.desk.agents.answer import Failed, NeedsIdentity, Question, WhyFailed
from wonmu.desk.agents.chat_model import LadderChat
from wonmu.desk.agents.specialist import Specialist, Stopped, Tally, Workroom
from wonmu.desk.agents.toolset import toolset
from wonmu.desk.agents.untraced import untraced
from wonmu.desk.agents.watch import TimelineWatch
from wonmu.desk.billing.results import IdentityNeeded, LedgerDown, NotOffered
from wonmu.desk.billing.work import BillingTools
from wonmu.timeline.events import Kind

REPEATS = 2
"""The same call may come back once and gets the earlier answer; at the second it never ends."""

INVALID_ARGUMENTS = json.dumps({"error": "invalid_arguments"})


async def last_words(
    specialist: Specialist,
    question: Question,
    room: Workroom,
    tools: BillingTools,
    tally: Tally,
) -> str:
    """The text of the last message.

    Raises:
        Stopped: the answer is settled otherwise.
        ModelFailure: no model, not even the built-in one, gave anything usable.
    """
    prompt = room.lines.prompt(f"specialist_{specialist.name}", hospital=room.hospital)
    limits = _Limits(specialist, room, tools, tally, _situation(specialist, question, room))
    model = LadderChat(
        rungs=room.rungs, limits=room.model_limits, watch=TimelineWatch(room.recorder)
    )
    # A model call and a tool call are one step of the graph each; the middleware stops it earlier.
    config: RunnableConfig = {"recursion_limit": 2 * room.limits.steps + 5}
    with untraced(), _by_itself():
        agent = create_agent(
            model,
            toolset(specialist.tools, tools, room.lines),
            system_prompt=prompt,
            middleware=[limits],
        )
        state = await agent.ainvoke({"messages": [HumanMessage(question.words)]}, config)
    last = state["messages"][-1]
    return str(last.text) if isinstance(last, AIMessage) and not last.tool_calls else ""


@contextmanager
def _by_itself() -> Iterator[None]:
    """An agent asked from inside another one's tool would else take over its callbacks, its
    streams and its checkpoints, and its steps would show there."""
    token = var_child_runnable_config.set(None)
    try:
        yield
    finally:
        var_child_runnable_config.reset(token)


def _situation(specialist: Specialist, question: Question, room: Workroom) -> str:
    identified = "not_identified" if question.patient is None else "identified"
    return room.lines.prompt(
        "specialist_situation",
        name=specialist.name,
        today=room.clock.now().date().isoformat(),
        identified=room.lines.say(f"specialist.{identified}"),
    )


class _Limits(AgentMiddleware[Any, Any]):
    """Counts, cuts repeats, and writes each step to the timeline."""

    def __init__(
        self,
        specialist: Specialist,
        room: Workroom,
        work: BillingTools,
        tally: Tally,
        situation: str,
    ) -> None:
        super().__init__()
        self._specialist = specialist
        self._room = room
        self._work = work
        self._tally = tally
        self._situation = SystemMessage(situation)
        self._answered: dict[str, str] = {}
        self._repeats = 0

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        if self._tally.model_calls >= self._room.limits.steps:
            raise Stopped(Failed(WhyFailed.STEPS))
        self._tally.model_calls += 1
        return await handler(request.override(messages=[*request.messages, self._situation]))

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        call = request.tool_call
        name, key = call["name"], json.dumps([call["name"], call["args"]], sort_keys=True)
        if (earlier := self._answered.get(key)) is not None:
            self._step(name, "repeated")
            self._repeats += 1
            if self._repeats >= REPEATS:
                raise Stopped(Failed(WhyFailed.STEPS))
            return ToolMessage(earlier, name=name, tool_call_id=call["id"])
        message = await self._run(request, handler)
        self._answered[key] = str(message.text)
        self._settle()
        return message

    async def _run(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage:
        call = request.tool_call
        before = len(self._work.results)
        message = await handler(request)
        # LangChain tells a model in English what was wrong with its arguments.
        if len(self._work.results) == before or not isinstance(message, ToolMessage):
            message = ToolMessage(INVALID_ARGUMENTS, name=call["name"], tool_call_id=call["id"])
            self._step(call["name"], "invalid_arguments")
        else:
            self._step(call["name"], self._status())
        return message

    def _status(self) -> str:
        match self._work.results[-1]:
            case LedgerDown(fault):
                return f"ledger_{fault.value}"
            case IdentityNeeded():
                return "identity_needed"
            case NotOffered(why):
                return why.value
        return "ok"

    def _settle(self) -> None:
        """Nothing a model could add would change these."""
        if self._work.fault is not None:
            raise Stopped(Failed(WhyFailed.LEDGER, self._work.fault))
        if self._work.identity_needed:
            raise Stopped(NeedsIdentity())

    def _step(self, tool: str, status: str) -> None:
        data = {"name": self._specialist.name, "tool": tool, "status": status}
        self._room.recorder.write(Kind.SPECIALIST_STEP, data)
