"""Which doctors of a list a sentence may mean.

Decides by the most exact way in which somebody is named: full name, then surname or given name
with a title, then title alone, then a full name one letter off. It must never narrow several that
fit down to one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wonmu.hospital.config import DoctorSettings
from wonmu.hospital.heard import Heard, Mention, fold, letters_off, mentions, sound
from wonmu.hospital.spoken_names import LONG_SURNAMES, NOT_NAMES, SURNAMES, TITLE
from wonmu.ids import DoctorId

_NEAR_WITHOUT_TITLE = 3
"""Shorter names are one letter off from too many words; they need a title behind them."""


@dataclass(frozen=True, slots=True)
class DoctorsMeant:
    """``ids`` in the order of the list; ``said`` a name that none of them has."""

    ids: tuple[DoctorId, ...] = ()
    near: bool = False
    said: str = ""


class DoctorSearch:
    """One search, of one sentence."""

    def __init__(self, doctors: Sequence[DoctorSettings], words: str) -> None:
        # Both have one sign a syllable, so a place in one is the same place in the other.
        self._doctors = doctors
        self._plain = Heard.of(words)
        self._heard = Heard(sound(self._plain.text), self._plain.starts)

    def run(self) -> DoctorsMeant:
        full = self._full_names()
        titled = [t for t in TITLE.finditer(self._plain.text) if not self._within(t, full)]
        wanted = [m.key for m in full if not self._dropped(m.end)]
        if wanted:
            return self._meant(wanted)
        return self._by_title(titled) or (DoctorsMeant() if full else self._near())

    def _full_names(self) -> list[Mention[DoctorId]]:
        names = [
            (sound(fold(name)), doctor.id)
            for doctor in self._doctors
            for name in (doctor.name, *doctor.aliases)
        ]
        return mentions(self._heard, names)

    def _dropped(self, end: int) -> bool:
        """Turned away, with or without the title behind the name."""
        title = TITLE.match(self._plain.text, end)
        return self._plain.dropped_after(title.end() if title else end)

    def _within(self, title: re.Match[str], full: Iterable[Mention[DoctorId]]) -> bool:
        return any(m.start <= title.start() <= m.end for m in full)

    def _by_title(self, titles: Sequence[re.Match[str]]) -> DoctorsMeant | None:
        wanted = [title for title in titles if not self._plain.dropped_after(title.end())]
        named = [ids for title in wanted if (ids := self._named_before(title))]
        if named:
            return self._meant([id for ids in named for id in ids])
        if near := self._near().ids:
            return DoctorsMeant(near, near=True)
        said = [name for title in wanted if (name := self._stranger_before(title))]
        if said:
            return DoctorsMeant(said=said[0])
        alone = [id for title in wanted for id in self._with_title(title["title"])]
        return self._meant(alone) if alone else None

    def _named_before(self, title: re.Match[str]) -> list[DoctorId]:
        """Doctors whose surname or given name stands right before the title."""
        called = [d for d in self._doctors if self._calls(d, title.start())]
        with_title = [d.id for d in called if d.title == title["title"]]
        return with_title or [d.id for d in called]

    def _calls(self, doctor: DoctorSettings, end: int) -> bool:
        surname = _surname(doctor.name)
        return any(
            self._stands(sound(part), end) for part in (surname, doctor.name[len(surname) :])
        )

    def _stands(self, part: str, end: int) -> bool:
        start = end - len(part)
        return start in self._heard.starts and self._heard.text[start:end] == part

    def _stranger_before(self, title: re.Match[str]) -> str:
        """A surname or full name before the title that no doctor here has."""
        for length in (1, 2, 3, 4):
            start = title.start() - length
            if start not in self._plain.starts:
                continue
            name = self._plain.text[start : title.start()]
            if name in LONG_SURNAMES or (length in (1, 3) and _may_be_name(name)):
                return f"{name} {self._plain.text[title.start() : title.end()]}"
        return ""

    def _with_title(self, title: str) -> list[DoctorId]:
        return [doctor.id for doctor in self._doctors if doctor.title == title]

    def _near(self) -> DoctorsMeant:
        ids = [d.id for d in self._doctors if self._nearly(sound(d.name))]
        return DoctorsMeant(tuple(ids), near=True)

    def _nearly(self, name: str) -> bool:
        for start in self._heard.starts:
            end = start + len(name)
            if letters_off(self._heard.text[start:end], name) != 1 or self._dropped(end):
                continue
            if len(name) >= _NEAR_WITHOUT_TITLE or TITLE.match(self._plain.text, end):
                return True
        return False

    def _meant(self, wanted: Sequence[DoctorId]) -> DoctorsMeant:
        return DoctorsMeant(tuple(d.id for d in self._doctors if d.id in wanted))


def _surname(name: str) -> str:
    return next((long for long in LONG_SURNAMES if name.startswith(long)), name[:1])


def _may_be_name(name: str) -> bool:
    return name[0] in SURNAMES and not name.startswith(NOT_NAMES)
