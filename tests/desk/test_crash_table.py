"""Killed at every step, before and after: nothing is lost, nothing is there twice (B4, N2).

A child process writes one act directly and is killed by SIGKILL before and after every transaction
and every request to the record system, and within every transaction. Then a new process opens the
same files a minute later and reconciles.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import crash_child
import pytest
from crash_child import PATIENT, Agreed, Death, Place, Steps, What, When, emr_at
from outbox_parts import (
    CHOI,
    HOSPITAL,
    LEE,
    NOTES,
    NOW,
    all_slots,
    book_at,
    open_records,
    run,
)

from wonmu.desk.inbox import open_inbox
from wonmu.desk.outbox.reconcile import Reconciler
from wonmu.desk.outbox.store import outbox_of
from wonmu.emr.guard import GuardedEmr
from wonmu.emr.port import SlotStatus
from wonmu.loop import LoopClock

pytestmark = pytest.mark.service

FORKS = multiprocessing.get_context("forkserver")
MOST = 40
"""More steps than any act takes."""


@pytest.fixture(scope="module", autouse=True)
def fork_server() -> Iterator[None]:
    """A process that has imported everything, so that each child costs a fork and no more.

    Python 3.11 does not hand ``sys.path`` to it, hence the variable.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        FORKS.set_forkserver_preload(["crash_child"])
        forkserver.ensure_running()
        yield


@dataclass(frozen=True, slots=True)
class Begun:
    """Files of a record system in which the patient has one appointment, and what is agreed."""

    folder: Path
    agreed: Agreed


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Begun:
    folder = tmp_path_factory.mktemp("begun")

    async def make() -> Agreed:
        records = await open_records(folder, LoopClock(NOW))
        free = [each for each in await all_slots(records) if each.status is SlotStatus.FREE]
        old = await book_at(records, free[0])
        wanted = next(each for each in free if each.start > free[0].start)
        await records.close()
        await (await open_inbox(str(folder / "desk.sqlite"))).close()
        return Agreed(wanted, old)

    return Begun(folder, run(make))


def child(
    place: Place,
    what: What,
    agreed: Agreed,
    death: Death,
    minutes: float = 0.0,
    key: str = "k1",
) -> bool:
    """Whether it lived."""
    process = FORKS.Process(
        target=crash_child.main, args=(place, what, agreed, death, minutes, key)
    )
    process.start()
    process.join(60)
    assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
    return process.exitcode == 0


def copy_of(begun: Begun, to: Path) -> Path:
    shutil.copytree(begun.folder, to)
    return to


class Disk:
    """Everything that is in the files, read without the code that is tested."""

    def __init__(self, folder: Path) -> None:
        with closing(sqlite3.connect(folder / "emr.sqlite")) as records:
            self.slots = _rows(records, "slots", "id")
            self.appointments = _rows(records, "appointments", "id")
        with closing(sqlite3.connect(folder / "desk.sqlite")) as desk:
            self.requests = _rows(desk, "inbox", "key")
            self.outbox = _rows(desk, "outbox", "key")

    def booked(self) -> set[str]:
        """The slots of the patient's booked appointments."""
        return {
            row["slot_id"]
            for row in self.appointments
            if row["patient_id"] == LEE.id and row["status"] == "booked"
        }


def _rows(connection: sqlite3.Connection, table: str, by: str) -> list[dict[str, Any]]:
    connection.row_factory = sqlite3.Row
    return [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY {by}")]


def reconcile(place: Place, minutes: float) -> int:
    """As a new process would, that long after; how many rows were worked on."""

    async def go() -> int:
        async with emr_at(place, Steps(Death(0, When.BEFORE)), minutes) as emr:
            inbox = await open_inbox(str(place.folder / "desk.sqlite"))
            clock = LoopClock(NOW + timedelta(minutes=minutes))
            told = await Reconciler(
                GuardedEmr(emr, PATIENT), outbox_of(inbox), clock, NOTES, HOSPITAL
            ).run_once()
            await inbox.close()
            return len(told)

    return run(go)


def check(place: Place, begun: Begun, what: What) -> None:
    """After any death and a reconciliation: exactly what was agreed, or untouched if nothing was
    recorded; and nothing left to do."""
    before, now = Disk(begun.folder), Disk(place.folder)
    old, wanted = begun.agreed.old.slot_id, begun.agreed.slot.id
    after = {What.BOOK: {old, wanted}, What.CHANGE: {wanted}, What.CANCEL: set[str]()}[what]
    assert now.booked() == (after if now.requests else {old})
    statuses = {row["id"]: row["status"] for row in before.slots}
    statuses |= {each: "busy" if each in now.booked() else "free" for each in (old, wanted)}
    assert {row["id"]: row["status"] for row in now.slots} == statuses
    assert [row["state"] for row in now.requests] in ([], ["done"])
    written = [(row["step"], row["note"]) for row in now.outbox]
    assert written == [("verified", "") for _ in now.requests]
    assert reconcile(place, 30) == 0
    assert vars(Disk(place.folder)) == vars(now)


ACTS = [
    pytest.param(What.BOOK, False, id="book"),
    pytest.param(What.CHANGE, False, id="change"),
    pytest.param(What.CHANGE, True, id="change-in-two-steps"),
    pytest.param(What.CANCEL, False, id="cancel"),
]


@pytest.mark.parametrize(("what", "two_steps"), ACTS)
def test_killed_at_every_step_of_a_write(
    tmp_path: Path, begun: Begun, what: What, two_steps: bool
) -> None:
    for number in range(1, MOST):
        lived = []
        for when in When:
            place = Place(copy_of(begun, tmp_path / f"{number}-{when}"), two_steps=two_steps)
            lived.append(child(place, what, begun.agreed, Death(number, when)))
            left = Disk(place.folder).booked()
            assert left or what is What.CANCEL, "a patient was left with none"
            reconcile(place, 1)
            check(place, begun, what)
        if all(lived):
            assert number > 5, "the table is empty"
            return
    raise AssertionError("the child never came to its end")


@pytest.mark.parametrize("what", [What.BOOK, What.CHANGE])
def test_killed_at_every_step_of_a_reconciliation(tmp_path: Path, begun: Begun, what: What) -> None:
    """The write died right after it was recorded; then its reconciler dies, too."""
    left = Place(copy_of(begun, tmp_path / "left"))
    assert not child(left, what, begun.agreed, Death(1, When.AFTER))
    for number in range(1, MOST):
        lived = []
        for when in When:
            place = Place(tmp_path / f"{number}-{when}")
            shutil.copytree(left.folder, place.folder)
            lived.append(child(place, What.RECONCILE, begun.agreed, Death(number, when), 1))
            assert Disk(place.folder).booked(), "a patient was left with none"
            reconcile(place, 5)
            check(place, begun, what)
        if all(lived):
            assert number > 4, "the table is empty"
            return
    raise AssertionError("the child never came to its end")


def test_the_check_sees_what_must_not_be(tmp_path: Path, begun: Begun) -> None:
    """Without the reconciler, and with a second booking, it fails."""
    place = Place(copy_of(begun, tmp_path / "a"))
    assert not child(place, What.BOOK, begun.agreed, Death(1, When.AFTER))
    with pytest.raises(AssertionError):
        check(place, begun, What.BOOK)
    place = Place(copy_of(begun, tmp_path / "b"))
    assert child(place, What.BOOK, begun.agreed, Death(0, When.BEFORE))
    check(place, begun, What.BOOK)

    async def desk_books() -> None:
        records = await open_records(place.folder, LoopClock(NOW))
        free = [each for each in await all_slots(records) if each.status is SlotStatus.FREE]
        await book_at(records, free[-1], "another", CHOI)
        await records.close()

    run(desk_books)
    with pytest.raises(AssertionError):
        check(place, begun, What.BOOK)
