"""Objections to the recording of the call, and what is none."""

from __future__ import annotations

import pytest

from wonmu.policy.recording import objects_to_recording

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "words",
    [
        "녹음은 싫어요",
        "저 녹음 원치 않아요",
        "녹음하지 마세요",
        "녹음하지 말아 주세요 내과 예약이요",
        "녹음 안 했으면 좋겠어요",
        "녹음은 거부할게요",
        "녹음 꺼 주세요",
        "녹음에 동의하지 않습니다",
    ],
)
def test_an_objection(words: str) -> None:
    assert objects_to_recording(words)


@pytest.mark.parametrize(
    "words",
    [
        "녹음되나요?",
        "녹음 안 하면 안 되나요",
        "네 녹음하셔도 돼요",
        "예약하고 싶어요",
        "녹음 끄면 되나요?",
    ],
)
def test_none(words: str) -> None:
    assert not objects_to_recording(words)
