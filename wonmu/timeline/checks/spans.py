"""N7: what starts ends exactly once, a call closes within 5 s of the hang-up, nothing is lost.

The timeline itself is looked at first: one call, numbered without a gap, from call.started to
call.ended. Then what it says was stored must be in the stores, and the other way round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from wonmu.timeline.checks.people import lost_request, unsettled
from wonmu.timeline.events import SPANS, Event, Kind
from wonmu.timeline.reading import Events, given_up, of, text
from wonmu.timeline.view import CallView, Check, NotChecked, Violation, of_earlier_visit

CLOSE_SECONDS = 5.0
"""From the caller's hang-up to call.ended (design, N7)."""

_ENDS = {end: start for start, end in SPANS.items()}


def check(view: CallView) -> tuple[Violation, ...]:
    events = view.events
    found = (*_whole(events), *_spans(events), *_closing(events), *_stored(view))
    found = (*found, *unsettled(events), *lost_request(events))
    if not found and view.inbox is None:
        raise NotChecked("the inbox was not given, so a lost request would not show")
    return found


def _whole(events: Events) -> Iterator[Violation]:
    if len({event.call_id for event in events}) > 1:
        yield Violation(Check.N7, "events of several calls in one timeline")
    for place, event in enumerate(events, start=1):
        if event.seq != place:
            yield Violation(Check.N7, f"event {place} is missing or out of order", event.seq)
            return
    for kind, place in ((Kind.CALL_STARTED, 0), (Kind.CALL_ENDED, -1)):
        if len(of(events, kind)) != 1 or events[place].kind is not kind:
            where = "first" if place == 0 else "last"
            yield Violation(Check.N7, f"{kind.value} is not there once and {where}")


def _spans(events: Events) -> Iterator[Violation]:
    opened: dict[str, Event] = {}
    used: set[str] = set()
    for event in events:
        if event.kind in SPANS:
            if not event.span or event.span in used:
                yield Violation(Check.N7, "a span without an id of its own", event.seq)
            used.add(event.span or "")
            opened[event.span or ""] = event
        elif event.kind in _ENDS:
            start = opened.pop(event.span or "", None)
            if start is None or start.kind is not _ENDS[event.kind]:
                yield Violation(Check.N7, f"{event.kind.value} ends nothing open", event.seq)
            if event.status is None:
                yield Violation(Check.N7, f"{event.kind.value} has no status", event.seq)
    for event in opened.values():
        yield Violation(Check.N7, f"{event.kind.value} never ended", event.seq)


def _closing(events: Events) -> Iterator[Violation]:
    hangups, ends = of(events, Kind.HANGUP), of(events, Kind.CALL_ENDED)
    if hangups and ends and ends[-1].mono - hangups[0].mono > CLOSE_SECONDS:
        late = ends[-1].mono - hangups[0].mono
        yield Violation(Check.N7, f"closed {late:.1f} s after the hang-up", ends[-1].seq)


def _stored(view: CallView) -> Iterator[Violation]:
    if view.inbox is None:
        return
    rows = Counter(row.key for row in view.own_rows())
    told: set[str] = set()
    for event in of(view.events, Kind.MEMO_STORED, Kind.BOOKING_COMMITTED):
        key = text(event, "key")
        told.add(key)
        elsewhere = _in_record_system(view, event, key) or of_earlier_visit(view, event)
        if not rows[key] and not elsewhere:
            yield Violation(Check.N7, f"{event.kind.value} {key} is in no store", event.seq)
    told |= given_up(view.events)
    for key in rows.keys() - told:
        yield Violation(Check.N7, f"inbox row {key} has no event in its call")


def _in_record_system(view: CallView, event: Event, key: str) -> bool:
    """A direct booking lies in the record system; when that was not given it cannot be missed."""
    if text(event, "mode") != "direct":
        return False
    return view.appointments is None or any(made.key == key for made in view.appointments)
