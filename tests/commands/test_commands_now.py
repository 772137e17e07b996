"""The clock handed in: a moment without a calendar around it is bad input, not a fault (exit 2)."""

from __future__ import annotations

import pytest

from wonmu.commands.common import moment_of
from wonmu.errors import InputError

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "now", ["9999-12-31T23:59+09:00", "0001-01-01T00:00+09:00", "3000-01-01", "1969-12-31"]
)
def test_a_year_without_a_calendar_is_refused(now: str) -> None:
    with pytest.raises(InputError, match="1970"):
        moment_of(now)


def test_a_usual_moment_is_taken_in_seoul() -> None:
    assert moment_of("2026-12-31T15:00Z").isoformat() == "2027-01-01T00:00:00+09:00"
