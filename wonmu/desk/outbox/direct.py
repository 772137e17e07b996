"""Writing one consented act straight to the record system, exactly once (B2, B3, B4).

Decides in which order things are written down and sent, and which of the outcomes of ``outcome``
is true. It must never say confirmed of anything that was not read back, never send what it has not
recorded first, and never send under a second key.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from wonmu.clock import Clock
from wonmu.desk.outbox.entry import Doing
from wonmu.desk.outbox.notes import StaffNotes
from wonmu.desk.outbox.outcome import Act, Outcome
from wonmu.desk.outbox.store import OutboxStore
from wonmu.desk.records import BookingRequest, CancelRequest
from wonmu.emr.port import Emr, Slot
from wonmu.ids import BookingKey

Pause = Callable[[float], Awaitable[None]]
"""Waits that many seconds; ``asyncio.sleep`` outside tests."""

OnStep = Callable[[BookingKey, Act, Doing], None]
"""Told each step as it begins."""


class DirectDesk:
    """``emr`` must have time limits (``GuardedEmr``), or a hang of it hangs the caller.

    A caller who hangs up does not stop a write: it goes on, and ``close`` waits for it.
    """

    def __init__(
        self,
        emr: Emr,
        store: OutboxStore,
        clock: Clock,
        pause: Pause,
        notes: StaffNotes,
        on_step: OnStep | None = None,
    ) -> None:
        raise NotImplementedError

    def for_call(self, emr: Emr, on_step: OnStep | None = None) -> DirectDesk:
        """The same desk for one call: through the call's guarded ``emr``, steps told to it."""
        raise NotImplementedError

    async def book(self, request: BookingRequest, slot: Slot) -> Outcome:
        """Record the request, write it, read it back.

        The same key again gives the first one's outcome. ProgrammingError: the request replaces
        an appointment, is not about ``slot``, or its patient has no id (keep request mode then:
        see ``can_write``).
        """
        raise NotImplementedError

    async def change(self, request: BookingRequest, slot: Slot) -> Outcome:
        """``book`` for a request that ``replaces`` an appointment: the new one before the old."""
        raise NotImplementedError

    async def cancel(self, request: CancelRequest) -> Outcome:
        """Cancel ``request.appointment_id``. ProgrammingError as for ``book``."""
        raise NotImplementedError

    async def close(self) -> None:
        """Wait for writes under way. Closes neither the store nor the record system."""
        raise NotImplementedError


def can_write(request: BookingRequest | CancelRequest) -> bool:
    """Whether the record system knows the patient; otherwise only staff can enter the request."""
    return request.patient.id is not None
