"""``wonmu reconcile`` finishes what a dead process left, and says what it did (B4)."""

from __future__ import annotations

import json
import sqlite3
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from wonmu.clock import SEOUL
from wonmu.commands.listing import show_inbox
from wonmu.commands.reconcile import ReconcileOptions, run_reconcile
from wonmu.desk.outbox.direct import DirectDesk
from wonmu.desk.outbox.outcome import Pending
from wonmu.desk.records import BookingRequest, RequestPatient
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.emr.port import SlotQuery
from wonmu.errors import InputError
from wonmu.hospital.config import CommitMode, Hospital
from wonmu.hospital.loading import load_hospitals
from wonmu.ids import BookingKey, CallId, PatientId
from wonmu.loop import LoopClock, run
from wonmu.office import Office, open_office

pytestmark = pytest.mark.service

NOW = "2026-12-01T10:00+09:00"
LATER = "2026-12-01T10:02+09:00"
MOMENT = datetime(2026, 12, 1, 10, 0, tzinfo=SEOUL)


def direct_hospital() -> Hospital:
    hospital = load_hospitals(None).all()[0]
    booking = hospital.booking.model_copy(update={"commit_mode": CommitMode.DIRECT})
    return hospital.model_copy(update={"booking": booking})


async def leave_open(office: Office, desk: DirectDesk, key: str) -> None:
    department = office.hospital.departments[0]
    week = MOMENT + timedelta(days=7)
    page = await office.emr.find_slots(SlotQuery(department.id, week, week + timedelta(days=7)))
    slot = page.slots[0]
    someone = RequestPatient("이서연", date(1983, 7, 1), "01000002345", PatientId("p-0002"))
    request = BookingRequest(
        key=BookingKey(key),
        hospital_id=office.hospital.id,
        call_id=CallId("call-1"),
        created_at=MOMENT,
        patient=someone,
        contact="01000002345",
        department_id=slot.department_id,
        department=department.name,
        doctor_id=slot.doctor_id,
        doctor="누군가",
        slot_id=slot.id,
        start=slot.start,
    )
    assert await desk.book(request, slot) == Pending(request.key)


def data_with_an_open_row(folder: Path) -> str:
    async def main() -> None:
        plan = FaultPlan((FaultRule("book", FaultKind.HANG),))
        office = await open_office(direct_hospital(), folder, LoopClock(MOMENT), faults=plan)
        assert office.direct is not None
        await leave_open(office, office.direct, "k1")
        await office.close()

    run(main)
    return str(folder)


def test_an_office_writes_only_where_its_hospital_wants_it(tmp_path: Path) -> None:
    async def main() -> None:
        hospital = load_hospitals(None).all()[0]
        office = await open_office(hospital, tmp_path, LoopClock(MOMENT))
        assert office.direct is None
        await office.close()

    run(main)


def test_an_open_row_is_finished_and_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = data_with_an_open_row(tmp_path)
    capsys.readouterr()
    assert run_reconcile(ReconcileOptions(data, now=LATER, json=True)) == 0
    [line] = capsys.readouterr().out.splitlines()
    told = json.loads(line)
    assert (told["key"], told["act"], told["did"], told["step"]) == (
        "k1",
        "book",
        "finished",
        "verified",
    )
    assert told["appointment"]
    show_inbox(data, None, True)
    row = json.loads(capsys.readouterr().out)
    assert (row["state"], row["written"]) == ("done", "confirmed")
    assert run_reconcile(ReconcileOptions(data, now=LATER)) == 0
    assert "nothing to reconcile" in capsys.readouterr().out


def test_a_failing_record_system_is_told_and_is_no_fault_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = data_with_an_open_row(tmp_path / "data")
    faults = tmp_path / "faults.yaml"
    faults.write_text("- {op: any, kind: error, error: unavailable}\n", encoding="utf-8")
    capsys.readouterr()
    assert run_reconcile(ReconcileOptions(data, now=LATER, faults=str(faults))) == 0
    out = capsys.readouterr().out
    assert "did=waiting" in out
    assert "fault=unavailable" in out


def test_it_goes_on_as_often_as_it_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = data_with_an_open_row(tmp_path)
    capsys.readouterr()
    assert run_reconcile(ReconcileOptions(data, now=LATER, every=0.1, times=3)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "did=finished" in lines[0]
    assert len(lines) == 3


def test_mistakes_are_a_sentence(tmp_path: Path) -> None:
    data = data_with_an_open_row(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        run_reconcile(ReconcileOptions(str(tmp_path / "none")))
    with pytest.raises(InputError, match="--every"):
        run_reconcile(ReconcileOptions(data, times=2))
    example = Path(__file__).parents[2] / "docs" / "examples" / "hospitals"
    with pytest.raises(InputError, match="not in the settings"):
        run_reconcile(ReconcileOptions(data, now=LATER, settings=str(example)))


def test_a_broken_store_is_a_fault_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = data_with_an_open_row(tmp_path)

    with sqlite3.connect(tmp_path / "desk.sqlite") as connection:
        connection.execute("DROP TABLE outbox")
    assert run_reconcile(ReconcileOptions(data, now=LATER)) == 1
    assert "could not be" in capsys.readouterr().err
