"""``wonmu reconcile``: finish what direct writes left open, a line for each row worked on."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from wonmu.clock import SEOUL, Clock
from wonmu.commands.common import choose_hospital, existing_place, hospitals_of, moment_of
from wonmu.commands.listing import print_row
from wonmu.desk.inbox import open_inbox
from wonmu.desk.outbox.reconcile import Reconciled, Reconciler
from wonmu.desk.outbox.store import outbox_of
from wonmu.emr.fault_plan import FaultPlan, load_faults
from wonmu.errors import InputError, StoreFailure
from wonmu.hospital.config import Hospital
from wonmu.hospital.loading import Hospitals
from wonmu.ids import HospitalId
from wonmu.loop import LoopClock
from wonmu.office import open_office, reconciler_of
from wonmu.place import Place


@dataclass(frozen=True, slots=True)
class ReconcileOptions:
    """The command line, as typed."""

    data: str | None
    db: str | None = None
    hospital: str | None = None
    settings: str | None = None
    now: str | None = None
    faults: str | None = None
    every: float | None = None
    times: int | None = None
    json: bool = False


def run_reconcile(options: ReconcileOptions) -> int:
    """0, whatever the rows came to; 1 when our own store failed. Raises ``InputError``."""
    if options.times is not None and options.every is None:
        raise InputError("--times: needs --every with the seconds between")
    place = existing_place(options.data, options.db)
    found = hospitals_of(options.settings)
    only = choose_hospital(found, options.hospital) if options.hospital is not None else None
    moment_of(options.now)
    faults = load_faults(options.faults) if options.faults is not None else None
    try:
        asyncio.run(_Rounds(options, place, found, only, faults).run())
    except StoreFailure as failure:
        sys.stderr.write(f"wonmu: {failure}\n")
        return 1
    except KeyboardInterrupt:
        pass
    return 0


@dataclass(slots=True)
class _Rounds:
    options: ReconcileOptions
    place: Place
    found: Hospitals
    only: Hospital | None
    faults: FaultPlan | None

    async def run(self) -> None:
        """Once, or with ``--every`` as often as ``--times`` says, or until it is stopped."""
        clock = LoopClock(moment_of(self.options.now))
        left = 1 if self.options.every is None else self.options.times
        at_work: dict[HospitalId, Reconciler] = {}
        async with AsyncExitStack() as opened:
            inbox = await open_inbox(self.place.inbox)
            opened.push_async_callback(inbox.close)
            while True:
                some = False
                for hospital in self._due(await outbox_of(inbox).left_open()):
                    if hospital.id not in at_work:
                        at_work[hospital.id] = await self._open(hospital, clock, opened)
                    for row in await at_work[hospital.id].run_once():
                        some = True
                        print_row(row_of(row, clock), self.options.json)
                if not some and not self.options.json:
                    sys.stdout.write("(없음: nothing to reconcile)\n")
                sys.stdout.flush()
                left = None if left is None else left - 1
                if left == 0:
                    return
                await asyncio.sleep(self.options.every or 0.0)

    def _due(self, left_open: tuple[HospitalId, ...]) -> list[Hospital]:
        known = {each.id: each for each in self.found.all()}
        if self.only is not None:
            known = {self.only.id: self.only}
        elif unknown := [each for each in left_open if each not in known]:
            raise InputError(
                f"{self.place.option}: there are rows of {', '.join(unknown)}, which is not in the "
                "settings; name them with --settings, or choose a hospital with --hospital"
            )
        return [known[each] for each in left_open if each in known]

    async def _open(self, hospital: Hospital, clock: Clock, opened: AsyncExitStack) -> Reconciler:
        """The record system is opened as for a call, and asked within the same limits."""
        office = await open_office(hospital, self.place, clock, faults=self.faults)
        opened.push_async_callback(office.close)
        return reconciler_of(office)


def row_of(row: Reconciled, clock: Clock) -> dict[str, Any]:
    """What is printed of a row; no patient's data is in it."""
    return {
        "key": row.key,
        "hospital": row.hospital_id,
        "act": row.act.value,
        "did": row.did.value,
        "step": row.step.value,
        "appointment": row.appointment_id,
        "fault": row.fault.value if row.fault is not None else None,
        "reason": row.reason or None,
        "at": clock.now().astimezone(SEOUL).isoformat(timespec="seconds"),
    }
