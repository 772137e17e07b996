"""The latch that closes a call (T10, N5).

Once closed it stays closed: nothing runs, and nothing is spoken but the goodbye that code planned.
"""

from __future__ import annotations

from enum import StrEnum


class TerminalReason(StrEnum):
    BOOKING_DONE = "booking_done"
    TRANSFER_STARTED = "transfer_started"
    CALL_ENDING = "call_ending"
    CALLER_LEFT = "caller_left"
    FAULT = "fault"


class Latch:
    """Open until ``close``; never opens again."""

    def __init__(self) -> None:
        self._reason: TerminalReason | None = None

    @property
    def closed(self) -> bool:
        return self._reason is not None

    @property
    def reason(self) -> TerminalReason | None:
        """The first reason given."""
        return self._reason

    def close(self, reason: TerminalReason) -> bool:
        """Close it; True only for the call that closed it."""
        if self._reason is not None:
            return False
        self._reason = reason
        return True

    def allows_speech(self, planned_goodbye: bool = False) -> bool:
        """Whether something may still be spoken. A caller who left hears no goodbye either."""
        if self._reason is None:
            return True
        return planned_goodbye and self._reason is not TerminalReason.CALLER_LEFT

    def allows_action(self) -> bool:
        return self._reason is None
