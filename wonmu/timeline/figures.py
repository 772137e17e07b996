"""Figures over the calls of a line, from their events alone (A1, A8).

Measures two clocks apart: how long callers wait for the agent's first sound, and how long the
record system's answers take. Counts what went wrong on the way. It must never turn a lack of data
into a number: a figure of nothing has no value, and what it is a part of always stands beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wonmu.timeline.analysis import percentile
from wonmu.timeline.events import Event, Kind
from wonmu.timeline.reading import flag, of, text

_OVER = frozenset({Kind.HANGUP, Kind.CALL_ENDED})
_STARTS = frozenset({Kind.LOOKUP_STARTED, Kind.SEARCH_STARTED})
_ENDS = frozenset({Kind.LOOKUP_SETTLED, Kind.SEARCH_SETTLED})


@dataclass(frozen=True, slots=True)
class Spread:
    """Seconds: nearest-rank percentiles and the longest of ``count`` measurements; None of none."""

    count: int
    p50: float | None
    p90: float | None
    p95: float | None
    longest: float | None

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        p50, p90, p95 = (percentile(seconds, percent) for percent in (50, 90, 95))
        return cls(len(seconds), p50, p90, p95, max(seconds, default=None))


@dataclass(frozen=True, slots=True)
class Figures:
    """Sums over ``calls`` calls.

    ``responses``: end of the caller's words, or last key of an entry → first sound of the agent.
    ``unanswered``: such waits that ended with the call. ``lookups``: start of a read of the record
    system → its answer or failure, for those that had one; ``outcomes`` counts all that settled,
    ``unsettled`` those whose end is missing. ``fillers``: silences explained during them.
    ``failures``: failed requests by fault; ``retries``: requests sent again; ``openings``: how
    often a call's failures shut the record system off.
    """

    calls: int
    responses: Spread
    unanswered: int
    lookups: Spread
    outcomes: Mapping[str, int]
    unsettled: int
    fillers: int
    failures: Mapping[str, int]
    retries: int
    openings: int

    @property
    def started(self) -> int:
        """Lookups that began."""
        return sum(self.outcomes.values()) + self.unsettled

    @property
    def fillers_per_lookup(self) -> float | None:
        return self.fillers / self.started if self.started else None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. ``value`` None: there is nothing to measure.

    ``of`` and ``of_what``: the denominator, e.g. 14 "lookups"; of is None where there is none.
    """

    name: str
    value: float | int | None
    unit: str
    of: int | None = None
    of_what: str = ""


def figures(calls: Iterable[Sequence[Event]]) -> Figures:
    """``calls``: the events of each call, in order. Events of two calls are never mixed."""
    sums = _Sums()
    for events in calls:
        sums.add(events)
    return sums.total()


class _Sums:
    def __init__(self) -> None:
        self.calls = 0
        self.waits: list[float] = []
        self.unanswered = 0
        self.lookups: list[float] = []
        self.outcomes: Counter[str] = Counter()
        self.unsettled = 0
        self.failures: Counter[str] = Counter()
        self.counts: Counter[Kind] = Counter()
        self.openings = 0

    def add(self, events: Sequence[Event]) -> None:
        self.calls += 1
        waits = tuple(responses(events))
        self.waits += [seconds for seconds in waits if seconds is not None]
        self.unanswered += waits.count(None)
        for outcome, seconds in lookups(events):
            if not outcome:
                self.unsettled += 1
                continue
            self.outcomes[outcome] += 1
            if outcome != "cancelled" and seconds is not None:
                self.lookups.append(seconds)
        self.failures.update(text(event, "fault") for event in of(events, Kind.EMR_FAILED))
        self.counts.update(event.kind for event in events)
        changes = of(events, Kind.BREAKER_CHANGED)
        self.openings += sum(text(event, "state") == "open" for event in changes)

    def total(self) -> Figures:
        return Figures(
            calls=self.calls,
            responses=Spread.of(self.waits),
            unanswered=self.unanswered,
            lookups=Spread.of(self.lookups),
            outcomes=dict(sorted(self.outcomes.items())),
            unsettled=self.unsettled,
            fillers=self.counts[Kind.LOOKUP_FILLER],
            failures=dict(sorted(self.failures.items())),
            retries=self.counts[Kind.EMR_RETRIED],
            openings=self.openings,
        )


def responses(events: Sequence[Event]) -> Iterator[float | None]:
    """Seconds of each wait for the agent's first sound; None when the call ended before it.

    A caller who goes on speaking waits anew: an event tells when words ended, not when they began.
    Only a new sound answers; the rest of a speech that was cut does not.
    """
    since: float | None = None
    for event in events:
        if _waits(event):
            since = event.mono
        elif since is not None and event.kind is Kind.AGENT_SPEAKING:
            yield event.mono - since
            since = None
        elif since is not None and event.kind in _OVER:
            yield None
            since = None


def _waits(event: Event) -> bool:
    if event.kind is Kind.KEYPAD_PRESSED:
        return flag(event, "done")
    late = flag(event, "late") or flag(event, "noise")
    return event.kind is Kind.CALLER_HEARD and not late


def lookups(events: Sequence[Event]) -> Iterator[tuple[str, float | None]]:
    """Outcome and seconds of each read of the record system; "" and None if it has no end."""
    running: dict[str, Event] = {}
    for event in events:
        if event.kind in _STARTS:
            running[text(event, "id")] = event
        elif event.kind in _ENDS and (start := running.pop(text(event, "id"), None)) is not None:
            yield text(event, "outcome") or "unknown", event.mono - start.mono
    for _ in running:
        yield "", None


# The table ---------------------------------------------------------------------------------------


def table(found: Figures) -> tuple[Row, ...]:
    """Every figure with its unit and what it is a part of, in the order in which they are read."""
    return (
        Row("calls", found.calls, "calls"),
        *_clock("agent's first sound after the caller", found.responses, "waits"),
        Row("waits that ended with the call", found.unanswered, "waits", _waits_of(found), "waits"),
        *_clock("record system's answer", found.lookups, "lookups"),
        *(
            Row(f"lookups {outcome}", count, "lookups", found.started, "lookups")
            for outcome, count in found.outcomes.items()
        ),
        Row("lookups without an end", found.unsettled, "lookups", found.started, "lookups"),
        Row("explained silences", found.fillers, "fillers", found.started, "lookups"),
        Row(
            "explained silences per lookup", found.fillers_per_lookup, "", found.started, "lookups"
        ),
        Row("failed requests", sum(found.failures.values()), "requests"),
        *(
            Row(
                f"failed requests, {fault}",
                count,
                "requests",
                sum(found.failures.values()),
                "failed",
            )
            for fault, count in found.failures.items()
        ),
        Row("requests sent again", found.retries, "requests"),
        Row("times the breaker opened", found.openings, "times", found.calls, "calls"),
    )


def _clock(name: str, spread: Spread, what: str) -> Iterator[Row]:
    named = (("p50", spread.p50), ("p90", spread.p90), ("p95", spread.p95))
    for short, value in (*named, ("longest", spread.longest)):
        yield Row(f"{name}, {short}", value, "s", spread.count, what)


def _waits_of(found: Figures) -> int:
    return found.responses.count + found.unanswered
