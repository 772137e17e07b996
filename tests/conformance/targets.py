"""The servers that the suite runs against, and what is known to be missing in them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from random import Random
from typing import Any

import httpx
from medplum_peer import medplum_server

from wonmu.clock import SEOUL, FixedClock
from wonmu.emr.port import Department, Doctor
from wonmu.emr.seed import SeedPlan, seed, slots_from_rota
from wonmu.emr.server.app import RecordServer, create_app
from wonmu.emr.server.rules import ServerRules, SlotOwner
from wonmu.emr.server.serving import serving
from wonmu.emr.sql import open_embedded
from wonmu.ids import DepartmentId, DoctorId

NOW = datetime(2026, 12, 1, 8, 0, tzinfo=SEOUL)
ORTHO, SKIN = DepartmentId("ortho"), DepartmentId("skin")
DEPARTMENTS = (Department(ORTHO, "정형외과"), Department(SKIN, "피부과"))
DOCTORS = (
    Doctor(DoctorId("d1"), "박서준", ORTHO),
    Doctor(DoctorId("d2"), "한지민", ORTHO),
    Doctor(DoctorId("d3"), "오민석", SKIN),
)
OPEN = ((time(9), time(12)), (time(13), time(17)))
KINDS = (
    "Organization",
    "Location",
    "HealthcareService",
    "Practitioner",
    "PractitionerRole",
    "Schedule",
    "Patient",
    "Slot",
)
"""What another server is filled with, those referred to first."""

MEDPLUM_GAPS = {
    "test_the_capability_statement_is_one_of_r4": "/metadata is taken for a search of a type",
    "test_a_deleted_resource_is_gone": "a deleted resource is 404, not 410",
    "test_a_read_may_ask_for_a_newer_version_only": "If-None-Match is not looked at",
    "test_pages_follow_each_other_without_gaps": "the memory repository gives no links",
    "test_an_unknown_parameter_is_ignored_when_lenient": "it finds nothing then",
    "test_creating_says_where_and_what_version": "the client's id is taken over",
    "test_an_unknown_parameter_is_refused_when_strict": "Prefer: handling is not looked at",
    "test_an_appointment_that_breaks_a_rule_is_refused": "resources are not validated",
    "test_a_reference_to_nothing_is_refused": "references are not looked up",
    "test_a_transaction_is_all_or_nothing": "the other entries are written",
}
"""Checks that @medplum/fhir-router 5.2.13 with its memory repository does not pass. They are run,
and it is a failure when one of them passes: then it leaves this table."""


@dataclass(frozen=True, slots=True)
class Target:
    """``gaps``: names of checks that are known to fail, and why."""

    name: str
    url: str
    gaps: dict[str, str]


def plan() -> SeedPlan:
    today = NOW.date()
    rota = slots_from_rota(DOCTORS, _times, 30, today, today + timedelta(days=10))
    return SeedPlan(DEPARTMENTS, DOCTORS, tuple(rota))


def _times(_doctor: DoctorId, _day: date) -> tuple[tuple[time, time], ...]:
    return OPEN


def making(store: str, owner: SlotOwner) -> Callable[[], Any]:
    """Opens the reference server on a store, as ``serving`` wants it."""

    @asynccontextmanager
    async def make() -> AsyncIterator[RecordServer]:
        clock = FixedClock(NOW)
        records = await open_embedded(store, clock)
        await seed(records, plan(), NOW, Random(7))
        try:
            yield create_app(records, clock, ServerRules(slot_owner=owner))
        finally:
            await records.close()

    return make


@contextmanager
def reference(owner: SlotOwner, folder: Path) -> Iterator[Target]:
    with serving(making(str(folder / "emr.sqlite"), owner)) as url:
        yield Target(f"reference-{owner}", url, {})


@contextmanager
def medplum(folder: Path) -> Iterator[Target]:
    """Holds the same people and calendar as the reference server."""
    with reference(SlotOwner.CLIENT, folder) as ours:
        resources = list(_everything(ours.url))
    with medplum_server(resources, folder) as url:
        yield Target("medplum", url, MEDPLUM_GAPS)


def _everything(url: str) -> Iterator[dict[str, Any]]:
    with httpx.Client() as client:
        for kind in KINDS:
            following: str | None = f"{url}/{kind}?_count=200"
            while following:
                bundle = client.get(following).json()
                yield from (entry["resource"] for entry in bundle.get("entry", ()))
                links = {link["relation"]: link["url"] for link in bundle["link"]}
                following = links.get("next")
