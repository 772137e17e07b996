"""The requests to the record system that writing one row needs, each with a closed result.

Decides what an answer means for the row and nothing about what follows from it. It must never
take a failure for an answer: what is not known is said to be not known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wonmu.desk.outbox.entry import Doing, Entry
from wonmu.desk.outbox.outcome import Act
from wonmu.emr.port import (
    Appointment,
    AppointmentStatus,
    Booked,
    BookingIntent,
    Cancelled,
    Emr,
    NotThere,
    Rejected,
    SlotStatus,
    Taken,
    Unknown,
)
from wonmu.errors import EmrFailure, EmrFault, ProgrammingError
from wonmu.ids import AppointmentId, BookingKey

Tell = Callable[[Doing], None]


@dataclass(frozen=True, slots=True)
class Wrote:
    """The record system says it is written."""

    appointment: Appointment
    replayed: bool


@dataclass(frozen=True, slots=True)
class TakenBy:
    """Somebody else has the slot; nothing was written."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """A rule forbids it; nothing was written."""

    reason: str


@dataclass(frozen=True, slots=True)
class Lost:
    """Nobody knows whether it was written."""

    fault: EmrFault | None
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The record system failed, and this request certainly wrote nothing."""

    fault: EmrFault
    retry_after: float | None = None


Sent = Wrote | TakenBy | Ruled | Lost | Failed


@dataclass(frozen=True, slots=True)
class Differs:
    """What was read back is not what was agreed."""

    appointment: Appointment


@dataclass(frozen=True, slots=True)
class OldGone:
    """The old appointment of a change no longer stands."""


@dataclass(frozen=True, slots=True)
class OldKept:
    """A rule keeps the old appointment from being cancelled by us."""

    reason: str


class Network:
    """Asks one record system about one row at a time; ``tell`` hears each step begin."""

    def __init__(self, emr: Emr, tell: Tell) -> None:
        self._emr = emr
        self._tell = tell

    async def send(self, entry: Entry) -> Sent:
        """Claim and create (or move, or cancel) under the row's key.

        A slot whose version alone has changed is tried once more with the new one.
        """
        sent = await self._send(entry)
        if sent != Ruled("stale_version") or entry.slot_id is None:
            return sent
        self._tell(Doing.REREAD_SLOT)
        try:
            slot = await self._emr.read_slot(entry.slot_id)
        except EmrFailure as failure:
            return Failed(failure.fault, failure.retry_after)
        if slot is None:
            return Ruled("unknown_slot")
        if slot.status is not SlotStatus.FREE:
            return TakenBy()
        if (slot.start, slot.doctor_id) != (entry.start, entry.doctor_id):
            return Ruled("slot_changed")
        return await self._send(replace(entry, slot_version=slot.version))

    async def find(self, entry: Entry) -> Appointment | None:
        """What stands under the row's key, or None if nothing does. Raises ``EmrFailure``.

        For a cancellation: the appointment if it is cancelled, by whomever.
        """
        self._tell(Doing.LOOK_UP)
        if entry.act is Act.CANCEL:
            found = await self._emr.read_appointment(_appointment(entry))
            return found if found is not None and _is_cancelled(found) else None
        found = await self._emr.lookup_key(entry.key)
        # Some record systems mark the old appointment of a change with the same key.
        return None if found is None or found.id == entry.appointment_id else found

    async def read_back(
        self, entry: Entry, appointment_id: AppointmentId
    ) -> Appointment | Differs | None:
        """The appointment if it is as agreed; None if it is not to be found by its id.

        Raises ``EmrFailure``.
        """
        self._tell(Doing.READ_BACK)
        found = await self._emr.read_appointment(appointment_id)
        if found is None:
            return None
        return found if _as_agreed(entry, found) else Differs(found)

    async def end_old(self, entry: Entry) -> OldGone | OldKept | Lost:
        """See to it that the old appointment of a change no longer stands."""
        old, key = _appointment(entry), old_key(entry.key)
        try:
            self._tell(Doing.READ_OLD)
            if not _stands(await self._emr.read_appointment(old)):
                return OldGone()
            self._tell(Doing.CANCEL_OLD)
            result = await self._emr.cancel(old, key)
            match result:
                case Rejected(reason=reason):
                    return OldKept(reason)
                case Unknown():
                    return Lost(None)
                case Cancelled() | NotThere():
                    pass
            self._tell(Doing.READ_OLD)
            return Lost(None) if _stands(await self._emr.read_appointment(old)) else OldGone()
        except EmrFailure as failure:
            return Lost(failure.fault, failure.retry_after)

    async def release(self, entry: Entry) -> None:
        """Give back what this key may still claim of the slot. Raises ``EmrFailure``."""
        if entry.slot_id is not None:
            self._tell(Doing.RELEASE)
            await self._emr.release(entry.slot_id, entry.key)

    async def _send(self, entry: Entry) -> Sent:
        self._tell(Doing.SEND)
        try:
            match entry.act:
                case Act.BOOK:
                    result = await self._emr.book(_intent(entry))
                case Act.CHANGE:
                    result = await self._emr.reschedule(_appointment(entry), _intent(entry))
                case Act.CANCEL:
                    return await self._cancel(entry)
        except EmrFailure as failure:
            if failure.outcome_known:
                return Failed(failure.fault, failure.retry_after)
            return Lost(failure.fault, failure.retry_after)
        match result:
            case Booked(appointment=appointment, replayed=replayed):
                return Wrote(appointment, replayed)
            case Taken():
                return TakenBy()
            case Rejected(reason=reason):
                return Ruled(reason)
            case Unknown():
                return Lost(None)

    async def _cancel(self, entry: Entry) -> Sent:
        result = await self._emr.cancel(_appointment(entry), entry.key)
        match result:
            case Cancelled(appointment=appointment, already=already):
                return Wrote(appointment, already)
            case NotThere():
                return Ruled("no_appointment")
            case Rejected(reason=reason):
                return Ruled(reason)
            case Unknown():
                return Lost(None)


def old_key(key: BookingKey) -> BookingKey:
    """The key under which the old appointment of a change is cancelled; always the same one."""
    return BookingKey(f"{key}-old")


def _intent(entry: Entry) -> BookingIntent:
    if entry.slot_id is None or entry.slot_version is None:
        raise ProgrammingError(f"{entry.key}: a booking without a slot")
    return BookingIntent(entry.key, entry.patient_id, entry.slot_id, entry.slot_version)


def _appointment(entry: Entry) -> AppointmentId:
    if entry.appointment_id is None:
        raise ProgrammingError(f"{entry.key}: a {entry.act} without an appointment")
    return entry.appointment_id


def _as_agreed(entry: Entry, found: Appointment) -> bool:
    if entry.act is Act.CANCEL:
        return _is_cancelled(found) and found.patient_id == entry.patient_id
    agreed = (entry.patient_id, entry.slot_id, entry.doctor_id, entry.start)
    standing = (found.patient_id, found.slot_id, found.doctor_id, found.start)
    return found.status is AppointmentStatus.BOOKED and standing == agreed


def _is_cancelled(appointment: Appointment) -> bool:
    return appointment.status is AppointmentStatus.CANCELLED


def _stands(appointment: Appointment | None) -> bool:
    return appointment is not None and not _is_cancelled(appointment)
