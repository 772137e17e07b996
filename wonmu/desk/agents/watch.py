"""Who is told when a model fails on behalf of a LangChain agent.

Decides nothing; writes ``model.fallback`` as the voice line does. Imports no LangChain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wonmu.errors import ModelFailure
from wonmu.timeline.events import Kind
from wonmu.timeline.record import Recorder


class Watch(Protocol):
    """Told what happens on the ladder."""

    def failed(self, failure: ModelFailure, following: str | None) -> None:
        """A model failed; ``following`` is asked next, None: nobody is."""
        ...

    def dropped(self, names: Sequence[str]) -> None:
        """Tool calls of these names were not let through."""
        ...


@dataclass(frozen=True, slots=True)
class Unwatched:
    """Tells nobody."""

    def failed(self, failure: ModelFailure, following: str | None) -> None:
        return None

    def dropped(self, names: Sequence[str]) -> None:
        return None


@dataclass(frozen=True, slots=True)
class TimelineWatch:
    """Writes ``model.fallback`` events, none after the call has ended."""

    recorder: Recorder

    def failed(self, failure: ModelFailure, following: str | None) -> None:
        data = {"reason": failure.fault.value, "model": failure.model, "to": following}
        if not self.recorder.over:
            self.recorder.write(Kind.MODEL_FALLBACK, data)

    def dropped(self, names: Sequence[str]) -> None:
        data = {"reason": "tools_dropped", "model": None, "to": None, "tools": list(names)}
        if not self.recorder.over:
            self.recorder.write(Kind.MODEL_FALLBACK, data)
