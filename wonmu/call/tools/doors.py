"""A door to work: the gate first, then the work, then what was asked meanwhile (T2–T7, N10).

In the hospital's other two modes nothing behind the door is touched. Bookings and bills have the
same doors; what lies behind them is handed in.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from livekit.agents import RunContext, llm

from wonmu.call.flows.notes import leave_memo
from wonmu.call.flows.transfer import connect, leave_after
from wonmu.call.tools.base import desk_tool
from wonmu.call.tools.gates import explain, verdict_on
from wonmu.korean.relations import relation_in
from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson
from wonmu.timeline.events import Status
from wonmu.visit.arguments import Words

if TYPE_CHECKING:
    from wonmu.call.session import Call

A = TypeVar("A", bound=Words)
Flow = Callable[[RunContext[None], A, "str | None"], Awaitable[Status]]
"""The work: what the model handed in, and the caller's word for the patient if not themselves."""


def door(
    call: Call,
    name: str,
    action: Action,
    arguments: type[A],
    flow: Flow[A],
    text: str | None = None,
) -> llm.Tool:
    """One door. ``text``: the tool's description, by default the prompt ``tool_<name>``."""

    async def run(ctx: RunContext[None], given: A) -> Status:
        verdict = verdict_on(call, name, action, given.caller_words)
        match verdict:
            case Allow():
                return await _through(call, ctx, action, given, flow)
            case ByPerson():
                return await connect(call, ctx, given.caller_words, by_mode=True)
            case ByMemo():
                return await leave_memo(call, ctx, given.caller_words)
            case _:
                explain(call, action, verdict)
                return Status.EXITED

    return desk_tool(call, name, text or call.lines.prompt(f"tool_{name}"), arguments, run)


async def _through(
    call: Call, ctx: RunContext[None], action: Action, given: A, flow: Flow[A]
) -> Status:
    state = call.state
    state.tool_open, state.working_on = True, action
    try:
        # Whose matter it is comes from the caller's words, not from a model's argument.
        said = " ".join(state.heard[state.evidence_from :])
        status = await flow(ctx, given, relation_in(said))
        await leave_after(call, ctx)
        return status
    finally:
        state.tool_open, state.working_on = False, None
        # What led here is used up; after an exit for another matter the last words still count.
        state.evidence_from = len(state.heard) - int(state.fresh is not None)
