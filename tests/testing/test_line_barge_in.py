"""Talking over the agent: what was heard is what was played (N1, N5, R54, A5)."""

from __future__ import annotations

import pytest
from line_parts import HANBIT, TO_READ_BACK, agent, caller, checked, of

from wonmu.testing import HangUp, Say, Seconds, Stay, While
from wonmu.testing.script import spoken_seconds
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.scenario


def test_words_over_the_read_back_cut_it_and_are_no_consent() -> None:
    result, played = checked(
        [*TO_READ_BACK, Say("네", at=While(2.0, line="booking.readback")), HangUp()]
    )
    first, second = agent(result, "booking.readback")
    assert first.cut
    assert not second.cut
    # The speech ends when the words are understood, not when they were planned to end.
    assert 2.0 < first.end - first.start < 3.0
    said = next(e for e in of(result, Kind.AGENT_SAID) if e.data["line"] == "booking.readback")
    assert said.data["full"] is False
    assert said.data["heard"] == first.text
    assert str(said.data["text"]).startswith(first.text)
    assert len(first.text) < len(str(said.data["text"]))
    assert of(result, Kind.BOOKING_CONSENT) == []
    assert played.inbox == ()


def test_the_same_yes_after_the_read_back_is_a_consent() -> None:
    result, played = checked([*TO_READ_BACK, Say("네")])
    assert len(of(result, Kind.BOOKING_CONSENT)) == 1
    assert len(played.inbox) == 1


def test_what_was_heard_is_as_long_as_what_was_played() -> None:
    result, _ = checked([Say("예약하고 싶은데요", at=While(4.0)), Stay(1.0)])
    greeting = agent(result)[0]
    played = greeting.end - greeting.start
    # Whole words only: less than the next word is missing.
    assert 0 <= played - spoken_seconds(greeting.text) < 2.0
    assert of(result, Kind.CALLER_HEARD)[0].data["barge_in"] is True


def test_a_notice_that_was_talked_over_is_said_again() -> None:
    result, _ = checked([Say("예약하고 싶은데요", at=While(1.0)), Stay(1.0)])
    assert HANBIT.greeting.notices in agent(result, "greeting.notice")[0].text


@pytest.mark.parametrize("noise", ["시청해 주셔서 감사합니다", "다음 시간에 만나요"])
def test_noise_of_the_recogniser_does_not_end_the_agents_speech(noise: str) -> None:
    result, _ = checked([Say(noise, at=While(2.0)), Stay(1.0)])
    greetings = agent(result, "greeting")
    assert not greetings[-1].cut, "after all, the whole greeting was heard"
    assert of(result, Kind.CALLER_HEARD)[0].data["noise"] is True


def test_nothing_is_said_after_a_hang_up() -> None:
    result, _ = checked([Say("주차되나요?"), HangUp(at=Seconds(11.4))])
    assert caller(result)[0].end < 11.4
    assert all(sound.end <= 11.4 for sound in agent(result))
    assert of(result, Kind.AGENT_SAID)[-1].mono == 11.4


def test_words_at_the_moment_the_talk_changes_hands_are_not_lost() -> None:
    """LiveKit's own way drops a turn that ends while a task is being entered or left."""
    for tenths in range(0, 30, 5):
        result, _ = checked(
            [
                Say("내과 예약하고 싶어요"),
                Say("주차도 되나요?", at=While(tenths / 10, line="identity.birth")),
                Stay(0.5),
            ]
        )
        assert len(of(result, Kind.CALLER_HEARD)) == 2, tenths
