"""The recording's file: what is written is read back, and nothing else is."""

from __future__ import annotations

import json

import pytest

from wonmu.errors import InputError
from wonmu.testing import Mark, Recording, Sound, Track

pytestmark = pytest.mark.unit

RECORDING = Recording(
    12.5,
    (
        Sound(Track.AGENT, 0.0, 3.25, "안녕하세요.", line="greeting"),
        Sound(Track.CALLER, 3.0, 4.0, "네", cut=False),
        Sound(Track.CALLER, 5.0, 5.1, keys=True),
        Sound(Track.HOLD, 6.0, 9.0),
        Sound(Track.AGENT, 9.0, 10.0, "확인", cut=True, line="booking.readback"),
    ),
    (Mark(3.25, "turn.waiting"), Mark(6.0, "lookup.started", "slots", "l1")),
    "hanbit",
)


def test_written_and_read_back() -> None:
    assert Recording.from_json(RECORDING.to_json()) == RECORDING
    assert Recording.from_json(Recording(0.0).to_json()) == Recording(0.0)


def test_the_file_is_plain_json_that_a_person_can_read() -> None:
    text = RECORDING.to_json()
    assert json.loads(text)["sounds"][0]["text"] == "안녕하세요."
    assert "안녕하세요." in text


def changed(**values: object) -> str:
    return json.dumps({**json.loads(RECORDING.to_json()), **values})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON"),
        ("[1]", "no recording"),
        ("{}", "no recording"),
        (changed(format="other"), "no recording"),
        (changed(version=2), "version 2"),
        (changed(seconds="long"), "seconds"),
        (changed(seconds=True), "seconds"),
        (changed(sounds={}), "sounds must be a list"),
        (changed(sounds=["x"]), "each must be an object"),
        (changed(sounds=[{"track": "agent", "start": 0.0}]), "end is missing"),
        (changed(sounds=[{"track": "dog", "start": 0.0, "end": 1.0}]), "track cannot be"),
        (changed(sounds=[{"track": "agent", "start": "0", "end": 1.0}]), "start cannot be"),
        (changed(marks=[{"at": 1.0, "kind": "x", "what": 1}]), "what is not known"),
    ],
)
def test_what_is_no_recording_is_refused(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        Recording.from_json(text)
