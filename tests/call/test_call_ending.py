"""How a call ends, and what does not end it (T8, N4, R94, R95, R96, R128)."""

from __future__ import annotations

import pytest
from call_parts import READ_BACK, ended, heard, hospital, lines_of, of, played, tools

from wonmu.evals.playing import Played
from wonmu.hospital.config import CallLimits
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.scenario

NAMES = ("hanbit", "saebom")
CLOSING = "gate.propose_end"


def after_closing(words: str, name: str = "hanbit") -> Played:
    """The caller takes leave, is asked whether the call may end, and says this."""
    call = played(hospital(name), ["네, 수고하세요", words, "/hangup"])
    assert CLOSING in lines_of(call)
    return call


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("words", ["끊어 주세요", "이만 끊을게요", "전화 끊겠습니다"])
def test_an_explicit_wish_ends_at_once(name: str, words: str) -> None:
    call = played(hospital(name), [words])
    assert CLOSING not in lines_of(call)
    assert ended(call) == "end_call"
    assert lines_of(call)[-1] == "call.goodbye"


@pytest.mark.parametrize("words", ["네", "네네", "네, 그러세요", "네, 안녕히 계세요", "수고하세요"])
def test_agreement_to_the_closing_question_ends(words: str) -> None:
    assert ended(after_closing(words)) == "end_call"


@pytest.mark.parametrize(
    "words",
    [
        *(
            "네?",
            "아니요",
            "아뇨 아직요",
            "잠깐만요, 하나 더요",
            "고맙습니다",
            "네… 그런데",
            "글쎄요",
        ),
        *(
            "주차 되나요?",
            "없어요",
            "아 네 그렇군요",
            "예약하고 싶어요",
            "시청해 주셔서 감사합니다",
        ),
    ],
)
def test_nothing_else_ends(words: str) -> None:
    assert ended(after_closing(words)) == "caller_hangup"


@pytest.mark.parametrize("name", NAMES)
def test_one_more_thing_goes_on(name: str) -> None:
    call = after_closing("잠깐만요, 하나 더요", name)
    assert lines_of(call)[-1] == "ending.go_on"
    on = played(
        hospital(name), ["수고하세요", "잠깐만요, 하나 더요", "주차 되나요?", "네", "/hangup"]
    )
    assert "주차" in heard(on)
    assert ended(on) == "caller_hangup"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("before", [(), ("주차 되나요?",)])
@pytest.mark.parametrize("words", ["네", "감사합니다", "네 감사합니다"])
def test_a_yes_to_something_else_is_no_agreement(
    name: str, before: tuple[str, ...], words: str
) -> None:
    """A yes after the greeting or after information, and thanks, end nothing."""
    assert ended(played(hospital(name), [*before, words, "/hangup"])) == "caller_hangup"


def test_agreement_counts_in_the_very_next_turn_only() -> None:
    call = played(hospital("hanbit"), ["수고하세요", "주차 되나요?", "네", "/hangup"])
    assert ended(call) == "caller_hangup"


def test_agreement_after_a_silence_prompt_is_none() -> None:
    call = played(hospital("hanbit"), ["수고하세요", "/wait 9", "네", "/hangup"])
    assert "silence.ask" in lines_of(call)
    assert ended(call) == "caller_hangup"


def test_a_closing_question_that_was_cut_is_not_agreed_to() -> None:
    call = played(hospital("hanbit"), ["수고하세요", "!네", "/hangup"])
    assert ended(call) == "caller_hangup"


def test_nothing_more_gets_the_question_again_and_then_ends() -> None:
    call = played(hospital("hanbit"), ["수고하세요", "없어요", "네"])
    assert lines_of(call).count(CLOSING) == 2
    assert ended(call) == "end_call"


@pytest.mark.parametrize("over", ["!네네, 감사합니다~", "!잠깐만요, 하나 더요", "!네 끊을게요"])
def test_words_over_the_goodbye_do_not_cancel_it(over: str) -> None:
    """R95, R96: one goodbye, one end, the line is down."""
    call = played(hospital("hanbit"), ["이만 끊을게요", over, over])
    assert lines_of(call).count("call.goodbye") == 1
    assert of(call, Kind.AGENT_SAID)[-1].data["full"] is True
    assert tools(call) == ["end_call"]
    latched, closed = of(call, Kind.TERMINAL_LATCHED), call.events[-1]
    assert len(latched) == 1
    assert closed.mono - latched[0].mono <= 8.0


def test_a_wish_to_end_that_is_taken_back_at_once_ends_nothing() -> None:
    """R94: the caller goes on before the reply has come."""
    call = played(hospital("hanbit"), ["주차 되나요?", "!고맙습니다", "!근데 하나 더요", "/hangup"])
    assert ended(call) == "caller_hangup"


@pytest.mark.parametrize("name", NAMES)
def test_an_explicit_wish_in_the_middle_of_a_booking(name: str) -> None:
    call = played(hospital(name), [*READ_BACK[name], "끊어 주세요"])
    assert ended(call) == "end_call"
    assert call.inbox == ()


# Limits ------------------------------------------------------------------------------------------

MACHINE = (
    *("잠시만 기다려 주십시오", "고객님의 전화는 소중합니다", "신규 가입 혜택을 드립니다"),
    *("계속 기다려 주시면 감사하겠습니다", "라라라 사랑의 노래", "지금은 통화량이 많습니다"),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_machine_on_the_line_is_left_politely(name: str) -> None:
    call = played(hospital(name), MACHINE * 4)
    assert ended(call) == "turn_limit"
    assert lines_of(call)[-1] == "ending.turn_limit"
    assert call.inbox == ()


def turns(call: Played) -> int:
    return len(of(call, Kind.CALLER_HEARD))


@pytest.mark.parametrize("most", [3, 5])
def test_after_as_many_turns_as_the_hospital_wants(most: int) -> None:
    limits = CallLimits(unproductive_turns=most)
    assert turns(played(hospital("hanbit", limits=limits), MACHINE * 3)) == most


def test_a_new_fact_begins_the_count_anew_the_same_again_does_not() -> None:
    at = hospital("hanbit", limits=CallLimits(unproductive_turns=3))
    machine = MACHINE[:2]
    assert turns(played(at, [*machine, "주차 되나요?", *machine, MACHINE[0], "네"])) == 6
    again = ["주차 되나요?", "주차 되나요?", "주차 되나요?", "주차 되나요?", "네"]
    assert turns(played(at, again)) == 4


@pytest.mark.parametrize("name", NAMES)
def test_a_real_booking_never_meets_the_limit(name: str) -> None:
    at = hospital(name, limits=CallLimits(unproductive_turns=3))
    call = played(at, [*READ_BACK[name], "네"])
    assert len(call.inbox) == 1


def test_a_call_for_ever_ends_between_two_turns() -> None:
    limits = CallLimits(unproductive_turns=100, call_minutes=1.0)
    call = played(hospital("hanbit", limits=limits), ["주차 되나요?", "면회 시간이 언제예요?"] * 20)
    assert ended(call) == "time_limit"
    assert lines_of(call)[-1] == "ending.time_limit"
    assert all(event.data["full"] for event in of(call, Kind.AGENT_SAID))


def test_a_call_for_ever_ends_in_silence_too() -> None:
    limits = CallLimits(call_minutes=1.0)
    call = played(hospital("hanbit", limits=limits), ["/wait 25", "주차 되나요?", "/wait 30"])
    assert ended(call) == "time_limit"
