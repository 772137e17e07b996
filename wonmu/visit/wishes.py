"""The caller's words for department, doctor and time, laid into a draft (B5, S8, T9).

Reads each part against this hospital's closed lists and calendar. What is unclear, unknown, past,
closed, too soon or too far becomes a ``Remark`` (a line to be spoken with its values) and changes
nothing else: the parts that were understood stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta

from wonmu.booking.draft import Draft, DraftRefusal, Refused
from wonmu.booking.wish import AnyDoctor, ThisDoctor
from wonmu.clock import SEOUL
from wonmu.hospital.catalog import Found, NotFound, Several
from wonmu.hospital.hours import Closed, ClosedKind, Ok, Past, TooFar, TooSoon
from wonmu.korean.dates import (
    Ambiguous,
    Impossible,
    InPast,
    NoWhen,
    Understood,
    When,
    mentions_when,
    read_when,
)
from wonmu.korean.speak import speak_date, speak_list, speak_time
from wonmu.lines import Value
from wonmu.timeline.events import Kind
from wonmu.visit.host import Host
from wonmu.visit.moving import on_that_side
from wonmu.visit.own import OwnBooking

_OTHER_DOCTOR = re.compile(
    r"(?:다른|딴)\s*(?:선생님|의사|원장님|과장님|교수님|분(?:으로|께|한테|이))"
)
_FIRST_OPEN_DAYS = 31
"""A hospital that is closed for longer says so in its announcements, not in a refusal."""


@dataclass(frozen=True, slots=True)
class FirstWish:
    """The caller's words, part by part; None where nothing was said."""

    department: str | None = None
    doctor: str | None = None
    when: str | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """Something the caller must hear before the booking can go on."""

    line: str
    values: dict[str, Value] = field(default_factory=dict)
    asks: bool = False
    """The line itself is the next question."""


def lay(
    host: Host, draft: Draft, words: FirstWish, replaces: OwnBooking | None = None
) -> tuple[Remark, ...]:
    """Lay all parts into the draft: department, then doctor, then time.

    ``replaces``: the booking being moved; "같은 시간에", "하루만 늦게" lean on it (R29).
    """
    remarks: list[Remark | None] = []
    if words.department:
        remarks.append(_department(host, draft, words.department))
    if words.doctor:
        remarks.append(_doctor(host, draft, words.doctor))
    if words.when:
        remarks.append(_when(host, draft, words.when, replaces))
    return tuple(remark for remark in remarks if remark is not None)


def over(first: FirstWish, later: FirstWish) -> FirstWish:
    """Two wishes as one; later words count before earlier ones."""
    return FirstWish(
        later.department or first.department,
        later.doctor or first.doctor,
        later.when or first.when,
    )


def named(host: Host, words: str) -> FirstWish:
    """Each part that the whole turn names; the readers of the parts skip the rest."""
    catalog, now = host.desk.catalog, host.desk.clock.now()
    doctor = not isinstance(catalog.find_doctor(words), NotFound)
    return FirstWish(
        words if not isinstance(catalog.find_department(words), NotFound) else None,
        words if doctor or catalog.wants_any_doctor(words) else None,
        words if mentions_when(words, now=now) else None,
    )


def names_care(host: Host, words: str) -> bool:
    """Whether the words name a department or a doctor of this hospital, or any doctor."""
    catalog = host.desk.catalog
    return (
        not isinstance(catalog.find_department(words), NotFound)
        or not isinstance(catalog.find_doctor(words), NotFound)
        or catalog.wants_any_doctor(words)
    )


# Department and doctor -----------------------------------------------------------------------


def _department(host: Host, draft: Draft, words: str) -> Remark | None:
    catalog = host.desk.catalog
    match catalog.find_department(words):
        case Found(id=found):
            department = catalog.department(found)
            if isinstance(draft.set_department(found), Refused):
                name = department.name if department else words
                return Remark("booking.department_by_person", {"department": name})
            return None
        case Several(ids=ids):
            names = [d.name for d in catalog.departments() if d.id in ids]
            return Remark("booking.which_department", {"names": speak_list(names)}, asks=True)
        case NotFound():
            return Remark("booking.unknown_department", {"names": department_names(host)}, True)


def _doctor(host: Host, draft: Draft, words: str) -> Remark | None:
    catalog = host.desk.catalog
    if catalog.wants_any_doctor(words):
        draft.set_doctor(AnyDoctor())
        return None
    department = draft.state.wish.department
    if _OTHER_DOCTOR.search(words):
        return _other_doctor(host, draft)
    match_ = catalog.find_doctor(words, department)
    if isinstance(match_, NotFound) and department is not None:
        match_ = catalog.find_doctor(words)
    match match_:
        case Found(id=found):
            return _this_doctor(host, draft, ThisDoctor(found))
        case Several(ids=ids):
            names = [d.spoken for d in catalog.doctors() if d.id in ids]
            return Remark("booking.which_doctor", {"names": speak_list(names)}, asks=True)
        case NotFound():
            known = doctor_names(host, draft)
            return Remark("booking.unknown_doctor", {"names": known}, asks=True)


def _other_doctor(host: Host, draft: Draft) -> Remark | None:
    """ "다른 선생님": the only other one of the department, else the choice is the caller's."""
    wish = draft.state.wish
    present = wish.doctor.id if isinstance(wish.doctor, ThisDoctor) else None
    others = [
        d for d in host.desk.catalog.doctors(wish.department) if d.bookable and d.id != present
    ]
    if len(others) == 1 and present is not None:
        return _this_doctor(host, draft, ThisDoctor(others[0].id))
    if not others:
        doctor = host.desk.catalog.doctor(present) if present is not None else None
        return Remark("booking.only_doctor", {"doctor": doctor.spoken}) if doctor else None
    names = speak_list([d.spoken for d in others])
    return Remark("booking.which_doctor", {"names": names}, asks=True)


def asks_other_doctor(words: str) -> bool:
    """Whether the caller wants another doctor than the present one, without naming one."""
    return bool(_OTHER_DOCTOR.search(words))


def _this_doctor(host: Host, draft: Draft, choice: ThisDoctor) -> Remark | None:
    doctor = host.desk.catalog.doctor(choice.id)
    if doctor is None or not doctor.bookable:
        name = doctor.spoken if doctor else ""
        return Remark("booking.doctor_by_person", {"doctor": name})
    result = draft.set_doctor(choice)
    if isinstance(result, Refused) and result.why in (
        DraftRefusal.OTHER_DEPARTMENT,
        DraftRefusal.NO_DEPARTMENT,
    ):
        # A doctor of another department, named outright, brings that department along.
        result = draft.set_department(doctor.department)
        if not isinstance(result, Refused):
            result = draft.set_doctor(choice)
    if isinstance(result, Refused):
        return Remark("booking.doctor_by_person", {"doctor": doctor.spoken})
    return None


def department_names(host: Host) -> str:
    return ", ".join([d.name for d in host.desk.catalog.departments() if d.bookable])


def doctor_names(host: Host, draft: Draft) -> str:
    department = draft.state.wish.department
    doctors = [d for d in host.desk.catalog.doctors(department) if d.bookable]
    return ", ".join([d.spoken for d in doctors])


# Time ----------------------------------------------------------------------------------------


def _leaned_on(draft: Draft, replaces: OwnBooking | None) -> When | None:
    """What "한 시간만 늦게" leans on: the time just read back, else the wish so far."""
    if draft.state.staged is not None:
        return at_start(draft.state.staged.slot.start)
    if draft.state.wish.when is not None or replaces is None:
        return draft.state.wish.when
    return at_start(replaces.start)


def at_start(start: datetime) -> When:
    """One day and clock time, as a wish."""
    local = start.astimezone(SEOUL)
    return When(day_from=local.date(), day_to=local.date(), time_from=local.time(), point=True)


def _when(host: Host, draft: Draft, words: str, replaces: OwnBooking | None) -> Remark | None:
    desk = host.desk
    now = desk.clock.now()
    reading = read_when(
        words,
        now=now,
        open_times=desk.calendar,
        holidays=desk.holidays(),
        earlier=_leaned_on(draft, replaces),
    )
    match reading:
        case Understood(when=when):
            if replaces is not None:
                when = on_that_side(when, words, replaces.start.date())
            remark = refusal(host, when)
            if remark is None:
                draft.set_when(when)
            elif (day_only := _day_of(host, when)) is not None:
                # "내일 열두 시 반" (lunch) keeps tomorrow, so that "그럼 두 시요" has a day.
                draft.set_when(day_only)
            return remark
        case Ambiguous(options=options):
            said = speak_list([speak_wish(host, option) for option in options])
            return Remark("booking.which_time", {"options": said}, asks=True)
        case InPast():
            return _refused(host, "past", "booking.past", **_range(host))
        case Impossible():
            return _refused(host, "impossible", "booking.impossible_date", **_range(host))
        case NoWhen():
            return Remark("booking.which_day", {}, asks=True)


def _day_of(host: Host, when: When) -> When | None:
    """The wish without its time of day, when the day itself can be booked."""
    day = when.one_day
    if day is None or not isinstance(host.desk.calendar.check(host.desk.clock.now(), day), Ok):
        return None
    return replace(when, time_from=None, time_to=None, point=False, soonest=False)


def refusal(host: Host, when: When) -> Remark | None:
    """Why this wish cannot be booked at all, with what can be; None when it may be tried."""
    day = when.one_day
    if day is None:
        return _range_refusal(host, when)
    exact = when.time_from if when.point else None
    target: date | datetime = datetime.combine(day, exact, SEOUL) if exact is not None else day
    match host.desk.calendar.check(host.desk.clock.now(), target):
        case Ok():
            return None
        case Past():
            return _refused(host, "past", "booking.past", **_range(host))
        case TooSoon(earliest=earliest):
            first = _first_open(host, earliest)
            return _refused(host, "too_soon", "booking.too_soon", when=first)
        case TooFar(last_day=last):
            return _refused(host, "too_far", "booking.too_far", day=last)
        case Closed() as closed:
            return _closed(host, day, closed)


def _range_refusal(host: Host, when: When) -> Remark | None:
    if when.day_from is None or when.day_to is None:
        return None
    start, end = host.desk.calendar.bookable_window(host.desk.clock.now())
    last = (end.astimezone(SEOUL) - timedelta(seconds=1)).date()
    if when.day_from > last:
        return _refused(host, "too_far", "booking.too_far", day=last)
    if when.day_to < start.astimezone(SEOUL).date():
        return _refused(host, "past", "booking.past", **_range(host))
    return None


def _closed(host: Host, day: date, closed: Closed) -> Remark:
    hours = speak_hours(host, host.desk.calendar.opening(day))
    match closed.reason.kind:
        case ClosedKind.LUNCH:
            return _refused(host, "lunch", "booking.closed_lunch", hours=hours)
        case ClosedKind.BEFORE_OPENING | ClosedKind.AFTER_CLOSING:
            return _refused(host, "outside_hours", "booking.closed_hours", day=day, hours=hours)
        case _:
            return _closed_all_day(host, day, closed)


def _closed_all_day(host: Host, day: date, closed: Closed) -> Remark:
    name, following = closed.reason.name, closed.next_open_day
    if following is None:
        return _refused(host, "closed_day", "booking.closed_day", day=day)
    if not name:
        return _refused(host, "closed_day", "booking.closed_weekly_next", day=day, next=following)
    line = "booking.closed_day_next"
    return _refused(host, "closed_day", line, day=day, name=name, next=following)


def _first_open(host: Host, earliest: datetime) -> datetime:
    """The first moment from ``earliest`` on at which a visit can begin, on the hospital's grid."""
    calendar, grid = host.desk.calendar, host.desk.hospital.booking.slot_minutes
    local = earliest.astimezone(SEOUL)
    for number in range(_FIRST_OPEN_DAYS):
        day = local.date() + timedelta(days=number)
        for opens, closes in calendar.opening(day):
            start, end = (datetime.combine(day, at, SEOUL) for at in (opens, closes))
            behind = max(timedelta(), local - start)
            start += timedelta(minutes=-(-behind // timedelta(minutes=grid)) * grid)
            if start < end:
                return start
    return earliest


def _range(host: Host) -> dict[str, Value]:
    start, end = host.desk.calendar.bookable_window(host.desk.clock.now())
    last = (end.astimezone(SEOUL) - timedelta(seconds=1)).date()
    return {"first": start.astimezone(SEOUL).date(), "last": last}


def _refused(host: Host, why: str, line: str, **values: Value) -> Remark:
    host.recorder.write(Kind.BOOKING_REFUSED, {"why": why})
    return Remark(line, values, asks=True)


# Spoken forms --------------------------------------------------------------------------------


def speak_hours(host: Host, intervals: tuple[tuple[time, time], ...]) -> str:
    """Open intervals as they are spoken; empty when there are none."""
    parts = [host.lines.say("booking.part_hours", start=a, end=b) for a, b in intervals]
    return ", ".join(parts)


def speak_wish(host: Host, when: When) -> str:
    """A wish as the caller would recognise it."""
    parts: list[str] = []
    if when.day_from is not None and when.day_to is not None:
        one = when.day_from == when.day_to
        days = host.lines.say("booking.part_days", first=when.day_from, last=when.day_to)
        parts.append(speak_date(when.day_from) if one else days)
    if when.time_from is not None and when.point:
        parts.append(speak_time(when.time_from))
    elif when.time_from is not None and when.time_to is not None:
        part = host.lines.say("booking.part_hours", start=when.time_from, end=when.time_to)
        parts.append(part)
    return " ".join(parts)
