"""Every error this product raises on purpose.

    WonmuError
    ├── InputError          the person who started us must change something (exit status 2)
    │   └── SettingsError   a file, line and field of a hospital's settings
    ├── EmrFailure          the record system did not answer, or answered wrongly
    ├── LedgerFailure       the billing ledger did not answer, or answered wrongly
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
    """No connection, or one that broke (reset)."""
    REFUSED = "refused"
    """A refusal of another kind than the following ones."""
    UNAUTHORIZED = "unauthorized"
    """HTTP 401: our credentials are missing or no longer good."""
    FORBIDDEN = "forbidden"
    """HTTP 403: we may not do this."""
    NOT_FOUND = "not_found"
    """HTTP 404 or 410 where something must be."""
    CONFLICT = "conflict"
    """HTTP 409 that is no taken slot."""
    STALE_VERSION = "stale_version"
    """HTTP 412 that is no taken slot."""
    UNPROCESSABLE = "unprocessable"
    """HTTP 400 or 422: what we sent was not understood."""
    TOO_MANY = "too_many"
    """HTTP 429: asked too often; ``retry_after`` may say when again."""
    BROKEN = "broken"
    """HTTP 500 or a database error: a fault inside the record system."""
    UNAVAILABLE = "unavailable"
    """HTTP 502, 503, 504: it is down for now."""
    OUTCOME = "outcome"
    """HTTP 200 that holds an error (an OperationOutcome)."""
    INVALID = "invalid"
    """An answer that cannot be read."""
    WRONG_VERSION = "wrong_version"
    """It speaks another version of the protocol than we do."""
    SHIFTED = "shifted"
    """The pages of a list changed while they were read."""
    BREAKER_OPEN = "breaker_open"
    """Not asked, because it failed too often just now."""


class EmrFailure(WonmuError):
    """The record system failed. This is never the same as an empty answer (T11).

    ``retryable``: the same request may be sent again.
    ``outcome_known``: False when a write may or may not have taken effect.
    ``retry_after``: seconds after which the record system wants to be asked again, if it said so.
    """

    def __init__(
        self,
        fault: EmrFault,
        doing: str,
        *,
        retryable: bool = True,
        outcome_known: bool = True,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"the record system failed ({fault}) while {doing}")
        self.fault = fault
        self.doing = doing
        self.retryable = retryable
        self.outcome_known = outcome_known
        self.retry_after = retry_after


class LedgerFailure(WonmuError):
    """The billing ledger failed. This is never the same as "no invoices" (T11).

    ``outcome_known``: False when a request may or may not have been taken.
    """

    def __init__(self, fault: EmrFault, doing: str, *, outcome_known: bool = True) -> None:
        super().__init__(f"the billing ledger failed ({fault}) while {doing}")
        self.fault = fault
        self.doing = doing
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
