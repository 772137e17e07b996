"""The graph of the text desk: one LangChain agent over one state, with our middleware (H2).

Decides nothing; it puts together what ``middleware`` and ``tools`` decide. One graph serves all
conversations of an office: what is alive of a visit comes in as the run's context.
"""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph

from wonmu.desk.agents.chat_model import LadderChat
from wonmu.desk.agents.specialist import SPECIALISTS
from wonmu.desk.agents.wire import wire_tools
from wonmu.errors import ProgrammingError
from wonmu.lines import Lines
from wonmu.text.history import turn_id
from wonmu.text.middleware import DeskMiddleware
from wonmu.text.talk import Talk
from wonmu.text.tools import TOOLS, TextTool

Graph = CompiledStateGraph[Any, Any, Any, Any]


def build(lines: Lines, saver: BaseCheckpointSaver[str]) -> Graph:
    """The compiled graph. The model in it is a stand-in: each request names its own."""
    tools = [_stub(tool, lines) for tool in TOOLS.values()]
    # Written once: to write them for each request costs more than the rest of it.
    wire = {tool.name: sent for tool, sent in zip(tools, wire_tools(tools), strict=True)}
    return create_agent(
        LadderChat(),
        tools,
        middleware=[DeskMiddleware(wire)],
        context_schema=Talk,
        checkpointer=saver,
    )


def config_of(thread: str) -> RunnableConfig:
    """Where the conversation lies in the checkpoints."""
    return {"configurable": {"thread_id": thread}}


def turn_input(text: str, turn: int, visit: str) -> dict[str, Any]:
    """One visitor's turn as the graph takes it in."""
    return {
        "messages": [HumanMessage(text, id=turn_id(turn))],
        "turn": turn,
        "visit": visit,
        "hops": 0,
        "asked": 0,
        "pending": [],
        "then": "",
    }


def _stub(tool: TextTool, lines: Lines) -> BaseTool:
    """What a model is shown of a tool; the middleware runs the tool itself."""

    async def never(**_: object) -> str:
        raise ProgrammingError("a text tool runs in the middleware")

    return StructuredTool.from_function(
        coroutine=never,
        name=tool.name,
        description=_description(tool, lines),
        args_schema=tool.arguments,
    )


def _description(tool: TextTool, lines: Lines) -> str:
    if tool.only_code:
        return tool.name
    if tool.name == "ask_specialist":
        people = (f"{each.name}({each.about(lines)})" for each in SPECIALISTS.values())
        return lines.prompt(tool.prompt, specialists=", ".join(people))
    return lines.prompt(tool.prompt)
