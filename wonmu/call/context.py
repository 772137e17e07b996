"""What of the talk may be seen: by a task (S4), and by a model (N8).

A task gets a trimmed copy. A model gets messages with every personal number masked, whatever wrote
them into the talk.
"""

from __future__ import annotations

from livekit.agents import llm
from livekit.agents.llm import ToolChoice, ToolContext

from wonmu.korean.mask import mask_text
from wonmu.model.port import ChatRequest

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


def for_model(context: llm.ChatContext, situation: str) -> llm.ChatContext:
    """A copy fit to leave the process: words only, masked, the situation as the last word.

    Tool calls stay out: their outputs are spoken by code, and the situation says what came of
    them. ``ChatContext.copy`` shares its items (so masking in place would change the talk's own
    memory): every message is built anew.
    """
    out = llm.ChatContext.empty()
    for item in context.items:
        if item.type != "message":
            continue
        text = item.text_content
        if not text:
            continue
        words = text if item.role == "system" else mask_text(text).text
        out.add_message(role=item.role, content=words, id=item.id, created_at=item.created_at)
    if situation:
        out.add_message(role="system", content=situation)
    return out


def request_of(context: llm.ChatContext, tools: list[llm.Tool], choice: ToolChoice) -> ChatRequest:
    """The same request in the shapes of the OpenAI wire."""
    messages, _ = context.to_provider_format(format="openai")
    wire = ToolContext(tools).parse_function_tools("openai")
    return ChatRequest(tuple(messages), tuple(wire), choice)
