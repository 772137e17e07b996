"""What ``--staff`` may name, and how a mistake in its file is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from wonmu.cli import app
from wonmu.errors import InputError
from wonmu.transfer.plan import load_staff
from wonmu.transfer.port import Outcome
from wonmu.transfer.simulated import Attempt

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("word", list(Outcome))
def test_a_word_is_one_attempt(word: str) -> None:
    assert load_staff(word) == (Attempt(Outcome(word)),)


def test_a_file_is_a_list_of_attempts(tmp_path: Path) -> None:
    file = tmp_path / "staff.yaml"
    file.write_text(
        "- {outcome: no_answer, ring_seconds: 20}\n"
        "- {outcome: connected, ring_seconds: 4, consult_seconds: 2.5}\n",
        encoding="utf-8",
    )
    assert load_staff(str(file)) == (
        Attempt(Outcome.NO_ANSWER, 20.0),
        Attempt(Outcome.CONNECTED, 4.0, 2.5),
    )


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("", 1, "the file"),
        ("[]", 1, "the file"),
        ("{outcome: busy}", 1, "the file"),
        ("- busy\n", 1, "an attempt"),
        ("- {ring_seconds: 3}\n", 1, "outcome"),
        ("- {outcome: busy}\n- {outcome: asleep}\n", 2, "outcome"),
        ("- outcome: busy\n  ring: 3\n", 2, "ring"),
        ("- outcome: busy\n  outcome: busy\n", 2, "outcome"),
        ("- {outcome: connected, ring_seconds: soon}\n", 1, "ring_seconds"),
        ("- {outcome: connected, ring_seconds: -1}\n", 1, "ring_seconds"),
        ("- {outcome: connected, ring_seconds: .nan}\n", 1, "ring_seconds"),
        ("- {outcome: connected, ring_seconds: true}\n", 1, "ring_seconds"),
        ("- {outcome: connected, ring_seconds: 601}\n", 1, "ring_seconds"),
        ("- {outcome: busy, consult_seconds: 3}\n", 1, "consult_seconds"),
        ("- {outcome: outside_hours, ring_seconds: 3}\n", 1, "ring_seconds"),
        ("- {outcome: [busy\n", 2, ""),
    ],
)
def test_a_mistake_names_file_line_and_field(
    tmp_path: Path, text: str, line: int, field: str
) -> None:
    file = tmp_path / "staff.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_staff(str(file))
    assert "staff.yaml" in str(caught.value)
    assert f"line {line}" in str(caught.value)
    assert field in str(caught.value)


def test_neither_a_word_nor_a_file() -> None:
    with pytest.raises(InputError, match=r"asleep.*no_answer"):
        load_staff("asleep")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "staff.yaml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        load_staff(str(file))


def test_the_command_refuses_it_before_a_call() -> None:
    result = CliRunner().invoke(app, ["chat", "--staff", "asleep"], input="")
    assert isinstance(result.exception, InputError)
