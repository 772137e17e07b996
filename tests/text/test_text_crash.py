"""A process that dies at any write of a checkpoint repeats no side effect (H2, B4, N2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from text_parts import Door, Played, collect, fresh, history_faults, opened

from wonmu.commands.common import hospitals_of
from wonmu.ids import RandomIds
from wonmu.loop import run
from wonmu.text.conversation import Conversation, Conversations
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.unit

REFUND = {
    "text.greeting": "환불해 주세요",
    "identity.birth_read": "850312",
    "identity.birth_short": "850312",
    "identity.name": "김민수",
    "identity.phone": "010-0000-1234",
    "billing.readback_refund": "네",
    "text.back_help": "환불해 주세요",
    "text.back_half": "환불해 주세요",
    "gate.refused": "환불해 주세요",
}
BOOKING = {
    "text.greeting": "내과 김서연 원장님 예약이요, 다음 주 화요일 오전 열 시로 예약해 주세요",
    "identity.birth": "850312",
    "identity.birth_short": "850312",
    "identity.phone": "010-0000-1234",
    "insurance.ask": "건강보험이요",
    "booking.ask_department": "내과요",
    "booking.ask_doctor": "김서연 원장님이요",
    "booking.ask_when": "다음 주 화요일 오전 열 시요",
    "booking.readback": "네",
    "text.back_help": "내과 김서연 원장님, 다음 주 화요일 오전 열 시로 예약해 주세요",
    "text.back_half": "내과 김서연 원장님, 다음 주 화요일 오전 열 시로 예약해 주세요",
}
CALLBACK = {
    "text.greeting": "상담원 연결해 주세요",
    "callback.what": "환불 문의요",
    "memo.name": "홍길동",
    "callback.when": "아무 때나요",
    "callback.phone": "010-0000-7777",
    "callback.phone_right": "네",
    "text.back_help": "상담원 연결해 주세요",
    "text.back_half": "상담원 연결해 주세요",
}
DONE = frozenset(
    {
        "billing.refund_taken",
        "billing.refund_open",
        "billing.told",
        "booking.recorded",
        "booking.already",
        "callback.stored",
        "text.note_already",
        "text.back_done",
    }
)
MOST_TURNS = 16


class Killed(BaseException):
    """The process dies here."""


def dying_at(door: Door, write: int) -> list[int]:
    """Let the ``write``-th write of a checkpoint never happen; the count so far."""
    count = [0]
    put = door.talks.saver.aput

    async def aput(*given: Any) -> Any:
        count[0] += 1
        if count[0] == write:
            raise Killed
        return await put(*given)

    setattr(door.talks.saver, "aput", aput)  # noqa: B010 - one object, not the class
    return count


def lines_of(talk: Conversation) -> list[str]:
    said = [e for e in talk.recorder.events if e.kind is Kind.AGENT_SAID]
    return [str(event.data["line"]) for event in said]


def last_line(talk: Conversation) -> str:
    return lines_of(talk)[-1]


async def follow(talk: Conversation, answers: Mapping[str, str]) -> None:
    """Answer what is asked until the work is done."""
    for _ in range(MOST_TURNS):
        line = last_line(talk)
        if DONE & set(lines_of(talk)) or talk.closed:
            return
        await talk.says(answers.get(line, "네"))
    raise AssertionError(f"never done: {line}")


def life(answers: Mapping[str, str], write: int) -> tuple[Played, int]:
    """A visit that dies at one write, and the one after it; with the number of writes.

    Both are in one office, because opening it takes the longest; nothing of the first visit but its
    checkpoints is handed to the second. ``test_text_resume`` kills whole processes.
    """
    hospital = hospitals_of(None).pick("hanbit")

    async def first(door: Door) -> tuple[str, int, Played | None]:
        count = dying_at(door, write)
        talk = door.watch(await door.talks.begin())
        try:
            await talk.start()
            await follow(talk, answers)
        except Killed:
            if last_line(talk) not in DONE:
                return talk.token, count[0], None
        await talk.end("caller_hangup")
        return talk.token, count[0], await collect(door, talk)

    async def second(door: Door, token: str) -> Played:
        talk = door.watch(await door.talks.resume(token) or await door.talks.begin())
        await talk.start()
        await follow(talk, answers)
        await talk.end("caller_hangup")
        return await collect(door, talk)

    async def both(door: Door) -> tuple[Played, int]:
        token, writes, whole = await first(door)
        if whole is not None:
            return whole, writes
        door.model.requests.clear()
        door.model.after.clear()
        async with Conversations.opened(
            door.office, RandomIds(), door.tokens, (door.model,)
        ) as talks:
            return await second(replace(door, talks=talks), token), writes

    found: tuple[Played, int] = run(lambda: opened(both, hospital=hospital, data=fresh(hospital)))
    return found


def writes_of(answers: Mapping[str, str]) -> int:
    return life(answers, 10_000)[1]


def test_a_death_at_any_write_makes_one_refund() -> None:
    last = writes_of(REFUND)
    assert last > 10
    for write in range(1, last + 1):
        played, _ = life(REFUND, write)
        assert len(played.refunds) == 1, write
        assert [fault for r in played.requests for fault in history_faults(r)] == [], write
        assert played.violations() == [], write


def test_a_death_at_any_write_makes_one_booking_row() -> None:
    last = writes_of(BOOKING)
    assert last > 10
    for write in range(1, last + 1):
        played, _ = life(BOOKING, write)
        rows = [row for row in played.inbox if row["kind"] == "booking_request"]
        assert len(rows) == 1, write
        assert played.violations() == [], write


def test_a_death_at_any_write_leaves_one_note() -> None:
    last = writes_of(CALLBACK)
    for write in range(last, 1, -2):
        played, _ = life(CALLBACK, write)
        assert len([row for row in played.inbox if row["kind"] == "callback"]) == 1, write
        assert played.violations() == [], write


def test_a_half_turn_is_finished_in_words_and_its_call_is_answered() -> None:
    lines = {line for write in (7, 8, 9) for line in life(REFUND, write)[0].lines()}
    assert "text.back_half" in lines


def test_what_was_written_is_told_to_who_comes_back() -> None:
    last = writes_of(REFUND)
    played, _ = life(REFUND, last - 1)
    assert played.lines()[0] == "text.back_done"
    assert len(played.refunds) == 1
