"""Picking a time is a yes to a booking, not to a person or to the end of the call (T8)."""

from __future__ import annotations

import pytest

from wonmu.policy.proposals import Accepted, Closed, Proposals
from wonmu.policy.verdict import Action

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("words", ["그 시간으로 할게요", "네 그 시간 괜찮아요", "그날로 해 주세요"])
@pytest.mark.parametrize("action", [Action.CONNECT_PERSON, Action.END_CALL])
def test_no_yes_to_a_person_or_an_end(words: str, action: Action) -> None:
    proposals = Proposals()
    proposals.propose(action, 1)
    assert proposals.caller_turn(words, 1) == Closed(action)


def test_still_a_yes_to_a_booking() -> None:
    proposals = Proposals()
    proposals.propose(Action.BOOKING_CREATE, 1)
    accepted = Accepted(Action.BOOKING_CREATE)
    assert proposals.caller_turn("그 시간으로 할게요", 1) == accepted
