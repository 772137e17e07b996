"""N6: a failure is never told as "none", a success never told without its receipt.

What was told is known by the name of the spoken line and, for words of a model, by the few
sentence forms in the tables below. Only words that were heard, at least in part, were told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wonmu.timeline.events import Event, Kind
from wonmu.timeline.reading import Events, before, of, squeezed, text, told, turn_of
from wonmu.timeline.view import CallView, Check, Violation

_EMPTY_LINE = re.compile(r"(?:^|[._])(?:no|none|empty)(?:$|[._])")
_EMPTY_WORDS = re.compile(
    r"(?:시간|자리|예약|내역|일정|기록|의사|선생님|환자)(?:분)?(?:은|는|이|가|도|께서)?"
    r"(?:전혀|하나도|아예|더)?(?:없(?!이)|안계|남아있지않)"
)
_BOOKING_DONE = re.compile(
    r"(?:예약|접수|변경|취소)(?:이|가|은|는|을|를|도)?(?:잘|모두|정상적으로)?"
    r"(?:되었|됐|완료되|완료됐|완료했|했|하였|해드렸|해놨|잡혔|잡아드렸|들어갔|확정되었|확정됐|확정했|완료입니다)"
)
_NOTE_DONE = re.compile(
    r"(?:메모|요청|말씀|내용|전달)(?:을|를|이|가|은|는|도)?(?:잘)?"
    r"(?:남겼|남겨드렸|남겨놨|전달했|전달해드렸|전달되었|전달됐|전해드렸|했|되었|됐|해드렸)"
)
_CONNECTED = re.compile(r"연결(?:이|을|은)?(?:잘)?(?:되었|됐|했|해드렸|완료)")
_MONEY = re.compile("환불|영수증|내역서|확인서")
_MONEY_DONE = (Kind.REFUND_COMMITTED, Kind.RECEIPT_COMMITTED)
_NO_CLAIM = re.compile(
    r"\?|까요|나요|다면|으면|하면|되면|려면|경우|는지|다고|지않|못했|못하|안됐|안되"
)
"""A question, a condition, a report of the caller's words or a denial claims nothing."""

_EVIDENCE = (Kind.EMR_FAILED, Kind.BOOKING_SEARCHED, Kind.LOOKUP_SETTLED)
_BOOKING_LINES = frozenset({"booking.recorded", "booking.committed", "booking.done"})
_NOTE_LINES = frozenset({"memo.stored", "callback.stored", "memo.done", "callback.done"})


def check(view: CallView) -> tuple[Violation, ...]:
    spoken = [event for event in of(view.events, Kind.AGENT_SAID) if told(event)]
    return tuple(
        violation
        for event in spoken
        for violation in (*_told_empty(view.events, event), *_told_done(view.events, event))
    )


def _told_empty(events: Events, said: Event) -> Iterator[Violation]:
    by_line = _EMPTY_LINE.search(text(said, "line")) is not None
    if not by_line and not _EMPTY_WORDS.search(squeezed(told(said))):
        return
    near = events if by_line else turn_of(events, said.seq)
    evidence = before(near, said.seq, *_EVIDENCE)
    if evidence and _is_failure(evidence[-1]):
        yield Violation(Check.N6, "a failure was told as none", said.seq)


def _is_failure(event: Event) -> bool:
    return event.kind is Kind.EMR_FAILED or text(event, "outcome") in {"error", "escalated"}


def _told_done(events: Events, said: Event) -> Iterator[Violation]:
    line = text(said, "line")
    sentences = [squeezed(s) for s in re.split(r"(?<=[.?!])\s+", told(said)) if "?" not in s]
    claims = [s for s in sentences if not _NO_CLAIM.search(s)]
    money = [claim for claim in claims if _MONEY.search(claim)]
    claims = [claim for claim in claims if claim not in money]
    booking = line in _BOOKING_LINES or any(map(_BOOKING_DONE.search, claims))
    note = line in _NOTE_LINES or any(map(_NOTE_DONE.search, claims))
    past = before(events, said.seq, *Kind)
    if any(map(_BOOKING_DONE.search, money)) and not of(past, *_MONEY_DONE):
        yield Violation(Check.N6, "a refund or a receipt was told without a receipt", said.seq)
    if booking and not of(past, Kind.BOOKING_COMMITTED, Kind.MEMO_STORED):
        yield Violation(Check.N6, "a finished booking was told without a receipt", said.seq)
    elif note and not of(past, Kind.MEMO_STORED, Kind.BOOKING_COMMITTED):
        yield Violation(Check.N6, "a stored note was told without a receipt", said.seq)
    elif any(map(_CONNECTED.search, claims)) and not _connected(past):
        yield Violation(Check.N6, "a connection was told without a receipt", said.seq)


def _connected(past: Events) -> bool:
    return any(text(event, "outcome") == "connected" for event in of(past, Kind.TRANSFER_SETTLED))
