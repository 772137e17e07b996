"""The checks N1–N11: what must never happen, asked of a finished call (design of V4, E3).

A check is a function ``check(view) -> tuple[Violation, ...]``; it raises ``NotChecked`` when the
view does not hold what it needs. Each judges from the events and stores alone and believes no
flag of the code that ran the call. A check must never count missing evidence as passed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wonmu.timeline.view import (
    CallView,
    Check,
    CheckResult,
    NotChecked,
    Passed,
    Report,
    Skipped,
    Violated,
    Violation,
)

CheckFunction = Callable[[CallView], tuple[Violation, ...]]

CHECKS: Mapping[Check, CheckFunction] = {}
"""Every check by its name, in order."""


def run_checks(view: CallView) -> Report:
    """Every check over one call."""
    return Report({check: _result(function, view) for check, function in CHECKS.items()})


def _result(function: CheckFunction, view: CallView) -> CheckResult:
    try:
        violations = function(view)
    except NotChecked as skipped:
        return Skipped(skipped.reason)
    return Violated(violations) if violations else Passed()
