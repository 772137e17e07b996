"""The FHIR adapter on a server that is not ours: Medplum's router (B2, A8).

It tells nothing about itself, takes no name apart, gives no next pages, and carries out
transactions by halves while it says that it refused the whole.
"""

from __future__ import annotations

import asyncio
from datetime import date, timedelta
from pathlib import Path

import pytest
from medplum_peer import missing
from targets import NOW, ORTHO, medplum

from wonmu.clock import FixedClock
from wonmu.emr.fhir import FhirEmr, open_fhir
from wonmu.emr.port import (
    AppointmentStatus,
    Booked,
    BookingIntent,
    Cancelled,
    Held,
    PatientQuery,
    Rejected,
    Slot,
    SlotQuery,
    SlotStatus,
    Taken,
    Window,
    WriteMode,
)
from wonmu.hospital.config import FhirSettings, WriteRule
from wonmu.ids import BookingKey, PatientId, SlotId

pytestmark = pytest.mark.service

WEEK = SlotQuery(ORTHO, NOW, NOW + timedelta(days=9))
KIM, BORN = PatientId("p-0001"), date(1985, 3, 12)


def opened(url: str, write: WriteRule, clock: FixedClock) -> FhirEmr:
    async def wait(seconds: float) -> None:
        clock.advance(seconds)

    return open_fhir(FhirSettings(url=url, write=write), clock, env={}, wait=wait)


def wish(slot: Slot, key: str, patient: PatientId = KIM) -> BookingIntent:
    return BookingIntent(BookingKey(key), patient, slot.id, slot.version)


async def the_slot(emr: FhirEmr, slot_id: SlotId) -> Slot:
    found = await emr.read_slot(slot_id)
    assert found is not None
    return found


@pytest.mark.parametrize("write", [WriteRule.SLOT_CLAIM, WriteRule.TRANSACTION])
def test_the_adapter_on_medplum(tmp_path: Path, write: WriteRule) -> None:
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    with medplum(tmp_path) as target:
        asyncio.run(_reads(target.url))
        asyncio.run(_writes(target.url, write))
        asyncio.run(_races(target.url, write))


async def _reads(url: str) -> None:
    emr = opened(url, WriteRule.AUTO, FixedClock(NOW))
    assert (await emr.capabilities()).mode is WriteMode.REQUEST_ONLY
    assert [one.id for one in await emr.departments()] == ["ortho", "skin"]
    assert [one.name for one in await emr.doctors(ORTHO)] == ["박서준", "한지민"]
    slots = (await emr.find_slots(WEEK)).slots
    assert len(slots) == WEEK.limit
    assert list(slots) == sorted(slots, key=lambda slot: (slot.start, slot.id))
    kim = (await emr.find_patients(PatientQuery(birth_date=BORN)))[0]
    for phone in kim.phones:
        asked = PatientQuery(phone=phone, birth_date=kim.birth_date, name=kim.name)
        assert kim in await emr.find_patients(asked)
    await emr.close()


async def _writes(url: str, write: WriteRule) -> None:
    emr = opened(url, write, FixedClock(NOW))
    by_start = {slot.start: slot for slot in (await emr.find_slots(WEEK)).slots}
    first, second, third = [*by_start.values()][:3]
    assert isinstance(await emr.hold(first, BookingKey("a"), timedelta(seconds=60)), Held)
    made = await emr.book(wish(first, "a"))
    assert isinstance(made, Booked), made
    assert await emr.book(wish(first, "a")) == Booked(made.appointment, replayed=True)
    moved = await emr.reschedule(made.appointment.id, wish(second, "b"))
    assert isinstance(moved, Booked), moved
    gone = await emr.cancel(moved.appointment.id, BookingKey("c"))
    assert isinstance(gone, Cancelled), gone
    assert await emr.lookup_key(BookingKey("c")) == gone.appointment
    old = await emr.read_appointment(made.appointment.id)
    assert old is not None
    assert old.status is AppointmentStatus.CANCELLED
    for slot in (first, second, third):
        assert (await the_slot(emr, slot.id)).status is SlotStatus.FREE
    await emr.close()


async def _races(url: str, write: WriteRule) -> None:
    """Ten callers, each on a connection of its own, on one slot."""
    emr = opened(url, write, FixedClock(NOW))
    slot = (await emr.find_slots(WEEK)).slots[20]
    people = [PatientId(f"p-{n:04d}") for n in range(1, 11)]
    desks = [opened(url, write, FixedClock(NOW)) for _ in people]
    wishes = [wish(slot, f"r{n}", one) for n, one in enumerate(people)]
    results = await asyncio.gather(*(d.book(w) for d, w in zip(desks, wishes, strict=True)))
    assert sum(isinstance(one, Booked) for one in results) == 1, results
    others = [one for one in results if not isinstance(one, Booked)]
    assert all(one in (Taken(slot.id), Rejected("stale_version")) for one in others), others
    window = Window(NOW, NOW + timedelta(days=30))
    live = [one for patient in people for one in await emr.appointments(patient, window)]
    assert [one.slot_id for one in live] == [slot.id]
    for each in (emr, *desks):
        await each.close()
