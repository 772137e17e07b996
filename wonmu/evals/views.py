"""What the checks N1–N11 need to see of a played call, drawn from hospital, script and stores.

Decides which strings count as secret or private in a call: names on file and every birth date
that was keyed or is on file for the calling number. It reads the stores; it never reads flags of
the code that ran the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from wonmu.clock import SEOUL
from wonmu.commands.chat import caller_of
from wonmu.commands.common import moment_of
from wonmu.evals.dialogue import Talk
from wonmu.hospital.config import Hospital
from wonmu.hospital.hours import Calendar
from wonmu.korean.numbers import BirthOk, birth_from_keys
from wonmu.timeline.events import Event
from wonmu.timeline.spoken import birth_spellings
from wonmu.timeline.view import AppointmentRow, CallView, InboxRow, ModelRequest, Scope

Row = Mapping[str, Any]
_AFTER_ALL = 1_000_000
"""A number above that of any event."""


def view_of(
    hospital: Hospital,
    talk: Talk,
    events: Sequence[Event],
    inbox: Sequence[Row],
    records: Sequence[Row],
    sent: Sequence[str] = (),
) -> CallView:
    """Everything the checks may ask for in a text call. ``sent``: requests to a model, as text.

    When each was sent is not known, so they are held against N8 alone, which needs no moment.
    """
    return CallView(
        events=tuple(events),
        inbox=tuple(InboxRow.from_json(row) for row in inbox),
        appointments=tuple(_appointment(row) for row in _of(records, "appointment")),
        scope=scope_of(hospital, moment_of(talk.now)),
        secrets=_secrets(hospital, records),
        private=_private(talk, inbox, records),
        model_requests=tuple(ModelRequest(_AFTER_ALL, text) for text in sent),
        names=_names(hospital),
        modes=_modes(hospital),
    )


def scope_of(hospital: Hospital, now: datetime) -> Scope:
    """The closed lists, and the window from the start of the call."""
    earliest, latest = Calendar(hospital).bookable_window(now)
    departments = [each for each in hospital.departments if each.bookable]
    doctors = [each for each in hospital.doctors if each.bookable]
    names = {each.id: each.name for each in departments}
    homes = {
        key: frozenset({each.department, names.get(each.department, "")})
        for each in doctors
        for key in (each.id, each.name)
    }
    return Scope(
        departments=frozenset(names) | frozenset(names.values()),
        doctors=frozenset(homes),
        earliest=earliest,
        latest=latest,
        doctor_departments=homes,
    )


def _names(hospital: Hospital) -> dict[str, str]:
    departments = {each.id: each.name for each in hospital.departments}
    return departments | {each.id: each.name for each in hospital.doctors}


def _modes(hospital: Hospital) -> dict[str, str]:
    actions = hospital.actions
    return {
        "booking.create": actions.create.value,
        "booking.inquire": actions.inquire.value,
        "booking.change": actions.change.value,
        "booking.cancel": actions.cancel.value,
    }


def _of(records: Sequence[Row], kind: str) -> Iterator[Row]:
    return (row for row in records if row["kind"] == kind)


def _secrets(hospital: Hospital, records: Sequence[Row]) -> tuple[str, ...]:
    """Names of patients, but for those that a published doctor bears."""
    published = {doctor.name for doctor in hospital.doctors}
    names = {str(row["name"]) for row in _of(records, "patient")}
    return tuple(sorted(names - published))


def _private(talk: Talk, inbox: Sequence[Row], records: Sequence[Row]) -> tuple[str, ...]:
    """Every spelling of the birth dates that this call can have held."""
    days = {*_keyed(talk), *_on_file(talk, records), *_recorded(inbox)}
    return tuple(dict.fromkeys(s for day in sorted(days) for s in birth_spellings(day)))


def _keyed(talk: Talk) -> Iterator[date]:
    today = moment_of(talk.now).date()
    for line in talk.lines:
        if line.strip().startswith("#"):
            keys = line.strip()[1:].rpartition("*")[2].strip("#")
            reading = birth_from_keys(keys, today=today)
            if isinstance(reading, BirthOk):
                yield reading.value


def _on_file(talk: Talk, records: Sequence[Row]) -> Iterator[date]:
    caller = caller_of(talk.caller)
    for row in _of(records, "patient"):
        if caller is not None and caller in row["phones"]:
            yield date.fromisoformat(row["birth_date"])


def _recorded(inbox: Sequence[Row]) -> Iterator[date]:
    for row in inbox:
        if row["patient"]["birth_date"] is not None:
            yield date.fromisoformat(row["patient"]["birth_date"])


def _appointment(row: Row) -> AppointmentRow:
    return AppointmentRow(
        id=row["id"],
        patient=row["patient_id"],
        slot_id=row["slot_id"],
        start=datetime.fromisoformat(row["start"]).astimezone(SEOUL),
        status=row["status"],
        key=row.get("key") or "",
    )
