"""N10: one state change at a time; in transfer or memo mode no booking and no record access.

A task may hold another task inside it; two that overlap without one holding the other, two of
the same name, or two tools side by side are state changes at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from wonmu.timeline.checks.people import tools_on_hold
from wonmu.timeline.events import Event, Kind
from wonmu.timeline.reading import WORK_ACTIONS, Events, of, text, verdict
from wonmu.timeline.view import CallView, Check, Violation

_TOUCHES = (
    Kind.BOOKING_SEARCHED,
    Kind.BOOKING_STAGED,
    Kind.BOOKING_READBACK,
    Kind.BOOKING_CONSENT,
    Kind.BOOKING_TAKEN,
    Kind.BOOKING_COMMITTED,
    Kind.LOOKUP_SETTLED,
    Kind.EMR_FAILED,
)
_BY_OTHERS = frozenset({"by_person", "by_memo"})
_STARTS = (Kind.TOOL_STARTED, Kind.TASK_ENTERED)
_ENDS = (Kind.TOOL_ENDED, Kind.TASK_LEFT)


def check(view: CallView) -> tuple[Violation, ...]:
    return (
        *_overlaps(view.events),
        *_touched_by_verdict(view.events),
        *_touched_by_mode(view),
        *tools_on_hold(view.events),
    )


def _overlaps(events: Events) -> Iterator[Violation]:
    opened: list[Event] = []
    for event in events:
        if event.kind in _STARTS:
            yield from _beside(opened, event)
            opened.append(event)
        elif event.kind in _ENDS:
            yield from _crossed(opened, event)
            opened = [other for other in opened if other.span != event.span]


def _beside(opened: list[Event], event: Event) -> Iterator[Violation]:
    if event.kind is Kind.TOOL_STARTED and opened and opened[-1].kind is Kind.TOOL_STARTED:
        yield Violation(Check.N10, "a tool started while another was running", event.seq)
    tasks = [text(other, "name") for other in of(opened, Kind.TASK_ENTERED)]
    if event.kind is Kind.TASK_ENTERED and text(event, "name") in tasks:
        yield Violation(Check.N10, "the same task was entered twice at once", event.seq)


def _crossed(opened: list[Event], event: Event) -> Iterator[Violation]:
    tasks = of(opened, Kind.TASK_ENTERED)
    inside = [task.span for task in tasks]
    if event.kind is Kind.TASK_LEFT and event.span in inside and inside[-1] != event.span:
        yield Violation(Check.N10, "a task was left while a task inside it went on", event.seq)


def _touched_by_verdict(events: Events) -> Iterator[Violation]:
    """From a by-person or by-memo verdict on a booking until a booking tool is allowed."""
    by_others = False
    for event in events:
        if event.kind is Kind.GATE_VERDICT and text(event, "action") in WORK_ACTIONS:
            given = verdict(event)
            by_others = given in _BY_OTHERS or (by_others and given != "allow")
        elif by_others and event.kind in _TOUCHES:
            yield Violation(Check.N10, f"{event.kind.value} in transfer or memo mode", event.seq)


def _touched_by_mode(view: CallView) -> Iterator[Violation]:
    handed = {a for a in WORK_ACTIONS if view.modes.get(a, "auto") in {"transfer", "leave_memo"}}
    for event in of(view.events, Kind.GATE_VERDICT):
        if text(event, "action") in handed and verdict(event) == "allow":
            yield Violation(Check.N10, "allowed what the hospital gives to a person", event.seq)
    if handed == WORK_ACTIONS:
        for event in of(view.events, *_TOUCHES):
            yield Violation(Check.N10, f"{event.kind.value} though no booking is ours", event.seq)
