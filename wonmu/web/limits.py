"""The limits of the web chat, and the gate that keeps them.

Decides who must wait and how long; it must never know a token or a text. Addresses are keys only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from wonmu.web.limiter import Buckets, Counts, Rate
from wonmu.web.refusal import Refused, Why

_REQUESTS = Rate(60, 4.0)
_OPENING = Rate(10, 1 / 30)
_MESSAGES = Rate(6, 0.5)
_ADDRESS_MESSAGES = Rate(40, 2.0)
_UNKNOWN = Rate(20, 1 / 3)


@dataclass(frozen=True, slots=True)
class WebLimits:
    """Numbers are for people who type, with room for a ward or an office behind one address."""

    requests: Rate = _REQUESTS
    """Of any kind, per address."""
    opening: Rate = _OPENING
    """New conversations, per address."""
    messages: Rate = _MESSAGES
    """Per conversation; nobody types faster for long."""
    address_messages: Rate = _ADDRESS_MESSAGES
    """Messages of all conversations of one address."""
    unknown: Rate = _UNKNOWN
    """Tokens that open nothing, per address."""
    text_chars: int = 1_000
    body_bytes: int = 16 * 1024
    """1,000 characters written as JSON escapes of two halves each are 12 KB."""
    body_seconds: float = 10.0
    """A body that comes slower than this is not waited for."""
    conversations: int = 500
    """Open at once, per hospital."""
    spare_after: float = 120.0
    """Quiet seconds after which a visit may end early when all places are taken."""
    waiting_turns: int = 3
    """Messages of one conversation that wait behind the one being answered."""
    sockets: int = 1_000
    conversation_sockets: int = 3
    """A reload and a second tab; more is no person."""
    address_sockets: int = 60
    hello_seconds: float = 10.0
    """Until the first frame of a socket."""
    bad_frames: int = 5
    """Frames of one socket that cannot be read, before it is closed."""
    turn_seconds: float = 60.0
    """How long an HTTP request waits for the answer; the turn goes on without it."""
    idle_seconds: float = 1_800.0
    """Quiet seconds after which a visit ends; the conversation stays."""
    stop_seconds: float = 10.0
    """For visits to end when the server is told to stop."""


ALL = "all"


class Gate:
    """Asked before anything is done. Every method raises ``Refused`` or returns."""

    def __init__(self, limits: WebLimits, mono: Callable[[], float]) -> None:
        self.limits = limits
        self._requests = Buckets(limits.requests, mono)
        self._opening = Buckets(limits.opening, mono)
        self._messages = Buckets(limits.messages, mono)
        self._address_messages = Buckets(limits.address_messages, mono)
        self._unknown = Buckets(limits.unknown, mono)
        self._sockets = Counts(limits.sockets)
        self._address_sockets = Counts(limits.address_sockets)

    def request(self, address: str) -> None:
        _pass(self._requests.take(address))

    def opening(self, address: str) -> None:
        _pass(self._opening.take(address))

    def message(self, address: str, conversation: str) -> None:
        """``conversation``: any name of it that is no secret."""
        _pass(self._messages.wait(conversation))
        _pass(self._address_messages.take(address))
        _pass(self._messages.take(conversation))

    def knock(self, address: str) -> None:
        """Before a token is looked up."""
        _pass(self._unknown.wait(address))

    def opened_nothing(self, address: str) -> None:
        """After a token turned out to be unknown."""
        self._unknown.take(address)

    def socket(self, address: str) -> None:
        """One more socket; ``socket_gone`` must follow."""
        if not self._sockets.enter(ALL):
            raise Refused(Why.BUSY, retry_after=30.0)
        if not self._address_sockets.enter(address):
            self._sockets.leave(ALL)
            raise Refused(Why.TOO_MANY, retry_after=30.0)

    def socket_gone(self, address: str) -> None:
        self._sockets.leave(ALL)
        self._address_sockets.leave(address)


def _pass(seconds: float) -> None:
    if seconds > 0.0:
        raise Refused(Why.TOO_MANY, retry_after=seconds)
