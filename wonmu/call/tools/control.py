"""Control tools: a person, and the end of the call (T5, T8, T10, N4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import RunContext, llm

from wonmu.call.flows.transfer import connect
from wonmu.call.tools.base import desk_tool
from wonmu.call.tools.gates import passes
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Status
from wonmu.visit.arguments import Words

if TYPE_CHECKING:
    from wonmu.call.session import Call


def connect_person(call: Call) -> llm.Tool:
    """The caller asked for a person, or took up the offer of one."""

    async def run(ctx: RunContext[None], arguments: Words) -> Status:
        if not passes(call, "connect_person", Action.CONNECT_PERSON, arguments.caller_words):
            return Status.EXITED
        return await connect(call, ctx, arguments.caller_words)

    text = call.lines.prompt("tool_connect_person")
    return desk_tool(call, "connect_person", text, Words, run)


def end_call(call: Call) -> llm.Tool:
    """The caller asked to end the call."""

    async def run(ctx: RunContext[None], arguments: Words) -> Status:
        if not passes(call, "end_call", Action.END_CALL, arguments.caller_words):
            return Status.EXITED
        say_goodbye(call, "end_call")
        return Status.SUCCESS

    text = call.lines.prompt("tool_end_call")
    return desk_tool(call, "end_call", text, Words, run)


def say_goodbye(call: Call, why: str) -> None:
    """The goodbye that a caller hears who asked for the end."""
    call.say_goodbye(why, "call.goodbye", hospital=call.desk.hospital.name)
