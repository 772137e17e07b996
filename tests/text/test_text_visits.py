"""One visit: what it keeps, forgets, hides and how it ends (H2, D3, N3, N7, N8)."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from text_parts import MINSU, Door, Played, collect, fresh, opened, play, text_of

from wonmu.commands.common import hospitals_of
from wonmu.loop import run
from wonmu.model.offline import BuiltinRung
from wonmu.model.port import ChatRequest, Delta, Done
from wonmu.text.checkpoints import Busy
from wonmu.text.conversation import thread_of
from wonmu.text.desk import TextRules
from wonmu.text.history import LAST
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.unit

BILL = ("진료비 얼마 나왔어요?", *MINSU)


@pytest.fixture
def data() -> Path:
    return fresh(hospitals_of(None).pick("hanbit"))


def test_the_greeting_says_that_it_is_a_machine() -> None:
    visit = play(())
    assert "인공지능" in visit.said()[0]
    assert visit.kinds()[:3] == [
        Kind.CALL_STARTED,
        Kind.AGENT_SAID,
        Kind.TURN_WAITING,
    ]
    started = visit.events[0].data
    assert started["channel"] == "text"
    assert started["conversation"] == thread_of(visit.token)[:12]


def test_the_token_is_nowhere(data: Path) -> None:
    visit = play(BILL, data=data)
    assert visit.token not in str([event.to_json() for event in visit.events])
    for file in data.iterdir():
        if file.is_file():
            assert visit.token.encode() not in file.read_bytes()


def test_an_identity_is_remembered_for_a_quarter_of_an_hour(data: Path) -> None:
    first = play(BILL, data=data)
    soon = play(("진료비 얼마였죠?",), data=data, token=first.token, now=later(14))
    assert soon.lines()[-1] == "billing.told"
    assert [e.data.get("remembered") for e in soon.of(Kind.IDENTITY_SETTLED)] == [True]
    assert soon.violations() == []


def test_after_that_it_is_asked_again_and_nothing_is_told_before(data: Path) -> None:
    first = play(BILL, data=data)
    late = play(("진료비 얼마였죠?", *MINSU), data=data, token=first.token, now=later(16))
    assert "identity.birth_read" in late.lines()
    assert late.violations() == []
    assert not any("52,000" in text_of(each) for each in late.requests[:1])


def later(minutes: int) -> str:
    return f"2026-12-01T10:{minutes:02}+09:00"


def test_how_long_is_a_rule(data: Path) -> None:
    first = play(BILL, data=data)
    rules = TextRules(identity_minutes=0.5)
    soon = play(("진료비 얼마였죠?",), data=data, token=first.token, now=later(1), rules=rules)
    assert soon.lines()[-1] == "identity.birth_read"


def test_an_open_question_is_put_again_on_coming_back(data: Path) -> None:
    first = play(("진료비 얼마 나왔어요?",), data=data)
    back = play(MINSU, data=data, token=first.token)
    assert back.lines()[:2] == ["text.back", "identity.birth_short"]
    assert back.lines()[-1] == "billing.told"
    assert back.violations() == []


def test_a_booking_goes_on_where_it_was(data: Path) -> None:
    start = ("내과 예약하고 싶어요", "850312", "010-0000-1234", "건강보험이요")
    first = play(start, data=data)
    assert first.lines()[-1] == "booking.ask_doctor"
    rest = ("김서연 원장님이요", "다음 주 화요일 오전 열 시요", "네")
    back = play(rest, data=data, token=first.token)
    assert back.lines()[1] == "booking.ask_doctor"
    assert back.lines()[-1] == "booking.recorded"
    assert [row["kind"] for row in back.inbox] == ["booking_request"]
    assert back.violations() == []


def test_a_read_back_of_an_earlier_visit_needs_a_new_yes(data: Path) -> None:
    first = play(("환불해 주세요", *MINSU), data=data)
    assert first.lines()[-1] == "billing.readback_refund"
    back = play(("네",), data=data, token=first.token)
    assert back.lines()[1] == "billing.readback_refund"
    assert len(back.refunds) == 1
    assert back.violations() == []


def test_a_note_that_was_being_taken_is_kept_at_the_end(data: Path) -> None:
    visit = play(("상담원 연결해 주세요",), data=data, caller="01000009999")
    assert [row["kind"] for row in visit.inbox] == ["callback"]
    assert visit.of(Kind.MEMO_STORED)
    assert visit.violations() == []


def test_a_note_taken_back_is_not_kept(data: Path) -> None:
    visit = play(("상담원 연결해 주세요", "환불 문의요", "됐어요"), caller="01000009999")
    assert visit.inbox == []
    assert visit.lines()[-1] == "callback.declined"
    assert visit.violations() == []


def test_a_note_survives_an_emergency() -> None:
    lines = ("상담원 연결해 주세요", "환불 문의요", "가슴이 조이고 식은땀이 나요")
    visit = play(lines, caller="01000009999")
    assert visit.lines()[-1] == "text.emergency"
    assert [row["kind"] for row in visit.inbox] == ["callback"]
    assert visit.violations() == []


def test_it_ends_once_and_nothing_follows(data: Path) -> None:
    async def body(door: Door) -> Played:
        talk = await door.talks.begin()
        await talk.start()
        await talk.end("caller_hangup")
        await talk.end("caller_hangup")
        await talk.says("여보세요?")
        assert talk.closed
        return await collect(door, talk)

    visit: Played = run(lambda: opened(body, data=data))
    assert visit.kinds().count(Kind.CALL_ENDED) == 1
    assert visit.kinds()[-1] is Kind.CALL_ENDED


def test_the_visitor_ends_it() -> None:
    visit = play(("채팅 종료해 주세요", "여보세요?"))
    assert visit.events[-1].data["reason"] == "end_conversation"
    assert visit.lines()[-1] == "text.goodbye"
    assert visit.violations() == []


def test_a_goodbye_is_asked_about_and_a_yes_ends_it() -> None:
    visit = play(("수고하세요", "네"))
    assert visit.lines()[-2:] == ["text.propose_end", "text.goodbye"]
    assert visit.violations() == []


def test_a_conversation_that_is_forgotten_is_unknown(data: Path) -> None:
    first = play(BILL, data=data)

    async def body(door: Door) -> None:
        assert await door.talks.forget(first.token)
        assert not await door.talks.forget(first.token)
        assert await door.talks.resume(first.token) is None

    run(lambda: opened(body, data=data))
    with sqlite3.connect(data / "conversations.sqlite") as store:
        for table in ("checkpoints", "writes"):
            (count,) = store.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert count == 0


def test_another_hospital_knows_nothing_of_a_token(data: Path) -> None:
    first = play(BILL, data=data)

    async def body(door: Door) -> None:
        assert await door.talks.resume(first.token) is None
        assert not await door.talks.forget(first.token)

    run(lambda: opened(body, hospital="onnuri", data=data))
    assert play(("주차 되나요?",), data=data, token=first.token).lines()[0] == "text.back"


def test_only_the_newest_checkpoint_of_a_conversation_stays(data: Path) -> None:
    play((*BILL, "주차 되나요?", "환불 어떻게 됐어요?"), data=data)
    with sqlite3.connect(data / "conversations.sqlite") as store:
        (count,) = store.execute("SELECT count(*) FROM checkpoints").fetchone()
    assert count <= 3


def test_what_was_typed_as_a_secret_is_not_in_the_messages_kept(data: Path) -> None:
    play((*BILL, "고맙습니다"), data=data)
    kept = (data / "conversations.sqlite").read_bytes()
    kept += b"".join(f.read_bytes() for f in data.glob("conversations.sqlite-*"))
    assert b"850312" not in kept


def test_a_model_sees_a_bounded_talk_that_begins_with_the_visitor() -> None:
    visit = play(["주차 되나요?", "몇 시까지 해요?"] * 20)
    for request in visit.requests:
        talk = [m for m in request.messages if m["role"] != "system"]
        assert len(talk) <= LAST
        assert talk[0]["role"] == "user"


def test_a_turn_that_another_process_blocks_is_told_so(data: Path) -> None:
    async def body(door: Door) -> Played:
        talk = await door.talks.begin()
        await talk.start()
        turns = door.talks.turns

        class Taken:
            def taken(self, thread: str, seconds: float) -> object:
                raise Busy

        door.talks.turns = Taken()
        await talk.says("주차 되나요?")
        door.talks.turns = turns
        await talk.says("주차 되나요?")
        await talk.end("caller_hangup")
        return await collect(door, talk)

    visit: Played = run(lambda: opened(body, data=data))
    assert visit.lines()[1:] == ["text.busy", "model.answer"]


class Slow:
    """A rung that never says a word."""

    name = "slow"

    async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        await asyncio.sleep(60)
        yield Done()


def test_a_slow_model_is_bridged_with_a_sign_of_life() -> None:
    visit = play(("주차 되나요?",), model=Slow())
    assert visit.lines()[1:] == ["text.wait", "model.answer"]
    assert visit.violations() == []


def test_a_slow_record_system_is_bridged_too(tmp_path: Path) -> None:
    faults = tmp_path / "faults.yaml"
    faults.write_text("- {op: find_patients, kind: latency, seconds: 2.9}\n")
    visit = play(BILL, faults=faults)
    assert visit.violations() == []


class BrokenOnce:
    """A rung with a fault of ours in its first answer."""

    name = "broken"

    def __init__(self) -> None:
        self._done = False

    async def open(self, request: ChatRequest) -> AsyncIterator[Delta]:
        if not self._done:
            self._done = True
            raise ValueError("secret 850312")
        async for delta in BuiltinRung().open(request):
            yield delta


def test_a_fault_of_ours_ends_in_words_and_the_talk_goes_on() -> None:
    visit = play(("주차 되나요?", "주차 되나요?"), model=BrokenOnce())
    assert [e.data["error"] for e in visit.of(Kind.FAULT)] == ["ValueError"]
    assert visit.lines()[1] == "call.system_error"
    assert "850312" not in str([e.data for e in visit.events])
    assert visit.lines()[-1] == "model.answer"
