"""The port on a FHIR R4 server.

``open_fhir`` makes no request; the first write, and ``capabilities``, ask the server once what it
can do. Raises and returns what the port says and nothing else: no FHIR type leaves this package,
and a failure is never an empty answer.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from datetime import timedelta

import httpx

from wonmu.clock import Clock
from wonmu.emr import port
from wonmu.emr.fhir import (
    appointments,
    booking,
    cancelling,
    claims,
    errors,
    holding,
    mapping,
)
from wonmu.emr.fhir.ability import Ability, ask_ability
from wonmu.emr.fhir.datatypes import instant_text
from wonmu.emr.fhir.http import JSON, LIMITS, TIMEOUT, FhirClient, Params
from wonmu.emr.fhir.models import Appointment, Patient
from wonmu.emr.fhir.operations import SERVERS_LIMIT, Operations
from wonmu.emr.fhir.parsing import ListedSlot
from wonmu.emr.fhir.places import AT_ONCE, Places
from wonmu.emr.fhir.search import search_all, search_slots
from wonmu.emr.fhir.transaction import Transaction
from wonmu.emr.fhir.ways import ServerDecides, SlotClaim, Way
from wonmu.emr.fhir.wire import Wait, Wire
from wonmu.errors import EmrFault, InputError
from wonmu.hospital.config import FhirSettings
from wonmu.ids import AppointmentId, BookingKey, DepartmentId, PatientId, SlotId

MAX_PATIENTS = 5
"""More matches than this help nobody on a phone; the port's limit."""


def open_fhir(
    settings: FhirSettings,
    clock: Clock,
    *,
    env: Mapping[str, str] = os.environ,
    transport: httpx.AsyncBaseTransport | None = None,
    wait: Wait = asyncio.sleep,
) -> FhirEmr:
    """The port on the server that ``settings`` name. Makes no request yet.

    ``env``: where the token is read from, once. ``transport``: another way to the server than the
    network, for tests (httpx.MockTransport, httpx.ASGITransport). ``wait``: lets seconds pass
    while a write without an answer is looked up.

    Raises ``InputError`` when the settings cannot work: a URL that is none, a token that is not
    there.
    """
    base = _base(settings.url)
    headers = {"Accept": JSON}
    if settings.token_env is not None:
        headers["Authorization"] = f"Bearer {_token(settings.token_env, env)}"
    http = httpx.AsyncClient(
        headers=headers, timeout=TIMEOUT, limits=LIMITS, transport=transport, trust_env=False
    )
    client = FhirClient(http, base, clock)
    return FhirEmr(Wire(client, settings, clock, wait, Places(client, clock)))


def _base(url: str) -> str:
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise InputError(f"emr.fhir.url cannot be used ({error}); write http(s)://…") from error
    if (
        not parsed.host
        or (parsed.port or 0) > 65535
        or parsed.query
        or parsed.fragment
        or parsed.userinfo
    ):
        raise InputError(
            "emr.fhir.url must be the base of a FHIR server: a host and a path, "
            "without user, query or fragment"
        )
    return str(parsed).rstrip("/")


def _token(name: str, env: Mapping[str, str]) -> str:
    token = env.get(name, "").strip()
    if not token:
        raise InputError(f"emr.fhir.token_env names {name}, which is not set in the environment")
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise InputError(f"the token in {name} has characters that no HTTP header can carry")
    return token


class FhirEmr:
    """The port. One for all calls of a desk; safe for concurrent use on one event loop."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._ability: Ability | None = None
        self._way: Way | None = None
        self._asking = asyncio.Lock()
        self._wrong_version = False
        self._skipped = 0

    @property
    def skipped(self) -> int:
        """How many list entries could not be read and were left out so far."""
        return self._skipped + self._wire.places.skipped

    async def ability(self) -> Ability:
        """What the server can do; asked once, a failure is not kept. Raises ``EmrFailure``."""
        async with self._asking:
            self._refuse_wrong_version()
            if self._ability is None:
                try:
                    self._ability = await ask_ability(self._wire.client, self._wire.settings.write)
                except errors.FhirFailure as failure:
                    self._wrong_version = failure.fault is EmrFault.WRONG_VERSION
                    raise
                self._way = _way(self._ability.mode)
            return self._ability

    async def capabilities(self) -> port.Capabilities:
        ability = await self.ability()
        own = ability.mode is port.WriteMode.HOLD_AND_BOOK
        limit = SERVERS_LIMIT if own else holding.HOLD_LIMIT
        return port.Capabilities(
            can_book=ability.mode is not port.WriteMode.REQUEST_ONLY,
            can_hold=ability.holds,
            hold_limit=limit if ability.holds else None,
            mode=ability.mode,
        )

    async def find_patients(self, query: port.PatientQuery) -> tuple[port.Patient, ...]:
        self._refuse_wrong_version()
        settings = self._wire.settings
        found = await search_all(
            self._wire.client,
            "Patient",
            _patient_params(query),
            "looking for a patient",
            form=settings.search_by_post,
        )
        listed = [mapping.patient(one, settings) for one in found.of(Patient)]
        self._skipped += found.skipped
        people = {one.id: one for one in listed if one is not None and mapping.fits(one, query)}
        return tuple(people[id_] for id_ in sorted(people))[:MAX_PATIENTS]

    async def appointments(
        self, patient_id: PatientId, window: port.Window
    ) -> tuple[port.Appointment, ...]:
        self._refuse_wrong_version()
        found = await appointments.of_patient(self._wire, patient_id, window)
        return tuple([await self._told(one) for one in found])

    async def departments(self) -> tuple[port.Department, ...]:
        self._refuse_wrong_version()
        return await self._wire.places.departments()

    async def doctors(self, department_id: DepartmentId) -> tuple[port.Doctor, ...]:
        self._refuse_wrong_version()
        return await self._wire.places.doctors(department_id)

    async def find_slots(self, query: port.SlotQuery) -> port.SlotPage:
        """Slots whose doctor or department cannot be told are left out."""
        self._refuse_wrong_version()
        now = self._wire.clock.now()
        if not mapping.is_id(query.department_id):
            return port.SlotPage((), now)
        places = await self._wire.places.of_department(query.department_id, query.doctor_id)
        schedules = sorted(places)
        slots: list[port.Slot] = []
        for first in range(0, len(schedules), AT_ONCE):
            some = {one: places[one] for one in schedules[first : first + AT_ONCE]}
            slots += await self._slots_of(query, some)
        slots.sort(key=lambda slot: (slot.start, slot.id))
        return port.SlotPage(tuple(slots[: query.limit]), now)

    async def read_slot(self, slot_id: SlotId) -> port.Slot | None:
        self._refuse_wrong_version()
        found = await claims.read(self._wire, slot_id)
        if found is None:
            return None
        schedule = mapping.target(found.schedule, "Schedule")
        place = await self._wire.places.of_schedule(schedule)
        if place is None:
            return None
        return mapping.slot(found, place, self._wire.clock.now(), self._wire.system)

    async def hold(self, slot: port.Slot, key: BookingKey, lasting: timedelta) -> port.HoldResult:
        way = await self._way_to_write()
        if way is None:
            return port.Rejected("request_only")
        return await holding.hold(self._wire, way, slot, key, lasting)

    async def release(self, slot_id: SlotId, key: BookingKey) -> bool:
        """Also frees a slot that a booking under ``key`` claimed and never came to use."""
        way = await self._way_to_write()
        return way is not None and await holding.release(self._wire, way, slot_id, key)

    async def book(self, intent: port.BookingIntent) -> port.BookResult:
        way = await self._way_to_write()
        if way is None:
            return port.Rejected("request_only")
        return await booking.book(self._wire, way, intent)

    async def reschedule(
        self, appointment_id: AppointmentId, intent: port.BookingIntent
    ) -> port.BookResult:
        """``Booked`` also when the old appointment could not be cancelled: read it again; the
        same call under the same key goes on with that."""
        way = await self._way_to_write()
        if way is None:
            return port.Rejected("request_only")
        return await booking.reschedule(self._wire, way, appointment_id, intent)

    async def cancel(self, appointment_id: AppointmentId, key: BookingKey) -> port.CancelResult:
        """The same call again frees a slot that an earlier one did not come to free."""
        way = await self._way_to_write()
        if way is None:
            return port.Rejected("request_only")
        return await cancelling.cancel(self._wire, appointment_id, key, frees=way.frees)

    async def lookup_key(self, key: BookingKey) -> port.Appointment | None:
        self._refuse_wrong_version()
        found = await appointments.by_key(self._wire, key)
        return await self._told(found[0]) if found else None

    async def read_appointment(self, appointment_id: AppointmentId) -> port.Appointment | None:
        self._refuse_wrong_version()
        found = await appointments.read(self._wire, appointment_id)
        return None if found is None else await self._told(found)

    async def close(self) -> None:
        await self._wire.client.close()

    async def _told(self, one: Appointment) -> port.Appointment:
        place = await cancelling.place_of(self._wire, one)
        told = mapping.appointment(one, self._wire.system, place)
        if told is None:
            raise errors.unreadable("reading an appointment")
        return told

    async def _slots_of(
        self, query: port.SlotQuery, places: dict[str, mapping.Place]
    ) -> list[port.Slot]:
        """Free ones, and those whose hold of ours has run out."""
        now, system = self._wire.clock.now(), self._wire.system

        def told(one: ListedSlot) -> port.Slot | None:
            place = places.get(mapping.target(one.schedule, "Schedule") or "")
            if place is None or not query.start <= one.start < query.end:
                return None
            slot = mapping.slot(one, place, now, system)
            return slot if slot is not None and slot.status is port.SlotStatus.FREE else None

        claims_slots = self._way is not None and self._way.frees
        params: Params = (
            ("schedule", ",".join(f"Schedule/{one}" for one in sorted(places))),
            ("status", "free,busy-tentative" if claims_slots else "free"),
            ("start", f"ge{instant_text(query.start)}"),
            ("start", f"lt{instant_text(query.end)}"),
        )
        listed, skipped = await search_slots(
            self._wire.client,
            params,
            lambda one: told(one) is not None,
            query.limit,
            "looking for free times",
        )
        self._skipped += skipped
        return [slot for slot in map(told, listed) if slot is not None]

    async def _way_to_write(self) -> Way | None:
        await self.ability()
        return self._way

    def _refuse_wrong_version(self) -> None:
        if self._wrong_version:
            raise errors.FhirFailure(EmrFault.WRONG_VERSION, "asking a server that is not R4")


def _way(mode: port.WriteMode) -> Way | None:
    match mode:
        case port.WriteMode.REQUEST_ONLY:
            return None
        case port.WriteMode.SLOT_CLAIM:
            return SlotClaim()
        case port.WriteMode.TRANSACTION:
            return Transaction()
        case port.WriteMode.HOLD_AND_BOOK:
            return Operations()
        case port.WriteMode.SERVER_DECIDES:
            return ServerDecides()


def _patient_params(query: port.PatientQuery) -> Params:
    """The narrowest search; a name alone is left to the server, which may know only its parts."""
    params = []
    if query.birth_date is not None:
        params.append(("birthdate", query.birth_date.isoformat()))
    if query.phone is not None:
        spellings = mapping.phone_spellings(query.phone)
        params.append(("telecom", ",".join(spellings)))
    if not params:
        params.append(("name", query.name or ""))
    return tuple(params)
