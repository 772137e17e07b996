"""A caller who says nothing, and what a recogniser makes of it (N4, N11, R54, R72, R77)."""

from __future__ import annotations

import pytest
from call_parts import BIRTH, READ_BACK, WISH, ended, hospital, lines_of, of, played

from wonmu.hospital.config import SilenceRules
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.scenario

NAMES = ("hanbit", "saebom")
LADDER = ["silence.ask", "silence.last", "silence.goodbye"]


@pytest.mark.parametrize("name", NAMES)
def test_asked_twice_then_a_polite_end(name: str) -> None:
    call = played(hospital(name), ["/wait 120"])
    assert lines_of(call)[-3:] == LADDER
    assert ended(call) == "silence"


@pytest.mark.parametrize("asks", [1, 2, 3, 5])
def test_as_often_as_the_hospital_wants(asks: int) -> None:
    rules = SilenceRules(ask_after_seconds=5.0, asks=asks)
    call = played(hospital("hanbit", silence=rules), ["/wait 300"])
    asked = [line for line in lines_of(call) if line in ("silence.ask", "silence.last")]
    assert asked == ["silence.ask"] * (asks - 1) + ["silence.last"]


def test_the_wait_is_the_hospitals() -> None:
    rules = SilenceRules(ask_after_seconds=20.0)
    quiet = played(hospital("hanbit", silence=rules), ["/wait 19", "/hangup"])
    asked = played(hospital("hanbit", silence=rules), ["/wait 21", "/hangup"])
    assert lines_of(quiet) == ["greeting"]
    assert lines_of(asked) == ["greeting", "silence.ask"]
    greeting, prompt = of(asked, Kind.AGENT_SAID)
    speaking = of(asked, Kind.AGENT_SPEAKING)[-1]
    assert speaking.mono - greeting.mono == pytest.approx(20.0, abs=0.1)
    assert prompt.seq > speaking.seq


def test_a_word_begins_the_ladder_anew() -> None:
    call = played(hospital("hanbit"), ["/wait 20", "주차 되나요?", "/wait 20", "/hangup"])
    assert lines_of(call).count("silence.ask") == 2
    assert ended(call) == "caller_hangup"


def test_a_key_begins_it_anew_too() -> None:
    call = played(hospital("hanbit"), ["/wait 20", "#7", "/wait 9", "/hangup"])
    assert "silence.goodbye" not in lines_of(call)
    assert ended(call) == "caller_hangup"


def test_the_open_question_is_put_again() -> None:
    call = played(hospital("hanbit"), [*WISH["hanbit"], "/wait 9", "/hangup"])
    last = of(call, Kind.AGENT_SAID)[-1]
    assert last.data["line"] == "silence.ask_question"
    assert "언제 오시고 싶으신가요?" in last.data["heard"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seconds", [12, 24])
def test_a_yes_after_a_prompt_is_no_consent(name: str, seconds: int) -> None:
    """N1: the read-back is no longer what was said just before."""
    lines = [*READ_BACK[name], f"/wait {seconds}", "네"]
    assert played(hospital(name), lines).inbox == ()
    call = played(hospital(name), [*lines, "네"])
    assert [row["kind"] for row in call.inbox] == ["booking_request"]
    assert lines_of(call).count("booking.readback") == 2


def test_without_the_silence_the_yes_counts() -> None:
    call = played(hospital("hanbit"), [*READ_BACK["hanbit"], "/wait 5", "네"])
    assert lines_of(call).count("booking.readback") == 1
    assert len(call.inbox) == 1


def test_a_yes_to_do_you_hear_me_confirms_nobody() -> None:
    """A new patient's data are confirmed by a yes to the question, not to a prompt."""
    lines = ("예약하고 싶어요", "#900101", "처음이에요", "이하늘이에요")
    asked = played(hospital("hanbit"), [*lines, "/hangup"], caller="01000007777")
    assert lines_of(asked)[-1] == "identity.confirm_new"
    silent = played(hospital("hanbit"), [*lines, "/wait 25", "네", "/hangup"], caller="01000007777")
    assert not of(silent, Kind.IDENTITY_SETTLED)
    assert lines_of(silent)[-1] == "identity.confirm_new"


def test_nothing_is_asked_while_keys_are_waited_for() -> None:
    call = played(hospital("hanbit"), ["예약하고 싶어요", "/wait 25", "/hangup"])
    assert [line for line in lines_of(call) if line.startswith("silence")] == []
    assert lines_of(call)[-2:] == ["identity.birth_nothing", "identity.birth_by_voice"]


def test_nothing_is_asked_between_two_digits() -> None:
    rules = SilenceRules(ask_after_seconds=1.0)
    call = played(hospital("hanbit", silence=rules), ["예약하고 싶어요", "#8503", "/hangup"])
    assert [line for line in lines_of(call) if line.startswith("silence")] == []


@pytest.mark.parametrize("name", NAMES)
def test_silence_at_the_keypad_ends_at_last(name: str) -> None:
    call = played(hospital(name), ["예약하고 싶어요", "/wait 400"])
    assert ended(call) == "silence"


def test_the_end_inside_a_task_leaves_nothing_open() -> None:
    call = played(hospital("hanbit"), [*WISH["hanbit"], "/wait 200"])
    assert ended(call) == "silence"
    assert call.inbox == ()
    assert lines_of(call)[-1] == "silence.goodbye"


def test_again_means_the_words_before_the_prompt() -> None:
    call = played(hospital("hanbit"), ["주차 되나요?", "/wait 9", "네?", "/hangup"])
    said = of(call, Kind.AGENT_SAID)
    assert said[-1].data["heard"] == said[1].data["heard"]


def test_nothing_is_asked_while_a_tool_runs() -> None:
    """R72, R77: neither the lookup's own words nor its end right at the limit are the caller's."""
    rules = SilenceRules(ask_after_seconds=1.0)
    slow = "- {op: find_slots, kind: latency, seconds: 2.8}\n"
    lines = [*READ_BACK["hanbit"], "/hangup"]
    call = played(hospital("hanbit", silence=rules), lines, faults=slow)
    assert of(call, Kind.BOOKING_SEARCHED)
    assert [line for line in lines_of(call) if line.startswith("silence")] == []


SLOW = "- {op: find_patients, kind: latency, seconds: 2.9}\n"


@pytest.mark.parametrize("words", ["여보세요?", "주차 되나요?", "네"])
def test_words_over_a_filler_do_not_cut_the_work(words: str) -> None:
    """A5: the speech was interrupted and with it the tool, which then could lend to no task."""
    lines = ["예약하고 싶어요", "#850312", f"!{words}", "/hangup"]
    call = played(hospital("hanbit"), lines, faults=SLOW)
    assert of(call, Kind.AGENT_SAID)[2].data["full"] is False
    assert [event.data["name"] for event in of(call, Kind.TASK_ENTERED)][-1] == "insurance"


def test_a_person_asked_for_over_a_filler_has_its_trigger() -> None:
    lines = ["예약하고 싶어요", "#850312", "!상담원 바꿔 주세요", "/hangup"]
    call = played(hospital("hanbit"), lines, faults=SLOW)
    assert len(of(call, Kind.TRANSFER_SETTLED)) == 1


def test_the_end_asked_for_over_a_filler_comes_after_the_lookup() -> None:
    lines = ["예약하고 싶어요", "#850312", "!그만 끊을게요"]
    call = played(hospital("hanbit"), lines, faults=SLOW)
    assert ended(call) == "end_call"


# Noise -------------------------------------------------------------------------------------------

NOISE = (
    "시청해 주셔서 감사합니다",
    "네, 시청해 주셔서 감사합니다.",
    "MBC 뉴스 이덕영입니다",
    "구독과 좋아요 부탁드립니다",
    "다음 영상에서 만나요 여러분 안녕",
    "…",
)


def test_noise_is_no_turn_and_gets_no_reply() -> None:
    call = played(hospital("hanbit"), [*NOISE, "/wait 9", "/hangup"])
    assert [event.data["noise"] for event in of(call, Kind.CALLER_HEARD)] == [True] * len(NOISE)
    assert {event.data["turn"] for event in of(call, Kind.CALLER_HEARD)} == {0}
    assert lines_of(call) == ["greeting", "silence.ask"]


@pytest.mark.parametrize("name", NAMES)
def test_noise_is_no_consent(name: str) -> None:
    call = played(hospital(name), [*READ_BACK[name], *NOISE, "/hangup"])
    assert call.inbox == ()
    assert lines_of(call)[-1] == "booking.readback"


def test_noise_does_not_make_the_real_yes_worthless() -> None:
    call = played(hospital("hanbit"), [*READ_BACK["hanbit"], NOISE[0], "네"])
    assert len(call.inbox) == 1


def test_noise_does_not_agree_to_the_end() -> None:
    call = played(hospital("hanbit"), ["수고하세요", *NOISE, "/hangup"])
    assert ended(call) == "caller_hangup"


def test_noise_does_not_cut_the_agent() -> None:
    call = played(hospital("hanbit"), ["주차 되나요?", f"!{NOISE[0]}", "/hangup"])
    assert all(event.data["full"] for event in of(call, Kind.AGENT_SAID))


def test_a_silence_full_of_noise_ends_too() -> None:
    call = played(hospital("hanbit"), [*[NOISE[0], "/wait 9"] * 6])
    assert ended(call) == "silence"


def test_a_wish_beside_television_is_a_wish() -> None:
    call = played(hospital("hanbit"), ["유튜브 구독하고 보다가 예약하고 싶어서요", "/hangup"])
    assert not of(call, Kind.CALLER_HEARD)[0].data.get("noise")


def test_noise_over_keys_leaves_the_entry() -> None:
    call = played(hospital("hanbit"), ["예약하고 싶어요", NOISE[0], BIRTH["hanbit"], "/hangup"])
    assert [event.data["outcome"] for event in of(call, Kind.IDENTITY_SETTLED)] == ["verified"]
