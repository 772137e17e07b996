"""What the built-in model wants to do, made to fit the request it was asked with.

Decides whether the wanted tool may be called, and fills arguments so that they match the tool's
schema. It never calls a tool that was not offered.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wonmu.model.offline.phrases import phrase
from wonmu.model.port import ChatRequest, Delta, Done, TextDelta, ToolCallDelta

Value = str | int | bool | tuple[str, ...] | None
_WORDS_PER_DELTA = 3
_FORCED_ORDER = ("connect_person", "set_wish", "create_booking")


@dataclass(frozen=True, slots=True)
class Say:
    """Speak."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """Call a tool with these arguments; ``otherwise`` is said when it is not offered.

    ``first``: words in the same answer, before the call; left out when the call is forced.
    """

    name: str
    arguments: Mapping[str, Value] = field(default_factory=dict)
    otherwise: str = ""
    first: str = ""


Reply = Say | Call


def fitted(reply: Reply, request: ChatRequest, words: str) -> Reply:
    """The reply as the tool choice of the request allows it."""
    callable_tools = request.callable_tools()
    if request.must_call() and callable_tools:
        if isinstance(reply, Call) and reply.name in callable_tools:
            return replace(reply, first="") if reply.first else reply
        first = next((name for name in _FORCED_ORDER if name in callable_tools), callable_tools[0])
        return Call(first, {"caller_words": words})
    if isinstance(reply, Call) and reply.name not in callable_tools:
        if request.tool_choice == "none":
            return Say(phrase("go_on"))
        return Say(reply.first or reply.otherwise or needs_person(request))
    return reply


def needs_person(request: ChatRequest) -> str:
    """The sentence for work that no offered tool does."""
    can_connect = "connect_person" in request.tool_names()
    return phrase("needs_person" if can_connect else "needs_person_none")


def not_known(request: ChatRequest) -> str:
    """The sentence for a question the published facts do not answer (T2)."""
    can_connect = "connect_person" in request.tool_names()
    return phrase("not_known" if can_connect else "not_known_no_person")


def deltas(reply: Reply, request: ChatRequest, words: str) -> list[Delta]:
    """The reply on the wire."""
    match reply:
        case Say(text):
            return [*_spoken(text), Done("stop")]
        case Call(name, arguments, first=first):
            filled = _filled(arguments, _schema(name, request), words)
            encoded = json.dumps(filled, ensure_ascii=False)
            call_id = _call_id(request)
            call = ToolCallDelta(0, call_id, name, encoded)
            return [*(_spoken(first) if first else ()), call, Done("tool_calls")]


def _spoken(text: str) -> list[TextDelta]:
    parts = text.split(" ")
    chunks = [
        " ".join(parts[at : at + _WORDS_PER_DELTA]) for at in range(0, len(parts), _WORDS_PER_DELTA)
    ]
    return [TextDelta(chunk if at == 0 else f" {chunk}") for at, chunk in enumerate(chunks)]


def _call_id(request: ChatRequest) -> str:
    """An id that differs from every id in the talk it answers, since it is drawn from it."""
    talk = json.dumps([dict(m) for m in request.messages], sort_keys=True, default=str)
    return "call_" + hashlib.sha256(talk.encode("utf-8", "replace")).hexdigest()[:20]


def _schema(name: str, request: ChatRequest) -> Mapping[str, Any]:
    for tool in request.tools:
        function = tool.get("function")
        if isinstance(function, Mapping) and function.get("name") == name:
            schema = function.get("parameters")
            return schema if isinstance(schema, Mapping) else {}
    return {}


def _filled(
    arguments: Mapping[str, Value], schema: Mapping[str, Any], words: str
) -> dict[str, Any]:
    """Only what the schema knows, plus something valid for each required rest."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return dict(arguments)
    required = schema.get("required")
    needed = set(required) if isinstance(required, list | tuple) else set()
    out: dict[str, Any] = {}
    for name, part in properties.items():
        if name in arguments and _fits(arguments[name], _resolved(part, schema)):
            value = arguments[name]
            out[name] = list(value) if isinstance(value, tuple) else value
        elif name in needed:
            out[name] = _anything(_resolved(part, schema), words)
    return out


def _resolved(part: object, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A property's schema with ``$ref`` into ``$defs`` followed, one level."""
    if not isinstance(part, Mapping):
        return {}
    ref = part.get("$ref")
    if isinstance(ref, str):
        found = schema.get("$defs", {}).get(ref.rsplit("/", 1)[-1])
        return found if isinstance(found, Mapping) else {}
    return part


def _kinds(part: Mapping[str, Any]) -> list[str]:
    kind = part.get("type")
    if isinstance(kind, str):
        return [kind]
    if isinstance(kind, list):
        return [str(one) for one in kind]
    branches = part.get("anyOf") or part.get("oneOf") or []
    return [k for branch in branches if isinstance(branch, Mapping) for k in _kinds(branch)]


def _choices(part: Mapping[str, Any]) -> list[Any]:
    if "const" in part:
        return [part["const"]]
    values = list(part.get("enum") or [])
    for branch in part.get("anyOf") or part.get("oneOf") or []:
        if isinstance(branch, Mapping):
            values += _choices(branch)
    return values


_PYTHON = {str: "string", bool: "boolean", int: "integer", type(None): "null"}


def _fits(value: Value, part: Mapping[str, Any]) -> bool:
    kinds, choices = _kinds(part), _choices(part)
    if isinstance(value, tuple):
        return _list_fits(value, part, kinds)
    kind = _PYTHON[type(value)]
    if choices and value not in choices:
        return value is None and "null" in kinds
    return not kinds or kind in kinds or (kind == "integer" and "number" in kinds)


def _list_fits(values: tuple[str, ...], part: Mapping[str, Any], kinds: Sequence[str]) -> bool:
    items = part.get("items")
    choices = _choices(items) if isinstance(items, Mapping) else []
    return (not kinds or "array" in kinds) and all(v in choices for v in values if choices)


def _anything(part: Mapping[str, Any], words: str) -> Any:
    choices, kinds = _choices(part), _kinds(part)
    items = part.get("items")
    if "array" in kinds and isinstance(items, Mapping):
        return _choices(items)[:1]
    if "null" in kinds:
        return None
    if choices:
        return choices[0]
    plain: dict[str, Any] = {
        "integer": 1,
        "number": 1,
        "boolean": False,
        "array": [],
        "object": {},
    }
    return next((plain[kind] for kind in kinds if kind in plain), words)
