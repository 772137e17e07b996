"""The keypad menu and the limits in the settings: what loads, and how mistakes are told (T6)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from wonmu.errors import SettingsError
from wonmu.hospital import load_hospital
from wonmu.hospital.config import CallLimits, MenuAction
from wonmu.hospital.loading import DEMO

pytestmark = pytest.mark.unit

HEAD = "\nkeypad_menu:\n  entries:\n"


def load(tmp_path: Path, extra: str) -> tuple[int, str]:
    """Lines of hospital.yaml without ``extra``, and what loading says with it."""
    folder = tmp_path / "hanbit"
    shutil.copytree(DEMO / "hanbit", folder)
    file = folder / "hospital.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text + extra, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        load_hospital(folder)
    return text.count("\n"), str(caught.value)


@pytest.mark.parametrize(
    ("entries", "line", "field", "part"),
    [
        (
            ["{digit: 1, action: booking.create}", "{digit: 1, action: person}"],
            1,
            "entries[1].digit",
            "is used twice",
        ),
        (["{digit: 1, action: booking.book}"], 0, "entries[0].action", "'booking.create'"),
        (["{digit: 1, action: call.end}"], 0, "entries[0].action", "'person'"),
        (["{digit: 1, action: info, name: 주차}"], 0, "entries[0].action", "without a question"),
        (["{digit: 1, action: info, question: 주차 되나요?}"], 0, "entries[0].action", "a name"),
        (
            ["{digit: 1, action: person, question: 주차 되나요?}"],
            0,
            "entries[0].question",
            "info only",
        ),
        (['{digit: "1", action: person}'], 0, "entries[0].digit", "integer"),
        (["{digit: 10, action: person}"], 0, "entries[0].digit", "less than"),
        (["{digit: -1, action: person}"], 0, "entries[0].digit", "greater than"),
        (["{digit: 1}"], 0, "entries[0].action", "is missing"),
        (["{digit: 1, action: person, label: 직원}"], 0, "entries[0].label", "not a known"),
        (
            [
                "{digit: 1, action: info, name: 주차 안내, question: 주차 되나요?}",
                "{digit: 2, action: person, name: 주차안내}",
            ],
            1,
            "entries[1].name",
            "listed already",
        ),
    ],
)
def test_a_mistake_names_file_line_and_field(
    tmp_path: Path, entries: list[str], line: int, field: str, part: str
) -> None:
    extra = HEAD + "".join(f"    - {entry}\n" for entry in entries)
    before, told = load(tmp_path, extra)
    place, _, sentence = told.partition(": ")
    where = before + 4 + line
    assert place.startswith(f"hanbit/hospital.yaml line {where}, keypad_menu.{field}"), told
    assert part in sentence


def test_a_menu_without_a_key_is_refused(tmp_path: Path) -> None:
    assert "keypad_menu.entries" in load(tmp_path, "\nkeypad_menu: {entries: []}\n")[1]


@pytest.mark.parametrize(
    ("extra", "field"),
    [
        ("unproductive_turns: 2", "limits.unproductive_turns"),
        ("call_minutes: 0", "limits.call_minutes"),
        ("call_minutes: 1000", "limits.call_minutes"),
    ],
)
def test_limits_that_would_cut_or_never_end_a_call(tmp_path: Path, extra: str, field: str) -> None:
    assert field in load(tmp_path, f"\nlimits: {{{extra}}}\n")[1]


def test_the_shipped_menu() -> None:
    saebom = load_hospital(DEMO / "saebom")
    assert saebom.keypad_menu is not None
    assert [entry.digit for entry in saebom.keypad_menu.entries] == [1, 2, 3, 4, 5, 0]
    person = saebom.keypad_menu.entry(0)
    assert person is not None
    assert person.action is MenuAction.PERSON
    assert saebom.keypad_menu.entry(9) is None


def test_the_defaults() -> None:
    hanbit = load_hospital(DEMO / "hanbit")
    assert hanbit.keypad_menu is None
    assert hanbit.limits == CallLimits(unproductive_turns=12, call_minutes=20.0)
