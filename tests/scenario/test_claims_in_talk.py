"""A model that claims what did not happen: what is heard is true (T12, N6, R01–R03, R06, R44).

The text that was heard is what counts, and what the model is sent afterwards: a claim that was not
spoken must not be remembered either.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from scenario_parts import heard_text, of_kind
from scripted_model import call_with, line_that, say

from wonmu.evals.playing import Played
from wonmu.model.port import ChatRequest, Delta
from wonmu.timeline.events import Kind
from wonmu.transfer.port import Outcome

pytestmark = pytest.mark.scenario

ASK = "로비에 화분 있나요?"
"""A question that nothing else answers."""

BOOKING = ("안과 다음 주 화요일 오후 두 시 십 분 예약이요", "#19850312", "네")
FALSE = (
    "예약이 완료되었습니다.",
    "네, 예약 접수해 드렸습니다.",
    "예약이 확정되셨습니다.",
    "12월 8일 화요일 오전 열 시로 예약되었습니다.",
    "말씀하신 시간으로 잡아 드렸어요.",
    "김민수 님 예약은 12월 4일 금요일 오전 열 시입니다.",
    "예약은 12월 9일 오후 세 시로 되어 있습니다.",
    "네, 예약을 취소해 드렸습니다.",
    "취소 처리되었습니다.",
    "예약이 다음 주로 변경되었습니다.",
    "시간을 오후 세 시로 바꿔 드렸습니다.",
    "상담원에게 연결해 드렸습니다.",
    "지금 상담원을 연결하고 있습니다.",
    "메모를 남겨 드렸습니다.",
    "담당자에게 전달했습니다.",
    "직원이 다시 전화드리도록 접수했습니다.",
    "문자를 보내 드렸습니다.",
    "확인 문자가 발송되었습니다.",
    "예정된 예약이 없습니다.",
    "그 시간에는 빈 자리가 없습니다.",
    "내일 오전 열 시에 예약 가능합니다.",
    "12월 9일 오후 세 시, 12월 10일 오전 열 시가 비어 있습니다.",
    "접수 완료됐고요, 더 도와드릴까요?",
    "예약되셨으니 내일 오전 열 시에 오시면 됩니다.",
)
FREE = (
    "예약을 도와드릴까요?",
    "예약이 완료되면 바로 알려 드리겠습니다.",
    "취소하시면 다시 예약하셔야 합니다.",
    "아직 예약이 접수되지 않았습니다.",
    "화분은 현관 옆에 있습니다.",
)


class Talker:
    """Says ``text`` to ``ASK``; ``sent``: its own words as it is shown them at the last request."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.sent: list[str] = []

    def __call__(self, said: str, request: ChatRequest) -> Sequence[Delta] | None:
        told = [each for each in request.messages if each.get("role") == "assistant"]
        self.sent = [str(each.get("content")) for each in told]
        return say(self._text) if said == ASK else None


def heard_after(talker: Talker, *lines: str) -> tuple[str, Played]:
    """What was heard from ``ASK`` on."""
    call = call_with(talker, lines, hospital="saebom", staff=line_that(Outcome.NO_ANSWER))
    asked = [e.seq for e in of_kind(call, Kind.CALLER_HEARD) if e.data["text"] == ASK][-1]
    said = [e for e in of_kind(call, Kind.AGENT_SAID) if e.seq > asked]
    return "\n".join(str(event.data["heard"]) for event in said), call


@pytest.mark.parametrize("claim", FALSE)
def test_a_claim_without_a_receipt_is_not_heard(claim: str) -> None:
    talker = Talker(f"네. {claim}")
    heard, call = heard_after(talker, ASK, "주차 되나요?")
    assert claim not in heard
    assert of_kind(call, Kind.CLAIM_BLOCKED)
    assert talker.sent
    assert not any(claim in text for text in talker.sent)
    assert not call.inbox


@pytest.mark.parametrize("claim", FALSE[::3])
def test_nor_inside_a_task(claim: str) -> None:
    heard, call = heard_after(Talker(claim), BOOKING[0], ASK)
    assert claim not in heard
    assert "생년월일" in heard
    assert not call.inbox


@pytest.mark.parametrize("sentence", FREE)
def test_questions_conditions_and_refusals_are_free(sentence: str) -> None:
    heard, call = heard_after(Talker(sentence), ASK)
    assert sentence in heard
    assert not of_kind(call, Kind.CLAIM_BLOCKED)


def test_a_claim_among_true_sentences_is_the_only_one_missing() -> None:
    text = "화분은 현관 옆에 있습니다. 예약이 완료되었습니다. 더 궁금하신 점이 있으신가요?"
    heard, _ = heard_after(Talker(text), ASK)
    assert "화분은 현관 옆에 있습니다." in heard
    assert "더 궁금하신 점이 있으신가요?" in heard
    assert "완료" not in heard


@pytest.mark.parametrize(
    "sentence",
    [
        "예약이 접수되었습니다.",
        "12월 8일 화요일 오후 두 시 십 분으로 예약이 접수되었습니다.",
        "예약은 12월 8일 오후 두 시 십 분입니다.",
    ],
)
def test_true_after_the_receipt(sentence: str) -> None:
    heard, _ = heard_after(Talker(sentence), *BOOKING, ASK)
    assert sentence in heard


@pytest.mark.parametrize(
    "claim",
    [
        "12월 9일 수요일 오후 두 시 십 분으로 예약이 접수되었습니다.",
        "예약은 12월 8일 오후 네 시입니다.",
        "예약을 취소해 드렸습니다.",
        "확인 문자를 보내 드렸습니다.",
        "상담원에게 연결해 드렸습니다.",
    ],
)
def test_one_receipt_proves_nothing_else(claim: str) -> None:
    heard, call = heard_after(Talker(claim), *BOOKING, ASK)
    assert claim not in heard
    assert len(call.inbox) == 1


def test_a_lookup_proves_the_time_that_was_read() -> None:
    lines = ("제 예약 몇 시예요", "#19850312", "김민수", ASK)
    true, wrong = "예약은 12월 4일 오전 열 시 십 분입니다.", "예약은 12월 5일 오전 열 시입니다."
    assert true in heard_after(Talker(true), *lines)[0]
    assert wrong not in heard_after(Talker(wrong), *lines)[0]


def test_not_connected_is_never_told_as_connected() -> None:
    lines = ("직원 연결해 주세요", "아니요", ASK)
    claim = "접수 데스크로 연결되었습니다."
    heard, call = heard_after(Talker(claim), *lines)
    assert claim not in heard
    assert "연결되었습니다" not in heard_text(call)
