"""Reading options the same way in every command; each mistake is one sentence."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

from wonmu.clock import SEOUL
from wonmu.errors import InputError
from wonmu.hospital.config import Hospital
from wonmu.hospital.loading import Hospitals, load_hospitals
from wonmu.place import Folder, Place, place_of


def hospitals_of(settings: str | None) -> Hospitals:
    if settings is not None and not Path(settings).exists():
        raise InputError(f"--settings {settings}: there is no such folder; check the path")
    return load_hospitals(Path(settings) if settings is not None else None)


def choose_hospital(found: Hospitals, wanted: str | None) -> Hospital:
    """By id or dialled number; the first one when nothing is asked for."""
    return found.all()[0] if wanted is None else found.pick(wanted)


_FIRST_YEAR, _LAST_YEAR = 1970, 2999
"""A clock outside has no calendar around it: birth dates before it, bookings after it."""


def moment_of(now: str | None) -> datetime:
    """The hospital's clock; without an offset it is Asia/Seoul time."""
    if now is None:
        return datetime.now(SEOUL)
    try:
        moment = datetime.fromisoformat(now)
    except ValueError:
        raise InputError(
            f"--now {now}: is no date and time; write for example 2026-12-01T10:00+09:00"
        ) from None
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        raise InputError(f"--now {now}: must lie in the years {_FIRST_YEAR} to {_LAST_YEAR}")
    return moment.replace(tzinfo=SEOUL) if moment.tzinfo is None else moment.astimezone(SEOUL)


def day_of(day: str | None) -> date | None:
    if day is None:
        return None
    try:
        return date.fromisoformat(day)
    except ValueError:
        raise InputError(f"--day {day}: is no day; write for example 2026-12-08") from None


def folder_of(data: str) -> Path:
    """A data folder that must exist already."""
    path = Path(data)
    if not path.is_dir():
        raise InputError(
            f"--data {data}: there is no such folder; run wonmu chat --data {data} first"
        )
    return path


def existing_place(data: str | None, db: str | None) -> Place:
    """Where the stores lie that a command looks into; a folder must exist already."""
    place = place_of(data, db)
    if place is None:
        raise InputError("say where the stores are: --data FOLDER, or --db URL for PostgreSQL")
    if isinstance(place, Folder):
        folder_of(str(place.path))
    return place
