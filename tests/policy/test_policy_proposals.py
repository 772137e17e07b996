"""Proposals: by example, and no yes reaches another action or a later turn (T4, T5, T8)."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from wonmu.policy.proposals import Accepted, Closed, Declined, Kept, Proposals
from wonmu.policy.verdict import Action

pytestmark = pytest.mark.unit

CREATE, PERSON, END = Action.BOOKING_CREATE, Action.CONNECT_PERSON, Action.END_CALL


def opened(action: Action) -> Proposals:
    proposals = Proposals()
    assert proposals.propose(action, 1) is None
    assert proposals.agent_turn(1) is None
    return proposals


@pytest.mark.parametrize("words", ["네", "예", "네네", "그럼요", "응 그래", "네, 그렇게 해 주세요"])
@pytest.mark.parametrize("action", [CREATE, Action.BOOKING_CANCEL, Action.BOOKING_CHANGE, PERSON])
def test_a_plain_yes_accepts_once(action: Action, words: str) -> None:
    proposals = opened(action)
    assert proposals.caller_turn(words, 1) == Accepted(action)
    assert proposals.accepted is action
    assert proposals.open is None
    assert proposals.use(action)
    assert not proposals.use(action)
    assert proposals.caller_turn("네", 1) is None


def test_a_no_declines() -> None:
    proposals = opened(PERSON)
    assert proposals.caller_turn("아니요", 1) == Declined(PERSON)
    assert proposals.caller_turn("네", 1) is None


@pytest.mark.parametrize("words", ["네?", "뭐라고요?", "음…", "어"])
def test_what_is_no_answer_yet_keeps_the_proposal_for_this_turn(words: str) -> None:
    proposals = opened(CREATE)
    assert proposals.caller_turn(words, 1) == Kept(CREATE)
    assert proposals.open is CREATE
    assert proposals.caller_turn("네", 1) == Accepted(CREATE)


@pytest.mark.parametrize(
    "words",
    ["주차 되나요?", "감사합니다", "네 좋네요", "네, 근데 세 시로요", "글쎄요", "수고하세요"],
)
def test_anything_else_closes(words: str) -> None:
    proposals = opened(CREATE)
    assert proposals.caller_turn(words, 1) == Closed(CREATE)
    assert proposals.caller_turn("네", 1) is None
    assert not proposals.use(CREATE)


@pytest.mark.parametrize("words", ["네", "네 수고하세요", "네 끊으세요", "아니요 수고하세요"])
def test_a_goodbye_answers_the_closing_question(words: str) -> None:
    assert opened(END).caller_turn(words, 1) == Accepted(END)


@pytest.mark.parametrize("words", ["감사합니다", "네 감사합니다", "아니요 예약도요"])
def test_thanks_is_no_agreement_to_end(words: str) -> None:
    proposals = opened(END)
    proposals.caller_turn(words, 1)
    assert proposals.accepted is None


def test_a_later_turn_of_the_agent_closes() -> None:
    proposals = opened(CREATE)
    assert proposals.agent_turn(2) == Closed(CREATE)
    assert proposals.agent_turn(3) is None
    assert proposals.caller_turn("네", 2) is None


def test_a_yes_counted_from_a_later_turn_closes() -> None:
    proposals = opened(CREATE)
    assert proposals.caller_turn("네", 2) == Closed(CREATE)
    assert proposals.accepted is None


def test_an_unused_yes_does_not_outlive_the_next_turn() -> None:
    proposals = opened(CREATE)
    proposals.caller_turn("네", 1)
    proposals.agent_turn(2)
    assert not proposals.use(CREATE)


def test_a_new_proposal_supersedes() -> None:
    proposals = opened(CREATE)
    assert proposals.propose(PERSON, 2) == Closed(CREATE)
    assert proposals.propose(PERSON, 2) is None
    assert proposals.caller_turn("네", 2) == Accepted(PERSON)
    assert not proposals.use(CREATE)


actions = st.sampled_from(Action)
WORDS = ("네", "아니요", "네?", "음", "감사합니다", "주차 되나요?", "네, 근데 내일요", "수고하세요")


class ProposalMachine(RuleBasedStateMachine):
    """A model that knows only: what was proposed last, in which turn, and what came since."""

    def __init__(self) -> None:
        super().__init__()
        self.real = Proposals()
        self.turn = 0
        self.proposed: tuple[Action, int] | None = None
        self.yes: Action | None = None

    @rule(action=actions)
    def agent_proposes(self, action: Action) -> None:
        self.turn += 1
        self.real.propose(action, self.turn)
        self.real.agent_turn(self.turn)
        self.proposed, self.yes = (action, self.turn), None

    @rule()
    def agent_talks(self) -> None:
        self.turn += 1
        self.real.agent_turn(self.turn)
        self.proposed = self.yes = None

    @rule(words=st.sampled_from(("네",) * 6 + WORDS), off=st.sampled_from((0, 0, 0, 0, 1)))
    def caller_talks(self, words: str, off: int) -> None:
        """``off``: a turn was spoken that nobody reported, so the numbers differ."""
        self.real.caller_turn(words, self.turn + off)
        agreed = words == "네" or (
            words == "수고하세요" and self.proposed is not None and self.proposed[0] is END
        )
        open_now = self.proposed is not None and self.proposed[1] == self.turn + off
        self.yes = self.proposed[0] if agreed and open_now and self.proposed else None
        if words not in ("네?", "음") or not open_now:
            self.proposed = None

    @precondition(lambda self: self.yes is not None)
    @rule(action=actions)
    def tool_uses_a_yes(self, action: Action) -> None:
        self.tool_uses(action)

    @rule(action=actions)
    def tool_uses(self, action: Action) -> None:
        assert self.real.use(action) is (self.yes is action)
        if self.yes is action:
            self.yes = None

    @invariant()
    def a_yes_is_only_what_was_agreed_to(self) -> None:
        assert self.real.accepted is self.yes


TestProposalMachine = ProposalMachine.TestCase
TestProposalMachine.settings = settings(max_examples=150, stateful_step_count=25, deadline=None)
