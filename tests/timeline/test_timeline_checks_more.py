"""N6–N11: silent on a good call, loud on every way we know to spoil it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from timeline_calls import (
    CREATE,
    MEMO,
    PRIVATE,
    SCOPE,
    START,
    K,
    Line,
    booking_lines,
    change,
    drop,
    found,
    heard,
    later,
    put,
    put_after,
    row,
    said,
    spoilt,
    view,
)

from wonmu.ids import CallId
from wonmu.timeline.view import (
    CallView,
    Check,
    ModelRequest,
)

pytestmark = pytest.mark.unit

FAILED: Line = (3.45, K.EMR_FAILED, {"op": "find_slots", "fault": "timeout"})
NO_TIMES = said(3.46, "그날은 가능한 시간이 없습니다.", 1, "booking.no_times")
FREE_WORDS = said(3.46, "죄송하지만 예약 가능한 시간이 없네요.", 1)
DONE = said(3.3, "예약이 완료되었습니다.", 1)
SEARCH = 11

N6_SPOILS: dict[str, CallView] = {
    "a failure told as none": spoilt(put(SEARCH, FAILED, *NO_TIMES)),
    "the same in a model's words": spoilt(put(SEARCH, FAILED, *FREE_WORDS)),
    "a failed lookup told as none": spoilt(
        put(SEARCH, (3.45, K.LOOKUP_SETTLED, {"outcome": "error", "count": 0}), *NO_TIMES)
    ),
    "told as none a turn later": spoilt(put(SEARCH, FAILED, heard(3.5, "네?", 1), *NO_TIMES)),
    "booked without a receipt": spoilt(drop(K.BOOKING_COMMITTED)),
    "booked before the receipt": spoilt(put(SEARCH, *DONE)),
    "a note without a receipt": spoilt(put(SEARCH, *said(3.3, "담당자에게 메모를 남겼습니다.", 1))),
    "a note's line without a receipt": spoilt(put(SEARCH, *said(3.3, "네.", 1, "memo.stored"))),
    "connected without a receipt": spoilt(put(SEARCH, *said(3.3, "상담원과 연결되었습니다.", 1))),
}


@pytest.mark.parametrize("name", N6_SPOILS)
def test_n6_catches(name: str) -> None:
    assert found(Check.N6, N6_SPOILS[name])


@pytest.mark.parametrize(
    "words",
    [
        "예약해 드릴까요?",
        "예약이 완료되면 문자가 갑니다.",
        "접수해 드리겠습니다.",
        "예약 확정은 직원이 전화로 안내해 드립니다.",
        "취소하시려면 말씀해 주세요.",
        "지금은 예약 시간을 확인할 수 없습니다.",
        "예약이 아직 되지 않았습니다.",
        "예약 없이 오셔도 됩니다.",
        "취소됐다고 들으셨군요.",
    ],
)
def test_n6_lets_plain_words_be(words: str) -> None:
    assert found(Check.N6, spoilt(put(SEARCH, FAILED, *said(3.46, words, 1)))) == ()


def test_n6_a_real_empty_answer_after_a_failure_may_be_told() -> None:
    empty: Line = (3.46, K.BOOKING_SEARCHED, {"count": 0})
    assert found(Check.N6, spoilt(put(SEARCH, FAILED, empty, *NO_TIMES))) == ()


def test_n6_what_was_not_heard_was_not_told() -> None:
    begun, over = DONE
    silent = (over[0], over[1], {**over[2], "heard": ""})
    assert found(Check.N6, spoilt(put(SEARCH, begun, silent))) == ()


N7_SPOILS: dict[str, CallView] = {
    "a task never left": spoilt(drop(K.TASK_LEFT)),
    "a tool never ended": spoilt(drop(K.TOOL_ENDED)),
    "a tool ended twice": spoilt(
        put_after(K.TOOL_ENDED, (6.3, K.TOOL_ENDED, {"_span": "t", "_status": "success"}))
    ),
    "an end without a status": spoilt(change(K.TOOL_ENDED, _status=None)),
    "an end of another kind": spoilt(change(K.TOOL_ENDED, _span="c")),
    "two spans of one id": spoilt(put_after(K.TOOL_STARTED, (3.1, K.TOOL_STARTED, {"_span": "t"}))),
    "no end of the call": spoilt(drop(K.CALL_ENDED)),
    "words after the end": spoilt(lambda ls: [*ls, *said(9.6, "네", 2)]),
    "no start": spoilt(drop(K.CALL_STARTED)),
    "closed too late": spoilt(later(-1 + len(booking_lines()), 5)),
    "a request that got lost": view(inbox=()),
    "a memo that got lost": spoilt(put_after(K.TERMINAL_LATCHED, MEMO)),
    "a row without an event": view(inbox=(row(), row(key="k9", kind="memo"))),
    "a direct booking that got lost": spoilt(
        change(K.BOOKING_COMMITTED, mode="direct"), inbox=(), appointments=()
    ),
}


@pytest.mark.parametrize("name", N7_SPOILS)
def test_n7_catches(name: str) -> None:
    assert found(Check.N7, N7_SPOILS[name])


@pytest.mark.parametrize("kind", [K.TURN_WAITING, K.BOOKING_SEARCHED, K.CALLER_HEARD])
def test_n7_a_missing_event_shows(kind: K) -> None:
    events = tuple(event for event in view().events if event.kind is not kind)
    assert found(Check.N7, replace(view(), events=events))


def test_n7_two_calls_in_one_timeline_show() -> None:
    first, second, *rest = view().events
    mixed = (first, replace(second, call_id=CallId("call-2")), *rest)
    assert found(Check.N7, replace(view(), events=mixed))


def test_n7_other_calls_rows_are_not_ours() -> None:
    assert found(Check.N7, view(inbox=(row(), row(key="k9", call_id="call-2")))) == ()


N8_SPOILS: dict[str, CallView] = {
    "digits in a keypad event": spoilt(
        put(6, (3.1, K.KEYPAD_PRESSED, {"masked": "850312"})), private=PRIVATE
    ),
    "spelled with a century": spoilt(
        put(6, (3.1, K.FAULT, {"where": "19850312"})), private=PRIVATE
    ),
    "as an ISO date": spoilt(put(6, (3.1, K.FAULT, {"where": "1985-03-12"})), private=PRIVATE),
    "as a number in a list": spoilt(
        put(6, (3.1, K.FAULT, {"a": [{"b": 850312}]})), private=PRIVATE
    ),
    "spoken, in a reason": spoilt(
        put(6, (3.1, K.GATE_VERDICT, {"reason": "팔오년 삼월 십이일"})), private=PRIVATE
    ),
    "to a model": view(private=PRIVATE, model_requests=(ModelRequest(4, "85 03 12 라고"),)),
    "to a model, spoken": view(
        private=PRIVATE, model_requests=(ModelRequest(4, "천구백팔십오년 삼월 십이일입니다"),)
    ),
    "in a log": view(private=PRIVATE, logs=("birth=85-03-12",)),
}


@pytest.mark.parametrize("name", N8_SPOILS)
def test_n8_catches(name: str) -> None:
    assert found(Check.N8, N8_SPOILS[name])


def test_n8_catches_a_mask_that_lets_it_through(monkeypatch: pytest.MonkeyPatch) -> None:
    given = spoilt(put(6, heard(3.1, "850312요", 1)), private=PRIVATE)
    monkeypatch.setattr("wonmu.timeline.checks.privacy.masked", lambda event: event)
    assert found(Check.N8, given)


@pytest.mark.parametrize("words", ["850312요", "팔오공삼일이요", "팔십오년 삼월 십이일생이에요"])
def test_n8_personal_fields_are_kept_and_masked(words: str) -> None:
    assert found(Check.N8, spoilt(put(6, heard(3.1, words, 1)), private=PRIVATE)) == ()


def test_n8_does_not_match_by_chance() -> None:
    chance = {"key": "k-1850312", "as_of": "2026-12-01T10:00:00.850312+09:00", "n": 18503129}
    assert found(Check.N8, spoilt(put(6, (3.1, K.FAULT, chance)), private=PRIVATE)) == ()


@pytest.mark.parametrize("short", ["12", " 1 "])
def test_n8_a_private_string_must_mean_something(short: str) -> None:
    with pytest.raises(ValueError, match="private"):
        view(private=(short,))


N9_SPOILS: dict[str, CallView] = {
    "unknown department": spoilt(change(K.BOOKING_STAGED, department="성형외과")),
    "unknown doctor": spoilt(change(K.BOOKING_STAGED, doctor="아무개")),
    "doctor of another department": spoilt(change(K.BOOKING_STAGED, doctor="박도윤")),
    "too far": spoilt(change(K.BOOKING_STAGED, start="2027-03-02T10:00:00+09:00")),
    "past": spoilt(change(K.BOOKING_STAGED, start="2025-12-08T10:30:00+09:00")),
    "no zone": spoilt(change(K.BOOKING_STAGED, start="2026-12-08T10:30:00")),
    "not a time": spoilt(change(K.BOOKING_STAGED, start="25시")),
    "committed without staging": spoilt(change(K.BOOKING_COMMITTED, digest="d9")),
    "a row out of the window": view(inbox=(row(start=START + timedelta(days=90)),)),
    "a row with an unknown doctor": view(inbox=(row(doctor="아무개"),)),
}


@pytest.mark.parametrize("name", N9_SPOILS)
def test_n9_catches(name: str) -> None:
    assert found(Check.N9, N9_SPOILS[name])


def test_n9_the_window_is_inclusive() -> None:
    exact = replace(SCOPE, earliest=START, latest=START)
    assert found(Check.N9, view(scope=exact)) == ()


TOOL_2: Line = (3.1, K.TOOL_STARTED, {"name": "set_wish", "_span": "t2"})
TOOL_2_END: Line = (3.2, K.TOOL_ENDED, {"name": "set_wish", "_span": "t2", "_status": "success"})
TASK_2: Line = (3.3, K.TASK_ENTERED, {"name": "booking", "_span": "b2"})
TASK_2_LEFT: Line = (3.3, K.TASK_LEFT, {"name": "booking", "_span": "b2", "_status": "exited"})
TASK_3: Line = (3.3, K.TASK_ENTERED, {"name": "memo", "_span": "b2"})
REFUSED: Line = (3.4, K.GATE_VERDICT, {**CREATE, "verdict": "by_person"})
HANDED = dict.fromkeys(
    ["booking.create", "booking.inquire", "booking.change", "booking.cancel"], "transfer"
)

N10_SPOILS: dict[str, CallView] = {
    "a tool beside a tool": spoilt(put_after(K.TOOL_STARTED, TOOL_2)),
    "a task twice at once": spoilt(put(SEARCH, TASK_2, TASK_2_LEFT)),
    "tasks that cross": spoilt(put(SEARCH, TASK_3)),
    "booking after by_memo": spoilt(change(K.GATE_VERDICT, verdict="by_memo")),
    "booking after ByPerson": spoilt(change(K.GATE_VERDICT, verdict="ByPerson")),
    "records read after by_person": spoilt(drop(K.BOOKING_SEARCHED), put(14, REFUSED, FAILED)),
    "allowed against the mode": view(modes={"booking.create": "leave_memo"}),
    "touched though nothing is ours": spoilt(drop(K.GATE_VERDICT), modes=HANDED),
}


@pytest.mark.parametrize("name", N10_SPOILS)
def test_n10_catches(name: str) -> None:
    assert found(Check.N10, N10_SPOILS[name])


def test_n10_a_tool_inside_the_task_of_a_tool_is_fine() -> None:
    assert found(Check.N10, spoilt(put(SEARCH, TOOL_2, TOOL_2_END))) == ()


def test_n10_a_later_allow_opens_the_booking_again() -> None:
    given = spoilt(put(4, (3, K.GATE_VERDICT, {**CREATE, "verdict": "by_memo"})))
    assert found(Check.N10, given) == ()


N11_SPOILS: dict[str, CallView] = {
    "a slow answer": spoilt(later(4, 4.5)),
    "no answer until the hang-up": spoilt(
        put(3, heard(1.5, "여보세요", 1), (6, K.HANGUP, {})), lambda ls: ls[:5]
    ),
    "words that made no sound": spoilt(
        put(3, heard(1.5, "여보세요", 1), (2, K.AGENT_SAID, {"text": "네", "heard": ""}),
            *said(6, "네", 1))
    ),
    "a keypad entry left without an answer": spoilt(
        put(3, (1.5, K.KEYPAD_PRESSED, {"masked": "******", "done": True}), *said(6, "네", 1))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", N11_SPOILS)
def test_n11_catches(name: str) -> None:
    assert found(Check.N11, N11_SPOILS[name])


def test_n11_exactly_four_seconds_is_still_fine_and_a_filler_breaks_the_wait() -> None:
    exact = [heard(0, "네", 1), *said(4.0, "네", 1)]
    assert found(Check.N11, view(exact)) == ()
    filler = spoilt(put(4, *said(3.2, "확인해 보겠습니다.", 1, "filler")), later(6, 20))
    assert found(Check.N11, filler) == ()
