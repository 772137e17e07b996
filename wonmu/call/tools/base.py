"""The tool boundary (T9, T10, E2).

Every tool of ours runs through ``desk_tool``: arguments are checked again by code, the start and
the one end are written, a closed call runs nothing, and an exception ends here as a fault with
words for the caller. A tool never has its result told by the model: code has spoken when it
returns, so every tool ends in ``StopResponse``, but for one that hands the talk to another agent.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from livekit.agents import Agent, RunContext, StopResponse, ToolError, function_tool, llm
from pydantic import ValidationError

from wonmu.timeline.events import Kind, Status
from wonmu.visit.arguments import Arguments

if TYPE_CHECKING:
    from wonmu.call.session import Call


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HandedTo:
    """The talk belongs to another agent from now on (S2, H3)."""

    agent: Agent


A = TypeVar("A", bound=Arguments)
Handler = Callable[[RunContext[None], A], Awaitable[Status | HandedTo]]


def desk_tool(
    call: Call,
    name: str,
    description: str,
    arguments: type[A],
    handler: Handler[A],
    *,
    first: Callable[[], Awaitable[None]] | None = None,
) -> llm.Tool:
    """A tool named ``name``; ``handler`` returns how it ended.

    ``first``: brings what still runs to its end before the tool starts, so that no two tools run
    side by side (N10).
    """

    async def run(raw_arguments: dict[str, object], ctx: RunContext[None]) -> Agent:
        # A reply that was cut before its tool ran does nothing any more (R94).
        if not call.state.latch.closed and not ctx.speech_handle.interrupted:
            # Else words over a "one moment" would cut the work: what is interrupted here may
            # lend the talk to no task (A5).
            ctx.disallow_interruptions()
            if first is not None:
                await first()
            handed = await _run(call, name, arguments, handler, raw_arguments, ctx)
            if handed is not None:
                return handed.agent
        raise StopResponse

    schema = {
        "name": name,
        "description": description,
        "parameters": _parameters(arguments),
    }
    return function_tool(run, raw_schema=schema)


def _parameters(arguments: type[Arguments]) -> dict[str, Any]:
    schema = arguments.model_json_schema()
    schema.pop("title", None)
    for field in schema.get("properties", {}).values():
        field.pop("title", None)
    schema.pop("description", None)
    return schema


async def _run(
    call: Call,
    name: str,
    arguments: type[A],
    handler: Handler[A],
    raw: dict[str, object],
    ctx: RunContext[None],
) -> HandedTo | None:
    span = call.recorder.start(Kind.TOOL_STARTED, {"name": name})
    status = Status.ERROR
    try:
        result = await handler(ctx, arguments.model_validate(raw))
        if isinstance(result, HandedTo):
            status = Status.SUCCESS
            return result
        status = result
    except ValidationError:
        call.say("call.say_again")
    except (ToolError, asyncio.CancelledError) as error:
        # A hang-up inside a task arrives as ToolError (trap 6): nothing is tried again.
        status = Status.CANCELLED
        if isinstance(error, asyncio.CancelledError):
            raise
        if not call.state.latch.closed:
            call.say("call.system_error")
    except Exception as error:  # noqa: BLE001 - the tool boundary
        # The way to the fault without its message, which may hold what the caller said (R154).
        way = "".join(traceback.format_tb(error.__traceback__))
        log.error("tool %s failed: %s\n%s", name, type(error).__name__, way)
        call.recorder.write(Kind.FAULT, {"where": f"tool.{name}", "error": type(error).__name__})
        if not call.state.latch.closed:
            call.say("call.system_error")
    finally:
        call.recorder.end(span, status, {"name": name})
    return None
