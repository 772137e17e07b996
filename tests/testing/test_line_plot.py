"""``wonmu line-plot``: a picture that shows what the recording holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageFont

from wonmu.commands.line_plot import run_line_plot
from wonmu.errors import InputError
from wonmu.testing import Mark, Recording, Sound, Track
from wonmu.testing import plot as drawing
from wonmu.testing.plot import AMBER, RED_FILL, Fonts, fonts, plot

pytestmark = pytest.mark.unit


def hole(seconds: float, filler: bool = False) -> Recording:
    line = "lookup.slots_wait" if filler else "x"
    sounds = (
        Sound(Track.AGENT, 0.0, 3.0, "안녕하세요", line="greeting"),
        Sound(Track.CALLER, 4.0, 5.0, "예약이요"),
        Sound(Track.AGENT, 5.5, 6.0, "네", line=line),
        Sound(Track.AGENT, 6.0 + seconds, 34.0, "찾았습니다", cut=True),
        Sound(Track.HOLD, 35.0, 39.0),
    )
    marks = (Mark(3.0, "turn.waiting"), Mark(6.0, "lookup.started", "slots", "l1"))
    return Recording(40.0, sounds, (*marks, Mark(39.0, "call.ended", "done")))


def in_rows(recording: Recording) -> set[str]:
    """The colours below the legend."""
    picture = plot(recording, fonts())
    body = picture.crop((0, drawing.TOP, picture.width, picture.height))
    counted = body.getcolors(body.width * body.height) or []
    found = [colour for _, colour in counted if isinstance(colour, tuple)]
    return {"#" + "".join(f"{int(part):02x}" for part in colour[:3]) for colour in found}


def test_a_silence_above_four_seconds_is_red() -> None:
    assert RED_FILL in in_rows(hole(4.5))
    assert RED_FILL not in in_rows(hole(3.5))


def test_a_cued_one_is_not() -> None:
    shown = in_rows(hole(6.0, filler=True))
    assert AMBER in shown
    assert RED_FILL not in shown


def test_every_half_minute_is_a_row() -> None:
    assert plot(hole(1.0), fonts()).height > plot(Recording(20.0), fonts()).height


def test_the_command_writes_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "call.json"
    file.write_text(hole(5.0).to_json(), encoding="utf-8")
    assert run_line_plot(str(file), None) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "call.png")
    with Image.open(tmp_path / "call.png") as picture:
        assert picture.format == "PNG"
    assert run_line_plot(str(file), str(tmp_path / "other.png")) == 0
    assert (tmp_path / "other.png").exists()


def test_without_a_font_for_hangul_it_says_so_and_writes_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "_hangul_font", lambda: None)
    file = tmp_path / "call.json"
    file.write_text(hole(5.0).to_json(), encoding="utf-8")
    assert run_line_plot(str(file), None) == 0
    assert "Hangul" in capsys.readouterr().err
    plain = drawing.fonts()
    assert isinstance(plain, Fonts)
    assert not plain.hangul
    assert isinstance(plain.text, ImageFont.FreeTypeFont | ImageFont.ImageFont)


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"{}", b"no"])
def test_a_bad_file_is_one_sentence(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "call.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError) as refused:
        run_line_plot(str(file), None)
    assert str(file) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "call.json"
    file.write_text(hole(5.0).to_json(), encoding="utf-8")
    with pytest.raises(InputError, match="--out"):
        run_line_plot(str(file), str(tmp_path / "missing" / "x.png"))
