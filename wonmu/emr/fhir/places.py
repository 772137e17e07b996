"""Whose calendar a schedule is: the doctors and departments behind Schedule, and their lists.

Decides nothing by guess: a calendar whose doctor or department cannot be told is not offered. What
was read is kept for ``KEPT_SECONDS``, because departments and calendars change by the month and a
caller waits; lists asked for by name are always read anew, and slots are never kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from wonmu.clock import Clock
from wonmu.emr import port
from wonmu.emr.fhir import mapping
from wonmu.emr.fhir.http import FhirClient
from wonmu.emr.fhir.mapping import Place
from wonmu.emr.fhir.models import HealthcareService, Practitioner, PractitionerRole, Schedule
from wonmu.emr.fhir.search import Found, search_all
from wonmu.ids import DepartmentId, DoctorId

N = TypeVar("N", port.Department, port.Doctor)

KEPT_SECONDS = 60.0
AT_ONCE = 40
"""Ids in one search: some servers take no URL above 2,000 characters or so."""


@dataclass(frozen=True, slots=True)
class _Kept:
    until: float
    places: dict[str, Place]


class Places:
    """``skipped`` counts entries of lists that could not be read."""

    def __init__(self, client: FhirClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._by_department: dict[DepartmentId, _Kept] = {}
        self._by_schedule: dict[str, _Kept] = {}
        self.skipped = 0

    async def departments(self) -> tuple[port.Department, ...]:
        found = await self._search("HealthcareService", (), "reading departments")
        listed = [mapping.department(one) for one in found.of(HealthcareService)]
        return _in_order(one for one in listed if one is not None)

    async def doctors(self, department_id: DepartmentId) -> tuple[port.Doctor, ...]:
        if not mapping.is_id(department_id):
            return ()
        doing = "reading doctors"
        service = ("service", f"HealthcareService/{department_id}")
        include = ("_include", "PractitionerRole:practitioner")
        found = await self._search("PractitionerRole", (service, include), doing)
        active: dict[str, bool] = {}
        for role in found.of(PractitionerRole):
            person = mapping.target(role.practitioner, "Practitioner")
            if person is not None and department_id in _services(role):
                active[person] = active.get(person, False) or role.active is not False
        people = {one.id: one for one in found.along(Practitioner)}
        people |= {one.id: one for one in await self._people(active.keys() - people.keys(), doing)}
        listed = [
            mapping.doctor(people[person], department_id, is_active)
            for person, is_active in active.items()
            if person in people
        ]
        self.skipped += listed.count(None) + len(active) - len(listed)
        return _in_order(one for one in listed if one is not None)

    async def of_department(
        self, department_id: DepartmentId, doctor_id: DoctorId | None
    ) -> dict[str, Place]:
        """The calendars of a department (of one doctor in it), by the schedule's id."""
        kept = self._by_department.get(department_id)
        if kept is None or kept.until <= self._clock.mono():
            kept = self._keep(await self._of_department(department_id))
            self._by_department[department_id] = kept
        return {
            schedule: place
            for schedule, place in kept.places.items()
            if doctor_id is None or place.doctor_id == doctor_id
        }

    async def of_schedule(self, schedule_id: str | None) -> Place | None:
        if schedule_id is None:
            return None
        kept = self._by_schedule.get(schedule_id)
        if kept is None or kept.until <= self._clock.mono():
            schedule = await self._client.read(Schedule, schedule_id, "reading a calendar")
            places = {} if schedule is None else await self._resolve((schedule,), ())
            kept = self._keep(places)
            self._by_schedule[schedule_id] = kept
        return kept.places.get(schedule_id)

    def _keep(self, places: dict[str, Place]) -> _Kept:
        return _Kept(self._clock.mono() + KEPT_SECONDS, places)

    async def _of_department(self, department_id: DepartmentId) -> dict[str, Place]:
        doing = "reading calendars"
        service = f"HealthcareService/{department_id}"
        roles = (await self._search("PractitionerRole", (("service", service),), doing)).of(
            PractitionerRole
        )
        actors = {service}
        actors |= {f"PractitionerRole/{role.id}" for role in roles if role.id}
        people = (mapping.target(role.practitioner, "Practitioner") for role in roles)
        actors |= {f"Practitioner/{person}" for person in people if person}
        schedules: dict[str | None, Schedule] = {}
        for some in _chunks(sorted(actors)):
            found = await self._search("Schedule", (("actor", ",".join(some)),), doing)
            schedules |= {one.id: one for one in found.of(Schedule) if one.active is not False}
        places = await self._resolve(schedules.values(), roles)
        return {id_: at for id_, at in places.items() if at.department_id == department_id}

    async def _resolve(
        self, schedules: Iterable[Schedule], roles: Iterable[PractitionerRole]
    ) -> dict[str, Place]:
        """Doctor and department of each calendar; those that do not tell them are left out."""
        by_id = {role.id: role for role in roles if role.id}
        missing: set[str] = set()
        lonely: set[str] = set()
        for schedule in schedules:
            named = mapping.targets(schedule.actor, "PractitionerRole")
            missing |= {one for one in named if one not in by_id}
            if not named and not mapping.targets(schedule.actor, "HealthcareService"):
                lonely |= set(mapping.targets(schedule.actor, "Practitioner"))
        for some in _chunks(sorted(missing)):
            by_id |= await self._roles("_id", some)
        theirs: dict[str, PractitionerRole] = {}
        for some in _chunks(sorted(lonely)):
            theirs |= await self._roles("practitioner", [f"Practitioner/{one}" for one in some])
        places = {
            schedule.id: _place(schedule, by_id, theirs.values())
            for schedule in schedules
            if schedule.id is not None
        }
        return {id_: place for id_, place in places.items() if place is not None}

    async def _roles(self, param: str, ids: list[str]) -> dict[str, PractitionerRole]:
        wanted = ((param, ",".join(ids)),)
        found = await self._search("PractitionerRole", wanted, "reading calendars")
        return {one.id: one for one in found.of(PractitionerRole) if one.id}

    async def _people(self, ids: Iterable[str], doing: str) -> list[Practitioner]:
        """For servers that send nothing along with a search."""
        people: list[Practitioner] = []
        for some in _chunks(sorted(ids)):
            found = await self._search("Practitioner", (("_id", ",".join(some)),), doing)
            people += found.of(Practitioner)
        return people

    async def _search(self, kind: str, params: tuple[tuple[str, str], ...], doing: str) -> Found:
        found = await search_all(self._client, kind, params, doing)
        self.skipped += found.skipped
        return found


def _place(
    schedule: Schedule, roles: dict[str, PractitionerRole], theirs: Iterable[PractitionerRole]
) -> Place | None:
    doctors = set(mapping.targets(schedule.actor, "Practitioner"))
    services = set(mapping.targets(schedule.actor, "HealthcareService"))
    named = [
        roles[one] for one in mapping.targets(schedule.actor, "PractitionerRole") if one in roles
    ]
    if not services and not named:
        named = [
            role for role in theirs if mapping.target(role.practitioner, "Practitioner") in doctors
        ]
    for role in named:
        person = mapping.target(role.practitioner, "Practitioner")
        doctors |= {person} if person is not None else set()
    if not services:
        services = {one for role in named for one in _services(role)}
    if len(doctors) != 1 or len(services) != 1:
        return None
    return Place(DepartmentId(services.pop()), DoctorId(doctors.pop()))


def _services(role: PractitionerRole) -> tuple[str, ...]:
    return mapping.targets(role.healthcare_service, "HealthcareService")


def _chunks(ids: list[str]) -> Iterable[list[str]]:
    return (ids[first : first + AT_ONCE] for first in range(0, len(ids), AT_ONCE))


def _in_order(listed: Iterable[N]) -> tuple[N, ...]:
    return tuple(sorted(listed, key=lambda one: one.id))
