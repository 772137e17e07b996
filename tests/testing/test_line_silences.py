"""The judge of silences on recordings made by hand: it must be able to fail (N11)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wonmu.testing import Cue, Mark, Recording, Silence, Sound, Track, silences, uncued

pytestmark = pytest.mark.unit


def agent(start: float, end: float, line: str = "x", cut: bool = False) -> Sound:
    return Sound(Track.AGENT, start, end, "네", cut, line)


def caller(start: float, end: float) -> Sound:
    return Sound(Track.CALLER, start, end, "예약이요")


def waiting(at: float) -> Mark:
    return Mark(at, "turn.waiting")


GREETED = Recording(
    20.0,
    (agent(0.0, 3.0), caller(4.0, 5.0), agent(6.0, 9.0)),
    (waiting(3.0), waiting(9.0), Mark(20.0, "caller.hangup")),
)


def test_a_good_call_has_only_short_silences() -> None:
    assert silences(GREETED) == (Silence(5.0, 6.0, Cue.NONE, "caller: 예약이요"),)
    assert uncued(GREETED) == ()


def with_hole(seconds: float) -> Recording:
    late = 5.0 + seconds
    return replace(
        GREETED,
        sounds=(*GREETED.sounds[:2], agent(late, late + 3)),
        marks=(waiting(3.0), waiting(late + 3), Mark(20.0, "caller.hangup")),
    )


@pytest.mark.parametrize(("seconds", "bad"), [(3.9, 0), (4.0, 0), (4.1, 1), (4.5, 1), (9.0, 1)])
def test_a_hole_above_four_seconds_is_caught(seconds: float, bad: int) -> None:
    assert len(uncued(with_hole(seconds))) == bad


def test_the_callers_own_silence_is_not_the_agents() -> None:
    slow = replace(
        GREETED,
        sounds=(agent(0.0, 3.0), caller(15.0, 16.0), agent(17.0, 18.0)),
        marks=(waiting(3.0), waiting(18.0)),
        seconds=30.0,
    )
    assert uncued(slow) == ()
    assert [each.start for each in silences(slow)] == [16.0]


def test_without_the_word_that_it_waits_the_silence_is_the_agents() -> None:
    never = replace(GREETED, marks=(Mark(20.0, "caller.hangup"),))
    assert [round(each.seconds) for each in uncued(never)] == [11]


def test_only_the_part_before_the_waiting_counts() -> None:
    thinks = replace(GREETED, marks=(waiting(3.0), waiting(14.0), Mark(20.0, "caller.hangup")))
    assert uncued(thinks) == (Silence(9.0, 14.0, Cue.NONE, "agent: 네"),)


def test_a_silence_at_the_very_beginning_counts() -> None:
    dead = Recording(30.0, (agent(5.0, 8.0),), (waiting(8.0),))
    assert uncued(dead) == (Silence(0.0, 5.0, Cue.NONE, ""),)


def test_a_lookup_that_is_open_is_waited_for_whatever_was_asked() -> None:
    marks = (waiting(3.0), Mark(9.0, "lookup.started", id="l1"), waiting(9.0))
    looking = replace(GREETED, marks=(*marks, Mark(15.0, "lookup.settled", id="l1")))
    assert [(each.start, each.end) for each in uncued(looking)] == [(9.0, 15.0)]
    other = replace(GREETED, marks=(*marks, Mark(10.0, "lookup.settled", id="l1")))
    assert uncued(other) == ()


@pytest.mark.parametrize(
    "filler",
    [
        (agent(6.0, 9.0, "lookup.slots_wait"), ()),
        (agent(6.0, 9.0), (Mark(6.0, "lookup.filler", id="l1"),)),
    ],
)
def test_a_silence_after_a_filler_is_cued(filler: tuple[Sound, tuple[Mark, ...]]) -> None:
    sound, marks = filler
    call = replace(
        GREETED,
        sounds=(*GREETED.sounds[:2], sound, agent(15.0, 16.0)),
        marks=(waiting(3.0), *marks, waiting(16.0), Mark(20.0, "caller.hangup")),
    )
    assert uncued(call) == ()
    assert silences(call)[-1] == Silence(9.0, 15.0, Cue.FILLER, "agent: 네")


def test_a_filler_that_was_cut_or_answered_explains_nothing() -> None:
    cut = agent(6.0, 7.0, "lookup.slots_wait", cut=True)
    for sounds in ((cut,), (agent(6.0, 7.0, "lookup.slots_wait"), caller(6.9, 7.2))):
        call = replace(GREETED, sounds=(*GREETED.sounds[:2], *sounds), marks=(waiting(3.0),))
        assert [round(each.seconds) for each in uncued(call)] == [13]


def test_hold_music_is_no_silence() -> None:
    hold = replace(
        GREETED,
        sounds=(*GREETED.sounds, Sound(Track.HOLD, 9.0, 19.0)),
        marks=(waiting(3.0),),
    )
    assert uncued(hold) == ()


def test_keys_make_the_caller_wait_only_when_they_are_complete() -> None:
    keys = Sound(Track.CALLER, 10.0, 10.1, keys=True)
    typing = replace(GREETED, sounds=(*GREETED.sounds, keys))
    assert uncued(typing) == ()
    pressed = Mark(10.0, "keypad.pressed", "done")
    typed = replace(typing, marks=(waiting(3.0), waiting(9.0), pressed))
    assert [(each.start, each.end) for each in uncued(typed)] == [(10.1, 20.0)]


def test_after_the_hang_up_nobody_waits() -> None:
    left = replace(with_hole(9.0), marks=(waiting(3.0), Mark(6.0, "caller.hangup")))
    assert uncued(left) == ()


def test_overlapping_sounds_leave_no_gap() -> None:
    over = replace(GREETED, sounds=(agent(0.0, 3.0), caller(2.0, 5.0), agent(4.5, 20.0)))
    assert silences(over) == ()
