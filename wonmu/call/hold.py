"""One transfer on its way: the consult with staff beside the caller on hold (P1, P3, N11).

A plain object, no task of the talk: it dials, marks the hold so that no silence is unexplained,
joins once the agent's words are over, and settles exactly once. Whoever leaves at whatever moment,
the rest is released.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wonmu.korean.mask import mask_text
from wonmu.policy.terminal import TerminalReason
from wonmu.timeline.events import Kind
from wonmu.transfer.consult import Limits, Step, reach
from wonmu.transfer.port import Briefing, NotReached, Outcome, StaffLeg, StaffLine

if TYPE_CHECKING:
    from wonmu.call.session import Call

log = logging.getLogger(__name__)

MARK_SECONDS = 3.0
"""Between two marks of the hold music; N11 allows four of silence."""
WORDS_SECONDS = 12.0
"""Between two spoken reminders that the line is still being connected."""
RELEASE_SECONDS = 2.0
"""Longest wait for the staff's leg to be let go (R111)."""

CALLED_OFF = "cancelled_by_caller"
END_CALL = "end_call"


@dataclass(frozen=True, slots=True)
class TransferEnd:
    """The one end of a transfer. ``reason`` tells failures apart; no personal data."""

    outcome: Outcome
    reason: str = ""


class Hold:
    """The way of one caller to one person."""

    def __init__(self, call: Call, line: StaffLine, number: str, to: str, limits: Limits) -> None:
        self._call = call
        self._line = line
        self._number = number
        self._to = to
        self._limits = limits
        self._job: asyncio.Task[None] | None = None
        self._mark: asyncio.TimerHandle | None = None
        self._music_at: float | None = None
        self._on_end: Callable[[TransferEnd], None] = lambda end: None
        self.joining = False
        self.end: TransferEnd | None = None

    # Life ------------------------------------------------------------------------------------

    def start(self, briefing: Briefing, on_end: Callable[[TransferEnd], None]) -> None:
        """Begin to dial; ``on_end`` is called once."""
        self._on_end = on_end
        self._call.floor.hold(self)
        self._call.state.transfers += 1
        data = {"attempt": self._call.state.transfers, "to": self._to}
        self._call.recorder.write(Kind.TRANSFER_STARTED, data)
        self._job = asyncio.create_task(self._go(briefing))
        self._job.add_done_callback(self._job_done)

    def call_off(self, reason: str) -> None:
        """The caller does not want it any more; nobody is joined from here on."""
        if self._job is not None:
            self._job.cancel()
        self._settle(TransferEnd(Outcome.FAILED, reason))

    async def caller_left(self) -> None:
        """The caller hung up: stop dialling, let staff go. Returns when that is done."""
        if self.end is not None or self._job is None:
            return
        self._job.cancel()
        await asyncio.wait({self._job}, timeout=RELEASE_SECONDS)
        self._settle(TransferEnd(Outcome.CALLER_LEFT))

    def stop(self, reason: str) -> None:
        """The task around it is over for another reason."""
        if self.end is None:
            self.call_off(reason)

    async def _go(self, briefing: Briefing) -> None:
        def step(reached: Step) -> None:
            if reached is Step.BRIEFED:
                self._call.recorder.write(Kind.TRANSFER_BRIEFED, _told(briefing))

        leg = await reach(self._line, self._number, briefing, self._limits, step)
        if isinstance(leg, NotReached):
            self._settle(TransferEnd(leg.outcome, leg.reason))
        else:
            await self._join(leg)

    async def _join(self, leg: StaffLeg) -> None:
        outcome = Outcome.FAILED
        try:
            # The announcement is heard to its end before anybody is joined (R115).
            await self._call.floor.until_only(self)
            self.joining = True
            outcome = await leg.join()
            if self._call.hung_up:
                # The caller left while the two were put together: nobody is left alone (R126).
                outcome = Outcome.CALLER_LEFT
        finally:
            self.joining = False
            if outcome is not Outcome.CONNECTED:
                await leg.release()
        self._settle(TransferEnd(outcome))

    def _job_done(self, job: asyncio.Task[None]) -> None:
        if job.cancelled():
            return
        if (error := job.exception()) is not None:
            log.error("a transfer failed: %s", type(error).__name__)
            data = {"where": "transfer", "error": type(error).__name__}
            self._call.recorder.write(Kind.FAULT, data)
            self._settle(TransferEnd(Outcome.FAILED, "fault"))

    def _settle(self, end: TransferEnd) -> None:
        if self.end is not None:
            return
        self.end = end
        self._music_off()
        settled(self._call, end)
        if end.outcome is Outcome.CONNECTED:
            self._call.state.note = None
            self._call.end(TerminalReason.TRANSFER_STARTED, "transferred")
        self._on_end(end)
        self._call.floor.release(self)

    # The caller's ear ------------------------------------------------------------------------

    def music_on(self) -> None:
        """The announcement is over: the caller hears hold music until the end."""
        if self.end is not None or self._music_at is not None:
            return
        self._music_at = asyncio.get_running_loop().time()
        self._call.floor.on_hold.set()
        self._marked(0.0)

    def _marked(self, last_words: float) -> None:
        loop = asyncio.get_running_loop()
        passed = loop.time() - (self._music_at or 0.0)
        self._call.recorder.write(Kind.TRANSFER_HOLD, {"seconds": round(passed, 1)})
        due = passed - last_words >= WORDS_SECONDS
        if due and not self.joining and not self._call.floor.busy_besides(self):
            self._call.say("transfer.still")
            last_words = passed
        self._mark = loop.call_later(MARK_SECONDS, self._marked, last_words)

    def _music_off(self) -> None:
        if self._mark is not None:
            self._mark.cancel()
        self._call.floor.on_hold.clear()


def settled(call: Call, end: TransferEnd) -> None:
    """Write the end of a transfer; also of one that was never dialled."""
    data = {"outcome": end.outcome.value, "reason": end.reason}
    call.recorder.write(Kind.TRANSFER_SETTLED, data)


def _told(briefing: Briefing) -> dict[str, object]:
    """The briefing as an event. The birth date stays with staff."""
    patient = briefing.patient
    return {
        "purpose": mask_text(briefing.purpose).text,
        "patient": patient.name if patient else None,
        "caller": briefing.caller_phone,
        "done": list(briefing.done),
    }
