"""What has happened since the caller last spoke: tools called, their results, words said.

Reads a request; decides nothing. Messages that do not fit together are passed over: a result
without its call has no name, and a call without its result has none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wonmu.model.offline.view import text_of
from wonmu.model.port import ChatRequest, Message


@dataclass(frozen=True, slots=True)
class Made:
    """One tool call. ``result`` None: no answer came."""

    name: str
    arguments: Mapping[str, Any]
    result: str | None = None

    @property
    def body(self) -> Mapping[str, Any] | None:
        """The result as a JSON object, if it is one."""
        return read_object(self.result or "")


@dataclass(frozen=True, slots=True)
class Turn:
    """The caller's last turn and what was done about it."""

    words: str
    made: tuple[Made, ...] = ()
    untold: tuple[Made, ...] = ()
    """Calls since the agent last said something."""
    said: str = ""
    """What the agent has said since the caller spoke."""
    said_first: str = ""
    """What of that was said on the way here, before the first call that is no change of step."""
    earlier: tuple[Made, ...] = ()
    """Calls of the turns before."""

    def has_made(self, name: str) -> bool:
        return any(made.name == name for made in self.made)


def read_turn(request: ChatRequest) -> Turn:
    """The turn that is to be answered; empty words when nobody has said anything."""
    talk = [m for m in request.messages if m.get("role") in ("user", "assistant", "tool")]
    start = next((at for at in range(len(talk) - 1, -1, -1) if talk[at].get("role") == "user"), -1)
    words = text_of(talk[start]).strip() if start >= 0 else ""
    after = talk[start + 1 :]
    spoken = [at for at, m in enumerate(after) if m.get("role") == "assistant" and _says(m)]
    made = _calls(after)
    untold = _calls(after[spoken[-1] :]) if spoken else made
    calling = next((at for at, m in enumerate(after) if _works(m)), len(after))
    said = [(at, text_of(after[at]).strip()) for at in spoken]
    return Turn(
        words,
        made,
        untold,
        said=" ".join(text for _, text in said),
        said_first=" ".join(text for at, text in said if at < calling),
        earlier=_calls(talk[: max(start, 0)]),
    )


def read_object(text: str) -> Mapping[str, Any] | None:
    """A JSON object, or None for anything else."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _works(message: Message) -> bool:
    return any(not call.name.startswith("to_") for _, call in _called(message))


def _says(message: Message) -> bool:
    return bool(text_of(message).strip())


def _calls(messages: Sequence[Message]) -> tuple[Made, ...]:
    """Calls in their order, each with the result of the same id."""
    made: list[Made] = []
    places: dict[str, int] = {}
    for message in messages:
        if message.get("role") == "assistant":
            for call_id, call in _called(message):
                places[call_id] = len(made)
                made.append(call)
        elif message.get("role") == "tool":
            at = places.pop(str(message.get("tool_call_id", "")), None)
            if at is None:
                name = message.get("name")
                made.append(Made(name if isinstance(name, str) else "", {}, text_of(message)))
            else:
                made[at] = replace(made[at], result=text_of(message))
    return tuple(made)


def _called(message: Message) -> list[tuple[str, Made]]:
    calls = message.get("tool_calls")
    if not isinstance(calls, Sequence) or isinstance(calls, str | bytes):
        return []
    found = []
    for call in calls:
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            continue
        given = function.get("arguments")
        arguments = given if isinstance(given, Mapping) else read_object(str(given)) or {}
        found.append((str(call.get("id", "")), Made(function["name"], arguments)))
    return found
