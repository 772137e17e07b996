"""Everything that goes wrong here, as HTTP status and OperationOutcome.

An answer that is no success always carries an OperationOutcome (R4 http.html#2.21.0.10). Texts
name places and rules, never values: they end up in logs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from wonmu.errors import WonmuError

Json = dict[str, Any]
"""A JSON object as it goes over the wire."""


@dataclass(frozen=True, slots=True)
class Issue:
    """``code``: of the value set issue-type; ``at``: a path such as ``Slot.start``."""

    code: str
    text: str
    at: str | None = None
    severity: str = "error"

    def json(self) -> Json:
        issue: Json = {"severity": self.severity, "code": self.code, "diagnostics": self.text}
        if self.at is not None:
            issue["expression"] = [self.at]
        return issue


class FhirProblem(WonmuError):
    """A refused interaction. Whatever it had written is taken back."""

    def __init__(self, status: int, *issues: Issue, headers: dict[str, str] | None = None) -> None:
        super().__init__("; ".join(issue.text for issue in issues))
        self.status = status
        self.issues = issues
        self.headers = headers or {}


def outcome(issues: Iterable[Issue]) -> Json:
    return {"resourceType": "OperationOutcome", "issue": [issue.json() for issue in issues]}


def bad_request(text: str, at: str | None = None) -> FhirProblem:
    return FhirProblem(400, Issue("invalid", text, at))


def not_found(kind: str, identity: str) -> FhirProblem:
    return FhirProblem(404, Issue("not-found", f"there is no {kind}/{identity}"))


def not_supported(text: str, status: int = 405) -> FhirProblem:
    return FhirProblem(status, Issue("not-supported", text))


def refused(rule: str, at: str | None = None) -> FhirProblem:
    """A rule of this record system forbids it; ``rule`` is its name."""
    return FhirProblem(422, Issue("business-rule", rule, at))


def taken(slot_id: str) -> FhirProblem:
    return FhirProblem(409, Issue("conflict", f"Slot/{slot_id} is taken"))


def stale() -> FhirProblem:
    return FhirProblem(412, Issue("conflict", "the resource has changed: If-Match does not match"))
