"""What a hospital has published, as text for a prompt (T2).

Decides only which facts are told and in what order; it must never add one that is not in the
settings or the public calendar. The same hospital and day always give the same text.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import cache

from wonmu.clock import SEOUL
from wonmu.hospital.config import DayHours, DepartmentSettings, DoctorSettings, HalfDays, Hospital
from wonmu.hospital.hours import Calendar
from wonmu.lines import Lines

_LEAST_DAYS = 14
"""Days off are told for two weeks, and for longer where visits are booked further ahead."""


def facts_text(hospital: Hospital, now: datetime) -> str:
    """The published facts as lines: name, address, hours, days off, doctors, fees, questions.

    ``now`` is aware; only its day in Seoul counts.
    """
    return "\n".join(_Facts(hospital, now.astimezone(SEOUL).date()).lines())


@cache
def _lines(language: str) -> Lines:
    return Lines.load(language)


class _Facts:
    def __init__(self, hospital: Hospital, today: date) -> None:
        self._hospital = hospital
        self._today = today
        self._days = max(_LEAST_DAYS, hospital.booking.furthest_days)
        self._say = _lines(hospital.language).say

    def lines(self) -> Iterator[str]:
        hospital, say = self._hospital, self._say
        yield say("facts.name", name=hospital.name)
        yield say("facts.address", address=hospital.address)
        yield say("facts.phone", phone=hospital.phone)
        yield say("facts.today", year=self._today.year, day=self._today)
        yield say("facts.hours_head")
        for number, hours in enumerate(hospital.hours.days()):
            yield self._hours(number, hours)
        yield say("facts.holidays")
        days_off = (*self._closed_days(), *self._leaves())
        if days_off:
            yield say("facts.days_off_head")
            yield from days_off
        yield say("facts.departments_head")
        yield from map(self._department, hospital.departments)
        yield say("facts.rota_head")
        yield from map(self._rota, (d for d in hospital.doctors if any(self._rota_days(d))))
        yield from self._certificates()
        yield from self._faq()

    def _weekday(self, number: int) -> str:
        return self._say("facts.weekday", variant=number)

    def _hours(self, number: int, hours: DayHours | None) -> str:
        weekday = self._weekday(number)
        if hours is None:
            return self._say("facts.hours_closed", weekday=weekday)
        if hours.lunch is None:
            return self._say(
                "facts.hours_open", weekday=weekday, open=hours.open, close=hours.close
            )
        return self._say(
            "facts.hours_lunch",
            weekday=weekday,
            open=hours.open,
            close=hours.close,
            start=hours.lunch.start,
            end=hours.lunch.end,
        )

    def _closed_days(self) -> Iterator[str]:
        calendar = Calendar(self._hospital)
        for distance in range(self._days + 1):
            day = self._today + timedelta(days=distance)
            if name := calendar.holidays(day.year).get(day):
                is_open = day in self._hospital.public_holidays.open_on
                yield self._say(
                    "facts.holiday_open" if is_open else "facts.holiday", day=day, name=name
                )
            yield from self._closures(day)

    def _closures(self, day: date) -> Iterator[str]:
        for closure in self._hospital.closures:
            if not closure.start <= day <= closure.end:
                continue
            if closure.hours is None:
                yield self._say("facts.closure", day=day, reason=closure.reason)
            else:
                yield self._say(
                    "facts.closure_part",
                    day=day,
                    reason=closure.reason,
                    start=closure.hours.start,
                    end=closure.hours.end,
                )

    def _leaves(self) -> Iterator[str]:
        last = self._today + timedelta(days=self._days)
        for doctor in self._hospital.doctors:
            for leave in doctor.leave:
                if leave.end < self._today or leave.start > last:
                    continue
                if leave.start == leave.end:
                    yield self._say("facts.leave_day", doctor=doctor.spoken, start=leave.start)
                else:
                    yield self._say(
                        "facts.leave", doctor=doctor.spoken, start=leave.start, end=leave.end
                    )

    def _department(self, department: DepartmentSettings) -> str:
        doctors = [d.spoken for d in self._hospital.doctors if d.department == department.id]
        name = "facts.department" if department.bookable else "facts.department_by_person"
        return self._say(name, name=department.name, doctors=", ".join(doctors))

    def _rota(self, doctor: DoctorSettings) -> str:
        days = ", ".join(self._rota_days(doctor))
        return self._say("facts.rota", doctor=doctor.spoken, days=days)

    def _rota_days(self, doctor: DoctorSettings) -> Iterator[str]:
        for number, half in enumerate(doctor.rota.days()):
            if half is not HalfDays.OFF:
                yield self._say(f"facts.rota_{half}", weekday=self._weekday(number))

    def _certificates(self) -> Iterator[str]:
        billing = self._hospital.billing
        if billing is None or not billing.certificates:
            return
        yield self._say("facts.certificates_head")
        for each in billing.certificates:
            if each.copy_fee is None:
                yield self._say("facts.certificate", name=each.name, fee=each.fee)
            else:
                yield self._say(
                    "facts.certificate_copy", name=each.name, fee=each.fee, copy=each.copy_fee
                )

    def _faq(self) -> Iterator[str]:
        if self._hospital.faq:
            yield self._say("facts.faq_head")
        for entry in self._hospital.faq:
            keywords = ", ".join(entry.keywords)
            yield self._say("facts.question", question=entry.question, keywords=keywords)
            yield self._say("facts.answer", answer=entry.answer)
