"""What a played dialogue lacks of what was expected.

Decides from events and stores alone. Every check that applies is part of the judgement, whether
the file asks for it or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wonmu.evals.dialogue import Dialogue, Expect, WantedEvent, WantedRow
from wonmu.evals.playing import Played
from wonmu.timeline.events import Event, Kind

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Miss:
    """One difference. ``seq``: the event of the judged call that shows it, if one does."""

    expected: str
    found: str
    seq: int | None = None


def judge(dialogue: Dialogue, played: Sequence[Played]) -> tuple[Miss, ...]:
    """Everything that is not as it must be, the checks of all calls included."""
    last = played[-1]
    found = [miss for call in played for miss in _checks(call, call is last)]
    return (*found, *_expected(dialogue.expect, last))


def _checks(call: Played, last: bool) -> Iterator[Miss]:
    where = "" if last else " (in a call before)"
    for violation in call.checks.violations:
        seq = violation.seq if last else None
        yield Miss(f"{violation.check} must never happen{where}", violation.why, seq)


def _expected(expect: Expect, call: Played) -> Iterator[Miss]:
    if call.status != expect.status:
        yield Miss(f"exit status {expect.status}", f"exit status {call.status}")
    if expect.inbox is not None:
        yield from _inbox(expect.inbox, call.inbox)
    yield from _subsequence(expect.events, call.events)
    for event in call.events:
        for wanted in expect.never:
            if _is(wanted, event):
                yield Miss(f"never {_named(wanted)}", _told(event), event.seq)
    yield from _said(expect, call.events)
    if expect.ended is not None and (reason := _reason(call.events)) != expect.ended:
        yield Miss(f"the call ends: {expect.ended}", f"it ended: {reason}")


# The inbox -----------------------------------------------------------------------------------


def _inbox(wanted: Sequence[WantedRow], rows: Sequence[Row]) -> Iterator[Miss]:
    if len(wanted) != len(rows):
        yield Miss(f"{len(wanted)} rows in the inbox", f"{len(rows)}: {_rows(rows)}")
        return
    for number, (one, row) in enumerate(zip(wanted, rows, strict=True), start=1):
        for name, expected, found in _different(one, row):
            yield Miss(f"inbox row {number}, {name}: {expected}", f"{found}")


def _different(wanted: WantedRow, row: Row) -> Iterator[tuple[str, object, object]]:
    found = flat_row(row)
    for name, value in wanted.fields.items():
        if name == "note" and value is not None:
            if str(value) not in (found["note"] or ""):
                yield name, value, found["note"]
        elif found[name] != value:
            yield name, value, found[name]
    if wanted.start is not None and _moment(found["start"]) != wanted.start:
        yield "start", wanted.start.isoformat(), found["start"]


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def flat_row(row: Row) -> dict[str, Any]:
    """An inbox row with the patient's fields beside the others."""
    patient = row["patient"]
    return {
        **row,
        "patient": patient["name"],
        "birth_date": patient["birth_date"],
        "phone": patient["phone"],
    }


def _rows(rows: Sequence[Row]) -> str:
    keys = ("kind", "patient", "department", "doctor", "start", "note")
    flat = (flat_row(row) for row in rows)
    return "; ".join(" ".join(str(row[k]) for k in keys if row[k]) for row in flat) or "none"


# Events --------------------------------------------------------------------------------------


def _is(wanted: WantedEvent, event: Event) -> bool:
    if event.kind is not wanted.kind:
        return False
    if wanted.status is not None and event.status is not wanted.status:
        return False
    return all(event.data.get(key) == value for key, value in wanted.data.items())


def _subsequence(wanted: Sequence[WantedEvent], events: Sequence[Event]) -> Iterator[Miss]:
    at = 0
    for one in wanted:
        place = next((n for n in range(at, len(events)) if _is(one, events[n])), None)
        if place is None:
            seq = events[at - 1].seq if at else None
            others = [_told(event) for event in events if event.kind is one.kind]
            yield Miss(f"{_named(one)}, after this point", "; ".join(others) or "none at all", seq)
            return
        at = place + 1


def _named(wanted: WantedEvent) -> str:
    parts = [wanted.kind.value, *([wanted.status.value] if wanted.status else [])]
    return " ".join([*parts, *(f"{key}={value}" for key, value in wanted.data.items())])


def _told(event: Event) -> str:
    data = " ".join(f"{key}={value}" for key, value in event.data.items())
    return " ".join((event.kind.value, event.status.value if event.status else "", data)).strip()


def _reason(events: Sequence[Event]) -> str:
    ended = [event for event in events if event.kind is Kind.CALL_ENDED]
    return str(ended[-1].data.get("reason")) if ended else "not at all"


# Words ---------------------------------------------------------------------------------------


def _said(expect: Expect, events: Sequence[Event]) -> Iterator[Miss]:
    spoken = [event for event in events if event.kind is Kind.AGENT_SAID]
    at = 0
    for part in expect.said:
        place = next((n for n in range(at, len(spoken)) if part in _heard(spoken[n])), None)
        if place is None:
            seq = spoken[at].seq if at < len(spoken) else None
            yield Miss(f"said from here on: {part}", "not said", seq)
            break
        at = place
    for part in expect.not_said:
        for event in spoken:
            if part in _heard(event):
                yield Miss(f"not said: {part}", _heard(event), event.seq)
    for part, times in expect.said_times.items():
        count = sum(1 for event in spoken if part in _heard(event))
        if count != times:
            yield Miss(f"said {times} times: {part}", f"{count} times")


def _heard(event: Event) -> str:
    return str(event.data.get("heard", ""))
