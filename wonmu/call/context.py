"""What of the talk may be seen: by a task (S4), and by a model (N8).

A task gets a trimmed copy. A model gets messages with every personal number masked, whatever wrote
them into the talk.
"""

from __future__ import annotations

from collections.abc import Callable

from livekit.agents import llm
from livekit.agents.llm import ToolContext

from wonmu.model.port import Message, Tool

LAST_ITEMS = 6
"""How much of the talk a task sees (S4)."""


def trimmed(context: llm.ChatContext, *, last: int = LAST_ITEMS) -> llm.ChatContext:
    """The last few things said, without the parent's instructions, tool calls and markers."""
    return context.copy(
        exclude_function_call=True,
        exclude_instructions=True,
        exclude_empty_message=True,
        exclude_handoff=True,
        exclude_config_update=True,
    ).truncate(max_items=last)


class MaskedCopies:
    """One call's messages as a model may see them; each is copied and masked once.

    Building every message anew in every turn cost more than the rest of the request.
    """

    def __init__(self, mask: Callable[[str], str]) -> None:
        self._mask = mask
        self._made: dict[str, tuple[str, llm.ChatMessage]] = {}

    def of(self, item: llm.ChatMessage, text: str) -> llm.ChatMessage:
        """The copy of a message that reads ``text``."""
        known = self._made.get(item.id)
        if known is not None and known[0] == text:
            return known[1]
        words = text if item.role == "system" else self._mask(text)
        copy = llm.ChatMessage(
            role=item.role, content=[words], id=item.id, created_at=item.created_at
        )
        self._made[item.id] = text, copy
        return copy


def for_model(context: llm.ChatContext, situation: str, copies: MaskedCopies) -> llm.ChatContext:
    """A copy fit to leave the process: words only, masked, the situation as the last word.

    Tool calls stay out: their outputs are spoken by code, and the situation says what came of
    them. ``ChatContext.copy`` shares its items (so masking in place would change the talk's own
    memory): every message is another one.
    """
    items: list[llm.ChatItem] = []
    for item in context.items:
        if item.type == "message" and (text := item.text_content):
            items.append(copies.of(item, text))
    out = llm.ChatContext(items)
    if situation:
        out.add_message(role="system", content=situation)
    return out


def wire_of(tools: list[llm.Tool]) -> tuple[Tool, ...]:
    """The tools in the shapes of the OpenAI wire. Slow enough to be kept between turns."""
    return tuple(ToolContext(tools).parse_function_tools("openai"))


def messages_of(context: llm.ChatContext) -> tuple[Message, ...]:
    """The messages in the shapes of the OpenAI wire."""
    messages, _ = context.to_provider_format(format="openai")
    return tuple(messages)
