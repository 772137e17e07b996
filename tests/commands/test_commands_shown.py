"""What a person sees on the terminal: key entries, empty lists, one mistake said once."""

from __future__ import annotations

import io
from datetime import datetime
from pathlib import Path

import pytest

from wonmu.chat import KEYS_LINE, PlainView
from wonmu.clock import SEOUL
from wonmu.commands.doctor import run_doctor
from wonmu.commands.listing import show_emr, show_inbox
from wonmu.errors import InputError
from wonmu.ids import CallId
from wonmu.timeline.events import Event, Kind

pytestmark = pytest.mark.service

AT = datetime(2026, 12, 1, tzinfo=SEOUL)
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "hospitals"


def shown(*events: tuple[Kind, dict[str, object]]) -> list[str]:
    out = io.StringIO()
    view = PlainView(out)
    for seq, (kind, data) in enumerate(events, start=1):
        view(Event(CallId("c"), seq, AT, 0.0, kind, None, None, data))
    return out.getvalue().splitlines()


def test_an_entry_that_a_pause_ends_is_one_line() -> None:
    key = (Kind.KEYPAD_PRESSED, {"masked": "•", "used": True})
    said = (Kind.AGENT_SAID, {"heard": "네.", "full": True})
    assert shown(key, key, key, said, key) == [KEYS_LINE, "상담원: 네.", KEYS_LINE]


def test_two_entries_that_a_key_ends_are_two_lines() -> None:
    key = (Kind.KEYPAD_PRESSED, {"masked": "•", "used": True})
    last = (Kind.KEYPAD_PRESSED, {"masked": "•", "used": True, "done": True})
    wrong = (Kind.KEYPAD_PRESSED, {"masked": "•", "used": False, "done": True})
    assert shown(key, last, wrong) == [KEYS_LINE, KEYS_LINE]


def test_dropped_keys_are_not_shown() -> None:
    assert shown((Kind.KEYPAD_PRESSED, {"masked": "•", "used": False})) == []


def test_an_empty_inbox_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_inbox(str(tmp_path), None, False)
    assert "없음" in capsys.readouterr().out
    show_inbox(str(tmp_path), None, True)
    assert capsys.readouterr().out == ""


def test_an_unknown_patient_is_said_and_a_known_one_stands_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_doctor(None, str(tmp_path), "builtin", "default")
    capsys.readouterr()
    with pytest.raises(InputError, match="no such patient"):
        show_emr(str(tmp_path), None, None, None, "p-9999", False)
    show_emr(str(tmp_path), None, None, None, "p-0001", False)
    kinds = {line.split()[0] for line in capsys.readouterr().out.splitlines()}
    assert kinds == {"kind=patient", "kind=appointment"}


def test_direct_commits_to_what_is_never_written_to_are_a_mistake_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "dalbit"
    folder.mkdir()
    for file in (EXAMPLE / "dalbit").iterdir():
        text = file.read_text(encoding="utf-8")
        if file.name == "hospital.yaml":
            text = text.replace(": request", ": direct") + "\nemr:\n  kind: request_only\n"
        (folder / file.name).write_text(text, encoding="utf-8")
    assert run_doctor(str(tmp_path), None, "builtin", "default") == 2
    out = capsys.readouterr().out
    assert "booking.commit_mode: is direct but emr.kind is request_only" in out
    assert out.count("commit_mode") == 1
