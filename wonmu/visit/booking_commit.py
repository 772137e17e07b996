"""Writing one agreed booking, once, and telling what came of it (B2, B4, N1, N2).

Runs beside whoever asked for it: a write that has begun is finished even when nobody waits for it
any more, and the same call again finds it under its key.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from wonmu.booking.draft import Committed, Minted, Staged
from wonmu.booking.result import Completed, ExitCode, Exited
from wonmu.errors import StoreFailure
from wonmu.lines import Value
from wonmu.policy.claims import Act
from wonmu.timeline.events import Kind
from wonmu.visit.booking_steps import BookingSteps
from wonmu.visit.bookings import OpenBooking
from wonmu.visit.record import Kept, Lost, NotKept, Twice, record_booking
from wonmu.visit.turned import Saying
from wonmu.visit.typed import typed
from wonmu.visit.visit import Visit
from wonmu.visit.written import Told, written_line


async def commit(steps: BookingSteps) -> None:
    """Write what the draft has a key for; read back anew what nobody here has agreed to."""
    staged, minted = steps.draft.state.staged, steps.draft.state.minted
    if staged is None or minted is None:
        return await steps.ask_again()
    try:
        known = await steps.visit.desk.inbox.get(minted.key) is not None
    except StoreFailure:
        steps.end = Exited(ExitCode.SYSTEM_ERROR, "record")
        return None
    if not known and minted.key not in steps.visit.memory.consents:
        # The process that heard the yes is gone and had not written: it needs a new one.
        steps.forget_agreement()
        return await steps.ask_again()
    opened = await steps.opened()
    if opened is None:
        return None
    result = await _finished(steps.visit, opened, staged, minted, known=known)
    return await _after(steps, result, staged, minted, opened)


async def _finished(
    visit: Visit, opened: OpenBooking, staged: Staged, minted: Minted, *, known: bool
) -> Kept | Lost | Twice | NotKept:
    """The write to its end, also when the waiting for it is cancelled (A5)."""

    async def write() -> Kept | Lost | Twice | NotKept:
        with visit.writes.running():
            return await record_booking(visit, opened, staged.slot, minted.key, known=known)

    key, writes = minted.key, visit.memory.writes
    if key in writes:  # somebody else waits for it already
        result = await asyncio.shield(writes[key])
        return replace(result, replayed=True) if isinstance(result, Kept) else result
    writes[key] = asyncio.ensure_future(write())
    writes[key].add_done_callback(lambda _: writes.pop(key))
    return await asyncio.shield(writes[key])


async def _after(
    steps: BookingSteps,
    result: Kept | Lost | Twice | NotKept,
    staged: Staged,
    minted: Minted,
    opened: OpenBooking,
) -> None:
    match result:
        case Kept(booking=booking, replayed=replayed):
            done = steps.draft.commit(staged.digest, minted.key)
            seen = steps.draft.state.consent is not None
            if seen and not isinstance(done, Committed):
                steps.end = Exited(ExitCode.SYSTEM_ERROR, "commit")
                return
            _committed(steps, booking, staged, opened, replayed=replayed)
        case Lost():
            steps.draft.slot_lost(staged.digest)
            await steps.taken(staged.slot, "commit")
        case Twice():
            steps.draft.write_failed(staged.digest, outcome_known=True)
            steps.duplicate()
        case NotKept():
            steps.draft.write_failed(staged.digest, outcome_known=True)
            steps.end = Exited(ExitCode.SYSTEM_ERROR, "record")


def _committed(
    steps: BookingSteps, result: Completed, staged: Staged, opened: OpenBooking, *, replayed: bool
) -> None:
    booking = result.booking
    data: dict[str, object] = {
        "key": booking.key,
        "mode": booking.mode.value,
        "digest": staged.digest,
        "replayed": replayed,
        "written": result.written.value,
    }
    if opened.replaces is not None:
        data["replaces"] = opened.replaces.ref
    steps.visit.recorder.write(Kind.BOOKING_COMMITTED, data)
    steps.visit.memory.booked.add((opened.party.ref, staged.slot.start))
    steps.say.append(_told(steps, result, opened))
    steps.end = result


def _told(steps: BookingSteps, result: Completed, opened: OpenBooking) -> Saying:
    slot, old = result.booking, opened.replaces
    values: dict[str, Value]
    if old is None:
        act, stem = Act.BOOK, "booking"
        catalog = steps.visit.desk.catalog
        department, doctor = catalog.department(slot.department_id), catalog.doctor(slot.doctor_id)
        values = {
            "department": department.name if department else slot.department_id,
            "doctor": doctor.spoken if doctor else slot.doctor_id,
            "when": slot.start,
        }
    else:
        act = Act.CHANGE
        stem = "own.change_old_stands" if result.old_stands else "own.change"
        values = {"old": old.start, "when": slot.start}
    told = Told(act, slot.start, result.written, result.reason)
    name, filled = written_line(steps.visit, stem, told, **values)
    return Saying(typed(steps.visit.lines, name, filled), name)
