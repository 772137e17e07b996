"""Hanging up at any moment of a transfer and of a note (P3, N7; R111, R114, R126)."""

from __future__ import annotations

import pytest
from transfer_parts import CALLER, PERSON, HangUp, line_of, notes, of_kind, outcomes, played

from wonmu.timeline.events import Kind
from wonmu.transfer.port import Outcome
from wonmu.transfer.simulated import Attempt, Noted

pytestmark = pytest.mark.scenario

RELEASED_WITHIN = 2.0


@pytest.mark.parametrize(
    "seconds", [0.0, 0.5, 2.0, 4.2, 6.0, 9.99, 10.0, 10.7, 11.4, 12.0, 12.1, 12.3]
)
def test_whoever_is_left_is_let_go(seconds: float) -> None:
    """Rings for 10 s, is told at 11, accepts at 12, is joined at 12.3."""
    line = line_of(Attempt(Outcome.CONNECTED, ring_seconds=10, consult_seconds=2))
    call = played([PERSON], line, leaving=HangUp(Kind.TRANSFER_STARTED, seconds))
    left = of_kind(call, Kind.HANGUP)[0].mono
    assert call.events[-1].kind is Kind.CALL_ENDED
    assert call.events[-1].mono - left <= RELEASED_WITHIN
    assert outcomes(call) == ["caller_left"]
    assert line.noted(Noted.JOINED) <= (seconds >= 12.3)
    assert line.noted(Noted.STOPPED_RINGING) + line.noted(Noted.RELEASED) == 1
    assert notes(call) == ["callback"]


def test_nobody_is_briefed_for_a_caller_who_left() -> None:
    line = line_of(Attempt(Outcome.CONNECTED, ring_seconds=10))
    call = played([PERSON, "/wait 3", "/hangup"], line)
    assert outcomes(call) == ["caller_left"]
    assert line.noted(Noted.BRIEFED) == 0
    assert line.noted(Noted.STOPPED_RINGING) == 1


def test_after_the_join_the_two_stay_connected() -> None:
    line = line_of(Outcome.CONNECTED)
    call = played([PERSON], line)
    assert outcomes(call) == ["connected"]
    assert line.noted(Noted.RELEASED) == 0


def test_the_line_notices_first_that_the_caller_left() -> None:
    call = played([PERSON], line_of(Outcome.CALLER_LEFT))
    assert outcomes(call) == ["caller_left"]
    assert of_kind(call, Kind.HANGUP)
    assert notes(call) == ["callback"]


NOTE = ("네", "진료비 문의요", "김철수요", "내일 오후요", "네")


@pytest.mark.parametrize("answers", range(len(NOTE)))
def test_a_request_is_never_lost(answers: int) -> None:
    call = played([PERSON, *NOTE[:answers]], line_of(Outcome.BUSY))
    assert notes(call) == ["callback"]
    row = call.inbox[0]
    assert row["contact"] == CALLER
    assert (row["patient"]["name"] == "김철수") is (answers >= 3)
    assert ("진료비 문의요" in row["note"]) is (answers >= 2)
    assert (row["window"] is not None) is (answers >= 4)


def test_hanging_up_the_moment_the_words_are_out_loses_nothing() -> None:
    call = played([PERSON], line_of(Outcome.BUSY), leaving=HangUp(Kind.CALLER_HEARD, 0.0))
    assert notes(call) == ["callback"]


def test_without_a_number_there_is_nothing_to_keep() -> None:
    call = played([PERSON], line_of(Outcome.BUSY), caller=None)
    assert notes(call) == []


def test_a_withheld_number_that_was_given_is_kept_before_it_is_agreed_to() -> None:
    lines = [PERSON, "네", "진료비 문의요", "김철수요", "아무 때나요", "공일공 공공공공 구구구구요"]
    call = played(lines, line_of(Outcome.BUSY), caller=None)
    assert notes(call) == ["callback"]
    assert call.inbox[0]["contact"] == "01000009999"
