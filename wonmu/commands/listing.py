"""``wonmu hospitals``, ``inbox``, ``emr show``, ``ledger show``: what is there, a line each."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from wonmu.commands.common import choose_hospital, day_of, existing_place, hospitals_of
from wonmu.errors import InputError


def print_row(row: dict[str, Any], as_json: bool) -> None:
    if as_json:
        line = json.dumps(row, ensure_ascii=False)
    else:
        line = "  ".join(f"{key}={_plain(value)}" for key, value in row.items() if _told(value))
    sys.stdout.write(line + "\n")


def _told(value: object) -> bool:
    """Whether a value says anything: "no" and 0 do, what is unknown does not."""
    if isinstance(value, dict):
        return any(_told(each) for each in value.values())
    return value is not None and value != "" and value != []


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return "(" + ", ".join(f"{k}={_plain(v)}" for k, v in value.items() if _told(v)) + ")"
    if isinstance(value, list):
        return ",".join(_plain(each) for each in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def show_hospitals(settings: str | None, as_json: bool) -> None:
    from wonmu.hospital.loading import describe

    for hospital in hospitals_of(settings).all():
        print_row(describe(hospital), as_json)


def show_inbox(
    data: str | None,
    done: str | None,
    as_json: bool,
    only: str | None = None,
    db: str | None = None,
) -> int:
    """All rows, or the one with the key ``only``; ``done`` is worked off first."""
    from wonmu.commands.common import moment_of
    from wonmu.desk.billing.staff import ledger_rows, work_off
    from wonmu.desk.inbox import open_inbox
    from wonmu.desk.records import RequestState, request_json
    from wonmu.desk.tables import MIGRATIONS
    from wonmu.ids import BookingKey
    from wonmu.lines import Lines
    from wonmu.loop import LoopClock
    from wonmu.place import Database
    from wonmu.storage import store_exists

    place = existing_place(data, db)

    async def main() -> None:
        if isinstance(place, Database) and not await store_exists(place.inbox, MIGRATIONS):
            raise InputError(f"{place.option}: there is no inbox; is it the right database?")
        inbox = await open_inbox(place.inbox)
        try:
            clock = LoopClock(moment_of(None))
            if done is not None and not (
                await inbox.set_state(BookingKey(done), RequestState.DONE)
                or await work_off(place, done, clock.now().date())
            ):
                raise InputError(f"--done {done}: there is no open row with this key")
            every = (*await inbox.rows(), *await ledger_rows(place, clock, Lines.load("ko")))
            rows = [row for row in every if only in (None, row.key)]
            rows.sort(key=lambda row: row.created_at)
            if only is not None and not rows:
                raise InputError(f"--key {only}: there is no row with this key")
            for row in rows:
                print_row(request_json(row), as_json)
            if not rows and not as_json:
                sys.stdout.write("(없음: nothing to work off)\n")
        finally:
            await inbox.close()

    asyncio.run(main())
    return 0


def show_emr(
    data: str | None,
    hospital: str | None,
    settings: str | None,
    day: str | None,
    patient: str | None,
    as_json: bool,
    db: str | None = None,
) -> None:
    from wonmu.commands.common import moment_of
    from wonmu.emr.show import show
    from wonmu.emr.sql import open_embedded
    from wonmu.emr.tables import MIGRATIONS
    from wonmu.ids import PatientId
    from wonmu.loop import LoopClock
    from wonmu.storage import store_exists

    place, wanted = existing_place(data, db), day_of(day)
    found = hospitals_of(settings)
    chosen = found.all() if hospital is None else (choose_hospital(found, hospital),)

    async def main() -> int:
        shown = 0
        stores = [place.records(each.id) for each in chosen]
        present = [store for store in stores if await store_exists(store, MIGRATIONS)]
        if not present:
            where = place.option if hospital is None else f"{place.option} --hospital {hospital}"
            raise InputError(f"{where}: there is no record system; run wonmu chat {where} first")
        for store in present:
            records = await open_embedded(store, LoopClock(moment_of(None)))
            try:
                who = PatientId(patient) if patient is not None else None
                async for row in show(records, wanted, who):
                    print_row(row, as_json)
                    shown += 1
            finally:
                await records.close()
        return shown

    if not asyncio.run(main()) and patient is not None:
        raise InputError(f"--patient {patient}: there is no such patient; ids look like p-0001")


def show_ledger(
    data: str | None,
    hospital: str | None,
    settings: str | None,
    patient: str | None,
    as_json: bool,
    db: str | None = None,
) -> None:
    from wonmu.desk.billing.show import show
    from wonmu.desk.billing.sql import open_ledger
    from wonmu.desk.billing.stores import ledgers_in
    from wonmu.ids import PatientId

    place = existing_place(data, db)
    chosen = None if hospital is None else choose_hospital(hospitals_of(settings), hospital).id

    async def main() -> int:
        found = [each for each in await ledgers_in(place) if chosen in (None, each)]
        if not found:
            where = place.option if hospital is None else f"{place.option} --hospital {hospital}"
            raise InputError(f"{where}: there is no billing ledger; run wonmu chat {where} first")
        shown = 0
        for each in found:
            ledger = await open_ledger(place.ledger(each))
            try:
                who = PatientId(patient) if patient is not None else None
                async for row in show(ledger, who):
                    print_row(row, as_json)
                    shown += 1
            finally:
                await ledger.close()
        return shown

    if not asyncio.run(main()) and not as_json:
        sys.stdout.write("(없음: nothing in the ledger)\n")
