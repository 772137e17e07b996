"""What may be said of a write, by how far it came (T12, B2)."""

from __future__ import annotations

from datetime import datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from wonmu.booking.commit import Written
from wonmu.call.state import CallState
from wonmu.clock import SEOUL
from wonmu.policy.claims import Act, Blocked, check_sentence
from wonmu.visit.proof import done, proven

if TYPE_CHECKING:
    from wonmu.call.session import Call

pytestmark = pytest.mark.unit

TEN = datetime(2026, 12, 8, 10, 0, tzinfo=SEOUL)
CANCELLED, CONFIRMED = "예약이 취소되었습니다.", "예약이 확정되었습니다."


def call_with_state() -> Call:
    return cast("Call", SimpleNamespace(state=CallState(None)))


def blocked(call: Call, sentence: str) -> bool:
    return isinstance(check_sentence(sentence, call.state.receipts), Blocked)


@pytest.mark.parametrize("written", [Written.PENDING, Written.REFUSED, Written.NOT_WRITTEN])
def test_what_did_not_happen_for_certain_may_not_be_said(written: Written) -> None:
    call = call_with_state()
    proven(call, Act.CANCEL, written, TEN)
    assert blocked(call, CANCELLED)
    proven(call, Act.CANCEL, Written.CONFIRMED, TEN)
    assert not blocked(call, CANCELLED)
    proven(call, Act.CANCEL, written, TEN)
    assert blocked(call, CANCELLED)


@pytest.mark.parametrize("written", [each for each in Written if each is not Written.CONFIRMED])
def test_one_confirmed_booking_confirms_no_other(written: Written) -> None:
    call = call_with_state()
    proven(call, Act.BOOK, Written.CONFIRMED, TEN)
    assert not blocked(call, CONFIRMED)
    proven(call, Act.BOOK, written, TEN)
    assert blocked(call, CONFIRMED)


def test_other_receipts_stay() -> None:
    call = call_with_state()
    done(call, Act.MEMO)
    proven(call, Act.BOOK, Written.PENDING, TEN)
    assert not blocked(call, "메모를 남겨 드렸습니다.")
