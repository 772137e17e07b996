"""A model that is away, slow, silent, broken or hostile: the call goes on (T6, T12, R02, R141)."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_model import ANSWERS, STATUSES, FakeModel, fake_model
from scenario_parts import CALLER, checked, heard_text, of_kind, words

from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import Played, hospital_named, judged, play_talk
from wonmu.ids import RandomIds
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.service

BOOKING = (
    "주차 되나요?",
    "내과 김서연 원장님 다음 주 화요일 오전 열한 시 예약하려고요",
    "#850312",
    "건강보험",
    "오후 세 시로 바꿔 주세요",
    "네",
    "이제 끊을게요",
)
RAMBLING = (
    "여보세요",
    "내과 예약하려고요",
    "#850312",
    "건강보험",
    "김서연 원장님이요",
    "다음 주 화요일 오후 세 시요",
    "네?",
    "주차 되나요?",
    "음 글쎄요",
    "네",
    "상담원 바꿔 주세요",
    "끊을게요",
)
GIVES_WAY = ("empty", "blank", "prose", "fenced", "unknown_tool", "broken_arguments")
"""Nothing usable in these answers: the built-in model is heard instead."""


@pytest.fixture(scope="module")
def model() -> Iterator[FakeModel]:
    with fake_model() as running:
        yield running


def call_with(url: str, lines: tuple[str, ...], data: Path, model: FakeModel | None) -> Played:
    hospital = hospital_named("hanbit")
    talk = Talk(CALLER, NOW, lines)
    before = len(model.sent) if model is not None else 0
    _, result = play_talk(hospital, talk, data, RandomIds(), model=url)
    sent = model.sent[before:] if model is not None else []
    return checked(judged(hospital, talk, result, data, sent))


def assert_booked(call: Played) -> None:
    text = "\n".join(words(call.events))
    rows = [(row["kind"], row["start"]) for row in call.inbox]
    assert rows == [("booking_request", "2026-12-08T15:00:00+09:00")], text
    assert of_kind(call, Kind.CALL_ENDED)[0].data["reason"] == "end_call"
    assert "주차장이 있습니다" in text
    assert len(of_kind(call, Kind.MODEL_FALLBACK)) >= 1


@pytest.mark.parametrize("behaviour", [*GIVES_WAY, "html", *STATUSES])
def test_the_built_in_model_takes_over(behaviour: str, model: FakeModel, tmp_path: Path) -> None:
    assert_booked(call_with(model.url(behaviour), BOOKING, tmp_path, model))


def test_an_unreachable_model(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert_booked(call_with(f"http://127.0.0.1:{port}/v1", BOOKING, tmp_path, None))


def test_a_model_that_hangs(model: FakeModel, tmp_path: Path) -> None:
    lines = ("주차 되나요?", "끊을게요")
    call = call_with(model.url("hang"), lines, tmp_path, model)
    assert "주차장이 있습니다" in heard_text(call)


def test_two_tools_at_once_are_one(model: FakeModel, tmp_path: Path) -> None:
    call = call_with(model.url("two_tools"), BOOKING[1:], tmp_path, model)
    text = "\n".join(words(call.events))
    assert [row["kind"] for row in call.inbox] == ["booking_request"], text
    started = of_kind(call, Kind.TOOL_STARTED)
    turns = [e.data["turn"] for e in of_kind(call, Kind.CALLER_HEARD)]
    assert len(started) <= len(turns), text
    assert "tools_dropped" in {e.data["reason"] for e in of_kind(call, Kind.MODEL_FALLBACK)}


def test_a_stream_that_breaks(model: FakeModel, tmp_path: Path) -> None:
    lines = ("주차 되나요?", "안과는 있나요?", "끊을게요")
    call = call_with(model.url("broken"), lines, tmp_path, model)
    assert "예약 가능한 시간은" not in heard_text(call), "half a sentence was spoken"
    assert len(of_kind(call, Kind.MODEL_FALLBACK)) >= 2


@pytest.mark.parametrize("behaviour", sorted(ANSWERS))
def test_nothing_bad_is_said_or_done(behaviour: str, model: FakeModel, tmp_path: Path) -> None:
    call = call_with(model.url(behaviour), RAMBLING, tmp_path, model)
    text = heard_text(call)
    assert call.status == 0, text
    assert of_kind(call, Kind.CALL_ENDED)[0].data["reason"] == "end_call"
    for never in (
        "caller_words",
        "create_booking",
        "```",
        "완료되었습니다",
        "완료했습니다",
        "최하윤",
    ):
        assert never not in text
    kinds = [row["kind"] for row in call.inbox]
    assert kinds.count("callback") == 1, "a person was asked for"
    assert kinds.count("booking_request") <= 1


def test_what_is_sent_holds_no_digits(model: FakeModel, tmp_path: Path) -> None:
    before = len(model.sent)
    call_with(model.url("empty"), BOOKING, tmp_path, model)
    sent = model.sent[before:]
    assert sent
    assert not [body for body in sent if "850312" in body or "0000-1234" in body]
