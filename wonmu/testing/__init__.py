"""The simulated line: a whole call with sound, on virtual time (design: time and sound in tests).

A real ``Call`` with its real ``AgentSession`` gets a microphone and a loudspeaker. The caller is a
script in seconds; speech takes as long as its words would; a minute of waiting costs
milliseconds. What comes out is the timeline and a *recording* of who was audible when.

    plan = LinePlan(hospital, caller="01000001234")
    result = play_line(plan, [
        Say("내과 예약하고 싶어요"),                       # when the agent waits
        Keys("850312"),
        Say("네", at=While(0.7, line="booking.readback")),  # 0.7 s into the read-back
        Say("여보세요?", at=After(Kind.LOOKUP_STARTED, 1.0)),
        HangUp(at=Seconds(60.0)),
    ])
    assert not uncued(result.recording)                     # N11 by the line's own recording

Names: ``LinePlan``, ``play_line``, ``play_on``, ``LineResult`` (line.py); ``Say``, ``Keys``,
``HangUp``, ``Stay`` and their moments ``Waiting``, ``Seconds``, ``While``, ``After`` (script.py);
``Recording``, ``Sound``, ``Mark``, ``Track`` (recording.py); ``silences``, ``uncued``, ``Silence``,
``Cue`` (silences.py). It must never decide what a call does: it hears, speaks and writes down.
"""

from __future__ import annotations

from wonmu.testing.line import LinePlan, LineResult, play_line, play_on
from wonmu.testing.recording import Mark, Recording, Sound, Track
from wonmu.testing.script import (
    After,
    HangUp,
    Keys,
    Moment,
    Say,
    Seconds,
    Stay,
    Step,
    Waiting,
    While,
)
from wonmu.testing.silences import LONGEST, Cue, Silence, silences, uncued

__all__ = [
    "LONGEST",
    "After",
    "Cue",
    "HangUp",
    "Keys",
    "LinePlan",
    "LineResult",
    "Mark",
    "Moment",
    "Recording",
    "Say",
    "Seconds",
    "Silence",
    "Sound",
    "Stay",
    "Step",
    "Track",
    "Waiting",
    "While",
    "play_line",
    "play_on",
    "silences",
    "uncued",
]
