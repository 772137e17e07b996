"""Small readings of FHIR values: references, moments, ranges, paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from wonmu.clock import SEOUL
from wonmu.emr.server.problems import Json

_DATE_TIME = re.compile(
    r"(?P<year>\d{4})(-(?P<month>\d{2})(-(?P<day>\d{2})"
    r"(T(?P<hour>\d{2}):(?P<minute>\d{2})(:(?P<second>\d{2})(\.\d+)?)?"
    r"(?P<zone>Z|[+-]\d{2}:\d{2})?)?)?)?"
)
_REFERENCE = re.compile(r"(?P<kind>[A-Z][A-Za-z]+)/(?P<id>[A-Za-z0-9.-]{1,64})(/_history/.+)?")
_FIRST_YEAR, _LAST_YEAR = 1800, 2199
"""Nobody is born and nothing is booked outside; far away there are moments that no zone has."""
ID = re.compile(r"[A-Za-z0-9.-]{1,64}")


@dataclass(frozen=True, slots=True)
class Range:
    """``low`` inclusive, ``high`` exclusive; a precise moment has a length of zero."""

    low: datetime
    high: datetime

    def contains(self, other: Range) -> bool:
        return self.low <= other.low and other.high <= self.high and other.low < self.high


def local(moment: datetime) -> str:
    """A moment as it is served: Asia/Seoul with its offset."""
    return moment.astimezone(SEOUL).isoformat(timespec="seconds")


def instant(text: object) -> datetime | None:
    """A moment with seconds and offset (FHIR instant), or None."""
    if not isinstance(text, str) or "T" not in text:
        return None
    found = _DATE_TIME.fullmatch(text)
    if found is None or found["second"] is None or found["zone"] is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def date_range(text: str) -> Range | None:
    """What a date, dateTime or instant of any precision covers; without zone it is Asia/Seoul."""
    found = _DATE_TIME.fullmatch(text)
    if found is None or not _FIRST_YEAR <= int(found["year"]) <= _LAST_YEAR:
        return None
    try:
        return _range(found, text)
    except ValueError:
        return None


def _range(found: re.Match[str], text: str) -> Range:
    year, month, day = int(found["year"]), found["month"], found["day"]
    if month is None:
        return Range(_midnight(year, 1, 1), _midnight(year + 1, 1, 1))
    if day is None:
        first = _midnight(year, int(month), 1)
        return Range(first, (first + timedelta(days=32)).replace(day=1))
    if found["hour"] is None:
        start = _midnight(year, int(month), int(day))
        return Range(start, start + timedelta(days=1))
    moment = datetime.fromisoformat(text)
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=SEOUL)
    length = timedelta(minutes=1) if found["second"] is None else timedelta(seconds=1)
    return Range(moment.astimezone(UTC), (moment + length).astimezone(UTC))


def _midnight(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, tzinfo=SEOUL)


def reference(text: object, base: str = "") -> tuple[str, str] | None:
    """Kind and id of a reference into this server, relative or under its base; else None."""
    if not isinstance(text, str):
        return None
    if base and text.startswith(base + "/"):
        text = text[len(base) + 1 :]
    found = _REFERENCE.fullmatch(text)
    return None if found is None else (found["kind"], found["id"])


def ids_of(values: tuple[str, ...], kinds: tuple[str, ...], base: str) -> set[str]:
    """Ids that reference parameters name, with or without the kind in front."""
    found = set()
    for value in values:
        pair = reference(value, base)
        if pair is not None and pair[0] in kinds:
            found.add(pair[1])
        elif pair is None and ID.fullmatch(value):
            found.add(value)
    return found


def at_path(value: Any, path: str) -> Iterator[Any]:
    """Everything at a dotted path; lists are walked through."""
    if isinstance(value, list):
        for each in value:
            yield from at_path(each, path)
        return
    if not path:
        if value is not None:
            yield value
        return
    head, _, rest = path.partition(".")
    if isinstance(value, dict) and head in value:
        yield from at_path(value[head], rest)


def coded(system: str, code: str, display: str) -> Json:
    """A CodeableConcept of one coding."""
    coding = {"system": system, "code": code, "display": display}
    return {"coding": [coding], "text": display}


def to(kind: str, identity: str, display: str | None = None) -> Json:
    """A Reference."""
    link: Json = {"reference": f"{kind}/{identity}"}
    return link if display is None else {**link, "display": display}
