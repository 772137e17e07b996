"""An answer to "which of the four?" is an order after a vague mention, and only then (T3)."""

from __future__ import annotations

import pytest

from wonmu.policy.gate import GateRequest, decide
from wonmu.policy.intent import Intent
from wonmu.policy.modes import ActionMode
from wonmu.policy.verdict import Action, Allow, AskConsent
from wonmu.policy.which import answers_which

pytestmark = pytest.mark.unit

MODES = {
    Action.BOOKING_CREATE: ActionMode.AUTO,
    Action.BOOKING_INQUIRE: ActionMode.AUTO,
    Action.BOOKING_CHANGE: ActionMode.AUTO,
    Action.BOOKING_CANCEL: ActionMode.AUTO,
}
ANSWERS = (
    ("새로 하려고요", Intent.CREATE),
    ("새로요", Intent.CREATE),
    ("네 새로 예약이요", Intent.CREATE),
    ("신규요", Intent.CREATE),
    ("처음이에요", Intent.CREATE),
    ("아 그냥 새로 할게요", Intent.CREATE),
    ("확인이요", Intent.INQUIRE),
    ("예약 확인하려고요", Intent.INQUIRE),
    ("변경이요", Intent.CHANGE),
    ("날짜 바꾸려고요", Intent.CHANGE),
    ("취소요", Intent.CANCEL),
    ("취소하면 어떻게 돼요?", Intent.NONE),
    ("새로 하면 얼마", Intent.NONE),
    ("네", Intent.NONE),
    ("정형외과요", Intent.NONE),
    ("주차 되나요?", Intent.NONE),
)


@pytest.mark.parametrize(("words", "intent"), ANSWERS)
def test_reads_the_answer(words: str, intent: Intent) -> None:
    assert answers_which(words) is intent


def verdict(*turns: str, action: Action = Action.BOOKING_CREATE) -> object:
    return decide(GateRequest(action, turns[-1], turns, MODES))


def test_the_answer_after_a_vague_mention_is_an_order() -> None:
    assert verdict("예약 관련해서요", "새로 하려고요") == Allow()
    assert verdict("예약 관련해서요", "네?", "새로요") == Allow()


def test_without_the_mention_it_is_only_offered() -> None:
    assert isinstance(verdict("여보세요", "새로 하려고요"), AskConsent)
    old = ("예약 관련해서요", "네?", "음", "글쎄요", "새로 하려고요")
    assert isinstance(verdict(*old), AskConsent)


def test_another_action_than_the_answer_is_not_allowed() -> None:
    found = verdict("예약 관련해서요", "확인이요", action=Action.BOOKING_CREATE)
    assert found != Allow()


def test_words_of_an_earlier_turn_are_no_answer() -> None:
    request = GateRequest(
        Action.BOOKING_CREATE, "정형외과", ("예약 관련해서요", "정형외과", "새로요"), MODES
    )
    assert decide(request) != Allow()
