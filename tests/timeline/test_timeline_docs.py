"""docs/timeline.md against the code: every kind is there, and its example is a call that holds."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wonmu.ids import CallId
from wonmu.timeline.analysis import Match, analyse
from wonmu.timeline.events import PERSONAL, SPANS, Event, Kind, Status
from wonmu.timeline.view import Check

pytestmark = pytest.mark.unit

PAGE = (Path(__file__).parents[2] / "docs" / "timeline.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*Kind, *Status, *Check])
def test_every_name_is_explained(name: str) -> None:
    assert f"`{name}`" in PAGE or f"| {name} |" in PAGE


def test_personal_fields_are_marked() -> None:
    for kind, fields in PERSONAL.items():
        line = [row for row in PAGE.splitlines() if row.startswith(f"| `{kind}`")][-1]
        assert all(f"*`{field}`*" in line for field in fields)


def test_the_example_is_a_call_that_violates_nothing() -> None:
    block = re.search(r"```json\n(.*?)```", PAGE, re.S)
    assert block is not None
    events = [_event(json.loads(line)) for line in block.group(1).splitlines()]
    result = analyse(events, {"internal": "내과", "kim-seoyeon": "김서연"})
    assert result.report.violations == ()
    assert result.written is Match.MATCHES
    assert {event.kind for event in events if event.span} <= {*SPANS, *SPANS.values()}


def _event(row: dict[str, object]) -> Event:
    status, span, data = row.get("status"), row.get("span"), row["data"]
    assert isinstance(data, dict)
    return Event(
        call_id=CallId("call-1"),
        seq=int(str(row["seq"])),
        at=datetime(2026, 12, 1, 1, tzinfo=UTC),
        mono=float(str(row["mono"])),
        kind=Kind(str(row["kind"])),
        status=Status(str(status)) if status else None,
        span=span if isinstance(span, str) else None,
        data=data,
    )
