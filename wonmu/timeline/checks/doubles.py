"""N2: no two records for one intent, no two patients for one slot, no changed patient with none.

Judged from the stores, of all calls, because two calls can meet in one slot. Of a change written to
the record system the new booking stands, or else the one it was to replace.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from wonmu.timeline.events import Kind
from wonmu.timeline.reading import of, text
from wonmu.timeline.view import CallView, Check, NotChecked, Violation

_CLAIMS = frozenset({"booking_request", "change_request"})


def check(view: CallView) -> tuple[Violation, ...]:
    found = (*_same_key(view), *_same_claim(view), *_same_consent(view), *_left_with_none(view))
    if not found and view.inbox is None and view.appointments is None:
        raise NotChecked("neither inbox nor appointments were given")
    return found


def _same_key(view: CallView) -> Iterator[Violation]:
    for key in _twice(row.key for row in view.inbox or ()):
        yield Violation(Check.N2, f"key {key} has two inbox rows")
    for key in _twice(row.key for row in view.appointments or () if row.key):
        yield Violation(Check.N2, f"key {key} has two appointments")


def _same_claim(view: CallView) -> Iterator[Violation]:
    """One owner a slot, one claim a patient and start; a request and its appointment are one."""
    owners: dict[str, set[str]] = defaultdict(set)
    times: dict[str, set[str]] = defaultdict(set)
    for row in view.inbox or ():
        if row.open and row.kind in _CLAIMS:
            _claim(owners, row.slot, row.key)
            _claim(
                times, f"{row.patient} {row.start}" if row.patient and row.start else "", row.key
            )
    for made in view.appointments or ():
        if made.open:
            _claim(owners, made.slot_id, made.key or made.id)
            _claim(
                times, f"{made.patient} {made.start}" if made.patient else "", made.key or made.id
            )
    yield from _shared("slot", owners)
    yield from _shared("patient and start", times)


def _same_consent(view: CallView) -> Iterator[Violation]:
    """One consent is one intent: commits of one digest must share their key, unless asked anew."""
    keys: dict[str, set[str]] = defaultdict(set)
    for event in of(view.events, Kind.BOOKING_CONSENT, Kind.BOOKING_COMMITTED):
        digest = text(event, "digest")
        if event.kind is Kind.BOOKING_CONSENT:
            keys[digest].clear()
        else:
            keys[digest].add(text(event, "key"))
            if len(keys[digest]) > 1:
                yield Violation(Check.N2, "one consent was committed under two keys", event.seq)


def _left_with_none(view: CallView) -> Iterator[Violation]:
    """A change leaves the new booking or the old one; a later change or cancel of it is another."""
    if view.appointments is None:
        return
    standing = {made.id for made in view.appointments if made.open}
    standing |= {made.key for made in view.appointments if made.open and made.key}
    committed = list(of(view.events, Kind.BOOKING_COMMITTED))
    gone_later = {text(event, "replaces") for event in committed} | {
        text(event, "cancels") for event in committed
    }
    for event in committed:
        new, old = text(event, "key"), text(event, "replaces")
        made = {each.id for each in view.appointments if each.key == new}
        direct = text(event, "mode") == "direct"
        if direct and old and not {new, old} & standing and not made & gone_later:
            yield Violation(Check.N2, "a changed patient is left with no booking", event.seq)


def _claim(claims: dict[str, set[str]], thing: str, owner: str) -> None:
    if thing:
        claims[thing].add(owner)


def _shared(what: str, claims: dict[str, set[str]]) -> Iterator[Violation]:
    for owners in claims.values():
        if len(owners) > 1:
            yield Violation(Check.N2, f"one {what}, several records: {', '.join(sorted(owners))}")


def _twice(keys: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    return [key for key in keys if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
