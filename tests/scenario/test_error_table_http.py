"""The error table over real HTTP: a call to a hospital whose record system is a FHIR server (A8).

The reference server fails on purpose, on a thread and a loop of its own; the call goes through the
door of ``wonmu chat`` with a settings folder, so its time is the conversation's while the server's
is real. Each row of the table is one way in which HTTP or FHIR can go wrong.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from error_parts import (
    BOOK,
    CANCEL,
    CHANGE,
    INQUIRY,
    READS,
    SEARCH,
    WRITES,
    Work,
    appointments,
    before,
    check_read,
    check_write,
    failed_requests,
    fresh,
    story,
)

from wonmu.clock import FixedClock
from wonmu.commands.common import hospitals_of, moment_of
from wonmu.emr.server.app import RecordServer, create_app
from wonmu.emr.server.faults import FaultPlan, Rule, read_faults
from wonmu.emr.server.rules import ServerRules
from wonmu.emr.server.serving import serving
from wonmu.emr.sql import open_embedded
from wonmu.errors import EmrFault
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import Played, hospital_named, judged, play_talk
from wonmu.hospital.config import Fallback, Hospital
from wonmu.hospital.loading import DEMO
from wonmu.ids import CountingIds
from wonmu.office import emr_file
from wonmu.timeline.events import Kind

pytestmark = [pytest.mark.scenario, pytest.mark.service]

HOSPITAL = "onnuri"

LOST = "pending"
"""Nobody knows what became of the write."""


@dataclass(frozen=True, slots=True)
class Row:
    """``fault``: as the server reads it. ``read``: what a read that meets it is.

    ``book``, ``change``, ``cancel``: how such a write ends, with the reason after a colon.
    """

    name: str
    fault: str
    read: EmrFault
    book: str
    cancel: str

    def ending(self, work: Work) -> tuple[str, str | None]:
        """A change is booked like a booking."""
        ending, _, reason = (self.cancel if work is CANCEL else self.book).partition(":")
        return ending, reason or None


def no(name: str, fault: str, read: EmrFault) -> Row:
    """An answer after which it is certain that nothing was written."""
    told = f"not_written:{read.value}"
    return Row(name, fault, read, told, told)


ROWS = (
    no("401", "status=401", EmrFault.UNAUTHORIZED),
    no("403", "status=403", EmrFault.FORBIDDEN),
    no("404", "status=404", EmrFault.NOT_FOUND),
    # A cancellation that met another version is tried again on the one that stands now.
    Row("409", "status=409", EmrFault.CONFLICT, "not_written:conflict", LOST),
    Row("412", "status=412", EmrFault.STALE_VERSION, "not_written:stale_version", LOST),
    no("422", "status=422", EmrFault.UNPROCESSABLE),
    no("429", "status=429;retry-after=2", EmrFault.TOO_MANY),
    Row("500", "status=500", EmrFault.BROKEN, LOST, LOST),
    Row("503", "status=503", EmrFault.UNAVAILABLE, LOST, LOST),
    Row("reset-before", "reset-before", EmrFault.UNREACHABLE, LOST, LOST),
    # It was done, the answer was lost, and asking for the key finds it.
    Row("reset-after", "reset-after", EmrFault.UNREACHABLE, "confirmed", "confirmed"),
    # To an operation this is a refusal without a reason that we know.
    Row("200-outcome", "outcome", EmrFault.OUTCOME, "refused:refused", LOST),
    Row("invalid-json", "invalid-json", EmrFault.INVALID, "confirmed", "confirmed"),
    Row("wrong-version", "wrong-version", EmrFault.WRONG_VERSION, "confirmed", "confirmed"),
)

STRUCK = {
    INQUIRY: ("search-type", "^Appointment"),
    SEARCH: ("search-type", "^Slot"),
    BOOK: ("$book", None),
    CHANGE: ("$book", None),
    CANCEL: ("update", "^Appointment"),
}
"""The interaction, and the path of it, that each work hangs on."""

CHILD = Talk("01000002345", NOW, ("예약 확인하고 싶어요", "#150505", "박지호"))
"""Asks for two bookings, which are two pages of one."""


def settings(folder: Path, url: str) -> Hospital:
    """A settings folder of the hospital whose record system is the server at ``url``."""
    shutil.copytree(DEMO / HOSPITAL, folder / HOSPITAL)
    file = folder / HOSPITAL / "hospital.yaml"
    text = file.read_text(encoding="utf-8")
    fhir = f"kind: fhir\n  fhir:\n    url: {url}"
    assert text.count("kind: embedded") == 1
    file.write_text(text.replace("kind: embedded", fhir), encoding="utf-8")
    return hospitals_of(str(folder)).pick(HOSPITAL)


def played(talk: Talk, work: Work, fault: str, folder: Path, page: int = 200) -> Played:
    """One call. ``page``: the most entries that the server gives in one."""
    records, calls = fresh(HOSPITAL, folder / "server"), folder / "calls"
    op, path = STRUCK[work]
    plan = FaultPlan()
    plan.add(Rule(read_faults(fault), fault, op=op, path=path))

    @asynccontextmanager
    async def server() -> AsyncIterator[RecordServer]:
        clock = FixedClock(moment_of(NOW))
        opened = await open_embedded(str(records / emr_file(hospital_named(HOSPITAL))), clock)
        try:
            yield create_app(opened, clock, ServerRules(page=page, largest_page=page), plan=plan)
        finally:
            await opened.close()

    with serving(server) as url:
        hospital = settings(folder / "settings", url)
        _, round_ = play_talk(hospital, talk, calls, CountingIds())
    assert plan.rules[0].seen > 0, "the fault was never met"
    # What the server's store holds now is what the call is judged by.
    shutil.copy(records / emr_file(hospital), calls / emr_file(hospital))
    return judged(hospital, talk, round_, calls)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@pytest.mark.parametrize("work", READS, ids=str)
def test_a_read_that_fails(work: Work, row: Row, tmp_path: Path) -> None:
    call = played(work.talk(row.read), work, row.fault, tmp_path)
    check_read(call, work, row.read, Fallback.MEMO)
    assert appointments(call.records) == before(HOSPITAL)


@pytest.mark.parametrize(
    ("work", "talk", "page"),
    [
        pytest.param(INQUIRY, CHILD, 1, id="inquiry"),
        pytest.param(SEARCH, SEARCH.talk(EmrFault.SHIFTED), 10, id="search"),
    ],
)
def test_pages_that_shift(work: Work, talk: Talk, page: int, tmp_path: Path) -> None:
    call = played(talk, work, "shifting-pages", tmp_path, page)
    check_read(call, work, EmrFault.SHIFTED, Fallback.MEMO)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@pytest.mark.parametrize("work", WRITES, ids=str)
def test_a_write_that_fails(work: Work, row: Row, tmp_path: Path) -> None:
    call = played(work.talk(), work, row.fault, tmp_path)
    ending, reason = row.ending(work)
    check_write(call, work, ending, reason)
    if ending == "not_written":
        assert failed_requests(call) == [(work.op, reason)]
    if ending == "confirmed":
        _written_as_agreed(call, work)
    else:
        assert appointments(call.records) == before(HOSPITAL), story(call)


def _written_as_agreed(call: Played, work: Work) -> None:
    """Exactly one appointment more, or less, or one instead of another."""
    old = {(row["id"], row["status"]) for row in before(HOSPITAL)}
    now = {(row["id"], row["status"]) for row in appointments(call.records)}
    changed = sorted(status for _, status in now - old)
    wanted = {BOOK: ["booked"], CHANGE: ["booked", "cancelled"], CANCEL: ["cancelled"]}
    assert changed == wanted[work], story(call)


def test_the_desk_is_faster_over_http(tmp_path: Path) -> None:
    """Not a failure at all: the slot is gone, other times are offered, nothing is kept."""
    call = played(BOOK.talk(), BOOK, "taken", tmp_path)
    (settled,) = [e for e in call.events if e.kind is Kind.COMMIT_SETTLED]
    assert settled.data["outcome"] == "slot_gone", story(call)
    said = [str(e.data["line"]) for e in call.events if e.kind is Kind.AGENT_SAID]
    assert said[-2:] == ["booking.taken", "booking.nearest"]
    assert call.checks.clean, call.checks.violations
    assert [row["state"] for row in call.inbox] == ["dropped"]
