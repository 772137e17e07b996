"""Every error this product raises on purpose.

    WonmuError
    ├── InputError          the person who started us must change something (exit status 2)
    │   └── SettingsError   a file, line and field of a hospital's settings
    ├── EmrFailure          the record system did not answer, or answered wrongly
    ├── StoreFailure        one of our own stores could not be read or written
    ├── ModelFailure        a model gave nothing usable; the next one is asked
    └── ProgrammingError    a caller broke a contract; never caused by outside input

A message says what happened, where, and what to do.
"""

from __future__ import annotations

from enum import StrEnum


class WonmuError(Exception):
    """Base of all errors raised by this package."""


class InputError(WonmuError):
    """Bad input from whoever started the program: one sentence, exit status 2."""


class SettingsError(InputError):
    """A mistake in a settings file. The message names file, line and field."""


class EmrFault(StrEnum):
    """Why the record system gave no usable answer."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    INVALID = "invalid"
    BROKEN = "broken"


class EmrFailure(WonmuError):
    """The record system failed. This is never the same as an empty answer (T11).

    ``retryable``: the same request may be sent again.
    ``outcome_known``: False when a write may or may not have taken effect.
    """

    def __init__(
        self, fault: EmrFault, doing: str, *, retryable: bool = True, outcome_known: bool = True
    ) -> None:
        super().__init__(f"the record system failed ({fault}) while {doing}")
        self.fault = fault
        self.doing = doing
        self.retryable = retryable
        self.outcome_known = outcome_known


class StoreFailure(WonmuError):
    """One of our own stores (inbox, timeline) could not be read or written."""


class ModelFault(StrEnum):
    """Why a model's answer could not be used."""

    UNREACHABLE = "unreachable"
    FIRST_TOKEN_LATE = "first_token_late"
    STREAM_BROKEN = "stream_broken"
    EMPTY = "empty_answer"
    PROSE_TOOL_CALL = "prose_tool_call"
    UNKNOWN_TOOL = "unknown_tool"
    INVALID_ARGUMENTS = "invalid_arguments"


class ModelFailure(WonmuError):
    """A model gave nothing usable for this turn."""

    def __init__(self, fault: ModelFault, model: str, detail: str = "") -> None:
        super().__init__(f"model {model}: {fault}" + (f" ({detail})" if detail else ""))
        self.fault = fault
        self.model = model


class ProgrammingError(WonmuError):
    """Our own code broke a contract."""
