"""Appointments on the server: found, made, given up.

Every search is checked again on this side, because a server that ignores a parameter would
otherwise answer with other people's appointments; a list of which an entry cannot be read fails,
because an appointment left out would be told as none. Decides nothing about slots.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from wonmu.clock import SEOUL
from wonmu.emr import port
from wonmu.emr.fhir import errors, mapping
from wonmu.emr.fhir.datatypes import CodeableConcept, Coding, Identifier, Reference, instant_text
from wonmu.emr.fhir.http import Params
from wonmu.emr.fhir.mapping import Place
from wonmu.emr.fhir.models import Appointment, Participant, Slot
from wonmu.emr.fhir.parsing import parse_as
from wonmu.emr.fhir.search import search_all
from wonmu.emr.fhir.wire import LOOK_AGAIN, Wire
from wonmu.ids import AppointmentId, BookingKey, PatientId

REASONS = "http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason"
BY_PATIENT: Literal["pat"] = "pat"
GAVE_WAY: Literal["other"] = "other"
"""Somebody else had the slot when ours was read back; the same key then means taken."""

ON_A_SLOT = ("booked", "pending", "arrived", "checked-in")
"""Appointments that keep others from a slot."""

TRIES = 3
"""Of a change that somebody else's change overtook, or that got no answer."""


async def read(wire: Wire, appointment_id: AppointmentId) -> Appointment | None:
    if not mapping.is_id(appointment_id):
        return None
    return await wire.client.read(Appointment, appointment_id, "reading an appointment")


async def of_patient(
    wire: Wire, patient_id: PatientId, window: port.Window
) -> tuple[Appointment, ...]:
    """What the patient has in the window, earliest first."""
    if not mapping.is_id(patient_id):
        return ()
    params = (
        ("patient", f"Patient/{patient_id}"),
        ("date", f"ge{instant_text(window.start)}"),
        ("date", f"lt{instant_text(window.end)}"),
        ("status", ",".join(mapping.LIVE)),
    )

    def is_theirs(one: Appointment) -> bool:
        inside = one.start is not None and window.start <= one.start < window.end
        mine = patient_id in mapping.actors(one, "Patient")
        return inside and mine and one.status in mapping.LIVE

    found = await _search(wire, params, is_theirs, "reading appointments")
    return tuple(sorted(found, key=lambda one: (one.start or window.end, one.id or "")))


async def by_key(wire: Wire, key: BookingKey) -> tuple[Appointment, ...]:
    """Everything booked or cancelled under a key, the one that counts first."""
    params = (("identifier", f"{wire.system}|{_escaped(key)}"),)

    def is_ours(one: Appointment) -> bool:
        return mapping.has_key(one.identifier, wire.system, key)

    found = await _search(wire, params, is_ours, "looking up a booking key")
    return tuple(sorted(found, key=lambda one: (one.status in mapping.OVER, *age(one))))


async def on_slot(wire: Wire, slot_id: str) -> tuple[Appointment, ...]:
    """The live appointments on a slot, the one that keeps it first."""
    params = (("slot", f"Slot/{slot_id}"), ("status", ",".join(ON_A_SLOT)))

    def is_there(one: Appointment) -> bool:
        return slot_id in mapping.targets(one.slot, "Slot") and one.status in ON_A_SLOT

    found = await _search(wire, params, is_there, "reading who has a time")
    return tuple(sorted(found, key=age))


def age(one: Appointment) -> tuple[float, str]:
    """The same order for whoever looks: first written first, then by id."""
    written = one.meta.last_updated if one.meta is not None else None
    return (written.timestamp() if written is not None else 0.0, one.id or "")


def draft(wire: Wire, intent: port.BookingIntent, slot: Slot, place: Place) -> Appointment:
    """The appointment as it is agreed; ``booked``."""
    minutes = int((slot.end - slot.start).total_seconds() // 60)
    people = (
        f"Patient/{intent.patient_id}",
        f"Practitioner/{place.doctor_id}",
        f"HealthcareService/{place.department_id}",
    )
    return Appointment(
        identifier=(Identifier(system=wire.system, value=intent.key),),
        status="booked",
        start=slot.start,
        end=slot.end,
        minutes_duration=minutes,
        slot=(Reference(reference=f"Slot/{slot.id}"),),
        created=wire.clock.now().astimezone(SEOUL).isoformat(timespec="seconds"),
        participant=tuple(
            Participant(actor=Reference(reference=one), status="accepted") for one in people
        ),
    )


async def create(wire: Wire, made: Appointment, key: BookingKey) -> Appointment:
    """Create it, or get the one that this key made before.

    Raises ``FhirFailure``; with ``outcome_known`` False it may have been created.
    """
    doing = "booking"
    unless = (("identifier", f"{wire.system}|{key}"),)
    written = await wire.client.create(made, unless, doing)
    if written.body is not None:
        try:
            return parse_as(Appointment, written.body)
        except ValueError:
            raise errors.unreadable(doing, write=True) from None
    return await created_as(wire, written.id, doing)


async def created_as(wire: Wire, id_: str | None, doing: str) -> Appointment:
    """The appointment of which a server told only the id."""
    try:
        found = await read(wire, AppointmentId(id_ or ""))
    except errors.FhirFailure:
        found = None
    if found is None:
        raise errors.unreadable(doing, write=True)
    return found


async def look_for(wire: Wire, key: BookingKey) -> Appointment | None:
    """What became of a write without an answer. None: nothing was seen, which proves nothing."""
    for seconds in LOOK_AGAIN:
        await wire.wait(seconds)
        try:
            found = await by_key(wire, key)
        except errors.FhirFailure:
            continue
        if found:
            return found[0]
    return None


async def give_up(
    wire: Wire, appointment: Appointment, why: str, key: BookingKey | None
) -> Appointment | None:
    """Cancel an appointment and return it as it is then; None: nobody knows.

    Only over the state it was read in; overtaken by another change, it is read again. Already
    cancelled is cancelled. ``key``: what the cancellation can be looked up by.

    Raises ``FhirFailure`` when the server refused, so that it certainly stands.
    """
    current: Appointment | None = appointment
    for _ in range(TRIES):
        if current is None or current.status in mapping.OVER:
            return current
        wanted = _cancelled(wire, current, why, key)
        try:
            await wire.client.update(wanted, "cancelling")
        except errors.FhirFailure as failure:
            if failure.outcome_known and not _overtaken(failure):
                raise
        try:
            current = await read(wire, AppointmentId(current.id or ""))
        except errors.FhirFailure:
            continue
    return current if current is not None and current.status in mapping.OVER else None


def _overtaken(failure: errors.FhirFailure) -> bool:
    rules = any(issue.code == "business-rule" for issue in failure.issues)
    return failure.status in (409, 412) and not rules


def _cancelled(wire: Wire, current: Appointment, why: str, key: BookingKey | None) -> Appointment:
    change: dict[str, object] = {
        "status": "cancelled",
        "cancelation_reason": CodeableConcept(coding=(Coding(system=REASONS, code=why),)),
    }
    if key is not None and not mapping.has_key(current.identifier, wire.system, key):
        ours = Identifier(use=mapping.SECONDARY, system=wire.system, value=key)
        change["identifier"] = (*current.identifier, ours)
    wanted = current.model_copy(update=change)
    if wanted.broken_rules():
        raise errors.unreadable("cancelling an appointment that breaks FHIR's own rules")
    return wanted


def gave_way(one: Appointment) -> bool:
    """Whether it is one of ours that was given up because somebody else had the slot."""
    codings = one.cancelation_reason.coding if one.cancelation_reason is not None else ()
    return any(coding.system == REASONS and coding.code == GAVE_WAY for coding in codings)


def _escaped(token: str) -> str:
    """A backslash keeps FHIR's own separators in a value from being read as such."""
    return "".join(f"\\{sign}" if sign in "\\,|$" else sign for sign in token)


async def _search(
    wire: Wire, params: Params, keep: Callable[[Appointment], bool], doing: str
) -> tuple[Appointment, ...]:
    found = await search_all(wire.client, "Appointment", params, doing)
    if found.skipped:
        raise errors.unreadable(doing)
    return tuple(one for one in found.of(Appointment) if keep(one))
