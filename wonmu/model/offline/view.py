"""What the built-in model sees of a request: the prompt's facts, the state, the turns.

Reads; decides nothing. Parsing of a prompt is remembered per text, since a call sends the same
prompt with every turn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from wonmu.model.offline.facts import Facts, read_facts
from wonmu.model.port import ChatRequest, Message

STATE_HEADING = "## 지금 상태"
_NOTHING = frozenset({"", "none", "없음", "정하지 않음"})
_STATE_LINE = re.compile(r"^\s*[-*]?\s*([^:\n]{1,20}):[ \t]*(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class View:
    """One request, as far as the rules look at it."""

    facts: Facts
    state: Mapping[str, str]
    turns: tuple[str, ...]
    """What the caller said, oldest first, since the last booking was opened."""
    last: str
    """The caller's latest words; empty when nothing was said."""
    agent: tuple[str, ...]
    """What the agent said, oldest first."""
    tool_result: str | None
    """The tool's answer, when that is the last thing that happened."""

    def get(self, key: str) -> str:
        """A state value; empty when it is absent or stands for nothing."""
        value = self.state.get(key, "").strip()
        return "" if value in _NOTHING else value

    @property
    def agent_last(self) -> str:
        return self.agent[-1] if self.agent else ""


def look(request: ChatRequest) -> View:
    """Read a request. Malformed messages are passed over."""
    systems = [text_of(m) for m in request.messages if m.get("role") in ("system", "developer")]
    state = next((s for s in reversed(systems) if s.lstrip().startswith(STATE_HEADING)), "")
    prompt = next((s for s in systems if not s.lstrip().startswith(STATE_HEADING)), "")
    talk = [m for m in request.messages if m.get("role") in ("user", "assistant", "tool")]
    turns = _caller_turns(talk)
    return View(
        facts=read_facts(prompt),
        state=_read_state(state),
        turns=turns,
        last=_last_words(talk),
        agent=tuple(t for m in talk if m.get("role") == "assistant" and (t := text_of(m).strip())),
        tool_result=text_of(talk[-1]) if talk and talk[-1].get("role") == "tool" else None,
    )


@lru_cache(maxsize=64)
def _read_state(text: str) -> Mapping[str, str]:
    return {key.strip(): value.strip() for key, value in _STATE_LINE.findall(text)}


def text_of(message: Message) -> str:
    """A message's words; parts of it joined, what is no text left out."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and not isinstance(content, bytes):
        parts = (p if isinstance(p, str) else _part_text(p) for p in content)
        return " ".join(part for part in parts if part)
    return ""


def _part_text(part: object) -> str:
    text = part.get("text") if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else ""


def _caller_turns(talk: Sequence[Message]) -> tuple[str, ...]:
    """Turns after the last opened booking: older wishes were used by it already."""
    start = 0
    for at, message in enumerate(talk):
        if "create_booking" in _called(message):
            start = at + 1
    return tuple(
        text for m in talk[start:] if m.get("role") == "user" and (text := text_of(m).strip())
    )


def _called(message: Message) -> list[str]:
    calls = message.get("tool_calls")
    if not isinstance(calls, Sequence) or isinstance(calls, str | bytes):
        return []
    functions = (call.get("function") for call in calls if isinstance(call, Mapping))
    return [str(f.get("name", "")) for f in functions if isinstance(f, Mapping)]


def _last_words(talk: Sequence[Message]) -> str:
    """The latest caller message, unless the agent has answered it already."""
    for message in reversed(talk):
        if message.get("role") == "user":
            return text_of(message).strip()
        if message.get("role") == "assistant" and text_of(message).strip():
            return ""
    return ""
