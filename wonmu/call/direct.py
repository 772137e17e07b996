"""The way to write to the record system, for one call (B2).

The office has it when its hospital wants direct commits; a call goes through its own guarded record
system, so that time limits and failures are this call's, and writes every step down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wonmu.timeline.events import Kind

COMMIT_SECONDS = 30.0
"""Cap on all requests of one commit: sending, looking up three times, reading back, and the old
booking of a change. The caller hears words meanwhile."""

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.desk.outbox.direct import DirectDesk
    from wonmu.desk.outbox.entry import Doing
    from wonmu.desk.outbox.outcome import Act
    from wonmu.ids import BookingKey


def desk_of(call: Call) -> DirectDesk | None:
    """The call's way to the record system; None where bookings are requests for staff."""
    direct = call.desk.direct
    if direct is None:
        return None

    def step(key: BookingKey, act: Act, doing: Doing) -> None:
        data = {"key": key, "act": act.value, "step": doing.value}
        call.recorder.write(Kind.COMMIT_STEP, data)

    return direct.for_call(call.emr.step(COMMIT_SECONDS), step)
