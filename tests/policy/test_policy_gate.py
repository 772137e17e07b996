"""The gate: action by wish by proposal by mode, and a fault in each of its pieces (T3-T7, N4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import overload

import pytest

from wonmu.policy.gate import GateRequest, decide
from wonmu.policy.intent import read_intent
from wonmu.policy.modes import BILLING_ACTIONS, WORK, ActionMode, by_mode
from wonmu.policy.verdict import (
    Action,
    Allow,
    AskConsent,
    AskIntent,
    ByMemo,
    ByPerson,
    Refuse,
    Verdict,
)

pytestmark = pytest.mark.unit

ASKS = {
    Action.BOOKING_CREATE: "내일 예약하고 싶어요",
    Action.BOOKING_INQUIRE: "제 예약 몇 시예요",
    Action.BOOKING_CHANGE: "예약 변경하려고요",
    Action.BOOKING_CANCEL: "예약 취소해 주세요",
    Action.BILLING_ASK: "진료비가 얼마 나왔는지 알고 싶어요",
    Action.REFUND_REQUEST: "더 낸 돈 환불해 주세요",
    Action.RECEIPT_REQUEST: "영수증 떼어 주세요",
    Action.CONNECT_PERSON: "상담원 연결해 주세요",
    Action.END_CALL: "이제 끊을게요",
}
AUTO = dict.fromkeys(Action, ActionMode.AUTO)
BY_MODE: dict[ActionMode, Verdict] = {
    ActionMode.AUTO: Allow(),
    ActionMode.TRANSFER: ByPerson("mode"),
    ActionMode.LEAVE_MEMO: ByMemo("mode"),
}


def request(
    action: Action, words: str, heard: Sequence[str] | None = None, accepted: Action | None = None
) -> GateRequest:
    return GateRequest(action, words, [words] if heard is None else heard, AUTO, accepted)


@pytest.mark.parametrize(("action", "said"), list(itertools.product(Action, Action)))
def test_only_the_action_that_was_asked_for_is_allowed(action: Action, said: Action) -> None:
    verdict = decide(request(action, ASKS[said]))
    if action is said or (action is Action.BILLING_ASK and said in BILLING_ACTIONS):
        # Whoever wants money back or a receipt may be told of bills as well.
        assert verdict == Allow()
    elif said in BILLING_ACTIONS:
        assert verdict == AskConsent(action, "not_asked_for")
    elif action in BILLING_ACTIONS:
        assert verdict == Refuse(f"asked_for_{read_intent(ASKS[said]).value}")
    else:
        assert isinstance(verdict, Refuse)


@pytest.mark.parametrize(("action", "mode"), list(itertools.product(Action, ActionMode)))
def test_the_mode_decides_after_the_wish(action: Action, mode: ActionMode) -> None:
    asked = replace(request(action, ASKS[action]), modes={action: mode})
    agreed = replace(request(action, "네", accepted=action), modes={action: mode})
    expected = BY_MODE[mode] if action in WORK else Allow()
    assert decide(asked) == expected
    assert decide(agreed) == expected
    assert decide(replace(asked, caller_words="말한 적 없는 말")) == Refuse("not_said")


@pytest.mark.parametrize("action", sorted(WORK))
def test_an_action_without_a_mode_goes_to_a_person(action: Action) -> None:
    assert by_mode(action, {}) == ByPerson("no_mode_set")


@pytest.mark.parametrize(("action", "accepted"), list(itertools.product(Action, Action)))
def test_a_bare_yes_counts_for_the_accepted_action_only(action: Action, accepted: Action) -> None:
    verdict = decide(request(action, "네", accepted=accepted))
    assert verdict == (Allow() if action is accepted else Refuse("not_said"))


@pytest.mark.parametrize("action", list(Action))
def test_a_bare_yes_alone_is_nothing(action: Action) -> None:
    assert decide(request(action, "네")) == Refuse("not_said")


@pytest.mark.parametrize("action", list(Action))
def test_words_never_said_are_refused(action: Action) -> None:
    assert decide(request(action, ASKS[action], heard=["여보세요"])) == Refuse("not_said")
    assert decide(request(action, ASKS[action], heard=[])) == Refuse("not_said")
    assert decide(request(action, "", heard=["네"], accepted=action)) == Refuse("not_said")


@pytest.mark.parametrize("action", list(Action))
def test_talk_without_a_wish_leads_to_a_question(action: Action) -> None:
    assert decide(request(action, "주차 되나요")) == AskConsent(action, "not_asked_for")


@pytest.mark.parametrize("action", list(Action))
def test_a_vague_mention_asks_for_the_intent(action: Action) -> None:
    assert decide(request(action, "예약 관련해서요")) == AskIntent("vague_booking")


def test_a_piece_cut_from_a_question_is_no_order() -> None:
    heard = ["예약 취소하면 어떻게 돼요?"]
    verdict = decide(request(Action.BOOKING_CANCEL, "예약 취소", heard=heard))
    assert verdict == AskConsent(Action.BOOKING_CANCEL, "not_asked_for")


def test_a_wish_that_was_heard_in_two_turns_is_one_wish() -> None:
    heard = ["여보세요", "내일 예약을", "하고 싶은데요", "네"]
    words = "내일 예약을 하고 싶은데요"
    assert decide(request(Action.BOOKING_CREATE, words, heard=heard)) == Allow()


def test_an_old_goodbye_does_not_end_the_call() -> None:
    heard = ["끊어 주세요", "아 잠깐만요 예약도 하려고요"]
    assert decide(request(Action.END_CALL, "끊어 주세요", heard=heard)) == Refuse("not_said")


@pytest.mark.parametrize("action", list(Action))
def test_order_of_the_checks(action: Action) -> None:
    """Each earlier reason hides the later ones, and none of them is ever an Allow."""
    good = request(action, ASKS[action])
    assert decide(replace(good, ended=True, urgent=True, task_open=True)) == Refuse("ended")
    assert decide(replace(good, task_open=True)) == Refuse("task_open")
    urgent = decide(replace(good, urgent=True))
    assert urgent == (Refuse("urgent_first") if action in WORK else Allow())


class BrokenModes(Mapping[Action, ActionMode]):
    def __getitem__(self, key: Action) -> ActionMode:
        raise RuntimeError("settings broke on 010-0000-0000")

    def __iter__(self) -> Iterator[Action]:
        raise RuntimeError("settings broke")

    def __len__(self) -> int:
        return 0


class BrokenTurns(Sequence[str]):
    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        raise RuntimeError("turns broke")

    def __len__(self) -> int:
        return 1


class BrokenWords(str):
    def encode(self, *_: object, **__: object) -> bytes:
        raise RuntimeError("words broke")

    def lower(self) -> str:
        raise RuntimeError("words broke")


@pytest.mark.parametrize(
    "piece",
    [
        "wonmu.policy.gate." + name
        for name in (
            "really_said",
            "sources",
            "read_intents",
            "by_mode",
        )
    ],
)
@pytest.mark.parametrize("action", sorted(WORK))
def test_a_fault_in_any_piece_refuses(
    action: Action, piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = request(action, ASKS[action])
    assert decide(good) == Allow()

    def broken(*_: object, **__: object) -> object:
        raise ValueError("broken")

    monkeypatch.setattr(piece, broken)
    assert decide(good) == Refuse("gate_fault")


def test_a_fault_in_what_is_handed_in_refuses(caplog: pytest.LogCaptureFixture) -> None:
    good = request(Action.BOOKING_CREATE, ASKS[Action.BOOKING_CREATE])
    assert decide(replace(good, modes=BrokenModes())) == Refuse("gate_fault")
    assert decide(replace(good, heard_turns=BrokenTurns())) == Refuse("gate_fault")
    assert "RuntimeError" in caplog.text
    assert "010-0000-0000" not in caplog.text
