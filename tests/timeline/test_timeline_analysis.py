"""What a call came to: only what the events show (E3; R157, R158, R160, R161)."""

from __future__ import annotations

import pytest
from timeline_calls import (
    ANSWER,
    READBACK,
    K,
    Line,
    Spoil,
    booking_lines,
    build,
    change,
    drop,
    heard,
    put,
)

from wonmu.timeline.analysis import Analysis, Match, Outcome, Stage, analyse, percentile

pytestmark = pytest.mark.unit


def of(*spoils: Spoil) -> Analysis:
    lines = booking_lines()
    for spoil in spoils:
        lines = spoil(lines)
    return analyse(build(lines))


def hung_up_before(place: int) -> Analysis:
    """The good call, left by the caller just before event ``place``."""
    end: list[Line] = [
        (9.0, K.HANGUP, {}),
        (9.1, K.CALL_ENDED, {"reason": "caller_hangup", "_span": "c"}),
    ]
    return analyse(build([*booking_lines()[:place], *end]))


def test_a_whole_booking() -> None:
    result = of()
    assert (result.outcome, result.stage) == (Outcome.BOOKING_REQUESTED, Stage.COMMITTED)
    assert result.written is Match.MATCHES
    assert result.ended_by == "caller_hangup"
    assert result.responses == pytest.approx((0.6, 0.5))
    assert result.unanswered == 0
    assert [tool.name for tool in result.tools] == ["create_booking"]
    assert result.tools[0].seconds == pytest.approx(3.2)
    assert result.seconds == 9.5
    assert result.report.violations == ()


def test_r157_one_word_and_a_hang_up_is_no_booking() -> None:
    result = analyse(
        build(
            [
                (0, K.CALL_STARTED, {"_span": "c"}),
                heard(2, "여보세요", 1),
                (8, K.HANGUP, {}),
                (8, K.CALL_ENDED, {"reason": "caller_hangup", "_span": "c"}),
            ]
        )
    )
    assert (result.outcome, result.stage) == (Outcome.NOTHING, Stage.HEARD)
    assert result.written is Match.NOTHING_WRITTEN
    assert (result.responses, result.unanswered) == ((), 1)


@pytest.mark.parametrize(
    ("place", "stage"),
    [(3, Stage.NONE), (5, Stage.ACCEPTED), (8, Stage.IDENTIFIED), (11, Stage.SEARCHED),
     (12, Stage.STAGED), (ANSWER, Stage.READ_BACK), (ANSWER + 2, Stage.CONSENTED)],
)  # fmt: skip
def test_r160_the_furthest_stage_is_the_true_last_state(place: int, stage: Stage) -> None:
    result = hung_up_before(place)
    assert (result.outcome, result.stage) == (Outcome.NOTHING, stage)


@pytest.mark.parametrize(
    "spoil",
    [drop(K.CALL_STARTED), drop(K.CALL_ENDED), lambda ls: [], put(0, (0, K.FAULT, {}))],
)
def test_r161_a_timeline_with_holes_has_no_outcome(spoil: Spoil) -> None:
    events = build(spoil([line for line in booking_lines() if line[1] is not K.BOOKING_COMMITTED]))
    holes = events[1:] if events and events[0].kind is K.FAULT else events
    assert analyse(holes).outcome is Outcome.UNKNOWN


def test_a_commit_of_unknown_mode_is_no_success() -> None:
    assert of(change(K.BOOKING_COMMITTED, mode="")).outcome is Outcome.UNKNOWN
    assert of(change(K.BOOKING_COMMITTED, mode="direct")).outcome is Outcome.BOOKED


@pytest.mark.parametrize(
    ("kind", "data", "outcome"),
    [
        (K.MEMO_STORED, {"key": "m"}, Outcome.NOTE_LEFT),
        (K.TRANSFER_SETTLED, {"outcome": "connected"}, Outcome.CONNECTED),
        (K.TRANSFER_SETTLED, {"outcome": "no_answer"}, Outcome.NOTHING),
        (K.TRANSFER_SETTLED, {}, Outcome.NOTHING),
    ],
)
def test_other_outcomes_need_their_receipt(kind: K, data: dict[str, str], outcome: Outcome) -> None:
    assert of(drop(K.BOOKING_COMMITTED), put(4, (3, kind, data))).outcome is outcome


@pytest.mark.parametrize(
    ("spoil", "match"),
    [
        (change(K.BOOKING_STAGED, start="2026-12-08T11:00:00+09:00"), Match.DIFFERS),
        (change(K.BOOKING_CONSENT, digest="d2"), Match.UNKNOWN),
        (change(K.AGENT_SAID, heard="내과 김서연 원장님"), Match.UNKNOWN),
        (drop(K.BOOKING_READBACK), Match.UNKNOWN),
        (change(K.BOOKING_STAGED, start=""), Match.UNKNOWN),
        (change(K.BOOKING_STAGED, doctor="doc-7"), Match.UNKNOWN),
        (put(ANSWER + 1, (6, K.BOOKING_STAGED, {"digest": "d2"})), Match.DIFFERS),
        (drop(K.BOOKING_COMMITTED), Match.NOTHING_WRITTEN),
    ],
)
def test_what_was_written_against_what_was_heard(spoil: Spoil, match: Match) -> None:
    assert of(spoil).written is match


def test_ids_are_compared_by_their_spoken_names() -> None:
    lines = change(K.BOOKING_STAGED, doctor="doc-7")(booking_lines())
    assert analyse(build(lines), {"doc-7": "김서연"}).written is Match.MATCHES
    assert analyse(build(lines), {"doc-7": "박도윤"}).written is Match.DIFFERS
    assert "김서연" in READBACK


def test_the_reason_of_an_exit_goes_before_the_reason_of_the_end() -> None:
    assert of(change(K.TASK_LEFT, reason="other_request")).left_because == "other_request"
    assert of().left_because == "caller_hangup"
    assert of(drop(K.CALL_ENDED)).left_because == "unknown"
    assert of(drop(K.CALL_ENDED)).ended_by == "unknown"


def test_violations_are_part_of_the_analysis() -> None:
    assert of(drop(K.BOOKING_CONSENT)).report.violations


@pytest.mark.parametrize(
    ("percent", "value"), [(50, 5.0), (90, 9.0), (95, 10.0), (100, 10.0), (1, 1.0)]
)
def test_percentile_is_nearest_rank(percent: float, value: float) -> None:
    assert percentile([float(n) for n in range(10, 0, -1)], percent) == value


def test_percentile_of_nothing_is_none_and_of_nonsense_an_error() -> None:
    assert percentile([], 50) is None
    with pytest.raises(ValueError, match="percentile"):
        percentile([1.0], 0)
