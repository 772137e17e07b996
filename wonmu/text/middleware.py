"""The one middleware of the text desk: just before each model call it reads the step (H2).

Code decides first, and its words or its call of a tool become the answer without a model; else the
step's prompt and tools are put in. Every node of the graph ends by writing what code knows back to
the checkpoint, together with the message. It must never let a call of another step's tool run, nor
leave a call without its answer.
"""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain.agents.middleware.types import (
    AgentMiddleware,
    ExtendedModelResponse,
    ModelRequest,
    ModelResponse,
    ToolCallRequest,
)
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.types import Command
from pydantic import ValidationError

from wonmu.errors import ModelFailure, ProgrammingError
from wonmu.model.port import Tool
from wonmu.policy.intent import Intent, read_intents
from wonmu.text import booking
from wonmu.text.asking import MODEL_LINE, ask, behind, words_of
from wonmu.text.deciding import decide
from wonmu.text.history import call_of, made_by_code
from wonmu.text.moves import Ask, Move, Speak, Use
from wonmu.text.said import Said
from wonmu.text.state import DeskState, Memory, Step
from wonmu.text.steps import BILLING_TOOLS, CERTIFICATE_TOOLS, TO, home_of, tools_at
from wonmu.text.talk import Talk, sentences
from wonmu.text.tools import TOOLS
from wonmu.text.turn import Done, Turn
from wonmu.timeline.events import Kind, Status

log = logging.getLogger(__name__)

_READS = frozenset({*BILLING_TOOLS, *CERTIFICATE_TOOLS, "ask_specialist"})
"""Work that is over when it was told."""
_BOOKING_WISHES = frozenset(
    {Intent.CREATE, Intent.INQUIRE, Intent.CHANGE, Intent.CANCEL, Intent.VAGUE_BOOKING}
)


class DeskMiddleware(AgentMiddleware[DeskState, Any, Any]):
    """State in, one message and the new state out."""

    state_schema = DeskState

    def __init__(self, wire: Mapping[str, Tool]) -> None:
        super().__init__()
        self._wire = wire

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ExtendedModelResponse[Any]:
        turn = Turn(_talk(request.runtime), Memory.of(request.state))
        message = await _Answer(turn, request, handler, self._wire).message()
        update: Command[Any] = Command(update=turn.memory.channels())
        return ExtendedModelResponse(ModelResponse([message]), update)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        """Run a tool here and not in LangChain's: its words and its state go together."""
        state: Mapping[str, Any] = request.state
        turn = Turn(_talk(request.runtime), Memory.of(state))
        call = request.tool_call
        forced = made_by_code(state["messages"], str(call["id"]))
        done = await run_tool(turn, call["name"], call["args"], forced=forced)
        text = json.dumps(done.body, ensure_ascii=False)
        answer = ToolMessage(text, tool_call_id=str(call["id"]), name=call["name"])
        return Command(update={**turn.memory.channels(), "messages": [answer]})


def _talk(runtime: Any) -> Talk:
    """The visit that a run is for; handed in as the run's context."""
    talk = runtime.context
    if not isinstance(talk, Talk):
        raise ProgrammingError("the graph of the text desk ran without a visit")
    return talk


class _Answer:
    """One answer: words, or one call of a tool."""

    def __init__(
        self,
        turn: Turn,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
        wire: Mapping[str, Tool],
    ) -> None:
        self._wire = wire
        self._turn = turn
        self._request = request
        self._handler = handler
        self._said: list[str] = []

    async def message(self) -> AIMessage:
        turn = self._turn
        move = await self._move()
        while True:
            match move:
                case Speak(said):
                    turn.memory.pending = [*turn.memory.pending, *said]
                    self._say_pending()
                    return AIMessage(content=" ".join(self._said))
                case Use(tool, arguments):
                    return self._call(tool, dict(arguments))
                case Ask():
                    self._say_pending()  # what must be said of something that was left
                    return await self._ask(move)

    async def _move(self) -> Move:
        turn, last = self._turn, self._request.messages[-1]
        if (tool := turn.memory.then) != "":
            turn.memory.then = ""
            return Use(tool)
        if turn.memory.pending:
            self._say_pending()
            other = self._other_wish()
            return other if other is not None else Speak(())
        if isinstance(last, HumanMessage):
            return await decide(turn)
        rules = turn.talk.text_desk.rules
        if turn.memory.asked >= rules.asked:
            return Speak((turn.talk.words("text.too_many"),))
        return Ask()

    def _say_pending(self) -> None:
        turn = self._turn
        pending, turn.memory.pending = turn.memory.pending, []
        for said in pending:
            if turn.talk.say(said):
                self._said.append(said.text)
                if said.readback is not None:
                    booking.heard(turn, said.readback)

    def _other_wish(self) -> Use | None:
        """A booking asked for in the same breath as a bill that was just told (R133)."""
        turn, last = self._turn, self._request.messages[-1]
        told = isinstance(last, ToolMessage) and last.name in (*BILLING_TOOLS, *CERTIFICATE_TOOLS)
        busy = turn.memory.form is not None or turn.memory.step is Step.BOOKING
        if not told or busy or turn.talk.state.latch.closed:
            return None
        if not _BOOKING_WISHES & set(read_intents(turn.text)):
            return None
        return Use(TO[Step.BOOKING], {"caller_words": turn.text})

    def _call(self, tool: str, arguments: dict[str, object], *, by_code: bool = True) -> AIMessage:
        turn = self._turn
        home = home_of(tool, turn.talk.desk.hospital)
        if by_code and home is not None:
            turn.go(home)
        id = f"use-{turn.memory.turn}-{self._calls() + 1}"
        text = " ".join(self._said)
        return call_of(tool, arguments, id, turn.memory.step, text, by_code=by_code)

    def _calls(self) -> int:
        """Calls of this turn so far."""
        count = 0
        for message in reversed(self._request.messages):
            if isinstance(message, HumanMessage):
                break
            count += len(message.tool_calls) if isinstance(message, AIMessage) else 0
        return count

    async def _ask(self, move: Ask) -> AIMessage:
        turn = self._turn
        more: list[AnyMessage] = [AIMessage(content=t) for t in self._said]
        try:
            answer = await ask(turn, self._request, self._handler, move, self._wire, more)
        except ModelFailure:
            answer = AIMessage(content="")
        words = words_of(turn, str(answer.text))
        if answer.tool_calls:
            return self._called(answer, words)
        if words is None and not self._said:
            words = turn.talk.words("call.say_again")
        extra = await behind(turn)
        turn.memory.pending = [*([words] if words is not None else []), *extra]
        self._say_pending()
        return AIMessage(content=" ".join(self._said))

    def _called(self, answer: AIMessage, words: Said | None) -> AIMessage:
        """Words before a call are said; a question among them would be asked twice (R134)."""
        kept = [s for s in sentences(words.text) if not s.endswith("?")] if words else []
        if kept:
            self._turn.memory.pending = [Said(" ".join(kept), MODEL_LINE)]
            self._say_pending()
        call = answer.tool_calls[0]
        return self._call(call["name"], dict(call["args"]), by_code=False)


async def run_tool(turn: Turn, name: str, arguments: Mapping[str, Any], *, forced: bool) -> Done:
    """Run one tool: refused when it is not of this step, one end in the timeline, no exception
    past this line but a cancellation (T9, E2)."""
    talk = turn.talk
    tool = TOOLS.get(name)
    span = talk.recorder.start(Kind.TOOL_STARTED, {"name": name if tool is not None else "unknown"})
    done = Done(Status.ERROR, {"error": "system_error"})
    try:
        offered = tools_at(turn.memory, talk.desk.hospital)
        if talk.state.latch.closed:
            done = Done(Status.CANCELLED, {"refused": "ended"})
        elif tool is None or not (forced or name in offered) or (tool.only_code and not forced):
            turn.leave("call.say_again")
            done = Done(Status.EXITED, {"refused": "not_of_this_step"})
        else:
            done = await tool.run(turn, tool.arguments.model_validate(arguments))
            if done.status is Status.SUCCESS and name in _READS:
                talk.used_up = True
    except ValidationError:
        turn.leave("call.say_again")
        done = Done(Status.ERROR, {"refused": "invalid_arguments"})
    except Exception as error:  # noqa: BLE001 - the tool boundary
        # The way to the fault without its message, which may hold what the visitor said (R154).
        way = "".join(traceback.format_tb(error.__traceback__))
        log.error("tool %s failed: %s\n%s", name, type(error).__name__, way)
        talk.recorder.write(Kind.FAULT, {"where": f"tool.{name}", "error": type(error).__name__})
        turn.memory.pending = []
        turn.leave("call.system_error")
    except BaseException:
        done = Done(Status.CANCELLED, {"error": "cancelled"})
        raise
    finally:
        data = {"name": name if tool is not None else "unknown"}
        more = {"reason": done.reason} if done.reason else {}
        talk.recorder.end(span, done.status, {**data, **more})
    return done
