"""One answer from a ladder of models: the first that gives something usable is heard (T6).

Decides when a model has failed and the next is asked, cuts text into sentences, and lets at most
one tool call through. It must never be silent for ever, never say a sentence twice, never let a
tool call written as prose be spoken, and never leave a stream open.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from wonmu.errors import ModelFailure
from wonmu.model.port import ChatRequest, Rung


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a model may take. Seconds of the running event loop's clock.

    ``first_token_seconds``: from asking one model to its first word or tool call (R141: at most 4).
    ``quiet_seconds``: what all models but the last may use together before a first word; it is
    below the 4 s of silence that N11 allows, so that the last model can still answer in time.
    ``gap_seconds``: between two deltas that carry something. ``whole_seconds``: one whole answer.
    ``sentence_chars``: text without a sentence end is cut after so many characters.
    ``answer_chars``: a longer answer is ended there; nobody listens to more on the phone.
    ``close_seconds``: how long closing a stream may take.
    """

    first_token_seconds: float = 4.0
    quiet_seconds: float = 3.5
    gap_seconds: float = 3.0
    whole_seconds: float = 20.0
    sentence_chars: int = 80
    answer_chars: int = 1200
    close_seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence, without white space around it. Join sentences with a space."""

    sentence: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The one tool call of this answer, always last. ``arguments_json`` is a JSON object."""

    id: str
    name: str
    arguments_json: str


Piece = Text | ToolUse

OnFailure = Callable[[ModelFailure, str | None], None]
"""Told of each failure and the name of the next model; None when no other model is asked."""

OnDropped = Callable[[Sequence[str]], None]
"""Told the names of tool calls that were not let through."""


def never_a_tool_call(text: str) -> bool:
    """The predicate that suspects nothing."""
    return False


def ignore_dropped(names: Sequence[str]) -> None:
    """Drop without telling."""


async def answer(
    rungs: Sequence[Rung],
    request: ChatRequest,
    limits: Limits,
    on_failure: OnFailure,
    *,
    on_dropped: OnDropped = ignore_dropped,
    looks_like_tool_call: Callable[[str], bool] = never_a_tool_call,
    expected: tuple[type[Exception], ...] = (),
) -> AsyncIterator[Piece]:
    """Ask one model after the other until one gives something usable.

    After a first sentence was delivered no other model is asked: a later failure is reported with
    next name None and the answer ends there. ``expected`` names the client's own exceptions; they,
    OSError and TimeoutError are failures of the model. Anything else passes through. Close the
    iterator (``aclosing``) when it is left early.

    Raises:
        ModelFailure: the last one, when every model failed and nothing was delivered.
    """
    raise NotImplementedError
    yield Text("")
