"""What an HTTP answer or a broken connection means as a failure of the record system (A8).

One table from statuses, exceptions and OperationOutcomes to ``EmrFault``. It decides two things
the rest relies on: whether the same request may be sent again, and whether a write that failed may
have taken effect all the same. Messages name the step, never what was sent: that is personal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from wonmu.emr.failures import MEANING
from wonmu.emr.fhir.models import Issue, OperationOutcome
from wonmu.emr.fhir.parsing import outcome_in
from wonmu.errors import EmrFailure, EmrFault

_BY_STATUS = {
    400: EmrFault.UNPROCESSABLE,
    401: EmrFault.UNAUTHORIZED,
    403: EmrFault.FORBIDDEN,
    404: EmrFault.NOT_FOUND,
    408: EmrFault.TIMEOUT,
    409: EmrFault.CONFLICT,
    410: EmrFault.NOT_FOUND,
    412: EmrFault.STALE_VERSION,
    422: EmrFault.UNPROCESSABLE,
    429: EmrFault.TOO_MANY,
    502: EmrFault.UNAVAILABLE,
    503: EmrFault.UNAVAILABLE,
    504: EmrFault.UNAVAILABLE,
}
_PASSING_ISSUES = frozenset(
    {"transient", "lock-error", "no-store", "exception", "timeout", "incomplete", "throttled"}
)
"""Issue types of FHIR that say: later it may work."""

_RULE_NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+){0,6}")

_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
"""Nothing left this machine, so a write certainly did not happen."""


class FhirFailure(EmrFailure):
    """An ``EmrFailure`` that keeps what the server said. ``status`` None: it said nothing."""

    def __init__(
        self,
        fault: EmrFault,
        doing: str,
        *,
        retryable: bool | None = None,
        outcome_known: bool = True,
        retry_after: float | None = None,
        status: int | None = None,
        issues: tuple[Issue, ...] = (),
    ) -> None:
        super().__init__(
            fault,
            doing,
            retryable=MEANING[fault].again if retryable is None else retryable,
            outcome_known=outcome_known,
            retry_after=retry_after,
        )
        self.status = status
        self.issues = issues

    def words(self) -> Iterator[str]:
        """The names the server gave its reasons, the most telling first; no prose."""
        for issue in self.issues:
            codings = issue.details.coding if issue.details is not None else ()
            yield from (coding.code for coding in codings if coding.code)
        told = (issue.diagnostics or "" for issue in self.issues)
        yield from (text for text in told if _RULE_NAME.fullmatch(text))
        yield from (issue.code for issue in self.issues)


def of_answer(answer: httpx.Response, doing: str, now: datetime, *, write: bool) -> FhirFailure:
    """The failure that a status outside 2xx is. ``now`` turns a Retry-After date into seconds."""
    later = _retry_after(answer.headers.get("retry-after"), now)
    said = outcome_in(answer.content)
    return of_status(answer.status_code, doing, said, write=write, retry_after=later)


def of_status(
    status: int,
    doing: str,
    said: OperationOutcome | None,
    *,
    write: bool = True,
    retry_after: float | None = None,
) -> FhirFailure:
    """The failure that a status is, with what the server said about it."""
    return FhirFailure(
        _fault(status),
        doing,
        outcome_known=not write or (400 <= status < 500 and status != 408),
        retry_after=retry_after,
        status=status,
        issues=() if said is None else said.issue,
    )


def _fault(status: int) -> EmrFault:
    named = _BY_STATUS.get(status)
    if named is not None:
        return named
    if status < 400:
        return EmrFault.INVALID
    return EmrFault.REFUSED if status < 500 or status == 501 else EmrFault.BROKEN


def of_exception(error: httpx.HTTPError, doing: str, *, write: bool) -> FhirFailure:
    """The failure that a connection without an answer is."""
    known = not write or isinstance(error, _NOT_SENT)
    match error:
        case httpx.TimeoutException():
            fault = EmrFault.TIMEOUT
        case httpx.DecodingError():
            fault = EmrFault.INVALID
        case _:
            fault = EmrFault.UNREACHABLE
    return FhirFailure(fault, doing, outcome_known=known)


def of_outcome(
    outcome: OperationOutcome, doing: str, status: int = 200, *, write: bool
) -> FhirFailure:
    """The failure that a success status with an error inside is."""
    passing = bool(outcome.issue) and all(one.code in _PASSING_ISSUES for one in outcome.issue)
    return FhirFailure(
        EmrFault.OUTCOME,
        doing,
        retryable=passing,
        outcome_known=not write,
        status=status,
        issues=outcome.issue,
    )


def unreadable(doing: str, *, write: bool = False) -> FhirFailure:
    """An answer that is not what was asked for. A write answered so may have happened."""
    return FhirFailure(EmrFault.INVALID, doing, outcome_known=not write)


def wrong_version(doing: str, *, write: bool = False) -> FhirFailure:
    """A success in another version of FHIR. A write answered so may have happened."""
    return FhirFailure(EmrFault.WRONG_VERSION, doing, outcome_known=not write)


def _retry_after(written: str | None, now: datetime) -> float | None:
    """Seconds, from seconds or from an HTTP date; None when absent or meaningless."""
    if written is None:
        return None
    if written.strip().isascii() and written.strip().isdigit():
        return float(written)
    try:
        until = parsedate_to_datetime(written)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - now).total_seconds())
