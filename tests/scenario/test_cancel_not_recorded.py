"""A cancellation that the inbox did not take is never told as taken (N6, B3)."""

from __future__ import annotations

import pytest
from scenario_parts import dialogue_of, heard_text, kinds_in_inbox, of_kind

from wonmu.desk.inbox import Inbox
from wonmu.desk.records import (
    BookingRequest,
    CancelRequest,
    DuplicateRequest,
    RecordResult,
    SlotTaken,
)
from wonmu.evals.playing import play_dialogue
from wonmu.ids import BookingKey, SlotId
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.scenario

LINES = ("예약 취소하고 싶어요", "#850312", "김민수요", "네 취소해 주세요")


@pytest.mark.parametrize("answer", [SlotTaken(SlotId("s")), DuplicateRequest(BookingKey("k"))])
def test_only_a_recorded_cancellation_is_told(
    answer: RecordResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_: Inbox, request: BookingRequest | CancelRequest) -> RecordResult:
        return answer

    monkeypatch.setattr(Inbox, "record_request", refuse)
    call = play_dialogue(dialogue_of("hanbit", LINES))[-1]
    assert "취소 요청이 접수되었습니다" not in heard_text(call)
    assert not of_kind(call, Kind.BOOKING_COMMITTED)
    assert "cancel_request" not in kinds_in_inbox(call)
