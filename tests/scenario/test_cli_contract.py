"""``wonmu`` as a real process: the terminal contract, bad input, time zones (design, issue 2)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from scenario_parts import CALLER, MAIN

from wonmu.cli import main
from wonmu.evals.dialogue import NOW
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.service

LINES = "\n".join(MAIN["hanbit"]) + "\n"
ROW_FIELDS = [
    *("kind", "state", "patient", "contact", "department", "doctor", "start", "insurance"),
    *("note", "window", "key", "created_at", "call_id"),
]


def wonmu(
    *arguments: str, lines: bytes | str = b"", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    given = lines.encode() if isinstance(lines, str) else lines
    command = [sys.executable, "-m", "wonmu.cli", *arguments]
    full = {**os.environ, **(env or {})}
    return subprocess.run(
        command, input=given, capture_output=True, timeout=120, check=False, env=full
    )


def chat(
    *arguments: str, lines: bytes | str = LINES, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    base = ("chat", "--hospital", "hanbit", "--caller", CALLER, "--now", NOW)
    return wonmu(*base, *arguments, lines=lines, env=env)


def objects(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    """Standard output as JSON objects; fails if anything else is there."""
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def inbox(data: Path) -> list[dict[str, Any]]:
    done = wonmu("inbox", "--data", str(data), "--json")
    assert done.returncode == 0, done.stderr.decode()
    return objects(done)


@pytest.fixture(scope="module")
def booked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """A data folder after the main talk, and the events printed."""
    data = tmp_path_factory.mktemp("booked")
    done = chat("--json", "--data", str(data))
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return data, objects(done)


def test_json_prints_each_event_as_a_line(booked: tuple[Path, list[dict[str, Any]]]) -> None:
    _, events = booked
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {event["kind"] for event in events} <= set(Kind)
    assert (events[0]["kind"], events[-1]["kind"]) == ("call.started", "call.ended")
    kinds = {event["kind"] for event in events}
    assert {"turn.waiting", "caller.heard", "keypad.pressed", "agent.said"} <= kinds
    assert {"gate.verdict", "tool.started", "tool.ended", "task.entered", "task.left"} <= kinds
    assert {"identity.settled", "booking.searched", "booking.staged"} <= kinds
    assert {"booking.readback", "booking.consent", "booking.committed"} <= kinds


def test_event_data_is_as_promised(booked: tuple[Path, list[dict[str, Any]]]) -> None:
    _, events = booked
    fields = {
        "caller.heard": {"text"},
        "keypad.pressed": {"masked"},
        "agent.said": {"text", "heard"},
        "gate.verdict": {"tool", "verdict", "reason"},
        "task.left": {"name", "outcome", "reason"},
        "identity.settled": {"outcome"},
        "booking.searched": {"count"},
        "booking.staged": {"digest"},
        "booking.readback": {"digest", "text"},
        "booking.consent": {"digest", "words"},
        "booking.committed": {"key", "mode"},
        "call.ended": {"reason"},
    }
    for event in events:
        assert fields.get(event["kind"], set()) <= set(event["data"]), event
    ended = [event for event in events if event["kind"] == "tool.ended"]
    assert all(event["status"] and event["data"]["name"] for event in ended)


def test_the_inbox_has_the_row(booked: tuple[Path, list[dict[str, Any]]]) -> None:
    data, events = booked
    rows = inbox(data)
    assert len(rows) == 1
    row = rows[0]
    assert list(row) == ROW_FIELDS
    assert row["patient"] == {"name": "김민수", "birth_date": "1985-03-12", "phone": CALLER}
    assert (row["kind"], row["state"]) == ("booking_request", "open")
    assert row["start"] == "2026-12-18T15:00:00+09:00"
    committed = next(event for event in events if event["kind"] == "booking.committed")
    assert row["key"] == committed["data"]["key"]
    assert row["call_id"] == events[0]["call_id"]


def test_digits_are_nowhere_in_the_output(booked: tuple[Path, list[dict[str, Any]]]) -> None:
    _, events = booked
    text = json.dumps([e for e in events if e["kind"] != "call.started"], ensure_ascii=False)
    assert "850312" not in text
    assert "1985" not in text


def test_a_second_call_keeps_what_is_there(booked: tuple[Path, list[dict[str, Any]]]) -> None:
    data, _ = booked
    before = inbox(data)
    assert chat("--data", str(data), lines="주차 되나요?\n").returncode == 0
    assert inbox(data) == before


def test_plain_mode_shows_the_talk() -> None:
    done = chat(lines="주차 되나요?\n")
    text = done.stdout.decode()
    assert done.returncode == 0
    assert "상담원: 안녕하세요, 한빛병원입니다." in text
    assert "고객:   주차 되나요?" in text
    assert "지하 1층과 2층에 주차장이 있습니다" in text
    assert "Traceback" not in done.stderr.decode()


def test_hospitals_are_listed() -> None:
    rows = objects(wonmu("hospitals", "--json"))
    assert [row["id"] for row in rows] == ["hanbit", "onnuri", "saebom"]
    assert all({"id", "name", "number"} <= set(row) for row in rows)


def test_the_record_system_is_shown(booked: tuple[Path, list[dict[str, Any]]]) -> None:
    data, _ = booked
    all_rows = objects(wonmu("emr", "show", "--data", str(data), "--json"))
    kinds = {row["kind"] for row in all_rows}
    assert kinds == {"patient", "department", "doctor", "appointment"}
    day = objects(wonmu("emr", "show", "--data", str(data), "--day", "2026-12-08", "--json"))
    assert {row["kind"] for row in day} == kinds | {"slot"} - set()
    mine = objects(wonmu("emr", "show", "--data", str(data), "--patient", "p-0001", "--json"))
    assert [row["name"] for row in mine if row["kind"] == "patient"] == ["김민수"]


def test_the_hosts_time_zone_changes_nothing(tmp_path: Path) -> None:
    folders = {"UTC": tmp_path / "utc", "America/New_York": tmp_path / "york"}
    for zone, folder in folders.items():
        done = chat("--data", str(folder), env={"TZ": zone})
        assert done.returncode == 0, done.stderr.decode()
    mine, theirs = (inbox(folder) for folder in folders.values())
    assert mine[0]["start"] == "2026-12-18T15:00:00+09:00"
    same = [key for key in ROW_FIELDS if key not in ("key", "call_id", "created_at")]
    assert [[row[k] for k in same] for row in mine] == [[row[k] for k in same] for row in theirs]


BAD_OPTIONS = {
    "now": ("--now", "yesterday"),
    "caller": ("--caller", "not a number"),
    "hospital": ("--hospital", "nowhere"),
    "faults missing": ("--faults", "/nonexistent/faults.yaml"),
    "model": ("--model", "gpt"),
    "model address": ("--model", "http://[::1"),
    "settings": ("--settings", "/nonexistent"),
}


def in_this_process(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *arguments: str
) -> tuple[object, str]:
    """The command's exit status and standard error, without the cost of a process."""
    monkeypatch.setattr(sys, "argv", ["wonmu", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code, capfd.readouterr().err


@pytest.mark.parametrize("options", BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_a_bad_option_is_one_sentence_and_status_2(
    options: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    data = tmp_path / "data"
    code, said = in_this_process(monkeypatch, capfd, "chat", "--data", str(data), *options)
    assert code == 2
    assert said.startswith("wonmu: ")
    assert len(said.strip().splitlines()) == 1, said
    assert not data.exists(), "nothing is made for a call that cannot begin"


def test_a_bad_option_as_a_real_process(booked: tuple[Path, list[dict[str, Any]]]) -> None:
    data, _ = booked
    before = inbox(data)
    assert_refused(chat("--json", "--data", str(data), "--now", "yesterday"))
    assert inbox(data) == before


def assert_refused(done: subprocess.CompletedProcess[bytes]) -> None:
    said = done.stderr.decode()
    assert done.returncode == 2, said
    assert "Traceback" not in said
    assert len(said.strip().splitlines()) == 1, said
    assert said.startswith("wonmu: ")


def test_a_bad_faults_file_names_file_line_and_field(tmp_path: Path) -> None:
    faults = tmp_path / "faults.yaml"
    faults.write_text("- {op: find_slots, kind: latency, seconds: soon}\n", encoding="utf-8")
    done = chat("--faults", str(faults))
    assert_refused(done)
    assert "faults.yaml, line 1: seconds" in done.stderr.decode()


def test_a_bad_settings_folder_names_file_line_and_field(tmp_path: Path) -> None:
    folder = tmp_path / "clinic"
    folder.mkdir()
    (folder / "hospital.yaml").write_text("id: clinic\nnmae: 병원\n", encoding="utf-8")
    (folder / "doctors.yaml").write_text("departments: []\ndoctors: []\n", encoding="utf-8")
    (folder / "faq.yaml").write_text("faq: []\n", encoding="utf-8")
    done = wonmu("chat", "--settings", str(tmp_path), lines="네\n")
    assert_refused(done)
    assert "hospital.yaml line 2" in done.stderr.decode()


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (b"\xb3\xbb\xb0\xfa \xbf\xb9\xbe\xe0\n", "line 1"),
        ("주차 되나요?\n/dance\n".encode(), "line 2"),
        (b"/wait soon\n", "line 1"),
        (b"#85a312\n", "line 1"),
    ],
    ids=["not UTF-8", "unknown command", "wait without seconds", "keys that are none"],
)
def test_a_bad_line_is_one_sentence_and_status_2(lines: bytes, names: str, tmp_path: Path) -> None:
    done = chat("--json", "--data", str(tmp_path), lines=lines)
    assert_refused(done)
    assert names in done.stderr.decode()
    events = objects(done)
    assert events[-1]["kind"] == "call.ended"


def test_a_bad_line_after_a_booking_loses_nothing(tmp_path: Path) -> None:
    done = chat("--data", str(tmp_path), lines=LINES.encode() + b"\xff\xfe\n")
    assert_refused(done)
    assert [row["kind"] for row in inbox(tmp_path)] == ["booking_request"]


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("a file", encoding="utf-8")
    assert_refused(chat("--data", str(file)))
    assert_refused(wonmu("inbox", "--data", str(tmp_path / "nothing"), "--json"))


def test_an_empty_input_is_a_call_that_hung_up() -> None:
    done = chat("--json", lines=b"")
    assert done.returncode == 0
    assert objects(done)[-1]["data"]["reason"] == "caller_hangup"


def test_comments_and_empty_lines_are_skipped() -> None:
    done = chat("--json", lines="// 설명\n\n주차 되나요?\n/hangup\n네\n")
    heard = [e["data"]["text"] for e in objects(done) if e["kind"] == "caller.heard"]
    assert heard == ["주차 되나요?"]
