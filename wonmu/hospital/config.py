"""What a hospital may set, as frozen models.

Decides which settings exist, their types and their limits. It must never guess a rule that a
hospital did not write, and holds no state of a call. What contradicts what is in
``contradictions``; reading the files is in ``loading``.

Written values: clock times as ``HH:MM`` in Asia/Seoul, days as ``YYYY-MM-DD``, lengths in the unit
that the field's name ends with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from wonmu.ids import DepartmentId, DoctorId, HospitalId

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PHONE = re.compile(r"0[0-9]{1,2}-?[0-9]{3,4}-?[0-9]{4}|1[568][0-9]{2}-?[0-9]{4}")


def _clock(value: object) -> object:
    if isinstance(value, time):
        return value
    found = _CLOCK.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError('should be a time of day such as "09:00"')
    return time(int(found[1]), int(found[2]))


def _day(value: object) -> object:
    if isinstance(value, date):
        return value
    if not isinstance(value, str) or _DAY.fullmatch(value) is None:
        raise ValueError("should be a day such as 2026-12-24")
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise ValueError("is not a day of the calendar") from error


def _phone(value: str) -> str:
    if _PHONE.fullmatch(value) is None:
        raise ValueError('should be a Korean phone number such as "02-0000-0000"')
    return value


def _closed_or_hours(value: object) -> object:
    if value is None:
        raise ValueError("should be hours, or the word closed")
    return None if value == "closed" else value


def _said(value: str) -> str:
    if value != value.strip() or not value or any(not c.isprintable() for c in value):
        raise ValueError("should be one line of text without blanks at its ends")
    return value


ClockTime = Annotated[time, BeforeValidator(_clock)]
Day = Annotated[date, BeforeValidator(_day)]
PhoneNumber = Annotated[str, AfterValidator(_phone)]
Line = Annotated[str, Field(max_length=600), AfterValidator(_said)]
IdText = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")]
Seconds = Annotated[float, Field(gt=0, le=120, allow_inf_nan=False)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ActionMode(StrEnum):
    """Who carries out a booking action (T7)."""

    AUTO = "auto"
    TRANSFER = "transfer"
    LEAVE_MEMO = "leave_memo"


class CommitMode(StrEnum):
    """Whether a booking is a request for staff or is written to the record system (B2)."""

    REQUEST = "request"
    DIRECT = "direct"


class DoctorChoiceRule(StrEnum):
    """Whether a caller must choose among several doctors (T9)."""

    REQUIRED = "required"
    OPTIONAL = "optional"


class EmrKind(StrEnum):
    """``request_only`` has no record system that can be written to."""

    EMBEDDED = "embedded"
    REQUEST_ONLY = "request_only"


class Fallback(StrEnum):
    """What happens when the record system fails (A8)."""

    PERSON = "person"
    MEMO = "memo"


class HalfDays(StrEnum):
    """When a doctor sees patients on a weekday. Halves are split by lunch, without lunch at 13:00."""

    MORNING = "am"
    AFTERNOON = "pm"
    ALL = "all"
    OFF = "off"


class Span(_Model):
    """Half-open ``[start, end)`` within one day."""

    start: ClockTime
    end: ClockTime


class DayHours(_Model):
    """Opening hours of one weekday; ``lunch`` is cut out of them."""

    open: ClockTime
    close: ClockTime
    lunch: Span | None = None


OpenDay = Annotated[DayHours | None, BeforeValidator(_closed_or_hours)]


class WeeklyHours(_Model):
    """Every weekday must be written, as hours or as ``closed`` (here None)."""

    monday: OpenDay
    tuesday: OpenDay
    wednesday: OpenDay
    thursday: OpenDay
    friday: OpenDay
    saturday: OpenDay
    sunday: OpenDay

    def days(self) -> tuple[DayHours | None, ...]:
        """Monday first, as ``date.weekday()`` counts."""
        return (
            self.monday,
            self.tuesday,
            self.wednesday,
            self.thursday,
            self.friday,
            self.saturday,
            self.sunday,
        )


WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class NamedDay(_Model):
    day: Day
    name: Line


class PublicHolidays(_Model):
    """This hospital's word over the public calendar.

    ``added``: days decreed at short notice; ``removed``: days the calendar has wrong;
    ``open_on``: holidays on which the hospital keeps the weekday's usual hours.
    """

    added: tuple[NamedDay, ...] = ()
    removed: tuple[Day, ...] = ()
    open_on: tuple[Day, ...] = ()


class Closure(_Model):
    """Closed from ``start`` to ``end``, both included; with ``hours`` only that part of each day."""

    start: Day
    end: Day
    reason: Line
    hours: Span | None = None


class Greeting(_Model):
    """The first words of a call, in this order; ``text`` is all of them."""

    hello: Line
    ai_notice: Line
    recording: bool
    recording_notice: Line | None = None
    invite: Line

    @property
    def text(self) -> str:
        notice = (self.recording_notice,) if self.recording_notice else ()
        return " ".join((self.hello, self.ai_notice, *notice, self.invite))


class DepartmentSettings(_Model):
    """``bookable: false`` means a person must do it; ``aliases`` are what callers say."""

    id: Annotated[DepartmentId, Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")]
    name: Line
    aliases: tuple[Line, ...] = ()
    bookable: bool = True


class Rota(_Model):
    monday: Annotated[HalfDays, Field(strict=False)] = HalfDays.OFF
    tuesday: Annotated[HalfDays, Field(strict=False)] = HalfDays.OFF
    wednesday: Annotated[HalfDays, Field(strict=False)] = HalfDays.OFF
    thursday: Annotated[HalfDays, Field(strict=False)] = HalfDays.OFF
    friday: Annotated[HalfDays, Field(strict=False)] = HalfDays.OFF
    saturday: Annotated[HalfDays, Field(strict=False)] = HalfDays.OFF
    sunday: Annotated[HalfDays, Field(strict=False)] = HalfDays.OFF

    def days(self) -> tuple[HalfDays, ...]:
        """Monday first, as ``date.weekday()`` counts."""
        return (
            self.monday,
            self.tuesday,
            self.wednesday,
            self.thursday,
            self.friday,
            self.saturday,
            self.sunday,
        )


class Leave(_Model):
    """Away from ``start`` to ``end``, both included."""

    start: Day
    end: Day

    def covers(self, day: date) -> bool:
        return self.start <= day <= self.end


class DoctorSettings(_Model):
    """``name`` is the full name without title; ``title`` is 원장, 과장, … as callers hear it."""

    id: Annotated[DoctorId, Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")]
    name: Annotated[str, Field(pattern=r"^[가-힣]{2,5}$")]
    department: DepartmentId
    title: Line
    aliases: tuple[Line, ...] = ()
    bookable: bool = True
    rota: Rota = Rota()
    leave: tuple[Leave, ...] = ()

    @property
    def spoken(self) -> str:
        return f"{self.name} {self.title}"


class Faq(_Model):
    """One published answer. ``keywords`` are other ways to ask for it."""

    question: Line
    answer: Line
    keywords: Annotated[tuple[Line, ...], Field(min_length=1)]


class InsuranceKind(_Model):
    id: IdText
    name: Line
    aliases: tuple[Line, ...] = ()


class InsuranceRules(_Model):
    ask: bool
    kinds: tuple[InsuranceKind, ...] = ()


class BookingRules(_Model):
    """``lead_minutes``: shortest time before a visit; ``furthest_days``: last bookable day."""

    lead_minutes: Annotated[int, Field(ge=0, le=14 * 24 * 60)]
    furthest_days: Annotated[int, Field(ge=1, le=365)]
    doctor_choice: Annotated[DoctorChoiceRule, Field(strict=False)]
    insurance: InsuranceRules
    commit_mode: Annotated[CommitMode, Field(strict=False)]
    slot_minutes: Annotated[int, Field(ge=5, le=120)]
    same_day: bool


class ActionModes(_Model):
    """Mode of each of the four booking actions (T7)."""

    create: Annotated[ActionMode, Field(strict=False)]
    inquire: Annotated[ActionMode, Field(strict=False)]
    change: Annotated[ActionMode, Field(strict=False)]
    cancel: Annotated[ActionMode, Field(strict=False)]

    def __iter__(self) -> Iterator[tuple[str, ActionMode]]:  # type: ignore[override]
        """The four names with their modes, in the order of the fields."""
        yield from (
            ("create", self.create),
            ("inquire", self.inquire),
            ("change", self.change),
            ("cancel", self.cancel),
        )


class IdentityRules(_Model):
    """``attempts``: tries at the birth date in one call (D1)."""

    attempts: Annotated[int, Field(ge=1, le=5)] = 3


class KeypadRules(_Model):
    """``first_seconds``: wait for the first digit; ``between_seconds``: pause that ends the entry."""

    digits: Literal[6, 8] = 6
    first_seconds: Seconds = 8.0
    between_seconds: Seconds = 4.0


class SilenceRules(_Model):
    """``ask_after_seconds``: quiet before the caller is asked again, at most ``asks`` times.

    ``filler_after_seconds``: quiet while a lookup runs before it is explained (A3), at most
    ``fillers`` times a lookup.
    """

    ask_after_seconds: Seconds = 8.0
    asks: Annotated[int, Field(ge=1, le=5)] = 2
    filler_after_seconds: Annotated[float, Field(ge=1, le=4)] = 3.0
    fillers: Annotated[int, Field(ge=1, le=10)] = 5


class DeskSettings(_Model):
    """The people behind the line. ``hours`` None means the hospital's own hours."""

    name: Line
    number: PhoneNumber
    ring_seconds: Seconds = 25.0
    hours: WeeklyHours | None = None


class EmrSettings(_Model):
    """``request_seconds``: limit of one request; ``tool_seconds``: cap on a whole tool (A8)."""

    kind: Annotated[EmrKind, Field(strict=False)] = EmrKind.EMBEDDED
    request_seconds: Annotated[float, Field(ge=0.1, le=30, allow_inf_nan=False)] = 3.0
    tool_seconds: Annotated[float, Field(ge=0.1, le=60, allow_inf_nan=False)] = 8.0
    fallback: Annotated[Fallback, Field(strict=False)] = Fallback.MEMO


class RetentionRules(_Model):
    """How long the stores keep what a call left (E5)."""

    timeline_days: Annotated[int, Field(ge=1, le=730)] = 30
    requests_days: Annotated[int, Field(ge=1, le=3650)] = 365


class Hospital(_Model):
    """Everything one hospital has published and decided."""

    id: Annotated[HospitalId, Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")]
    name: Line
    phone: PhoneNumber
    address: Line
    language: Literal["ko"] = "ko"
    timezone: Literal["Asia/Seoul"] = "Asia/Seoul"
    greeting: Greeting
    hours: WeeklyHours
    public_holidays: PublicHolidays = PublicHolidays()
    closures: tuple[Closure, ...] = ()
    departments: Annotated[tuple[DepartmentSettings, ...], Field(min_length=1)]
    doctors: Annotated[tuple[DoctorSettings, ...], Field(min_length=1)]
    faq: tuple[Faq, ...]
    booking: BookingRules
    actions: ActionModes
    desk: DeskSettings | None = None
    identity: IdentityRules = IdentityRules()
    keypad: KeypadRules = KeypadRules()
    silence: SilenceRules = SilenceRules()
    emr: EmrSettings = EmrSettings()
    retention: RetentionRules = RetentionRules()

    @property
    def number(self) -> str:
        """The dialled number, digits only."""
        return digits_of(self.phone)


def digits_of(number: str) -> str:
    """National digits of a number in any spelling: +82-2-…, 0082…, sip:02…@host, 02-…"""
    user = number.removeprefix("sip:").removeprefix("tel:").split("@")[0].split(";")[0]
    digits = "".join(c for c in user if c in "0123456789")
    for prefix in ("0082", "82"):
        if digits.startswith(prefix) and (prefix == "0082" or user.lstrip().startswith("+")):
            return "0" + digits[len(prefix) :].removeprefix("0")
    return digits
