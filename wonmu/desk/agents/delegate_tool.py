"""The specialists as one LangChain tool of a caller's agent (H1).

The agent reads one paragraph from each specialist and nothing of how it came about; code finds the
typed answers in the message's ``artifact``. Whether they may be asked now, and about whom, is
decided by the ``consult`` that is handed in.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from wonmu.desk.agents.consult import Told, words_of
from wonmu.desk.agents.specialist import Specialist
from wonmu.lines import Lines

NAME = "ask_specialist"

Consult = Callable[[str, tuple[str, ...]], Awaitable[Sequence[Told]]]
"""The caller's words and the names of the specialists; e.g. over ``Consultation.ask``."""


def as_langchain_tool(
    specialists: Sequence[Specialist], lines: Lines, consult: Consult
) -> BaseTool:
    """The tool ``ask_specialist(caller_words, specialists)``; ``artifact`` holds the ``Told``."""

    async def ask_specialist(
        caller_words: str, specialists: list[str]
    ) -> tuple[str, tuple[Told, ...]]:
        told = tuple(await consult(caller_words, tuple(dict.fromkeys(specialists))))
        return "\n\n".join(words_of(each, lines) for each in told), told

    abouts = "; ".join(f"{each.name}: {each.about(lines)}" for each in specialists)
    return StructuredTool.from_function(
        coroutine=ask_specialist,
        name=NAME,
        description=lines.prompt("tool_ask_specialist", specialists=abouts),
        args_schema=_schema([each.name for each in specialists]),
        infer_schema=False,
        response_format="content_and_artifact",
    )


def _schema(names: list[str]) -> type[BaseModel]:
    """The names are only known here. Both are told to the model and checked."""

    def known(wanted: list[str]) -> list[str]:
        if unknown := [name for name in wanted if name not in names]:
            raise ValueError(f"no specialist {unknown[0]!r}; there are {names}")
        return wanted

    items: dict[str, Any] = {"items": {"type": "string", "enum": list(names)}}
    wanted = Annotated[list[str], Field(min_length=1, json_schema_extra=items)]
    return create_model(
        "AskSpecialist",
        __config__=ConfigDict(extra="forbid", strict=True),
        caller_words=(str, ...),
        specialists=(Annotated[wanted, AfterValidator(known)], ...),
    )
