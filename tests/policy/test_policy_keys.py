"""A key of the menu as a wish, and the words around the closing question (T6, T8, N4)."""

from __future__ import annotations

import itertools

import pytest

from wonmu.policy.gate import KEY_ACTIONS, GateRequest, decide
from wonmu.policy.modes import BOOKING_ACTIONS, ActionMode
from wonmu.policy.proposals import Accepted, Closed, Kept, Proposals
from wonmu.policy.stopping import wants_more
from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson, Refuse, Verdict

pytestmark = pytest.mark.unit

AUTO = dict.fromkeys(Action, ActionMode.AUTO)
BY_MODE: dict[ActionMode, Verdict] = {
    ActionMode.AUTO: Allow(),
    ActionMode.TRANSFER: ByPerson("mode"),
    ActionMode.LEAVE_MEMO: ByMemo("mode"),
}


def by_key(action: Action, chosen: Action | None, **more: object) -> Verdict:
    request = {"modes": AUTO, **more}
    return decide(GateRequest(action, "키패드 1번", (), chosen_by_key=chosen, **request))  # type: ignore[arg-type]


@pytest.mark.parametrize(("action", "chosen"), list(itertools.product(Action, Action)))
def test_a_key_is_a_wish_for_its_own_action_only(action: Action, chosen: Action) -> None:
    allowed = action is chosen and action in KEY_ACTIONS
    assert by_key(action, chosen) == (Allow() if allowed else Refuse("other_key"))


@pytest.mark.parametrize("action", list(Action))
def test_without_a_key_the_note_proves_nothing(action: Action) -> None:
    assert by_key(action, None) == Refuse("not_said")


@pytest.mark.parametrize(("action", "mode"), list(itertools.product(BOOKING_ACTIONS, ActionMode)))
def test_the_mode_decides_after_the_key(action: Action, mode: ActionMode) -> None:
    assert by_key(action, action, modes={action: mode}) == BY_MODE[mode]


@pytest.mark.parametrize(
    ("state", "verdict"),
    [
        ({"ended": True}, Refuse("ended")),
        ({"urgent": True}, Refuse("urgent_first")),
        ({"task_open": True}, Refuse("task_open")),
    ],
)
def test_a_key_breaks_no_other_rule(state: dict[str, object], verdict: Verdict) -> None:
    assert by_key(Action.BOOKING_CREATE, Action.BOOKING_CREATE, **state) == verdict


def test_a_key_drops_what_was_offered() -> None:
    proposals = Proposals()
    assert proposals.drop() is None
    proposals.propose(Action.END_CALL, 1)
    assert proposals.drop() == Closed(Action.END_CALL)
    assert proposals.caller_turn("네", 1) is None


def test_a_key_drops_a_yes_that_was_not_used() -> None:
    proposals = Proposals()
    proposals.propose(Action.BOOKING_CREATE, 1)
    assert proposals.caller_turn("네", 1) == Accepted(Action.BOOKING_CREATE)
    proposals.drop()
    assert not proposals.use(Action.BOOKING_CREATE)


@pytest.mark.parametrize(
    "words", ["없어요", "네 없습니다", "아니요, 없어요.", "이제 없어요", "다른 건 없어요"]
)
def test_nothing_more_is_not_yet_the_end(words: str) -> None:
    proposals = Proposals()
    proposals.propose(Action.END_CALL, 1)
    assert proposals.caller_turn(words, 1) == Kept(Action.END_CALL)


@pytest.mark.parametrize(
    "words", ["예약해 주세요", "네, 예약해 주세요", "예약하고 싶어요", "진료 예약할게요"]
)
def test_a_wish_is_no_agreement_to_the_end(words: str) -> None:
    proposals = Proposals()
    proposals.propose(Action.END_CALL, 1)
    assert proposals.caller_turn(words, 1) == Closed(Action.END_CALL)


MORE = (
    *("잠깐만요", "잠깐만요, 하나 더요", "아 잠시만요", "네 하나 더요", "한 가지 더 여쭤볼게요"),
    *("또 있어요", "아직이요", "고맙습니다, 근데 하나 더요", "참, 하나 더요", "아니요 아직요"),
)
NOT_MORE = (
    *("네", "아니요", "없어요", "끊어 주세요", "네 감사합니다", "수고하세요", "주차 되나요?"),
    *("예약 하나 더 하고 싶은데 다음 주 화요일 오전 열 시로 내과 김서연 원장님이요",),
)


@pytest.mark.parametrize("words", MORE)
def test_words_that_keep_the_call_open(words: str) -> None:
    assert wants_more(words)


@pytest.mark.parametrize("words", NOT_MORE)
def test_words_that_do_not(words: str) -> None:
    assert not wants_more(words)
