"""N1 and N9 for a cancellation: no time is staged; read-back and yes are needed all the same.

Found by the first dialogue that cancelled: the checks asked for a staged time.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from timeline_calls import ROW, Line, booking_lines, drop, view

from wonmu.timeline.checks import consent, scope
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.unit

CANCELLED = replace(ROW, kind="cancel_request")


def cancelling() -> list[Line]:
    """The same call, but what it records is a cancellation."""
    return drop(Kind.BOOKING_STAGED)(booking_lines())


def test_a_cancellation_needs_no_staged_time() -> None:
    seen = view(cancelling(), inbox=(CANCELLED,))
    assert consent.check(seen) == ()
    assert scope.check(seen) == ()


def test_a_booking_still_does() -> None:
    seen = view(cancelling())
    assert any("staged" in each.why for each in consent.check(seen))
    assert any("staged" in each.why for each in scope.check(seen))


@pytest.mark.parametrize("kind", [Kind.BOOKING_READBACK, Kind.BOOKING_CONSENT])
def test_a_cancellation_needs_its_read_back_and_its_yes(kind: Kind) -> None:
    assert consent.check(view(drop(kind)(cancelling()), inbox=(CANCELLED,)))


@pytest.mark.parametrize("kind", ["change_request", "cancel_request"])
def test_a_change_or_cancellation_without_a_commit(kind: str) -> None:
    lines = drop(Kind.BOOKING_COMMITTED)(booking_lines())
    found = consent.check(view(lines, inbox=(replace(ROW, kind=kind),)))
    assert any("no booking.committed" in each.why for each in found)
