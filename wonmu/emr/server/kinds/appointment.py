"""Appointment from a row of appointments.

The table knows a live appointment and a cancelled one; the finer FHIR status (arrived, noshow …)
is what a client wrote last, as long as it says the same. Who has a slot, that a patient is in one
place at a time and that one booking identifier is one appointment are unique indexes. An
appointment without a time (proposed, waitlist) is not kept here: this is a calendar, and requests
go to the desk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar

from sqlalchemy import ColumnElement, Row, Select, delete, exists, insert, or_, select, update

from wonmu.emr.server.claims import claim, free
from wonmu.emr.server.kinds.base import (
    Found,
    Kind,
    as_list,
    changed_at,
    department_names,
    living,
    moved_on,
    service_codes,
    with_meta,
)
from wonmu.emr.server.kinds.slot import lock_slot, start_bounds
from wonmu.emr.server.problems import FhirProblem, Issue, Json, refused
from wonmu.emr.server.query import Query
from wonmu.emr.server.rules import SlotOwner
from wonmu.emr.server.side import Side, keep, side_of, sides_of
from wonmu.emr.server.tx import Tx
from wonmu.emr.server.values import ids_of, instant, local, reference, to
from wonmu.emr.tables import appointments, doctors, fhir_resources, slots

LIVE_CODES = ("pending", "booked", "arrived", "checked-in", "fulfilled")
_LONGEST_KEY = 80
GONE_CODES = ("cancelled", "noshow", "entered-in-error")


class Appointments(Kind):
    name: ClassVar[str] = "Appointment"
    writes: ClassVar[bool] = True

    async def get(self, tx: Tx, identity: str) -> Found | None:
        query = _rows().where(appointments.c.id == identity)
        row = (await tx.connection.execute(query)).one_or_none()
        if row is None:
            return None
        return await self._found(tx, row, await side_of(tx, self.name, identity))

    async def candidates(self, tx: Tx, query: Query) -> list[Json]:
        rows = (await tx.connection.execute(_narrowed(tx, query))).all()
        sides = await sides_of(tx, self.name, [row.id for row in rows])
        return [(await self._found(tx, row, sides.get(row.id))).resource for row in rows]

    async def _found(self, tx: Tx, row: Row[Any], side: Side | None) -> Found:
        side = living(side)
        body = dict(side.body) if side is not None else {}
        resource: Json = {
            "resourceType": self.name,
            "id": row.id,
            **service_codes(await department_names(tx), row.department_id),
            "participant": _participants(row),
            **body,
            **_owned(row, body.get("status")),
        }
        identifiers = _identifiers(tx, row, body)
        if identifiers:
            resource["identifier"] = identifiers
        return with_meta(resource, row.version, changed_at(tx, side, row.version))

    async def create(self, tx: Tx, body: Json) -> str:
        return await self.insert(tx, body, hold_key=None)

    async def insert(self, tx: Tx, body: Json, hold_key: str | None) -> str:
        """``hold_key``: of a hold of this caller on the slot."""
        plan = await _plan(tx, body)
        await _refuse_duplicate(tx, plan.key)
        if plan.live:
            await _take(tx, plan, hold_key)
        identity = tx.ids.new("apt")
        row = {"id": identity, "version": 1, "key": plan.key, **plan.columns()}
        await tx.connection.execute(insert(appointments).values(**row))
        await keep(tx, self.name, identity, 1, body)
        return identity

    async def update(self, tx: Tx, before: Found, body: Json) -> None:
        identity = before.resource["id"]
        old = (
            await tx.connection.execute(select(appointments).where(appointments.c.id == identity))
        ).one()
        plan = await _plan(tx, body, old)
        _refuse_change(old, plan)
        moved = plan.live and plan.slot_id != old.slot_id
        if moved:
            await _take(tx, plan, None)
        if old.status == "booked" and (moved or not plan.live):
            await _give_back(tx, old.slot_id)
        same = (appointments.c.id == identity, appointments.c.version == before.version)
        values = {"version": before.version + 1, **plan.columns()}
        change = update(appointments).where(*same).values(**values)
        moved_on((await tx.connection.execute(change)).rowcount)
        await keep(tx, self.name, identity, before.version + 1, body)

    async def delete(self, tx: Tx, before: Found) -> None:
        identity = before.resource["id"]
        same = (appointments.c.id == identity, appointments.c.version == before.version)
        query = select(appointments.c.slot_id, appointments.c.status).where(*same)
        row = (await tx.connection.execute(query)).one_or_none()
        moved_on(0 if row is None else 1)
        moved_on((await tx.connection.execute(delete(appointments).where(*same))).rowcount)
        if row is not None and row.status == "booked":
            await _give_back(tx, row.slot_id)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a valid body asks of the tables."""

    patient_id: str
    slot_id: str
    doctor_id: str
    department_id: str
    start: Any
    live: bool
    key: str | None

    def columns(self) -> dict[str, object]:
        return {
            "patient_id": self.patient_id,
            "slot_id": self.slot_id,
            "doctor_id": self.doctor_id,
            "department_id": self.department_id,
            "start": self.start,
            "status": "booked" if self.live else "cancelled",
        }


async def _plan(tx: Tx, body: Json, old: Row[Any] | None = None) -> _Plan:
    """Raises a 422 when the body does not go together with what it refers to."""
    status = body["status"]
    if status not in LIVE_CODES + GONE_CODES:
        raise refused(f"appointments that are {status} are not kept here", "Appointment.status")
    links = as_list(body.get("slot"))
    pair = reference(links[0].get("reference"), tx.base) if len(links) == 1 else None
    if pair is None and not (old is not None and status in GONE_CODES):
        raise refused("an appointment needs exactly one slot", "Appointment.slot")
    slot_id = pair[1] if pair is not None else old.slot_id if old is not None else ""
    await lock_slot(tx, slot_id)
    slot = (await tx.connection.execute(select(slots).where(slots.c.id == slot_id))).one_or_none()
    if slot is None:
        raise refused("unknown_slot", "Appointment.slot")
    start = instant(body.get("start"))
    end = slot.start + timedelta(minutes=slot.minutes)
    if status in LIVE_CODES and (start, instant(body.get("end"))) != (slot.start, end):
        raise refused("an appointment begins and ends with its slot", "Appointment.start")
    patient = _actor(tx, body, "Patient")
    if patient is None:
        raise refused("an appointment needs exactly one patient", "Appointment.participant")
    live = status in LIVE_CODES
    if live and old is None and slot.start <= tx.now:
        raise refused("past", "Appointment.start")
    await _check_doctor(tx, body, slot)
    key = booking_key(tx, body)
    return _Plan(patient, slot.id, slot.doctor_id, slot.department_id, slot.start, live, key)


async def _check_doctor(tx: Tx, body: Json, slot: Row[Any]) -> None:
    doctor = _actor(tx, body, "Practitioner") or _actor(tx, body, "PractitionerRole")
    if doctor is not None and doctor != slot.doctor_id:
        raise refused("the slot is another practitioner's", "Appointment.participant")


def _actor(tx: Tx, body: Json, kind: str) -> str | None:
    """Id of the one participant of a kind, or None."""
    pairs = [
        reference(each.get("actor", {}).get("reference"), tx.base)
        for each in as_list(body.get("participant"))
    ]
    found = {pair[1] for pair in pairs if pair is not None and pair[0] == kind}
    return found.pop() if len(found) == 1 else None


def booking_key(tx: Tx, body: Json) -> str | None:
    """Value of the first identifier of the booking system: the idempotency key (B4)."""
    for each in as_list(body.get("identifier")):
        if each.get("system") == tx.rules.booking_system and each.get("value"):
            if len(each["value"]) > _LONGEST_KEY:
                raise refused(f"at most {_LONGEST_KEY} characters", "Appointment.identifier")
            return str(each["value"])
    return None


async def _refuse_duplicate(tx: Tx, key: str | None) -> None:
    """Said before the unique index says it, which cannot tell one index from another."""
    query = select(appointments.c.id).where(appointments.c.key == key)
    if key is not None and (await tx.connection.execute(query)).first() is not None:
        raise FhirProblem(409, Issue("duplicate", "an appointment with this identifier exists"))


def _refuse_change(old: Row[Any], plan: _Plan) -> None:
    if plan.patient_id != old.patient_id:
        raise refused("an appointment keeps its patient", "Appointment.participant")
    if old.status == "cancelled" and plan.live:
        raise refused("a cancelled appointment stays cancelled", "Appointment.status")
    if not plan.live and plan.slot_id != old.slot_id:
        raise refused("a cancelled appointment keeps its slot", "Appointment.slot")


async def _take(tx: Tx, plan: _Plan, hold_key: str | None) -> None:
    """Where the server owns slots it claims one; a client must have claimed it before."""
    tx.touched.add(plan.slot_id)
    if tx.rules.slot_owner is SlotOwner.SERVER:
        await claim(tx, plan.slot_id, hold_key)


async def _give_back(tx: Tx, slot_id: str) -> None:
    if tx.rules.slot_owner is SlotOwner.SERVER:
        await free(tx, slot_id)


def _rows() -> Select[Any]:
    return (
        select(appointments, slots.c.minutes, doctors.c.name.label("doctor_name"))
        .join(slots, slots.c.id == appointments.c.slot_id)
        .join(doctors, doctors.c.id == appointments.c.doctor_id)
    )


def _participants(row: Row[Any]) -> list[Json]:
    return [
        {"actor": to("Patient", row.patient_id), "status": "accepted"},
        {"actor": to("Practitioner", row.doctor_id, row.doctor_name), "status": "accepted"},
    ]


def _owned(row: Row[Any], sent: object) -> Mapping[str, Any]:
    codes = LIVE_CODES if row.status == "booked" else GONE_CODES
    owned = {
        "status": sent if sent in codes else row.status,
        "slot": [to("Slot", row.slot_id)],
        "start": local(row.start),
        "end": local(row.start + timedelta(minutes=row.minutes)),
        "minutesDuration": row.minutes,
    }
    return owned


def _identifiers(tx: Tx, row: Row[Any], body: Json) -> list[Json]:
    """Those sent, and the keys under which another door booked or cancelled."""
    found = list(as_list(body.get("identifier")))
    known = {each.get("value") for each in found}
    for key in (row.key, row.cancel_key):
        if key is not None and key not in known:
            found.append({"system": tx.rules.booking_system, "value": key})
    return found


def _narrowed(tx: Tx, query: Query) -> Select[Any]:
    where: list[ColumnElement[bool]] = []
    identities, slot_ids = query.values("_id"), query.values("slot")
    patients = query.values("patient")
    if identities is not None:
        where.append(appointments.c.id.in_(identities))
    if slot_ids is not None:
        where.append(appointments.c.slot_id.in_(ids_of(slot_ids, ("Slot",), tx.base)))
    if patients is not None:
        where.append(appointments.c.patient_id.in_(ids_of(patients, ("Patient",), tx.base)))
    identifiers = query.values("identifier")
    if identifiers is not None and not any(value.endswith("|") for value in identifiers):
        where.append(or_(*(_has_identifier(value.rpartition("|")[2]) for value in identifiers)))
    return _rows().where(*where, *start_bounds(query, "date", appointments.c.start))


def _has_identifier(value: str) -> ColumnElement[bool]:
    sent = exists().where(
        fhir_resources.c.kind == "Appointment",
        fhir_resources.c.id == appointments.c.id,
        fhir_resources.c.body.contains(value, autoescape=True),
    )
    return or_(appointments.c.key == value, appointments.c.cancel_key == value, sent)
