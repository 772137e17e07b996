"""N1: no booking record without a yes to exactly its read-back, spoken in full just before.

The chain is followed backwards from each record: commit ← consent ← the caller's words ← the
agent's last words before them ← the read-back. A link that is missing or does not fit is a
violation; the order of the events alone decides, no flag of the running code is believed.
"""

from __future__ import annotations

from collections.abc import Iterator

from wonmu.korean.won import read_won
from wonmu.timeline.events import Event, Kind
from wonmu.timeline.reading import (
    before,
    given_up,
    heard,
    number,
    of,
    spoken_turns,
    squeezed,
    text,
)
from wonmu.timeline.spoken import says_start
from wonmu.timeline.view import (
    REQUEST_KINDS,
    CallView,
    Check,
    InboxRow,
    NotChecked,
    Violation,
    is_cancellation,
    of_earlier_visit,
)


def check(view: CallView) -> tuple[Violation, ...]:
    found = tuple(_violations(view))
    if not found and view.inbox is None:
        raise NotChecked("the inbox was not given")
    return found


def _violations(view: CallView) -> Iterator[Violation]:
    commits, gone = _first_commits(view), given_up(view.events)
    for row in view.own_rows(REQUEST_KINDS):
        if row.key not in commits and (row.open or row.key not in gone):
            yield Violation(Check.N1, f"record {row.key} has no booking.committed")
    rows = {row.key: row for row in view.own_rows(REQUEST_KINDS)}
    for key, commit in commits.items():
        if not of_earlier_visit(view, commit):
            yield from _chain(view, commit, rows.get(key))
    for kind in (Kind.REFUND_COMMITTED, Kind.RECEIPT_COMMITTED):
        for commit in of(view.events, kind):
            yield from _money(view, commit)


def _money(view: CallView, commit: Event) -> Iterator[Violation]:
    """A refund or a receipt was asked for: the same chain, and the exact amount in the question."""
    digest = text(commit, "digest")
    consents = before(view.events, commit.seq, Kind.REFUND_CONSENT)
    if not consents or not digest or text(consents[-1], "digest") != digest:
        yield Violation(Check.N1, "money was asked for without a consent to it", commit.seq)
        return
    consent = consents[-1]
    readbacks = before(view.events, consent.seq, Kind.REFUND_READBACK)
    if not readbacks or text(readbacks[-1], "digest") != digest:
        yield Violation(Check.N1, "the last read-back is not of the consented digest", consent.seq)
        return
    question = text(readbacks[-1], "text")
    yield from _heard_before_yes(view, question, consent)
    if commit.kind is not Kind.REFUND_COMMITTED:
        return
    staged = before(view.events, commit.seq, Kind.REFUND_STAGED)
    amount = commit.data.get("amount")
    if not staged or staged[-1].data.get("digest") != digest:
        yield Violation(Check.N1, "what was staged last is not what was committed", commit.seq)
    elif staged[-1].data.get("amount") != amount or amount not in read_won(question):
        yield Violation(Check.N1, "the amount was not in the read-back", commit.seq)


def _first_commits(view: CallView) -> dict[str, Event]:
    """The first commit of each key; a replay of the same key is the same booking."""
    commits: dict[str, Event] = {}
    for event in of(view.events, Kind.BOOKING_COMMITTED):
        commits.setdefault(text(event, "key"), event)
    return commits


def _chain(view: CallView, commit: Event, row: InboxRow | None) -> Iterator[Violation]:
    digest = text(commit, "digest")
    consents = [
        event
        for event in before(view.events, commit.seq, Kind.BOOKING_CONSENT)
        if digest and text(event, "digest") == digest
    ]
    if not consents:
        yield Violation(Check.N1, "committed without a consent to its digest", commit.seq)
        return
    consent = consents[-1]
    # A cancellation takes no time, so nothing was staged for it.
    staged = before(view.events, commit.seq, Kind.BOOKING_STAGED)
    wrong = not staged or text(staged[-1], "digest") != digest
    if wrong and not is_cancellation(view, commit):
        yield Violation(Check.N1, "what was staged last is not what was committed", commit.seq)
    readbacks = before(view.events, consent.seq, Kind.BOOKING_READBACK)
    if not readbacks or text(readbacks[-1], "digest") != digest:
        yield Violation(Check.N1, "the last read-back is not of the consented digest", consent.seq)
        return
    yield from _heard_before_yes(view, text(readbacks[-1], "text"), consent)
    if row is not None:
        yield from _row_was_read(view, row, text(readbacks[-1], "text"), consent)


def _heard_before_yes(view: CallView, readback: str, consent: Event) -> Iterator[Violation]:
    turns = [turn for turn in spoken_turns(view.events) if turn.seq < consent.seq]
    words = squeezed(text(consent, "words"))
    if not turns or not words or words not in squeezed(text(turns[-1], "text")):
        yield Violation(Check.N1, "the words of the consent were not just heard", consent.seq)
        return
    answer = turns[-1]
    if number(consent, "turn") != number(answer, "turn"):
        yield Violation(Check.N1, "the consent names another turn than its words", consent.seq)
    said = before(view.events, answer.seq, Kind.AGENT_SAID)
    wanted = squeezed(readback)
    if not wanted or not said or not squeezed(text(said[-1], "text")).endswith(wanted):
        yield Violation(Check.N1, "the agent's last words before the yes were other", consent.seq)
    elif squeezed(heard(said[-1])) != squeezed(text(said[-1], "text")):
        yield Violation(Check.N1, "the read-back was not heard to its end", said[-1].seq)


def _row_was_read(
    view: CallView, row: InboxRow, readback: str, consent: Event
) -> Iterator[Violation]:
    if row.start is None or not says_start(readback, row.start):
        yield Violation(Check.N1, "the record's time was not in the read-back", consent.seq)
    for what, value in (("department", row.department), ("doctor", row.doctor)):
        name = view.names.get(value, value)
        if not name or squeezed(name) not in squeezed(readback):
            yield Violation(Check.N1, f"the record's {what} was not in the read-back", consent.seq)
