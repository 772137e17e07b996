"""Asked for twice, it happens once: in one step, in a row, after a task's exit, after success
(T1, T6, T10, B4, R07, R09, R96).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from scenario_parts import heard_text, kinds_in_inbox, of_kind, words
from scripted_model import Step, call_with, line_that, use

from wonmu.evals.playing import Played
from wonmu.model.port import ChatRequest, Delta
from wonmu.timeline.events import Kind
from wonmu.transfer.port import Outcome
from wonmu.transfer.simulated import Noted

pytestmark = pytest.mark.scenario

WISH = {
    "create_booking": "내과 김서연 원장님 다음 주 화요일 오후 세 시 예약이요",
    "inquire_booking": "제 예약 몇 시예요",
    "change_booking": "예약을 12월 8일 오전 아홉 시로 바꿔 주세요",
    "cancel_booking": "예약 취소해 주세요",
}
REST = {
    "create_booking": ("#850312", "건강보험이요", "네"),
    "inquire_booking": ("#850312", "김민수"),
    "change_booking": ("#850312", "김민수", "네", "네"),
    "cancel_booking": ("#850312", "김민수", "네"),
}
"""What the caller answers until the work is done."""
LEAVES = {
    "create_booking": ["booking_request"],
    "inquire_booking": [],
    "change_booking": ["change_request"],
    "cancel_booking": ["cancel_request"],
}


def plainly(said: str, request: ChatRequest) -> Sequence[Delta] | None:
    return None


def always(*names: str, on: str) -> Step:
    """These tools at these words, all in one answer."""

    def step(said: str, request: ChatRequest) -> Sequence[Delta] | None:
        offered = said == on and names[0] in request.tool_names()
        return use(*names, words=said) if offered else None

    return step


def started(call: Played) -> Counter[str]:
    return Counter(str(event.data["name"]) for event in of_kind(call, Kind.TOOL_STARTED))


def talk_of(call: Played) -> str:
    return "\n".join(words(call.events))


def test_a_scripted_model_reads_the_talk() -> None:
    """Scripted and hostile models once got no messages at all, and so proved little."""
    seen: list[str] = []

    def step(said: str, request: ChatRequest) -> Sequence[Delta] | None:
        seen.extend(str(each["role"]) for each in request.messages)
        return None

    call_with(step, ("주차 되나요?",))
    assert {"system", "user"} <= set(seen)


# In one step ---------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", WISH)
def test_twice_in_one_answer(tool: str) -> None:
    call = call_with(always(tool, tool, on=WISH[tool]), (WISH[tool], *REST[tool]))
    assert kinds_in_inbox(call) == LEAVES[tool], talk_of(call)
    assert started(call)[tool] == 1
    assert [e.data["tools"] for e in of_kind(call, Kind.MODEL_FALLBACK) if "tools" in e.data]


@pytest.mark.parametrize("tool", WISH)
@pytest.mark.parametrize("other", [*WISH, "connect_person", "end_call"])
def test_with_another_in_one_answer(tool: str, other: str) -> None:
    """Only the first one runs; what it opened is answered by hanging up."""
    staff = line_that(Outcome.CONNECTED)
    call = call_with(always(tool, other, on=WISH[tool]), (WISH[tool],), staff=staff)
    assert started(call) == Counter([tool])
    assert staff.dialled == 0
    assert not call.inbox


def test_a_person_twice_in_one_answer() -> None:
    """Nobody asked for one: it is offered once, and the yes dials once."""
    staff = line_that(Outcome.CONNECTED)
    step = always("connect_person", "connect_person", on="주차 되나요?")
    call = call_with(step, ("주차 되나요?", "네"), staff=staff)
    assert staff.dialled == 1
    assert [e.data["outcome"] for e in of_kind(call, Kind.TRANSFER_SETTLED)] == ["connected"]
    assert heard_text(call).count("연결을 도와드릴까요") == 1


def test_the_end_twice_in_one_answer() -> None:
    step = always("end_call", "end_call", on="주차 되나요?")
    call = call_with(step, ("주차 되나요?", "네"))
    assert heard_text(call).count("안녕히 계세요") == 1
    assert heard_text(call).count("마쳐도 될까요") == 1
    assert of_kind(call, Kind.CALL_ENDED)[0].data["reason"] == "end_call"


# In a row ------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["create_booking", "cancel_booking"])
def test_the_same_wish_again(tool: str) -> None:
    again = {
        "create_booking": (WISH[tool],),
        "cancel_booking": (WISH[tool],),
    }[tool]
    call = call_with(plainly, (WISH[tool], *REST[tool], *again))
    assert kinds_in_inbox(call) == LEAVES[tool], talk_of(call)
    assert len(of_kind(call, Kind.BOOKING_COMMITTED)) == 1


def test_the_same_change_again() -> None:
    lines = (WISH["change_booking"], *REST["change_booking"], WISH["change_booking"])
    call = call_with(plainly, (*lines, "첫 번째요", "네", "네", "네"))
    moved = [row["start"] for row in call.inbox]
    assert len(moved) == len(set(moved)), talk_of(call)


def test_looking_up_again_tells_the_same_and_stores_nothing() -> None:
    wish = WISH["inquire_booking"]
    call = call_with(plainly, (wish, *REST["inquire_booking"], wish))
    counts = [event.data["count"] for event in of_kind(call, Kind.LOOKUP_SETTLED)]
    assert counts == [1, 1], talk_of(call)
    assert not call.inbox
    assert heard_text(call).count("생년월일") == 1


def test_a_person_again_after_nobody_answered() -> None:
    staff = line_that(Outcome.NO_ANSWER)
    taken = ("네", "진료비 문의요", "김민수", "아무 때나요", "네")
    call = call_with(plainly, ("상담원 연결해 주세요", *taken, "상담원 연결해 주세요"), staff=staff)
    assert kinds_in_inbox(call) == ["callback"], talk_of(call)
    assert len(of_kind(call, Kind.MEMO_STORED)) == 1


def test_a_person_again_while_it_rings() -> None:
    staff = line_that(Outcome.CONNECTED)
    lines = ("상담원 바꿔 주세요", "/wait 1", "!상담원 바꿔 달라니까요", "!사람이요")
    call = call_with(plainly, lines, staff=staff)
    assert staff.dialled == 1
    assert staff.noted(Noted.JOINED) == 1
    assert started(call)["connect_person"] == 1


def test_the_end_again_over_the_goodbye() -> None:
    call = call_with(plainly, ("이제 끊을게요", "!끊어 주세요", "!끊으라니까요"))
    assert started(call) == Counter({"end_call": 1})
    assert heard_text(call).count("안녕히 계세요") == 1


# Right after a task's exit -------------------------------------------------------------------


@pytest.mark.parametrize("tool", WISH)
def test_a_person_out_of_a_task(tool: str) -> None:
    """The exit dials; a model that calls the same tool once more dials nobody else."""
    staff = line_that(Outcome.CONNECTED)
    step = always("connect_person", on="상담원 바꿔 주세요")
    call = call_with(step, (WISH[tool], "상담원 바꿔 주세요"), staff=staff)
    assert staff.dialled == 1
    assert len(of_kind(call, Kind.TRANSFER_SETTLED)) == 1
    assert of_kind(call, Kind.CALL_ENDED)[0].data["reason"] == "transferred"


@pytest.mark.parametrize("tool", WISH)
def test_the_end_out_of_a_task(tool: str) -> None:
    step = always("end_call", "end_call", on="이제 끊을게요")
    call = call_with(step, (WISH[tool], "이제 끊을게요"))
    assert started(call) == Counter({tool: 1, "end_call": 1})
    assert heard_text(call).count("안녕히 계세요") == 1
    assert not call.inbox


@pytest.mark.parametrize("tool", ["change_booking", "cancel_booking"])
def test_a_tool_right_after_it_was_stopped(tool: str) -> None:
    """ "그만할게요" is followed by nothing, whatever a model calls with the old words."""
    call = call_with(_again_with(tool, WISH[tool]), (WISH[tool], "#850312", "그만할게요", "네"))
    assert started(call)[tool] <= 2
    assert not call.inbox, talk_of(call)
    assert not of_kind(call, Kind.BOOKING_COMMITTED)


# After success -------------------------------------------------------------------------------


def _again_with(tool: str, old: str) -> Step:
    """At every word that is not the wish itself, the tool with the old words."""

    def step(said: str, request: ChatRequest) -> Sequence[Delta] | None:
        free = tool in request.tool_names() and said != old
        return use(tool, words=old) if free else None

    return step


@pytest.mark.parametrize("tool", WISH)
@pytest.mark.parametrize("after", ["네 고맙습니다", "그리고 주차 되나요?", "네"])
def test_old_words_open_nothing_again(tool: str, after: str) -> None:
    """Words that a tool has used are no evidence for it once more (T4)."""
    call = call_with(_again_with(tool, WISH[tool]), (WISH[tool], *REST[tool], after))
    verdicts = [
        event.data["verdict"]
        for event in of_kind(call, Kind.GATE_VERDICT)
        if event.data["tool"] == tool
    ]
    assert verdicts[0] == "Allow"
    assert "Allow" not in verdicts[1:], talk_of(call)
    assert kinds_in_inbox(call) == LEAVES[tool]


def test_after_the_goodbye_nothing_runs() -> None:
    step = always("create_booking", on=WISH["create_booking"])
    call = call_with(step, ("이제 끊을게요", "!" + WISH["create_booking"]))
    assert started(call) == Counter({"end_call": 1})
    assert not call.inbox
