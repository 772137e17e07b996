"""Whole calls with sound: what is audible, for how long, and what comes of it (N11, N7, K2)."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pytest
from line_parts import CALLER, CHAT_LINES, HANBIT, TO_READ_BACK, agent, caller, checked, of, plan

from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import judged, play_talk
from wonmu.hospital.config import EmrSettings
from wonmu.ids import CountingIds
from wonmu.testing import (
    After,
    Cue,
    HangUp,
    Keys,
    Say,
    Seconds,
    Stay,
    Track,
    Waiting,
    play_line,
    silences,
    uncued,
)
from wonmu.testing.script import spoken_seconds
from wonmu.timeline.events import Kind
from wonmu.transfer.plan import load_staff
from wonmu.transfer.simulated import ScriptedLine

pytestmark = pytest.mark.scenario

PATIENT = HANBIT.model_copy(update={"emr": EmrSettings(request_seconds=30, tool_seconds=60)})
SLOW = FaultPlan((FaultRule("find_slots", FaultKind.LATENCY, seconds=20.0),))


def test_the_greeting_is_audible_for_as_long_as_its_text() -> None:
    result, _ = checked([HangUp()])
    greeting = agent(result)[0]
    assert greeting.line == "greeting"
    assert greeting.start == 0.0
    assert greeting.end == pytest.approx(spoken_seconds(greeting.text), abs=0.02)
    assert not greeting.cut
    waiting = of(result, Kind.TURN_WAITING)[0]
    assert waiting.mono == pytest.approx(greeting.end, abs=0.01)


def test_a_turn_is_heard_after_the_words_and_answered_after_that() -> None:
    result, _ = checked([Say("주차되나요?")])
    words = caller(result)[0]
    heard = of(result, Kind.CALLER_HEARD)[0]
    answer = agent(result)[1]
    assert words.end - words.start == pytest.approx(spoken_seconds(words.text), abs=0.01)
    # The recogniser's final text and the pause after it.
    assert heard.mono - words.end == pytest.approx(0.8, abs=0.02)
    assert heard.data["barge_in"] is False
    assert answer.start == pytest.approx(heard.mono, abs=0.05)


def test_a_booking_by_voice_ends_as_through_chat() -> None:
    _, by_voice = checked([*TO_READ_BACK, Say("네")])
    with tempfile.TemporaryDirectory() as folder:
        talk = Talk(CALLER, NOW, CHAT_LINES)
        by_chat = judged(
            HANBIT, talk, play_talk(HANBIT, talk, Path(folder), CountingIds())[1], Path(folder)
        )
    own = ("key", "call_id", "created_at")
    rows = [
        [{name: value for name, value in row.items() if name not in own} for row in call.inbox]
        for call in (by_voice, by_chat)
    ]
    assert rows[0] == rows[1]
    assert [row["kind"] for row in rows[0]] == ["booking_request"]


def test_the_same_script_gives_the_same_recording() -> None:
    script = [*TO_READ_BACK, Say("여보세요?", at=After(Kind.LOOKUP_STARTED, 3.0)), Stay(1.0)]
    again = [play_line(plan(hospital=PATIENT, faults=SLOW), script) for _ in range(2)]
    assert again[0].recording == again[1].recording
    assert [event.mono for event in again[0].events] == [event.mono for event in again[1].events]


def test_a_slow_record_system_is_explained_and_costs_no_real_time() -> None:
    checked([HangUp()])  # what is loaded once is not counted
    began = time.process_time()  # not the wall's: other work on the machine is not ours
    result, _ = checked([*TO_READ_BACK, Say("네")], hospital=PATIENT, faults=SLOW)
    assert time.process_time() - began < 2.0
    assert result.recording.seconds > 60.0
    fillers = of(result, Kind.LOOKUP_FILLER)
    assert fillers, "20 s of waiting were not explained"
    # Every filler was really audible.
    starts = [sound.start for sound in agent(result)]
    assert all(any(abs(s - f.mono) < 0.01 for s in starts) for f in fillers)
    assert not uncued(result.recording), uncued(result.recording)
    assert any(each.cue is Cue.FILLER for each in silences(result.recording))


def test_a_hang_up_in_mid_speech_closes_the_call() -> None:
    result, _ = checked([HangUp(at=Seconds(3.0))])
    assert result.recording.sounds[-1].cut
    assert result.recording.sounds[-1].end == 3.0
    gone, ended = of(result, Kind.HANGUP)[0], of(result, Kind.CALL_ENDED)[0]
    assert gone.mono == 3.0
    assert ended.mono - gone.mono <= 5.0
    said = of(result, Kind.AGENT_SAID)[-1]
    assert said.data["full"] is False


def test_a_hang_up_in_the_middle_of_the_callers_words_is_no_turn() -> None:
    result, _ = checked([Say("내과 예약하고 싶어요"), HangUp(at=Seconds(11.1))])
    assert of(result, Kind.CALLER_HEARD) == []
    assert of(result, Kind.TOOL_STARTED) == []


def test_a_minute_of_silence_is_the_callers_and_ends_politely() -> None:
    result, _ = checked([Stay(90.0)])
    assert [sound.line for sound in agent(result)][1:] == [
        "silence.ask",
        "silence.last",
        "silence.goodbye",
    ]
    assert silences(result.recording) == ()
    assert result.events[-1].data["reason"] == "silence"


def test_keys_over_a_prompt_cut_it_and_count() -> None:
    result, _ = checked(
        [Say("내과 예약하고 싶어요"), Keys("850312", at=After(Kind.AGENT_SPEAKING, 1.0)), Stay(1.0)]
    )
    assert of(result, Kind.IDENTITY_SETTLED)[0].data["outcome"] == "verified"


def test_hold_music_is_audible_until_somebody_answers_or_nobody_does() -> None:
    staff = ScriptedLine(load_staff("no_answer"))
    result, _ = checked([Say("상담원 연결해 주세요"), HangUp()], staff=staff)
    (hold,) = [each for each in result.recording.sounds if each.track is Track.HOLD]
    announced = agent(result, "transfer.connecting")[0]
    assert hold.start == announced.end
    assert hold.end == pytest.approx(of(result, Kind.TRANSFER_SETTLED)[0].mono, abs=0.01)
    assert not uncued(result.recording)


def test_the_example_of_the_page_works() -> None:
    page = (Path(__file__).parents[2] / "docs" / "simulated-line.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    exec(compile(code, "simulated-line.md", "exec"), {})


def test_the_caller_is_not_talked_over() -> None:
    """A prompt that is due while the caller speaks waits until the words are over."""
    long = "저기요 제가 뭐 하나만 여쭤보려고 하는데요 혹시 거기 주차할 수 있는 자리가 있나요"
    result, _ = checked([Say(long, at=Waiting(7.5))])
    words = caller(result)[0]
    overlap = [s for s in agent(result) if s.start < words.end and s.end > words.start]
    assert overlap == []
    assert "silence.ask" not in [sound.line for sound in agent(result)]
