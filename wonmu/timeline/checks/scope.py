"""N9: no id, date or time acted on that this hospital's lists and window do not contain."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from wonmu.timeline.events import Kind
from wonmu.timeline.reading import moment, of, text
from wonmu.timeline.view import (
    REQUEST_KINDS,
    CallView,
    Check,
    NotChecked,
    Scope,
    Violation,
    is_cancellation,
    of_earlier_visit,
)


def check(view: CallView) -> tuple[Violation, ...]:
    if view.scope is None:
        raise NotChecked("the hospital's lists and window were not given")
    return tuple(_violations(view, view.scope))


def _violations(view: CallView, scope: Scope) -> Iterator[Violation]:
    for event in of(view.events, Kind.BOOKING_STAGED):
        start = moment(event, "start")
        for why in _faults(scope, text(event, "department"), text(event, "doctor"), start):
            yield Violation(Check.N9, f"staged: {why}", event.seq)
    staged = {text(event, "digest") for event in of(view.events, Kind.BOOKING_STAGED)}
    for event in of(view.events, Kind.BOOKING_COMMITTED):
        unstaged = is_cancellation(view, event) or of_earlier_visit(view, event)
        if text(event, "digest") not in staged and not unstaged:
            yield Violation(Check.N9, "committed what was never staged", event.seq)
    for row in view.own_rows(REQUEST_KINDS - {"cancel_request"}):
        for why in _faults(scope, row.department, row.doctor, row.start):
            yield Violation(Check.N9, f"record {row.key}: {why}")


def _faults(scope: Scope, department: str, doctor: str, start: datetime | None) -> Iterator[str]:
    if department not in scope.departments:
        yield "a department that is not in the list"
    if doctor not in scope.doctors:
        yield "a doctor that is not in the list"
    homes = scope.doctor_departments.get(doctor)
    if homes is not None and department not in homes:
        yield "a doctor of another department"
    if start is None or start.tzinfo is None:
        yield "no readable start"
    elif not scope.earliest <= start <= scope.latest:
        yield "a start outside the bookable window"
