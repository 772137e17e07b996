"""The specialists as one LangChain tool of a caller's agent (H1).

The agent reads one paragraph from each specialist and nothing of how it came about. Whether they
may be asked now, and about whom, is decided by the ``consult`` that is handed in; it is also where
code takes the typed answers from. The message's ``artifact`` is plain data that any checkpointer
can keep: it names no patient and no invoice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import AfterValidator, BaseModel, ConfigDict, WithJsonSchema, create_model

from wonmu.desk.agents.answer import Answered
from wonmu.desk.agents.consult import Told, words_of
from wonmu.desk.agents.specialist import Specialist, outcome_of
from wonmu.lines import Lines

NAME = "ask_specialist"

Consult = Callable[[str, tuple[str, ...]], Awaitable[Sequence[Told]]]
"""The caller's words and the names of the specialists; e.g. over ``Consultation.ask``."""


def as_langchain_tool(
    specialists: Sequence[Specialist], lines: Lines, consult: Consult
) -> BaseTool:
    """The tool ``ask_specialist(caller_words, specialists)``.

    ``artifact``: for each specialist ``{"name", "outcome", "refused", "amounts"}``; the amounts may
    be spoken.
    """

    async def ask_specialist(
        caller_words: str, specialists: list[str]
    ) -> tuple[str, list[dict[str, object]]]:
        told = await consult(caller_words, tuple(dict.fromkeys(specialists)))
        words = "\n\n".join(words_of(each, lines) for each in told)
        return words, [_for_code(each) for each in told]

    abouts = "; ".join(f"{each.name}: {each.about(lines)}" for each in specialists)
    return StructuredTool.from_function(
        coroutine=ask_specialist,
        name=NAME,
        description=lines.prompt("tool_ask_specialist", specialists=abouts),
        args_schema=_schema([each.name for each in specialists]),
        infer_schema=False,
        response_format="content_and_artifact",
    )


def _for_code(told: Told) -> dict[str, object]:
    amounts = told.answer.facts.amounts if isinstance(told.answer, Answered) else frozenset()
    return {
        "name": told.name,
        "outcome": None if told.answer is None else outcome_of(told.answer)[1],
        "refused": None if told.refused is None else told.refused.value,
        "amounts": sorted(amounts),
    }


def _schema(names: list[str]) -> type[BaseModel]:
    """The names are only known here. Both are told to the model and checked."""

    def known(wanted: list[str]) -> list[str]:
        if not wanted:
            raise ValueError("name at least one specialist")
        if unknown := [name for name in wanted if name not in names]:
            raise ValueError(f"no specialist {unknown[0]!r}; there are {names}")
        return wanted

    # Named in the schema by hand: a list of literals that are known only now has no type.
    items: dict[str, Any] = {"type": "array", "items": {"type": "string", "enum": list(names)}}
    wanted = Annotated[list[str], AfterValidator(known), WithJsonSchema(items)]
    return create_model(
        "AskSpecialist",
        __config__=ConfigDict(extra="forbid", strict=True),
        caller_words=(str, ...),
        specialists=(wanted, ...),
    )
