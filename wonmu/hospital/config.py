"""What a hospital may set, as frozen models.

Decides which settings exist, their types and their limits. It must never guess a rule that a
hospital did not write, and holds no state of a call. What contradicts what is in
``contradictions``; reading the files is in ``loading``.

Written values: clock times as ``HH:MM`` in Asia/Seoul, days as ``YYYY-MM-DD``, lengths in the unit
that the field's name ends with.
"""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from wonmu.hospital.billing import BillingSettings as BillingSettings
from wonmu.hospital.fields import (
    ClockTime,
    Day,
    IdText,
    Line,
    PhoneNumber,
    Seconds,
    Settings,
    closed_or_hours,
    digits_of,
)
from wonmu.hospital.record_system import BreakerRules as BreakerRules
from wonmu.hospital.record_system import EmrKind as EmrKind
from wonmu.hospital.record_system import EmrSettings as EmrSettings
from wonmu.hospital.record_system import Fallback as Fallback
from wonmu.hospital.record_system import FhirSettings as FhirSettings
from wonmu.hospital.record_system import WriteRule as WriteRule
from wonmu.ids import DepartmentId, DoctorId, HospitalId


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


class HalfDays(StrEnum):
    """When a doctor sees patients on a weekday, split by lunch (13:00 when there is none)."""

    MORNING = "am"
    AFTERNOON = "pm"
    ALL = "all"
    OFF = "off"


class Span(Settings):
    """Half-open ``[start, end)`` within one day."""

    start: ClockTime
    end: ClockTime


class DayHours(Settings):
    """Opening hours of one weekday; ``lunch`` is cut out of them."""

    open: ClockTime
    close: ClockTime
    lunch: Span | None = None


OpenDay = Annotated[DayHours | None, BeforeValidator(closed_or_hours)]


class WeeklyHours(Settings):
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


class NamedDay(Settings):
    day: Day
    name: Line


class PublicHolidays(Settings):
    """This hospital's word over the public calendar.

    ``added``: days decreed at short notice; ``removed``: days the calendar has wrong;
    ``open_on``: holidays on which the hospital keeps the weekday's usual hours.
    """

    added: tuple[NamedDay, ...] = ()
    removed: tuple[Day, ...] = ()
    open_on: tuple[Day, ...] = ()


class Closure(Settings):
    """Closed from ``start`` to ``end``, both included; with ``hours`` only then on each day."""

    start: Day
    end: Day
    reason: Line
    hours: Span | None = None


class Greeting(Settings):
    """The first words of a call, in this order; ``text`` is all of them."""

    hello: Line
    ai_notice: Line
    recording: bool
    recording_notice: Line | None = None
    invite: Line

    @property
    def notices(self) -> str:
        """What every caller must hear, whatever is talked over."""
        return " ".join(filter(None, (self.ai_notice, self.recording_notice)))

    @property
    def text(self) -> str:
        notice = (self.recording_notice,) if self.recording_notice else ()
        return " ".join((self.hello, self.ai_notice, *notice, self.invite))


class DepartmentSettings(Settings):
    """``bookable: false`` means a person must do it; ``aliases`` are what callers say."""

    id: Annotated[DepartmentId, Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")]
    name: Line
    aliases: tuple[Line, ...] = ()
    bookable: bool = True


class Rota(Settings):
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


class Leave(Settings):
    """Away from ``start`` to ``end``, both included."""

    start: Day
    end: Day

    def covers(self, day: date) -> bool:
        return self.start <= day <= self.end


class DoctorSettings(Settings):
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


class Faq(Settings):
    """One published answer. ``keywords`` are other ways to ask for it."""

    question: Line
    answer: Line
    keywords: Annotated[tuple[Line, ...], Field(min_length=1)]


class InsuranceKind(Settings):
    id: IdText
    name: Line
    aliases: tuple[Line, ...] = ()


class InsuranceRules(Settings):
    ask: bool
    kinds: tuple[InsuranceKind, ...] = ()


class BookingRules(Settings):
    """``lead_minutes``: shortest time before a visit; ``furthest_days``: last bookable day."""

    lead_minutes: Annotated[int, Field(ge=0, le=14 * 24 * 60)]
    furthest_days: Annotated[int, Field(ge=1, le=365)]
    doctor_choice: Annotated[DoctorChoiceRule, Field(strict=False)]
    insurance: InsuranceRules
    commit_mode: Annotated[CommitMode, Field(strict=False)]
    slot_minutes: Annotated[int, Field(ge=5, le=120)]
    same_day: bool


class ActionModes(Settings):
    """Mode of each of the four booking actions (T7)."""

    create: Annotated[ActionMode, Field(strict=False)]
    inquire: Annotated[ActionMode, Field(strict=False)]
    change: Annotated[ActionMode, Field(strict=False)]
    cancel: Annotated[ActionMode, Field(strict=False)]


class IdentityRules(Settings):
    """``attempts``: tries at the birth date in one call (D1)."""

    attempts: Annotated[int, Field(ge=1, le=5)] = 3


class KeypadRules(Settings):
    """``first_seconds``: wait for a first digit; ``between_seconds``: pause that ends an entry.

    The pause stays below the 4 s after which a caller who waits must hear something (N11).
    """

    digits: Literal[6, 8] = 6
    first_seconds: Seconds = 8.0
    between_seconds: Annotated[float, Field(gt=0, lt=4, allow_inf_nan=False)] = 3.5


class MenuAction(StrEnum):
    """What a key of the menu stands for (T6). ``info`` asks a question of the hospital's."""

    CREATE = "booking.create"
    INQUIRE = "booking.inquire"
    CHANGE = "booking.change"
    CANCEL = "booking.cancel"
    BILLING = "billing"
    PERSON = "person"
    INFO = "info"


class MenuEntry(Settings):
    """One key. ``name``: what it is called in the announcement, the action's own name if None.

    ``question``: for ``info`` only, what the caller asks by it, as a caller would put it.
    """

    digit: Annotated[int, Field(ge=0, le=9)]
    action: Annotated[MenuAction, Field(strict=False)]
    name: Line | None = None
    question: Line | None = None


class KeypadMenu(Settings):
    """Keys that name a wish. ``announce``: the menu is told after the greeting."""

    announce: bool = True
    entries: Annotated[tuple[MenuEntry, ...], Field(min_length=1)]

    def entry(self, digit: int) -> MenuEntry | None:
        return next((entry for entry in self.entries if entry.digit == digit), None)


class SilenceRules(Settings):
    """``ask_after_seconds``: quiet before the caller is asked again, at most ``asks`` times.

    ``filler_after_seconds``: quiet while a lookup runs before it is explained (A3), at most
    ``fillers`` times a lookup.
    """

    ask_after_seconds: Seconds = 8.0
    asks: Annotated[int, Field(ge=1, le=5)] = 2
    filler_after_seconds: Annotated[float, Field(ge=1, le=4)] = 3.0
    fillers: Annotated[int, Field(ge=1, le=10)] = 5


class CallLimits(Settings):
    """When a call that leads nowhere is ended politely (R128).

    ``unproductive_turns``: caller turns in a row without any result; ``call_minutes``: longest
    call of all.
    """

    unproductive_turns: Annotated[int, Field(ge=3, le=100)] = 12
    call_minutes: Annotated[float, Field(ge=1, le=240, allow_inf_nan=False)] = 20.0


class DeskSettings(Settings):
    """The people behind the line. ``hours`` None means the hospital's own hours."""

    name: Line
    number: PhoneNumber
    ring_seconds: Seconds = 25.0
    hours: WeeklyHours | None = None


class RetentionRules(Settings):
    """How long the stores keep what a call left (E5)."""

    timeline_days: Annotated[int, Field(ge=1, le=730)] = 30
    requests_days: Annotated[int, Field(ge=1, le=3650)] = 365


class Hospital(Settings):
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
    keypad_menu: KeypadMenu | None = None
    limits: CallLimits = CallLimits()
    silence: SilenceRules = SilenceRules()
    emr: EmrSettings = EmrSettings()
    retention: RetentionRules = RetentionRules()
    billing: BillingSettings | None = None

    @property
    def number(self) -> str:
        """The dialled number, digits only."""
        return digits_of(self.phone)
