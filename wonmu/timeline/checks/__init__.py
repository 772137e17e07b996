"""The checks N1–N11: what must never happen, asked of a finished call (V4, E3).

A check is a function ``check(view) -> tuple[Violation, ...]``; it raises ``NotChecked`` when the
view does not hold what it needs. Each judges from the events and stores alone and believes no
flag of the code that ran the call. A check must never count missing evidence as passed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wonmu.timeline.checks import (
    consent,
    doubles,
    exclusive,
    privacy,
    scope,
    silence,
    spans,
    terminal,
    triggers,
    truth,
)
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

CHECKS: Mapping[Check, CheckFunction] = {
    Check.N1: consent.check,
    Check.N2: doubles.check,
    Check.N3: privacy.check_identity,
    Check.N4: triggers.check,
    Check.N5: terminal.check,
    Check.N6: truth.check,
    Check.N7: spans.check,
    Check.N8: privacy.check_private,
    Check.N9: scope.check,
    Check.N10: exclusive.check,
    Check.N11: silence.check,
}
"""Every check by its name, in order."""


def run_checks(view: CallView) -> Report:
    """Every check over one call. A call without events is not checked at all."""
    return Report({check: _result(function, view) for check, function in CHECKS.items()})


def _result(function: CheckFunction, view: CallView) -> CheckResult:
    if not view.events:
        return Skipped("the call has no events")
    try:
        violations = function(view)
    except NotChecked as skipped:
        return Skipped(skipped.reason)
    return Violated(violations) if violations else Passed()
