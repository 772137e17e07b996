"""The figures of the delay table: their arithmetic, and one cell really played."""

from __future__ import annotations

import pytest

from wonmu.evals.delays import NEVER, Cell, Limits, Meanwhile, Waited
from wonmu.evals.delays_report import HEAD, Measured, measure, table

pytestmark = pytest.mark.scenario


def measured(cell: Cell, *answers: tuple[str, float | None], silent: float = 1.0) -> Measured:
    return Measured(cell, answers, 2, silent, silent / 2, (0.5, 1.0))


def test_cells_that_differ_in_what_the_caller_does_are_one_line() -> None:
    quiet = Cell(Waited.LOOKUP, 5.0, Meanwhile.NOTHING, Limits.LONG)
    person = Cell(Waited.LOOKUP, 5.0, Meanwhile.PERSON, Limits.LONG)
    never = Cell(Waited.COMMIT, NEVER, Meanwhile.NOTHING)
    text = table(
        [
            measured(quiet, ("completed", 5.0)),
            measured(person, ("cancelled", 1.0), silent=3.0),
            measured(never, ("left", None)),
        ]
    )
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[0] == " ".join(HEAD)
    assert lines[2] == (
        "lookup 5 s long 2 cancelled 1, completed 1 2 3.0 s 1.5 s "
        "0.50 1.00 1.00 s of 4 5.00 5.00 5.00 s of 1"
    )
    assert lines[3] == "commit never usual 1 left 1 2 1.0 s 0.5 s 0.50 1.00 1.00 s of 2 –"
    assert [line.split()[:3] for line in lines[4:]] == [
        ["lookup", "all", "all"],
        ["commit", "all", "all"],
    ]


def test_a_played_cell_is_measured() -> None:
    found = measure(Cell(Waited.LOOKUP, 15.0, Meanwhile.NOTHING, Limits.LONG))
    ((outcome, seconds),) = found.answers
    assert outcome == "completed"
    assert seconds == pytest.approx(15.0, abs=0.01)
    assert found.fillers == 2
    assert 0 < found.unexplained <= found.silent < 4.0
    assert found.first_sounds
