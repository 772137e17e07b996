"""Opening a hospital's front desk on a data folder: stores, record system, clock, models.

One place where all parts come together for every door. Decides which file holds what; it never
talks to a caller.
"""

from __future__ import annotations

import hashlib
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random

from wonmu.clock import SEOUL, Clock
from wonmu.desk.inbox import FILE_NAME as INBOX_FILE
from wonmu.desk.inbox import Inbox, open_inbox
from wonmu.emr.fault_plan import FaultPlan
from wonmu.emr.faults import FaultyEmr
from wonmu.emr.port import Department, Doctor, Emr
from wonmu.emr.seed import SeedPlan, seed, slots_from_rota
from wonmu.emr.sql import SqlEmr, open_embedded
from wonmu.errors import InputError
from wonmu.hospital.config import CommitMode, Hospital
from wonmu.hospital.hours import Calendar
from wonmu.loop import outside
from wonmu.timeline.store import TimelineStore

TIMELINE_FILE = "timeline.sqlite"


def emr_file(hospital: Hospital) -> str:
    """Each hospital's embedded record system has a file of its own."""
    return f"emr-{hospital.id}.sqlite"


@dataclass(slots=True)
class Office:
    """The open stores of one hospital on one data folder."""

    hospital: Hospital
    folder: Path
    records: SqlEmr
    emr: Emr
    inbox: Inbox
    timeline: TimelineStore
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def close(self) -> int:
        """Close everything; returns how many timeline events could not be stored."""
        with outside():
            lost = await self.timeline.close()
            await self.emr.close()
            await self.inbox.close()
            await self._stack.aclose()
        return lost


def refuse_direct(hospital: Hospital) -> None:
    """Fail closed: a hospital that wants its record system written must not get requests.

    Raises ``InputError``.
    """
    if hospital.booking.commit_mode is CommitMode.DIRECT:
        raise InputError(
            f"{hospital.id}: booking.commit_mode direct is not there in this version; "
            "set it to request"
        )


async def open_office(
    hospital: Hospital,
    data: Path | None,
    clock: Clock,
    *,
    faults: FaultPlan | None = None,
) -> Office:
    """Open (and fill, when new) the stores in ``data``; None keeps them for this run only.

    Raises ``InputError`` when the folder or a store in it cannot be used.
    """
    refuse_direct(hospital)
    stack = AsyncExitStack()
    if data is None:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wonmu-")))
    _make_folder(data)
    with outside():
        records = await open_embedded(str(data / emr_file(hospital)), clock)
        await seed(records, _plan(hospital, clock), clock.now(), _rng(hospital))
        inbox = await open_inbox(str(data / INBOX_FILE))
        timeline = await TimelineStore.open(str(data / TIMELINE_FILE))
    inner: Emr = records
    if faults is not None:
        inner = FaultyEmr(inner, faults, records)
    return Office(hospital, data, records, inner, inbox, timeline, stack)


def _make_folder(data: Path) -> None:
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the data folder {data} cannot be used ({error.strerror}); choose another with --data"
        ) from error


def _rng(hospital: Hospital) -> Random:
    digest = hashlib.sha256(hospital.id.encode()).digest()
    return Random(int.from_bytes(digest[:8], "big"))


def _plan(hospital: Hospital, clock: Clock) -> SeedPlan:
    departments = tuple(Department(d.id, d.name, d.bookable) for d in hospital.departments)
    doctors = tuple(Doctor(d.id, d.name, d.department, d.bookable) for d in hospital.doctors)
    today = clock.now().astimezone(SEOUL).date()
    last = today + timedelta(days=hospital.booking.furthest_days)
    times = Calendar(hospital).doctor_times
    slots = slots_from_rota(doctors, times, hospital.booking.slot_minutes, today, last)
    return SeedPlan(departments, doctors, tuple(slots))
