"""For whom the work of a visit is done: a phone call, or a conversation in text.

The work asks its host for the desk, the record system within its limits, the timeline and the few
things it must leave behind. It must never ask for the talk: what is said is returned, not spoken.
"""

from __future__ import annotations

from typing import Protocol

from wonmu.emr.guard import GuardedEmr
from wonmu.errors import EmrFault
from wonmu.lines import Lines
from wonmu.policy.claims import Receipts
from wonmu.policy.terminal import Latch
from wonmu.timeline.record import Recorder
from wonmu.visit.front import Front
from wonmu.visit.lookups import Name
from wonmu.visit.writing import Writes


class HostState(Protocol):
    """What the work of a visit leaves in its host's memory."""

    receipts: Receipts
    """What this talk has proven, and so may say (T12)."""
    fault: EmrFault | None
    """Why the record system last gave no answer."""
    refund_unknown: bool
    """A refund was asked for, and nobody knows whether the ledger has taken it."""
    latch: Latch
    """Closed once the talk is over: nothing is searched or staged for nobody."""


class Reads(Protocol):
    """Who watches over the host's reads."""

    def step(self, name: Name, step: str, /) -> None:
        """The read of that name has come to another part."""
        ...


class Host(Protocol):
    """A call or a conversation, as far as the work of a visit needs it."""

    @property
    def desk(self) -> Front: ...

    @property
    def lines(self) -> Lines: ...

    @property
    def emr(self) -> GuardedEmr:
        """The record system with this host's limits and watcher."""
        ...

    @property
    def recorder(self) -> Recorder: ...

    @property
    def state(self) -> HostState: ...

    @property
    def lookups(self) -> Reads: ...

    @property
    def writes(self) -> Writes: ...
