"""``wonmu eval``: one sign a dialogue, every failure with its talk, and a status (V1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from wonmu.errors import InputError
from wonmu.evals.command import dialogue_files, run_eval

pytestmark = pytest.mark.scenario

TALK = """\
title: 주차를 묻는다
hospital: hanbit
lines: |
  주차 되나요?
expect:
  said: [{said}]
"""
RIGHT = TALK.format(said="지하 1층")
WRONG = TALK.format(said="옥상")


def put(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_all_as_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, "a.yaml", RIGHT)
    assert run_eval([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(".\n")
    assert "1 of 1 dialogues passed" in out


def test_a_failure_shows_talk_and_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, "a.yaml", RIGHT)
    put(tmp_path, "b.yaml", WRONG)
    assert run_eval([str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert out.startswith(".F\n")
    assert "고객:   주차 되나요?" in out
    assert "✗ expected: said from here on: 옥상" in out
    assert "1 of 2 dialogues passed" in out


@pytest.mark.parametrize(
    ("text", "status", "sign"), [(WRONG, 0, "x"), (RIGHT, 1, "F")], ids=["fails", "passes"]
)
def test_a_known_bug(
    text: str, status: int, sign: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = put(tmp_path, "a.yaml", text + "open_bug: 옥상 주차장은 아직 모른다\n")
    assert run_eval([file]) == status
    out = capsys.readouterr().out
    assert out.startswith(f"{sign}\n")
    assert ("1 known to fail" if status == 0 else "take open_bug out") in out


def test_what_it_is_given_and_nothing_else(tmp_path: Path) -> None:
    file = put(tmp_path, "a.yaml", RIGHT)
    assert dialogue_files([file, str(tmp_path)]) == [Path(file)]


@pytest.mark.parametrize("paths", [[], ["no-such-place"]])
def test_nothing_to_play(paths: list[str]) -> None:
    with pytest.raises(InputError):
        run_eval(paths)


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no dialogue"):
        run_eval([str(tmp_path)])
