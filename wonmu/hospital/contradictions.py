"""Settings that are each well formed and cannot be true together.

Decides which combinations would make a call go wrong: a lunch outside opening hours, a transfer
without anybody to transfer to, a greeting that hides the recording. It must never repair one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from wonmu.hospital.billing import BillingMode
from wonmu.hospital.config import (
    WEEKDAYS,
    ActionMode,
    Closure,
    CommitMode,
    DayHours,
    DoctorSettings,
    EmrKind,
    Fallback,
    HalfDays,
    Hospital,
    Leave,
    MenuAction,
    WeeklyHours,
)
from wonmu.hospital.fields import digits_of
from wonmu.hospital.hours import NOON_WITHOUT_LUNCH

Loc = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """``sentence``: what is wrong; what to do, without the place."""

    loc: Loc
    sentence: str


def contradictions(hospital: Hospital) -> Iterator[Finding]:
    """Every contradiction, in the order of the settings."""
    checks: tuple[Callable[[Hospital], Iterator[Finding]], ...] = (
        _greeting,
        _all_hours,
        _public_holidays,
        _closures,
        _departments,
        _doctors,
        _booking,
        _insurance,
        _people,
        _menu,
        _emr,
        _billing,
        _faq,
    )
    for check in checks:
        yield from check(hospital)


def _greeting(hospital: Hospital) -> Iterator[Finding]:
    greeting = hospital.greeting
    if not any(word in greeting.ai_notice for word in ("AI", "인공지능", "에이아이")):
        # AI Basic Act, in force since 2026-01-22: callers are told beforehand.
        yield Finding(
            ("greeting", "ai_notice"), "does not tell that an AI answers; say AI or 인공지능 in it"
        )
    notice = greeting.recording_notice
    if greeting.recording and notice is None:
        yield Finding(
            ("greeting", "recording"), "is true without a recording_notice; add the notice"
        )
    if not greeting.recording and notice is not None:
        yield Finding(
            ("greeting", "recording_notice"), "is said though recording is false; remove one"
        )
    if notice is not None and "녹음" not in notice:
        yield Finding(("greeting", "recording_notice"), "does not mention 녹음; say it")


def _all_hours(hospital: Hospital) -> Iterator[Finding]:
    yield from _weekly(hospital.hours, ("hours",))
    if hospital.desk and hospital.desk.hours:
        yield from _weekly(hospital.desk.hours, ("desk", "hours"))


def _weekly(weekly: WeeklyHours, loc: Loc) -> Iterator[Finding]:
    if not any(weekly.days()):
        yield Finding(loc, "are closed on every day; write the hours of at least one")
    for name, hours in zip(WEEKDAYS, weekly.days(), strict=True):
        if hours is not None:
            yield from _day(hours, (*loc, name))


def _day(hours: DayHours, loc: Loc) -> Iterator[Finding]:
    if hours.open >= hours.close:
        yield Finding((*loc, "close"), "is not after open; write the later time")
    elif lunch := hours.lunch:
        if lunch.start >= lunch.end:
            yield Finding((*loc, "lunch"), "ends before it starts; swap the times")
        elif not hours.open < lunch.start < lunch.end < hours.close:
            yield Finding((*loc, "lunch"), "is outside the opening hours; move or remove it")


def _public_holidays(hospital: Hospital) -> Iterator[Finding]:
    own = hospital.public_holidays
    added = [named.day for named in own.added]
    for name, days in (("removed", own.removed), ("open_on", own.open_on)):
        for index, day in enumerate(days):
            if day in added:
                yield Finding(("public_holidays", name, index), "is added above; keep one of them")
    for index in _repeated(added):
        yield Finding(("public_holidays", "added", index, "day"), "is listed twice; keep one")


def _closures(hospital: Hospital) -> Iterator[Finding]:
    for index, closure in enumerate(hospital.closures):
        loc: Loc = ("closures", index)
        if closure.end < closure.start:
            yield Finding((*loc, "end"), "is before start; swap the days")
        if closure.hours and closure.hours.start >= closure.hours.end:
            yield Finding((*loc, "hours"), "end before they start; swap the times")
        if any(_overlap(closure, earlier) for earlier in hospital.closures[:index]):
            yield Finding((*loc, "start"), "overlaps a closure above; join them into one")


def _overlap(one: Closure, other: Closure) -> bool:
    if one.start > other.end or other.start > one.end:
        return False
    if one.hours is None or other.hours is None:
        return True
    return one.hours.start < other.hours.end and other.hours.start < one.hours.end


def _departments(hospital: Hospital) -> Iterator[Finding]:
    departments = hospital.departments
    for index in _repeated([d.id for d in departments]):
        yield Finding(("departments", index, "id"), "is used twice; give it its own id")
    names: list[tuple[Loc, str]] = [
        (("departments", i, "name"), department.name) for i, department in enumerate(departments)
    ]
    for i, department in enumerate(departments):
        names += [
            (("departments", i, "aliases", j), alias) for j, alias in enumerate(department.aliases)
        ]
    yield from _clashes(names, "a department")
    for i, department in enumerate(departments):
        seen = [d for d in hospital.doctors if d.department == department.id and d.bookable]
        if department.bookable and not seen:
            yield Finding(
                ("departments", i, "bookable"),
                "is true but no doctor of it is bookable; add a doctor or set it to false",
            )
        if not department.bookable and seen:
            yield Finding(
                ("departments", i, "bookable"),
                f"is false but doctor {seen[0].id} is bookable; set bookable: false there too",
            )


def _doctors(hospital: Hospital) -> Iterator[Finding]:
    doctors = hospital.doctors
    known = {department.id for department in hospital.departments}
    for index in _repeated([d.id for d in doctors]):
        yield Finding(("doctors", index, "id"), "is used twice; give it its own id")
    for index in _repeated([(d.department, d.name) for d in doctors]):
        yield Finding(("doctors", index, "name"), "is in this department twice; tell them apart")
    aliases: list[tuple[Loc, str]] = []
    for i, doctor in enumerate(doctors):
        aliases += [(("doctors", i, "aliases", j), alias) for j, alias in enumerate(doctor.aliases)]
        if doctor.department not in known:
            yield Finding(
                ("doctors", i, "department"), "is not one of the departments; use one of their ids"
            )
        yield from _leave(doctor.leave, ("doctors", i, "leave"))
        yield from _rota(doctor, hospital.hours, ("doctors", i))
    yield from _clashes(aliases, "a doctor")


def _leave(leaves: tuple[Leave, ...], loc: Loc) -> Iterator[Finding]:
    for index, leave in enumerate(leaves):
        if leave.end < leave.start:
            yield Finding((*loc, index, "end"), "is before start; swap the days")
        if any(leave.start <= o.end and o.start <= leave.end for o in leaves[:index]):
            yield Finding((*loc, index, "start"), "overlaps a leave above; join them into one")


def _rota(doctor: DoctorSettings, weekly: WeeklyHours, loc: Loc) -> Iterator[Finding]:
    halves = doctor.rota.days()
    if doctor.bookable and all(half is HalfDays.OFF for half in halves):
        yield Finding(
            (*loc, "bookable"), "is true but the rota has no day; write a rota or set it to false"
        )
    for name, half, hours in zip(WEEKDAYS, halves, weekly.days(), strict=True):
        if half is HalfDays.OFF:
            continue
        if hours is None:
            yield Finding((*loc, "rota", name), "is a day the hospital is closed; write off")
        elif half is HalfDays.AFTERNOON and _morning_only(hours):
            yield Finding((*loc, "rota", name), "is pm but that day has no afternoon; use am")


def _morning_only(hours: DayHours) -> bool:
    return hours.lunch is None and hours.close <= NOON_WITHOUT_LUNCH


def _booking(hospital: Hospital) -> Iterator[Finding]:
    rules = hospital.booking
    if rules.furthest_days * 24 * 60 <= rules.lead_minutes:
        yield Finding(
            ("booking", "furthest_days"),
            "ends before lead_minutes are over; raise it or lower lead",
        )
    if rules.same_day and rules.lead_minutes >= 24 * 60:
        yield Finding(
            ("booking", "same_day"), "is true but lead_minutes is a day or more; lower one"
        )
    shortest = min(map(_shortest_minutes, filter(None, hospital.hours.days())), default=None)
    if shortest is not None and 0 < shortest < rules.slot_minutes:
        yield Finding(
            ("booking", "slot_minutes"), f"does not fit into {shortest} open minutes; lower it"
        )
    if rules.commit_mode is CommitMode.DIRECT and hospital.emr.kind is EmrKind.REQUEST_ONLY:
        yield Finding(
            ("booking", "commit_mode"), "is direct but emr.kind is request_only; set it to request"
        )


def _shortest_minutes(hours: DayHours) -> int:
    cuts = [hours.open, hours.close]
    if hours.lunch:
        cuts[1:1] = [hours.lunch.start, hours.lunch.end]
    day = date(2026, 1, 1)
    moments = [datetime.combine(day, cut) for cut in cuts]
    pieces = zip(moments[::2], moments[1::2], strict=True)
    return min((end - start) // timedelta(minutes=1) for start, end in pieces)


def _insurance(hospital: Hospital) -> Iterator[Finding]:
    rules = hospital.booking.insurance
    loc: Loc = ("booking", "insurance")
    if rules.ask and not rules.kinds:
        yield Finding((*loc, "ask"), "is true but no kinds are listed; list the kinds")
    if not rules.ask and rules.kinds:
        yield Finding((*loc, "kinds"), "are listed but ask is false; remove them or set ask: true")
    for index in _repeated([kind.id for kind in rules.kinds]):
        yield Finding((*loc, "kinds", index, "id"), "is used twice; give it its own id")
    names: list[tuple[Loc, str]] = []
    for i, kind in enumerate(rules.kinds):
        names.append(((*loc, "kinds", i, "name"), kind.name))
        names += [((*loc, "kinds", i, "aliases", j), a) for j, a in enumerate(kind.aliases)]
    yield from _clashes(names, "an insurance kind")


def _people(hospital: Hospital) -> Iterator[Finding]:
    desk = hospital.desk
    if desk is None:
        for name, mode in hospital.actions:
            if mode is ActionMode.TRANSFER:
                yield Finding(
                    ("actions", name), "is transfer but there is no desk; add desk or use another"
                )
    elif digits_of(desk.number) == hospital.number:
        yield Finding(
            ("desk", "number"), "is the number that we answer; write the desk's own number"
        )


def _menu(hospital: Hospital) -> Iterator[Finding]:
    entries = hospital.keypad_menu.entries if hospital.keypad_menu else ()
    loc: Loc = ("keypad_menu", "entries")
    for index in _repeated([entry.digit for entry in entries]):
        yield Finding((*loc, index, "digit"), "is used twice; give it its own digit")
    for index, entry in enumerate(entries):
        if entry.action is MenuAction.INFO:
            for name, value in (("question", entry.question), ("name", entry.name)):
                if value is None:
                    yield Finding((*loc, index, "action"), f"is info without a {name}; add it")
        elif entry.question is not None:
            yield Finding((*loc, index, "question"), "belongs to info only; remove it")
    names = [((*loc, i, "name"), e.name) for i, e in enumerate(entries) if e.name is not None]
    yield from _clashes(names, "a key")


def _emr(hospital: Hospital) -> Iterator[Finding]:
    emr = hospital.emr
    if emr.kind is EmrKind.FHIR and emr.fhir is None:
        yield Finding(("emr", "fhir"), "is missing but emr.kind is fhir; add it with its url")
    if emr.tool_seconds < emr.request_seconds:
        yield Finding(("emr", "tool_seconds"), "is shorter than request_seconds; raise it")
    if emr.fallback is Fallback.PERSON and hospital.desk is None:
        yield Finding(("emr", "fallback"), "is person but there is no desk; add desk or use memo")


def _billing(hospital: Hospital) -> Iterator[Finding]:
    """Nobody to transfer to; a certificate that is not found by its name alone."""
    billing = hospital.billing
    if billing is None:
        return
    for name in ("refunds", "receipts"):
        if hospital.desk is None and getattr(billing, name) is BillingMode.TRANSFER:
            yield Finding(
                ("billing", name), "is transfer but there is no desk; add desk or use another"
            )
    known: set[str] = set()
    for index, each in enumerate(billing.certificates):
        loc: Loc = ("billing", "certificates", index)
        names = {"".join(name.split()).lower() for name in (each.name, *each.aliases)}
        if names & known:
            yield Finding((*loc, "name"), "is the name of a certificate above; make them differ")
        known |= names
        if any(each.id == other.id for other in billing.certificates[:index]):
            yield Finding((*loc, "id"), "is the id of a certificate above; make them differ")


def _faq(hospital: Hospital) -> Iterator[Finding]:
    yield from _clashes(
        [(("faq", i, "question"), entry.question) for i, entry in enumerate(hospital.faq)],
        "a question",
    )


def _repeated(values: Iterable[object]) -> Iterator[int]:
    seen: set[object] = set()
    for index, value in enumerate(values):
        if value in seen:
            yield index
        seen.add(value)


def _clashes(names: list[tuple[Loc, str]], what: str) -> Iterator[Finding]:
    """Callers say names without blanks or case, so names that differ only there are the same."""
    folded = ["".join(name.split()).casefold() for _, name in names]
    for index in _repeated(folded):
        yield Finding(names[index][0], f"names {what} that is listed already; change one of them")
