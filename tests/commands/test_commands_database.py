"""``--db``: calls, inbox and record systems of all hospitals in one PostgreSQL database (N7)."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from wonmu.chat import Script
from wonmu.commands.chat import CallPlan, ChatOptions, play
from wonmu.commands.listing import show_emr, show_inbox
from wonmu.demos import DEMOS, NOW
from wonmu.errors import InputError
from wonmu.ids import CountingIds
from wonmu.loop import INSTANT, run
from wonmu.place import Database, Folder, Place
from wonmu.timeline.events import Event
from wonmu.timeline.store import TimelineStore

pytestmark = pytest.mark.service


def call(place: Place, name: str = "booking") -> list[Event]:
    demo = DEMOS[name]
    options = ChatOptions(hospital=demo.hospital, caller=demo.caller, now=NOW, staff=demo.staff)
    plan = replace(CallPlan.of(options, CountingIds()), faults=demo.faults)
    events: list[Event] = []
    lines = Script(list(demo.lines))
    assert run(lambda: play(plan, lines, events.append, place), speed=INSTANT) == 0
    return events


def talk(events: list[Event]) -> list[tuple[str, object]]:
    """What was said and done; times differ, since a server's answer takes real time."""
    return [(event.kind.value, event.data.get("text")) for event in events]


def printed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    lines = capsys.readouterr().out.splitlines()
    return [{**json.loads(line), "created_at": None} for line in lines]


def test_a_call_leaves_the_same_in_a_database_as_in_a_folder(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there, here = call(Database(database)), call(Folder(tmp_path))
    assert talk(there) == talk(here)
    show_inbox(None, None, True, db=database)
    rows = printed(capsys)
    assert len(rows) == 1
    show_inbox(str(tmp_path), None, True)
    assert printed(capsys) == rows
    show_emr(None, "hanbit", None, "2026-12-08", None, True, db=database)
    records = printed(capsys)
    show_emr(str(tmp_path), "hanbit", None, "2026-12-08", None, True)
    assert printed(capsys) == records
    assert len(records) > 60

    async def kept() -> tuple[Event, ...]:
        store = await TimelineStore.open(database)
        try:
            return await store.events(there[0].call_id)
        finally:
            await store.close()

    assert [event.to_json() for event in run(kept)] == [event.to_json() for event in there]


def test_hospitals_share_the_inbox_and_not_the_record_system(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("booking", next(n for n, d in DEMOS.items() if d.hospital != "hanbit")):
        call(Database(database), name)
    show_emr(None, None, None, None, None, True, db=database)
    doctors = [row for row in printed(capsys) if row["kind"] == "doctor"]
    show_emr(None, "hanbit", None, None, None, True, db=database)
    own = [row for row in printed(capsys) if row["kind"] == "doctor"]
    assert own
    assert len(own) < len(doctors)


def test_a_database_without_stores_is_not_filled_by_looking(database: str) -> None:
    for _ in range(2):
        with pytest.raises(InputError, match="no inbox"):
            show_inbox(None, None, True, db=database)
        with pytest.raises(InputError, match="no record system"):
            show_emr(None, None, None, None, None, True, db=database)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chat", "--db", "postgresql://u:geheim@127.0.0.1:1/d"], "cannot be used"),
        (["inbox", "--db", "mysql://u:geheim@h/d"], "postgresql"),
        (["inbox", "--db", "postgresql://h/d", "--data", "x"], "one of the two"),
        (["emr", "show"], "--data"),
    ],
)
def test_a_mistake_is_one_sentence_without_the_password(arguments: list[str], words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "wonmu.cli", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert "geheim" not in done.stderr
