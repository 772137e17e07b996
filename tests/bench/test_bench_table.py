"""The bench's own paper work. No test asserts a time; ``make bench`` does that."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from bench.figures import FIGURES
from bench.rows import Limit, Measure, Row, table

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]


def row(median: float, base: float, *limits: Limit) -> Row:
    return Row("turn", "ms", (median,), "bare", (base,), limits)


def test_list_names_every_figure() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--list"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == [f.name for f in FIGURES]


def test_an_unknown_figure_is_bad_input() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--only", "weather"], cwd=ROOT, capture_output=True
    )
    assert done.returncode == 2


def test_every_figure_has_its_module() -> None:
    for figure in FIGURES:
        assert importlib.util.find_spec(figure.module) is not None, figure.name


def test_the_table_is_aligned_and_says_what_is_over() -> None:
    good = row(5.25, 4.0, Limit(Measure.EXTRA, 3), Limit(Measure.RATIO, 1.5))
    bad = Row("예약 통화", "ms", (412.0, 400.5, 420.0), limits=(Limit(Measure.MEDIAN, 400),))
    head, rule, first, second = table([good, bad]).splitlines()
    assert head.startswith("figure")
    assert set(rule) == {"─", " "}
    assert " ".join(first.split()) == (
        "turn 1 5.25 ms bare 4.00 ms 1.25 ms 1.31 extra ≤ 3 ms, ratio ≤ 1.5 ok"
    )
    assert " ".join(second.split()) == "예약 통화 3 412 ms ≤ 400 ms OVER"
    assert second.index("OVER") + len("예약통화") == first.index("ok")


@pytest.mark.parametrize(
    ("median", "base", "ok"),
    [(7.0, 4.5, False), (4.5, 2.0, False), (6.0, 4.0, True), (9.1, 6.0, False)],
)
def test_each_limit_counts(median: float, base: float, ok: bool) -> None:
    assert row(median, base, Limit(Measure.EXTRA, 3), Limit(Measure.RATIO, 1.5)).ok is ok


def test_the_middle_measurement_counts() -> None:
    assert Row("x", "ms", (1.0, 2.0, 90.0)).median == 2.0


def test_pairs_are_compared_before_the_middle_is_taken() -> None:
    slowing = Row("x", "ms", (2.0, 4.0, 40.0), "bare", (1.0, 2.0, 20.0))
    assert slowing.ratio == 2.0
    assert slowing.extra == 2.0
    with pytest.raises(ValueError, match="its own to compare"):
        Row("x", "ms", (2.0, 4.0), "bare", (1.0,))


def test_a_ratio_needs_something_to_compare_with() -> None:
    with pytest.raises(ValueError, match="needs that something"):
        Row("x", "ms", (1.0,), limits=(Limit(Measure.RATIO, 1.5),))
    with pytest.raises(ValueError, match="nothing was measured"):
        Row("x", "ms", ())
