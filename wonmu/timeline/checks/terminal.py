"""N5: after a terminal result nothing speaks and nothing runs.

Exempt are the one planned goodbye (``final``) and words that had begun before the latch closed.
"""

from __future__ import annotations

from collections.abc import Iterator

from wonmu.timeline.checks.people import words_after_join
from wonmu.timeline.events import Event, Kind
from wonmu.timeline.reading import Events, after, before, flag, of, text, verdict
from wonmu.timeline.view import CallView, Check, Violation

_RUNS = (
    Kind.TOOL_STARTED,
    Kind.TASK_ENTERED,
    Kind.BOOKING_SEARCHED,
    Kind.BOOKING_STAGED,
    Kind.BOOKING_READBACK,
    Kind.BOOKING_CONSENT,
    Kind.BOOKING_COMMITTED,
    Kind.TRANSFER_STARTED,
    Kind.TRANSFER_BRIEFED,
    Kind.TRANSFER_HOLD,
)


def check(view: CallView) -> tuple[Violation, ...]:
    latches = of(view.events, Kind.TERMINAL_LATCHED)
    found = tuple(_violations(view.events, latches[0])) if latches else ()
    return (*found, *words_after_join(view.events))


def _violations(events: Events, latch: Event) -> Iterator[Violation]:
    said = [e for e in after(events, latch.seq, Kind.AGENT_SAID) if not _begun(events, e, latch)]
    finals = [event for event in said if flag(event, "final")]
    for event in said:
        if event not in finals[:1]:
            yield Violation(Check.N5, "words after a terminal result", event.seq)
    for event in after(events, latch.seq, *_RUNS):
        yield Violation(Check.N5, f"{event.kind.value} after a terminal result", event.seq)
    for event in after(events, latch.seq, Kind.GATE_VERDICT):
        if verdict(event) == "allow":
            yield Violation(Check.N5, "a tool was allowed after a terminal result", event.seq)


def _begun(events: Events, said: Event, latch: Event) -> bool:
    """The words were already sounding when the latch closed."""
    speaking = before(events, latch.seq, Kind.AGENT_SPEAKING)
    if not speaking or text(speaking[-1], "text") != text(said, "text"):
        return False
    return not [e for e in before(events, latch.seq, Kind.AGENT_SAID) if e.seq > speaking[-1].seq]
