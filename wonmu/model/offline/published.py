"""Answers from the published facts alone (T1 "answer", T2).

Decides whether a question can be answered from what the prompt carries. It must never guess: None
means that the facts do not say.
"""

from __future__ import annotations

import datetime
import re

from wonmu.model.offline import heard
from wonmu.model.offline.facts import WEEKDAYS, Facts, is_shut
from wonmu.model.offline.phrases import phrase
from wonmu.model.offline.view import View
from wonmu.model.offline.wishes import canonical, find_department

_DAY_NAMED = re.compile(r"([월화수목금토일])(?:요일|욜)")
_RELATIVE = {"오늘": 0, "내일": 1, "모레": 2}
_OFFICIAL = {"크리스마스": "성탄절", "구정": "설날", "석가탄신일": "부처님오신", "신정": "새해"}
_WEEKEND = re.compile(r"주말")
_DOCTORS = re.compile(
    r"(?:선생님|의사|원장님|의료진|과장님).{0,8}(?:누구|몇\s*분|어떤|계신|계세|있|성함|이름)|누가\s*(?:봐|보)"
)
_ATTENDS = re.compile(
    r"진료\s*(?:하|보|있|봐)|계신|계세|나오시|나오세|언제|무슨\s*요일|요일|근무|휴진|몇\s*시"
)
_SHORT_DAY = re.compile(r"(?:요일|주말)은?\s*요[?\s]*$")
_SPECIAL = re.compile(r"접수|예약|면회|주차|검진|응급|입원|약국|식당|매점|원무과|창구")
_DATE = re.compile(r"(\d{4})년\s*(\d{1,2})월\s*(\d{1,2})일")
_HEADS = re.compile(r"원장님?[은는이]?\s*(?:성함|이름|누구)")
_DEPARTMENTS = re.compile(
    r"(?:진료\s*과목?|무슨\s*과|어떤\s*과|과가).{0,8}(?:있|뭐|무엇|어떤|알려|봐|보)|진료\s*과목?이?\s*뭐"
)
_HAS = re.compile(
    r"(?:과|센터)[도가는은]?\s*(?:진료)?[도가는은]?\s*(?:있|하나|보나|봐요|되나|돼요|진료하)"
)


def answer(view: View) -> str | None:
    """What the hospital has published on this question, as a sentence, or None."""
    facts, words = view.facts, view.last
    about_hours = heard.asks_hours(words) or bool(_SHORT_DAY.search(words))
    if about_hours and not any(doctor.name in words for doctor in facts.doctors):
        return _hours(view)
    found = facts.answer_to(words)
    if found:
        return found
    if heard.asks_phone(words) and facts.phone:
        return phrase("phone", phone=facts.phone)
    if heard.asks_location(words) and facts.address:
        return phrase("location", address=facts.address)
    return _people(facts, words)


def asks_people(words: str) -> bool:
    """Whether the question is about who works here or which departments there are."""
    return heard.asks(words) and bool(_DOCTORS.search(words) or _DEPARTMENTS.search(words))


def _people(facts: Facts, words: str) -> str | None:
    named = find_department(words, facts.departments)
    department = canonical(named, facts.departments) if named else None
    doctor = next((d for d in facts.doctors if d.name in words), None)
    days = next((text for name, text in facts.rota if name in words), None)
    if doctor is not None and days and _ATTENDS.search(words) and heard.asks(words):
        return phrase("doctor_days", doctor=doctor.name, days=days)
    if doctor is not None and re.search(r"무슨|어느|어떤|과", words) and heard.asks(words):
        return phrase("doctor_in", doctor=f"{doctor.name} 선생님", department=doctor.department)
    if department and _DOCTORS.search(words):
        names = ", ".join(d.name for d in facts.doctors if d.department == department)
        return phrase("doctors_in", department=department, list=names) if names else None
    if _HEADS.search(words):
        heads = [d for d in facts.doctors if d.title == "원장"]
        told = [phrase("doctor_in", doctor=d.spoken, department=d.department) for d in heads]
        return " ".join(told) or None
    if _DEPARTMENTS.search(words) and facts.departments:
        return phrase("departments", list=", ".join(facts.departments))
    if named and _HAS.search(words) and facts.departments:
        if department:
            return phrase("has_department", department=department)
        return phrase("no_department", department=named, list=", ".join(facts.departments))
    return None


def _hours(view: View) -> str | None:
    """Hours as published. A special subject (visits, reception) has its own hours or none."""
    facts, words = view.facts, view.last
    holiday = heard.names_holiday(words)
    if holiday:
        return _holiday(facts, words, holiday)
    date = _asked_date(view)
    days = _days(words, date)
    if "점심" in words and not any("점심" not in facts.hours_of(day) for day in days):
        lunch = facts.lunch()
        return phrase("lunch", hours=lunch) if lunch else facts.answer_to(words) or None
    if _SPECIAL.search(words) or not days:
        special = facts.answer_to(words, least=1.0)
        if special or _SPECIAL.search(words):
            return special or None
    if date is not None:
        key = f"{date.month}월 {date.day}일"
        off = next((line for line in facts.days_off if line.startswith(key)), None)
        if off:
            return off
    if days:
        told = [_one_day(facts, day) for day in days]
        return " ".join(told) if all(told) else None
    return _whole_week(facts)


def _holiday(facts: Facts, words: str, holiday: str) -> str | None:
    """The one day off published under that name, else what is published about holidays."""
    spoken = re.sub(r"\s|연휴|에$|날$", "", holiday)
    keys = [key for key in (spoken, _OFFICIAL.get(spoken, "")) if key]
    lines = [line for line in facts.days_off if any(key in line.replace(" ", "") for key in keys)]
    if len(lines) == 1:
        return lines[0] if lines[0].endswith((".", "다", "요")) else f"{lines[0]}."
    return facts.answer_to(words) or facts.holidays or None


def _asked_date(view: View) -> datetime.date | None:
    """The day asked about: a date, or today and its neighbours when the prompt knows today."""
    today = _DATE.search(view.facts.today)
    if today is None:
        return None
    start = datetime.date(*(int(part) for part in today.groups()))
    steps = [step for word, step in _RELATIVE.items() if word in view.last]
    if steps:
        return start + datetime.timedelta(days=steps[0])
    named = re.search(r"(\d{1,2})월\s*(\d{1,2})일", view.last)
    if named is None:
        return None
    month, day = int(named.group(1)), int(named.group(2))
    try:
        this_year = datetime.date(start.year, month, day)
        return this_year if this_year >= start else datetime.date(start.year + 1, month, day)
    except ValueError:
        return None


def _days(words: str, date: datetime.date | None) -> list[str]:
    """Weekday letters asked about."""
    named = _DAY_NAMED.findall(words)
    if _WEEKEND.search(words):
        named += ["토", "일"]
    if date is not None:
        named.append(WEEKDAYS[date.weekday()])
    return list(dict.fromkeys(named))


def _one_day(facts: Facts, day: str) -> str:
    hours = facts.hours_of(day)
    if not hours:
        return ""
    name = f"{day}요일"
    if is_shut(hours):
        return phrase("hours_closed", day=name)
    return phrase("hours_day", day=name, hours=_spoken(hours))


def _whole_week(facts: Facts) -> str | None:
    """All hours, days with the same hours told together, and the lunch break once."""
    groups: dict[str, list[str]] = {}
    lunch = facts.lunch()
    for day, hours in facts.hours:
        groups.setdefault(_without_lunch(hours) if lunch else hours, []).append(day)
    if not groups:
        return None
    told = phrase("hours_all", hours=", ".join(_part(days, h) for h, days in groups.items()))
    return f"{told} {phrase('lunch', hours=lunch)}" if lunch else told


def _part(days: list[str], hours: str) -> str:
    names = ", ".join(f"{day}요일" for day in days)
    name = {"월화수목금": "평일", "토일": "주말"}.get("".join(days), names)
    if is_shut(hours):
        return phrase("hours_part_closed", day=name)
    return phrase("hours_part", day=name, hours=_spoken(hours))


def _without_lunch(hours: str) -> str:
    return re.sub(r"\s*\(점심[^)]*\)", "", hours)


def _spoken(hours: str) -> str:
    """Hours without their brackets; a comma takes their place."""
    return re.sub(r"\s*\(([^)]*)\)", r", \1", hours).strip().rstrip(".")
