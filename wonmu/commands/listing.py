"""``wonmu hospitals``, ``wonmu inbox``, ``wonmu emr show``: what is there, a line each."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from wonmu.commands.common import choose_hospital, day_of, folder_of, hospitals_of
from wonmu.errors import InputError


def _print(row: dict[str, Any], as_json: bool) -> None:
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
        _print(describe(hospital), as_json)


def show_inbox(data: str, done: str | None, as_json: bool, only: str | None = None) -> int:
    """All rows, or the one with the key ``only``; ``done`` is worked off first."""
    from wonmu.desk.inbox import FILE_NAME, open_inbox
    from wonmu.desk.records import RequestState, request_json
    from wonmu.ids import BookingKey

    async def main() -> None:
        inbox = await open_inbox(str(folder_of(data) / FILE_NAME))
        try:
            key = BookingKey(done) if done is not None else None
            if key is not None and not await inbox.set_state(key, RequestState.DONE):
                raise InputError(f"--done {done}: there is no open row with this key")
            rows = [row for row in await inbox.rows() if only in (None, row.key)]
            if only is not None and not rows:
                raise InputError(f"--key {only}: there is no row with this key")
            for row in rows:
                _print(request_json(row), as_json)
            if not rows and not as_json:
                sys.stdout.write("(없음: nothing to work off)\n")
        finally:
            await inbox.close()

    asyncio.run(main())
    return 0


def show_emr(
    data: str,
    hospital: str | None,
    settings: str | None,
    day: str | None,
    patient: str | None,
    as_json: bool,
) -> None:
    from wonmu.commands.common import moment_of
    from wonmu.emr.show import show
    from wonmu.emr.sql import open_embedded
    from wonmu.ids import PatientId
    from wonmu.loop import LoopClock
    from wonmu.office import emr_file

    folder, wanted = folder_of(data), day_of(day)
    found = hospitals_of(settings)
    chosen = found.all() if hospital is None else (choose_hospital(found, hospital),)
    files = [folder / emr_file(each) for each in chosen]
    present = [file for file in files if file.exists()]
    if not present:
        where = f"--data {data}" if hospital is None else f"--data {data} --hospital {hospital}"
        raise InputError(f"{where}: there is no record system; run wonmu chat {where} first")

    async def main() -> int:
        shown = 0
        for file in present:
            records = await open_embedded(str(file), LoopClock(moment_of(None)))
            try:
                who = PatientId(patient) if patient is not None else None
                async for row in show(records, wanted, who):
                    _print(row, as_json)
                    shown += 1
            finally:
                await records.close()
        return shown

    if not asyncio.run(main()) and patient is not None:
        raise InputError(f"--patient {patient}: there is no such patient; ids look like p-0001")
