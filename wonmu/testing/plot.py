"""A recording as a picture: two lanes over time, words, silences, what happened.

Draws what the recording holds and what the judge of silences says; it decides nothing itself.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from wonmu.testing.recording import Mark, Recording, Sound, Track
from wonmu.testing.silences import LONGEST, Cue, Silence, silences

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

ROW_SECONDS = 30.0
SCALE = 44
"""Pixels a second."""
LEFT, RIGHT, TOP = 78, 70, 64
MARKS, LANE, GAP, AXIS = 64, 88, 6, 40
"""Heights in pixels: of the marks above the lanes, a lane, the gap below it, the axis."""
ROW = MARKS + 2 * (LANE + GAP) + AXIS
LEVEL = 15
"""Pixels from one line of marks to the next."""

QUICK = 0.2
"""Seconds below which a search is not worth a label."""

INK, FAINT, GRID = "#202428", "#70777d", "#e4e7ea"
FILL = {Track.AGENT: "#cfe0f5", Track.CALLER: "#fbe0bd", Track.HOLD: "#d8ecd6"}
EDGE = {Track.AGENT: "#3b6ea8", Track.CALLER: "#b9762a", Track.HOLD: "#4f8a4a"}
RED, RED_FILL, AMBER, GREY = "#c0182b", "#f8c9cd", "#f7ecc0", "#f1f2f4"

_SHOWN = ("lookup.", "search.", "commit.", "emr.", "breaker.", "booking.", "transfer.", "identity.",
          "memo.", "caller.hangup", "call.ended", "fault", "emergency.", "model.")  # fmt: skip
"""Beginnings of the kinds that get a label; the rest is a tick or nothing."""


@dataclass(frozen=True, slots=True)
class Fonts:
    """``hangul``: whether Korean can be drawn."""

    small: Font
    text: Font
    title: Font
    hangul: bool


def fonts() -> Fonts:
    """A font that knows Hangul where the machine has one, else a plain one."""
    path = _hangul_font()
    if path is None:
        small, text, title = (ImageFont.load_default(size) for size in (11, 13, 17))
        return Fonts(small, text, title, hangul=False)
    small, text, title = (ImageFont.truetype(path, size) for size in (11, 13, 17))
    return Fonts(small, text, title, hangul=True)


@lru_cache(maxsize=1)
def _hangul_font() -> str | None:
    """The best font for Korean that fontconfig knows of."""
    try:
        asked = ["fc-list", ":lang=ko", "file"]
        listed = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    found = sorted(line.rstrip(": ") for line in listed.stdout.splitlines() if line.strip())
    usable = [path for path in found if Path(path).suffix.lower() in (".ttf", ".ttc", ".otf")]

    def rank(path: str) -> tuple[int, str]:
        name = Path(path).name
        wanted = ("NotoSansCJK-Regular", "NotoSansKR-Regular", "NanumBarunGothic.", "NanumGothic.")
        places = [number for number, start in enumerate(wanted) if name.startswith(start)]
        return (places[0] if places else len(wanted), name)

    return min(usable, key=rank, default=None)


def plot(recording: Recording, letters: Fonts) -> Image.Image:
    """The picture. Rows of half a minute, one below the other."""
    rows = max(1, int(-(-recording.seconds // ROW_SECONDS)))
    size = (LEFT + int(ROW_SECONDS * SCALE) + RIGHT, TOP + rows * ROW + 10)
    image = Image.new("RGB", size, "white")
    judged = silences(recording)
    _title(ImageDraw.Draw(image), recording, judged, letters)
    for number in range(rows):
        row = _Row(image, letters, number * ROW_SECONDS, TOP + number * ROW)
        row.draw(recording, judged)
    return image


def _title(
    draw: ImageDraw.ImageDraw, recording: Recording, judged: Sequence[Silence], letters: Fonts
) -> None:
    bad = [each for each in judged if each.cue is Cue.NONE and each.seconds > LONGEST]
    longest = max((each.seconds for each in judged if each.cue is Cue.NONE), default=0.0)
    words = f"{recording.title}  {recording.seconds:.1f} s   longest uncued silence {longest:.1f} s"
    draw.text((14, 10), words, fill=RED if bad else INK, font=letters.title)
    at = 14
    legend = ((FILL[Track.AGENT], "agent"), (FILL[Track.CALLER], "caller"),
              (FILL[Track.HOLD], "hold music"), (GREY, "the caller waits"),
              (AMBER, f"cued, over {LONGEST:.0f} s"),
              (RED_FILL, f"uncued, over {LONGEST:.0f} s"))  # fmt: skip
    for colour, name in legend:
        draw.rectangle((at, 39, at + 14, 51), fill=colour, outline=FAINT)
        draw.text((at + 20, 38), name, fill=INK, font=letters.small)
        at += 42 + int(letters.small.getlength(name))


class _Row:
    """Half a minute of the picture."""

    def __init__(self, image: Image.Image, letters: Fonts, begin: float, top: int) -> None:
        self._draw = ImageDraw.Draw(image)
        self._letters = letters
        self._begin, self._end = begin, begin + ROW_SECONDS
        self._top = top
        self._lanes = {Track.AGENT: top + MARKS, Track.CALLER: top + MARKS + LANE + GAP}
        self._lanes[Track.HOLD] = self._lanes[Track.AGENT]
        self._floor = top + MARKS + 2 * (LANE + GAP)

    def draw(self, recording: Recording, judged: Sequence[Silence]) -> None:
        self._axis()
        for silence in judged:
            self._silence(silence)
        for sound in sorted(recording.sounds, key=lambda each: each.track is not Track.HOLD):
            self._sound(sound)
        self._marks(recording.marks)

    def _x(self, seconds: float) -> int:
        inside = min(max(seconds, self._begin), self._end)
        return LEFT + round((inside - self._begin) * SCALE)

    def _inside(self, start: float, end: float) -> bool:
        return start < self._end and end > self._begin

    def _axis(self) -> None:
        for track in (Track.AGENT, Track.CALLER):
            at = self._lanes[track] + LANE // 2 - 8
            self._draw.text((10, at), track.value, fill=EDGE[track], font=self._letters.text)
        for second in range(int(self._begin), int(self._end) + 1):
            x, long = self._x(second), second % 5 == 0
            if long:
                self._draw.line((x, self._top + MARKS, x, self._floor), fill=GRID)
                self._draw.text(
                    (x, self._floor + 8), str(second), fill=FAINT, font=self._letters.small,
                    anchor="ma",
                )  # fmt: skip
            self._draw.line((x, self._floor, x, self._floor + (6 if long else 3)), fill=FAINT)
        right = self._x(self._end)
        self._draw.line((LEFT, self._floor, right, self._floor), fill=FAINT)
        self._draw.text((right + 6, self._floor - 6), "s", fill=FAINT, font=self._letters.small)

    def _silence(self, silence: Silence) -> None:
        if not self._inside(silence.start, silence.end):
            return
        long = silence.seconds > LONGEST
        red = long and silence.cue is Cue.NONE
        colour = RED_FILL if red else AMBER if long else GREY
        box = (self._x(silence.start), self._top + MARKS, self._x(silence.end), self._floor - GAP)
        self._draw.rectangle(box, fill=colour, outline=RED if red else None, width=2)
        if long:
            middle = ((box[0] + box[2]) // 2, box[3] - 22)
            words, ink = f"{silence.seconds:.1f} s", RED if red else INK
            self._draw.text(middle, words, fill=ink, font=self._letters.text, anchor="ma")

    def _sound(self, sound: Sound) -> None:
        if not self._inside(sound.start, sound.end):
            return
        top = self._lanes[sound.track]
        left, right = self._x(sound.start), max(self._x(sound.end), self._x(sound.start) + 2)
        inset = 14 if sound.track is Track.HOLD or sound.keys else 2
        box = (left, top + inset, right, top + LANE - inset)
        self._draw.rectangle(box, fill=FILL[sound.track], outline=EDGE[sound.track])
        if sound.cut and sound.end <= self._end:
            self._draw.line((right, top - 3, right, top + LANE), fill=RED, width=3)
            self._draw.text((right + 4, top + 2), "cut", fill=RED, font=self._letters.small)
        if sound.track is Track.HOLD:
            self._draw.text((left + 5, top + 18), "hold", fill=INK, font=self._letters.small)
        elif right - left >= (sound.end - sound.start) * SCALE / 2:
            self._words(sound, left, right, top)  # in the row that holds more of it

    def _words(self, sound: Sound, left: int, right: int, top: int) -> None:
        """The words in the box; short ones of the caller may reach over its edge."""
        if not self._letters.hangul or not sound.text:
            words = "" if sound.keys else f"{sound.start:.1f}–{sound.end:.1f}"
            self._draw.text((left + 4, top + 5), words, fill=INK, font=self._letters.small)
            return
        room = max(right - left - 8, 70 if sound.track is Track.CALLER else 24)
        lines = list(_wrapped(sound.text, room, self._letters.text))
        fits = (LANE - 8) // 16
        if len(lines) > fits:
            lines = [*lines[: fits - 1], lines[fits - 1].rstrip() + " …"]
        for number, line in enumerate(lines):
            at = (left + 5, top + 5 + 16 * number)
            self._draw.text(at, line, fill=INK, font=self._letters.text)

    def _marks(self, marks: Sequence[Mark]) -> None:
        taken = [-1.0] * (MARKS // LEVEL)
        quick = _quick(marks)
        for mark in marks:
            if not self._begin <= mark.at < self._end or mark.id in quick:
                continue
            if mark.kind == "turn.waiting":
                self._tick(mark)
            elif mark.kind.startswith(_SHOWN) and mark.kind != "transfer.hold":
                self._label(mark, taken)

    def _tick(self, mark: Mark) -> None:
        x, at = self._x(mark.at), self._floor - 1
        self._draw.polygon([(x - 4, at + 6), (x + 4, at + 6), (x, at)], fill=EDGE[Track.CALLER])

    def _label(self, mark: Mark, taken: list[float]) -> None:
        x = self._x(mark.at)
        words = f"{mark.kind} {mark.text}".strip()
        width = self._letters.small.getlength(words)
        free = [number for number, end in enumerate(taken) if end < x]
        # Where all lines are taken, the line that is free first; the ticks stay exact.
        level = free[0] if free else min(range(len(taken)), key=lambda each: taken[each])
        begin = x if free else max(x, int(taken[level]) + 4)
        taken[level] = begin + width + 10
        top = self._top + LEVEL * level
        ink = RED if mark.kind in ("fault", "emr.failed") else INK
        self._draw.line((x, top + 2, x, self._floor), fill="#9aa4ad")
        self._draw.text((begin + 3, top), words, fill=ink, font=self._letters.small)


def _quick(marks: Sequence[Mark]) -> set[str]:
    """Searches that were over at once; nobody noticed them."""
    began = {mark.id: mark.at for mark in marks if mark.kind == "search.started"}
    ended = {mark.id: mark.at for mark in marks if mark.kind == "search.settled"}
    return {id_ for id_, at in began.items() if ended.get(id_, at + QUICK) - at < QUICK}


def _wrapped(text: str, room: int, font: Font) -> Iterator[str]:
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and font.getlength(longer) > room:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield line
