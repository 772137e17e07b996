"""Both clocks apart, with denominators, and nothing measured of nothing (A1, A8)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from timeline_calls import Line, build, heard, said

from wonmu.timeline.events import Kind
from wonmu.timeline.figures import Figures, Row, Spread, figures, lookups, responses, table

pytestmark = pytest.mark.unit

K = Kind


def lookup(began: float, ended: float, id: str, outcome: str = "completed") -> list[Line]:
    return [
        (began, K.LOOKUP_STARTED, {"name": "bookings", "id": id}),
        (ended, K.LOOKUP_SETTLED, {"id": id, "outcome": outcome, "count": 1}),
    ]


def waits(*seconds: float) -> list[Line]:
    """One answered turn for each; the call goes on."""
    lines: list[Line] = []
    for number, wait in enumerate(seconds, start=1):
        lines += [heard(number * 100.0, "네", number), *said(number * 100.0 + wait, "네.", number)]
    return lines


def of_lines(*calls: list[Line]) -> Figures:
    return figures(build(lines, f"call-{n}") for n, lines in enumerate(calls))


def value(found: Figures, name: str) -> Row:
    [row] = [row for row in table(found) if row.name == name]
    return row


# The first clock -------------------------------------------------------------------------------


def test_words_are_waited_from_their_end_to_the_first_sound() -> None:
    assert list(responses(build(waits(0.5, 2.0)))) == [0.5, 2.0]


def test_the_last_key_of_an_entry_starts_the_clock_too() -> None:
    lines: list[Line] = [
        (1.0, K.KEYPAD_PRESSED, {"masked": "*", "used": True}),
        (2.0, K.KEYPAD_PRESSED, {"masked": "*", "used": True, "done": True}),
        *said(2.75, "네.", 1),
    ]
    assert list(responses(build(lines))) == [0.75]


def test_who_goes_on_speaking_waits_anew() -> None:
    lines: list[Line] = [heard(1.0, "내과", 1), heard(3.0, "예약이요", 2), *said(4.0, "네.", 2)]
    assert list(responses(build(lines))) == [1.0]


def test_the_end_of_a_speech_that_was_cut_is_no_answer() -> None:
    """A barge-in: what was heard of the old words is noted after the caller's words."""
    cut = {"text": "안녕하세요 한빛의원입니다", "heard": "안녕하세요", "full": False, "turn": 0}
    lines: list[Line] = [
        (0.0, K.AGENT_SPEAKING, {"text": "안녕하세요 한빛의원입니다", "turn": 0}),
        heard(1.0, "예약이요", 1),
        (1.0, K.AGENT_SAID, cut),
        *said(2.5, "네.", 1),
    ]
    assert list(responses(build(lines))) == [1.5]


@pytest.mark.parametrize("mark", ["noise", "late"])
def test_noise_and_words_after_the_end_wait_for_nothing(mark: str) -> None:
    words = (1.0, K.CALLER_HEARD, {"text": "음", "turn": 1, mark: True})
    assert list(responses(build([words, (2.0, K.HANGUP, {}), (2.0, K.CALL_ENDED, {})]))) == []


def test_a_wait_that_ends_with_the_call_is_counted_apart() -> None:
    lines = [
        *waits(1.0),
        heard(200.0, "여보세요", 2),
        (203.0, K.HANGUP, {}),
        (204.0, K.CALL_ENDED, {}),
    ]
    found = of_lines(lines)
    assert (found.responses.count, found.unanswered) == (1, 1)
    row = value(found, "waits that ended with the call")
    assert (row.value, row.of, row.of_what) == (1, 2, "waits")


# The second clock ------------------------------------------------------------------------------


def test_a_lookup_is_timed_from_start_to_settled() -> None:
    assert list(lookups(build(lookup(1.0, 3.5, "l1")))) == [("completed", 2.5)]


def test_two_lookups_at_once_are_told_apart() -> None:
    lines = sorted(
        [*lookup(1.0, 9.0, "a"), *lookup(2.0, 3.0, "b", "error")], key=lambda line: line[0]
    )
    assert list(lookups(build(lines))) == [("error", 1.0), ("completed", 8.0)]


def test_a_cancelled_lookup_says_nothing_about_the_record_system() -> None:
    found = of_lines([*lookup(1.0, 2.0, "a"), *lookup(3.0, 33.0, "b", "cancelled")])
    assert found.lookups == Spread(1, 1.0, 1.0, 1.0, 1.0)
    assert found.outcomes == {"cancelled": 1, "completed": 1}
    assert value(found, "lookups cancelled").of == 2


def test_a_failed_lookup_is_time_too() -> None:
    assert of_lines(lookup(0.0, 8.0, "a", "error")).lookups.longest == 8.0


def test_a_lookup_without_an_end_is_told_and_not_timed() -> None:
    lines = [*lookup(1.0, 2.0, "a"), lookup(3.0, 0.0, "b")[0]]
    found = of_lines(lines)
    assert (found.lookups.count, found.unsettled, found.started) == (1, 1, 2)


def test_an_end_without_a_start_is_not_invented() -> None:
    assert list(lookups(build(lookup(1.0, 2.0, "a")[1:]))) == []


def test_the_two_clocks_do_not_mix() -> None:
    """The agent speaks while a lookup runs: one is short, the other long."""
    lines: list[Line] = [
        heard(0.0, "제 예약 알려 주세요", 1),
        lookup(0.5, 0.0, "a")[0],
        *said(0.75, "확인하고 있습니다.", 1),
        lookup(0.0, 10.5, "a")[1],
    ]
    found = of_lines(lines)
    assert found.responses.p95 == 0.75
    assert found.lookups.p95 == 10.0


# Percentiles -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "spread"),
    [
        ((), Spread(0, None, None, None, None)),
        ((2.0,), Spread(1, 2.0, 2.0, 2.0, 2.0)),
        ((2.0, 1.0), Spread(2, 1.0, 2.0, 2.0, 2.0)),
        ((3.0, 1.0, 2.0), Spread(3, 2.0, 3.0, 3.0, 3.0)),
        (tuple(float(n) for n in range(1, 11)), Spread(10, 5.0, 9.0, 10.0, 10.0)),
        (tuple(float(n) for n in range(1, 21)), Spread(20, 10.0, 18.0, 19.0, 20.0)),
    ],
)
def test_percentiles_of_few_are_values_that_occurred(
    seconds: Sequence[float], spread: Spread
) -> None:
    assert Spread.of(seconds) == spread


# Failures, repetitions, the breaker, fillers ---------------------------------------------------


def trouble() -> list[Line]:
    return [
        *lookup(0.0, 9.0, "a", "error"),
        (1.0, K.EMR_RETRIED, {"op": "find_slots", "fault": "unavailable", "number": 2}),
        (2.0, K.EMR_FAILED, {"op": "find_slots", "fault": "timeout"}),
        (2.0, K.BREAKER_CHANGED, {"state": "open", "fault": "timeout"}),
        (3.0, K.LOOKUP_FILLER, {"id": "a", "number": 1}),
        (6.0, K.LOOKUP_FILLER, {"id": "a", "number": 2}),
        (6.0, K.EMR_FAILED, {"op": "find_slots", "fault": "breaker_open"}),
        (7.0, K.BREAKER_CHANGED, {"state": "half_open", "fault": None}),
        (8.0, K.BREAKER_CHANGED, {"state": "closed", "fault": None}),
    ]


def test_what_went_wrong_is_counted_over_all_calls() -> None:
    found = of_lines(trouble(), lookup(0.0, 1.0, "a"), trouble())
    assert found.calls == 3
    assert found.failures == {"breaker_open": 2, "timeout": 2}
    assert (found.retries, found.openings, found.fillers) == (2, 2, 4)
    assert found.fillers_per_lookup == pytest.approx(4 / 3)
    row = value(found, "failed requests, timeout")
    assert (row.value, row.of) == (2, 4)


def test_equal_ids_of_two_calls_are_two_lookups() -> None:
    start, end = lookup(1.0, 2.0, "a")
    found = of_lines([start], [end])
    assert (found.lookups.count, found.unsettled) == (0, 1)


def test_nothing_measured_has_no_value() -> None:
    found = of_lines()
    assert found.fillers_per_lookup is None
    assert all(row.value in (0, None) for row in table(found))
    timed = [row for row in table(found) if row.unit == "s"]
    assert timed
    assert all(row.value is None and row.of == 0 for row in timed)


def test_the_table_names_everything_once() -> None:
    names = [row.name for row in table(of_lines(trouble(), waits(1.0)))]
    assert len(names) == len(set(names))
