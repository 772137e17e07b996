"""Times and pauses: nothing outlasts its budget, nobody is asked sooner than they want (A8)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wonmu.emr.budget import JITTER, PAUSES, Budget, GuardRules, pause_before
from wonmu.hospital.config import EmrSettings

pytestmark = pytest.mark.unit


def test_a_budget_ends_when_it_ends() -> None:
    budget = Budget.of(10.0, 8.0)
    assert budget.left(10.0) == 8.0
    assert budget.left(17.0) == 1.0
    assert budget.left(18.0) == budget.left(99.0) == 0.0


def test_a_part_never_outlasts_the_whole() -> None:
    whole = Budget.of(0.0, 8.0)
    assert whole.part(0.0, 3.0).ends == 3.0
    assert whole.part(7.0, 3.0).ends == 8.0
    assert Budget().part(7.0, 3.0).ends == 10.0
    assert Budget().left(1e9) == math.inf


def test_a_pause_fits_only_if_time_is_left_after_it() -> None:
    budget = Budget.of(0.0, 3.0)
    assert budget.fits(1.0, 1.9)
    assert not budget.fits(1.0, 2.0)
    assert not budget.fits(5.0, 0.0)


@pytest.mark.parametrize(
    ("number", "retry_after", "least"),
    [
        (2, None, 0.2),
        (3, None, 0.5),
        (4, None, 1.0),
        (5, None, 1.0),
        (2, 2.0, 2.0),
        (2, 0.0, 0.2),
        (2, -5.0, 0.2),
        (4, 0.3, 1.0),
        (2, math.inf, math.inf),
    ],
)
def test_pauses_grow_and_retry_after_is_not_undercut(
    number: int, retry_after: float | None, least: float
) -> None:
    assert pause_before(number, 0.0, retry_after) == least


@given(number=st.integers(2, 9), share=st.floats(0, 1), wanted=st.floats(0, 60))
def test_jitter_is_bounded(number: int, share: float, wanted: float) -> None:
    bare = pause_before(number, 0.0, wanted)
    jittered = pause_before(number, share, wanted)
    assert bare <= jittered <= bare + PAUSES[-1] * JITTER
    assert jittered >= wanted


def test_chance_spreads_the_pauses() -> None:
    assert pause_before(2, 0.0) < pause_before(2, 0.5) < pause_before(2, 1.0) == 0.2 * (1 + JITTER)


def test_the_settings_are_the_rules() -> None:
    settings = EmrSettings(request_seconds=1.5, tool_seconds=4.0, read_tries=3)
    assert GuardRules.of(settings) == GuardRules(request=1.5, step=4.0, tries=3)
    assert GuardRules.of(EmrSettings()) == GuardRules()
