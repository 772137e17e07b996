"""Why a request is not done: the closed list, and what it is on the wire.

Every sentence is a line of ``lines/<language>/web.yaml`` named after the reason. It must never say
whether a token exists elsewhere.
"""

from __future__ import annotations

import math
from enum import StrEnum

from wonmu.errors import WonmuError
from wonmu.lines import Lines


class Why(StrEnum):
    """``error.code`` on the wire."""

    BAD_REQUEST = "bad_request"
    """Cannot be read."""
    FOREIGN_ORIGIN = "foreign_origin"
    """A page that may not embed the chat."""
    UNKNOWN = "unknown"
    """No such hospital or conversation here."""
    SLOW = "slow"
    """The body did not come in time."""
    VISIT_CHANGED = "visit_changed"
    """The words were meant for an earlier visit and were not taken."""
    TOO_LARGE = "too_large"
    NOT_JSON = "not_json"
    EMPTY = "empty"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"
    """Too often; ``Retry-After`` says when again."""
    FAILED = "failed"
    """A fault of ours."""
    BUSY = "busy"
    """All places are taken."""


STATUS: dict[Why, int] = {
    Why.BAD_REQUEST: 400,
    Why.FOREIGN_ORIGIN: 403,
    Why.UNKNOWN: 404,
    Why.SLOW: 408,
    Why.VISIT_CHANGED: 409,
    Why.TOO_LARGE: 413,
    Why.NOT_JSON: 415,
    Why.EMPTY: 422,
    Why.TOO_LONG: 422,
    Why.TOO_MANY: 429,
    Why.FAILED: 500,
    Why.BUSY: 503,
}


class Refused(WonmuError):
    """A request that is not done. ``retry_after``: seconds, where waiting helps."""

    def __init__(self, why: Why, *, retry_after: float | None = None) -> None:
        super().__init__(f"refused: {why}")
        self.why = why
        self.retry_after = retry_after

    @property
    def seconds(self) -> int | None:
        """``retry_after`` as a header holds it: whole, and never too early."""
        return None if self.retry_after is None else max(1, math.ceil(self.retry_after))

    def to_json(self, lines: Lines, chars: int) -> dict[str, object]:
        """``chars``: the longest text, for the sentence that names it."""
        error: dict[str, object] = {"code": self.why.value, "message": self._words(lines, chars)}
        if self.seconds is not None:
            error["retry_after"] = self.seconds
        return error

    def _words(self, lines: Lines, chars: int) -> str:
        if self.why is Why.TOO_LONG:
            return lines.say("web.error.too_long", chars=chars)
        return lines.say(f"web.error.{self.why}")
