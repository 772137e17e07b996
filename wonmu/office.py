"""Opening a hospital's front desk on a data folder or a database: stores, record system, clock.

One place where all parts come together for every door. Which file or schema holds what is said in
``wonmu.place``; it never talks to a caller.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random

from wonmu.clock import SEOUL, Clock
from wonmu.desk.billing.faults import FaultyLedger
from wonmu.desk.billing.guard import GuardedLedger
from wonmu.desk.billing.port import Ledger
from wonmu.desk.billing.seed import seed_ledger
from wonmu.desk.billing.sql import SqlLedger, open_ledger
from wonmu.desk.inbox import Inbox, open_inbox
from wonmu.desk.outbox.direct import DirectDesk
from wonmu.desk.outbox.notes import StaffNotes
from wonmu.desk.outbox.reconcile import Reconciler
from wonmu.desk.outbox.store import outbox_of
from wonmu.emr.fault_plan import FaultPlan
from wonmu.emr.faults import FaultyEmr
from wonmu.emr.fhir.opening import open_checked
from wonmu.emr.guard import GuardedEmr, GuardRules
from wonmu.emr.port import Department, Doctor, Emr
from wonmu.emr.seed import SeedPlan, seed, slots_from_rota
from wonmu.emr.sql import SqlEmr, open_embedded
from wonmu.errors import InputError
from wonmu.hospital.config import CommitMode, EmrKind, Hospital
from wonmu.hospital.hours import Calendar
from wonmu.lines import Lines
from wonmu.loop import outside
from wonmu.place import Database, Folder, Place
from wonmu.place import emr_file as file_of
from wonmu.timeline.store import TimelineStore


def emr_file(hospital: Hospital) -> str:
    """Each hospital's embedded record system has a file of its own."""
    return file_of(hospital.id)


@dataclass(slots=True)
class Office:
    """The open stores of one hospital in one place.

    ``records``: the embedded record system, None when the hospital has a FHIR server. ``direct``:
    writes bookings to the record system; None where they are requests for staff. ``ledger``: the
    billing ledger within the limits of a request; None where the hospital has no billing desk.
    """

    hospital: Hospital
    place: Place
    clock: Clock
    records: SqlEmr | None
    emr: Emr
    inbox: Inbox
    timeline: TimelineStore
    direct: DirectDesk | None = None
    ledger: Ledger | None = None
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def close(self) -> int:
        """Close everything; returns how many timeline events could not be stored."""
        # A write under way has pauses of its own, so time must go on here; the stores look after
        # their threads themselves.
        lost = await self.timeline.close()
        if self.direct is not None:
            await self.direct.close()
        if self.ledger is not None:
            await self.ledger.close()
        await self.emr.close()
        await self.inbox.close()
        await self._stack.aclose()
        return lost


RECONCILE_SECONDS = 15.0
"""Between two looks at what direct writes left open (B4)."""

STOP_SECONDS = 10.0
"""Longest wait for a look under way; above the limits of its requests."""


def reconciler_of(office: Office) -> Reconciler:
    """Finishes this hospital's direct writes, within the limits of a call's requests."""
    hospital = office.hospital
    guarded = GuardedEmr(office.emr, GuardRules.of(hospital.emr))
    notes = StaffNotes(Lines.load(hospital.language))
    return Reconciler(guarded, outbox_of(office.inbox), office.clock, notes, hospital.id)


@asynccontextmanager
async def reconciling(office: Office) -> AsyncIterator[None]:
    """While inside, what direct writes of any process left open is finished, now and then.

    Does nothing for a hospital whose bookings are requests.
    """
    if office.direct is None:
        yield
        return
    reconciler = reconciler_of(office)
    stop = asyncio.Event()
    work = asyncio.create_task(reconciler.run_every(RECONCILE_SECONDS, stop))
    try:
        yield
    finally:
        stop.set()
        # Not cut off in the middle: a store that closes under a cancelled read waits for ever.
        await asyncio.wait({work}, timeout=STOP_SECONDS)
        work.cancel()


async def open_office(
    hospital: Hospital,
    data: Place | Path | None,
    clock: Clock,
    *,
    faults: FaultPlan | None = None,
) -> Office:
    """Open (and fill, when new) the stores in ``data``; None keeps them for this run only.

    A path is a folder. Raises ``InputError`` when the place, a store in it or the hospital's
    record system cannot be used.
    """
    stack = AsyncExitStack()
    place = _place(data, stack)
    async with AsyncExitStack() as opened:
        with outside():
            records, inner = await _record_system(hospital, place, clock)
            opened.push_async_callback(inner.close)
            books = await _open_books(hospital, place, clock)
            if books is not None:
                opened.push_async_callback(books.close)
            inbox = await open_inbox(place.inbox)
            opened.push_async_callback(inbox.close)
            timeline = await TimelineStore.open(place.timeline)
        opened.pop_all()  # all is open: whoever has the office closes it
    if faults is not None:
        inner = FaultyEmr(inner, faults, records)
    direct = _direct(hospital, inner, inbox, clock)
    ledger = None if books is None else _guarded(hospital, books, faults)
    return Office(hospital, place, clock, records, inner, inbox, timeline, direct, ledger, stack)


async def _open_books(hospital: Hospital, place: Place, clock: Clock) -> SqlLedger | None:
    """The hospital's embedded ledger, filled when new; None without billing settings."""
    if hospital.billing is None:
        return None
    async with AsyncExitStack() as opened:
        books = await open_ledger(place.ledger(hospital.id), hospital.billing.certificates)
        opened.push_async_callback(books.close)
        departments = [department.name for department in hospital.departments]
        await seed_ledger(books, departments, clock.now())
        opened.pop_all()
    return books


def _guarded(hospital: Hospital, books: SqlLedger, faults: FaultPlan | None) -> Ledger:
    asked: Ledger = books if faults is None else FaultyLedger(books, faults)
    return GuardedLedger(asked, hospital.emr.request_seconds)


def _direct(hospital: Hospital, emr: Emr, inbox: Inbox, clock: Clock) -> DirectDesk | None:
    if hospital.booking.commit_mode is not CommitMode.DIRECT:
        return None
    guarded = GuardedEmr(emr, GuardRules.of(hospital.emr))
    notes = StaffNotes(Lines.load(hospital.language))
    return DirectDesk(guarded, outbox_of(inbox), clock, asyncio.sleep, notes)


async def _record_system(
    hospital: Hospital, place: Place, clock: Clock
) -> tuple[SqlEmr | None, Emr]:
    """The embedded one, if it is that, and the one to ask."""
    if hospital.emr.kind is EmrKind.FHIR:
        return None, await open_checked(hospital, clock)
    records = await open_records(hospital, place, clock)
    return records, records


async def open_records(hospital: Hospital, place: Place, clock: Clock) -> SqlEmr:
    """The hospital's embedded record system, with what is missing of its calendar filled in.

    Raises ``InputError`` when it cannot be used.
    """
    if isinstance(place, Folder):
        _make_folder(place.path)
    async with AsyncExitStack() as opened:
        records = await open_embedded(place.records(hospital.id), clock)
        opened.push_async_callback(records.close)
        await seed(records, _plan(hospital, clock), clock.now(), _rng(hospital))
        opened.pop_all()
    return records


def _place(data: Place | Path | None, stack: AsyncExitStack) -> Place:
    match data:
        case Database():
            return data
        case Folder(path):
            folder = path
        case Path():
            folder = data
        case None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wonmu-")))
    _make_folder(folder)
    return Folder(folder)


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
