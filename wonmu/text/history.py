"""What a model sees of a conversation (H2, N8): valid, masked, and of its own step.

A tool call is kept with its answer or not at all. Calls of another step are left out, only the
words that were said remain; so a step never sees how another one worked. Decides nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from wonmu.text.state import Memory, Step
from wonmu.text.steps import TO

LAST = 24
"""Messages a model sees at most; the oldest turns are left out first."""

KEPT_TURNS = 60
"""Turns of the visitor that stay in a checkpoint."""

_WAYS = frozenset(TO.values())
_STEP, _BY_CODE = "step", "by_code"


def turn_id(turn: int) -> str:
    """Id of the message with the visitor's turn of this number."""
    return f"turn-{turn}"


def call_of(
    name: str,
    arguments: dict[str, object],
    id: str,
    step: Step,
    text: str = "",
    *,
    by_code: bool,
) -> AIMessage:
    """A tool call, marked with the step it is made in and who made it."""
    calls = [{"name": name, "args": arguments, "id": id, "type": "tool_call"}]
    marks = {_STEP: step.value, _BY_CODE: by_code}
    return AIMessage(content=text, tool_calls=calls, additional_kwargs=marks)


def made_by_code(messages: Sequence[AnyMessage], id: str) -> bool:
    """Whether code made the call of this id itself."""
    for message in reversed(messages):
        if isinstance(message, AIMessage) and any(call["id"] == id for call in message.tool_calls):
            return message.additional_kwargs.get(_BY_CODE) is True
    return False


def view(
    messages: Sequence[AnyMessage], memory: Memory, mask: Callable[[str], str]
) -> list[AnyMessage]:
    """The messages of one request, without system messages."""
    seen = _of_step(_since(messages, memory.seen_from), memory.step, mask)
    return _last(seen)


def unanswered(messages: Sequence[AnyMessage]) -> tuple[str, ...]:
    """Ids of tool calls that have no answer."""
    answered = {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
    calls = (call for m in messages if isinstance(m, AIMessage) for call in m.tool_calls)
    return tuple(str(call["id"]) for call in calls if call["id"] not in answered)


def is_finished(messages: Sequence[AnyMessage]) -> bool:
    """Whether the last turn ended in words. What a dead process had computed but not stored is
    not in the messages, so it is not enough to ask the graph what it would do next."""
    if not messages:
        return True
    last = messages[-1]
    return isinstance(last, AIMessage) and not last.tool_calls


_WRITTEN = frozenset({"taken", "cancel_taken", "requested"})


def ended_in_a_write(messages: Sequence[AnyMessage]) -> bool:
    """Whether the last thing that happened was that something agreed to was written; the words
    about it were not said any more."""
    last = messages[-1] if messages else None
    if not isinstance(last, ToolMessage):
        return False
    body = json.loads(str(last.text))
    return bool(_WRITTEN & {body.get(name) for name in ("booking", "refund", "receipt")})


def too_old(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Messages that a checkpoint need not keep any longer: whole turns, oldest first."""
    turns = [at for at, message in enumerate(messages) if isinstance(message, HumanMessage)]
    if len(turns) <= KEPT_TURNS:
        return []
    return list(messages[: turns[-KEPT_TURNS]])


def _since(messages: Sequence[AnyMessage], turn: int) -> Sequence[AnyMessage]:
    for at, message in enumerate(messages):
        if isinstance(message, HumanMessage) and _number(message) >= turn:
            return messages[at:] if turn else messages
    return ()


def _number(message: HumanMessage) -> int:
    _, _, number = (message.id or "").partition("-")
    return int(number) if number.isdigit() else 0


def _of_step(
    messages: Sequence[AnyMessage], step: Step, mask: Callable[[str], str]
) -> list[AnyMessage]:
    answered = {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
    turns = [at for at, m in enumerate(messages) if isinstance(m, HumanMessage)]
    now = turns[-1] if turns else 0
    kept: set[str] = set()
    out: list[AnyMessage] = []
    for at, message in enumerate(messages):
        match message:
            case HumanMessage():
                out.append(HumanMessage(mask(str(message.text)), id=message.id))
            case ToolMessage() if message.tool_call_id in kept:
                out.append(message)
            case AIMessage():
                ours = message.additional_kwargs.get(_STEP) == step.value
                calls = [
                    call
                    for call in message.tool_calls
                    if call["id"] in answered
                    # How this step was reached in this very turn is no other step's work.
                    and (ours or (at > now and call["name"] in _WAYS))
                ]
                kept |= {str(call["id"]) for call in calls}
                text = mask(str(message.text))
                if calls or text.strip():
                    out.append(AIMessage(content=text, tool_calls=calls))
    return out


def _last(messages: list[AnyMessage]) -> list[AnyMessage]:
    if len(messages) <= LAST:
        return messages
    turns = [at for at, message in enumerate(messages) if isinstance(message, HumanMessage)]
    fitting = [at for at in turns if len(messages) - at <= LAST]
    return messages[fitting[0] if fitting else turns[-1] if turns else -LAST :]
