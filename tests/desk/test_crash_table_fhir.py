"""The crash table over FHIR: every HTTP request is a step, the server is another process (B4, N2).

One server holds the record system for all cells; each cell has times of its own and an inbox of its
own. The files are read afterwards without the code that is tested. The usual run kills a booking
after every step; the whole table, over both ways in which a server may own its slots, is among the
longer proofs.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from crash_child import Agreed, Death, Place, Steps, What, When, emr_at
from outbox_parts import LEE, NOW, run
from test_crash_table import MOST, child, fork_server, reconcile

from wonmu.emr.port import Booked, BookingIntent
from wonmu.emr.sql import open_embedded
from wonmu.ids import BookingKey, SlotId
from wonmu.loop import LoopClock

pytestmark = pytest.mark.service

__all__ = ["fork_server"]

NEVER = Death(0, When.BEFORE)


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    records: Path
    times: list[str]
    """Free slots, each at a time of its own; a cell takes two."""


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """``wonmu emr serve`` on a free port; the slots are claimed by us, or owned by it."""
    folder = tmp_path_factory.mktemp(f"fhir-{request.param}")
    command = [sys.executable, "-m", "wonmu.cli", "emr", "serve", "--port", "0"]
    command += ["--data", str(folder), "--now", NOW.isoformat()]
    command += ["--slot-owner", request.param]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening on "), line
        [records] = folder.glob("emr-*.sqlite")
        yield Server(line.split()[-1], records, _free_times(records))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def _free_times(records: Path) -> list[str]:
    after = (NOW + timedelta(days=2)).astimezone().isoformat(" ")
    found = _read(
        records,
        "SELECT min(id) FROM slots WHERE status = 'free' AND start > ? GROUP BY start "
        "ORDER BY start",
        after[:10],
    )
    return [row[0] for row in found]


def _read(records: Path, query: str, *values: str) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(records)) as connection:
        return connection.execute(query, values).fetchall()


@dataclass(frozen=True, slots=True)
class Cell:
    place: Place
    server: Server
    agreed: Agreed

    def booked(self) -> set[str]:
        rows = _read(
            self.server.records,
            "SELECT slot_id FROM appointments WHERE status = 'booked' AND slot_id IN (?, ?)",
            *self.slots,
        )
        return {row[0] for row in rows}

    @property
    def slots(self) -> tuple[str, str]:
        return self.agreed.old.slot_id, self.agreed.slot.id

    def check(self, what: What) -> None:
        """As the table of the embedded record system does."""
        old, wanted = self.slots
        after = {What.BOOK: {old, wanted}, What.CHANGE: {wanted}, What.CANCEL: set[str]()}[what]
        inbox = self.place.folder / "desk.sqlite"
        rows = _read(
            inbox, "SELECT state, step, outbox.note FROM inbox LEFT JOIN outbox USING (key)"
        )
        assert rows in ([], [("done", "verified", "")])
        booked = self.booked()
        assert booked == (after if rows else {old})
        statuses = _read(
            self.server.records, "SELECT id, status FROM slots WHERE id IN (?, ?)", *self.slots
        )
        assert dict(statuses) == {  # type: ignore[arg-type]
            each: "busy" if each in booked else "free" for each in self.slots
        }
        assert reconcile(self.place, 30) == 0
        assert self.booked() == booked


def begin(server: Server, folder: Path) -> Cell:
    """The patient has an appointment, and another time is offered."""
    folder.mkdir()
    place = Place(folder, server.url)
    first, second = SlotId(server.times.pop(0)), SlotId(server.times.pop(0))

    async def make() -> Agreed:
        records = await open_embedded(str(server.records), LoopClock(NOW))
        slot = await records.read_slot(first)
        assert slot is not None
        assert LEE.id is not None
        key = BookingKey(f"old-{first}")
        made = await records.book(BookingIntent(key, LEE.id, slot.id, slot.version))
        assert isinstance(made, Booked)
        await records.close()
        async with emr_at(place, Steps(NEVER), 0) as emr:
            wanted = await emr.read_slot(second)
            old = await emr.read_appointment(made.appointment.id)
        assert wanted is not None
        assert old is not None
        return Agreed(wanted, old)

    return Cell(place, server, run(make))


BOTH = (When.BEFORE, When.AFTER)


@pytest.mark.parametrize(
    ("server", "what", "moments"),
    [
        pytest.param("client", What.BOOK, (When.AFTER,), id="book"),
        *(
            pytest.param(owner, what, BOTH, id=f"{owner}-{what}", marks=pytest.mark.load)
            for owner in ("client", "server")
            for what in (What.BOOK, What.CHANGE, What.CANCEL)
        ),
    ],
    indirect=["server"],
)
def test_killed_at_every_request_to_a_server(
    tmp_path: Path, server: Server, what: What, moments: tuple[When, ...]
) -> None:
    for number in range(1, MOST):
        lived = []
        for when in moments:
            cell = begin(server, tmp_path / f"{number}-{when}")
            key = f"{os.getpid()}-{what}-{number}-{when}"
            lived.append(child(cell.place, what, cell.agreed, Death(number, when), key=key))
            assert cell.booked() or what is What.CANCEL, "a patient was left with none"
            reconcile(cell.place, 1)
            cell.check(what)
        if all(lived):
            assert number > 8, "the table is empty"
            return
    raise AssertionError("the child never came to its end")
