"""Answers from the published facts alone (T1 "answer", T2).

Decides whether a question can be answered from what the prompt carries. It must never guess: None
means that the facts do not say.
"""

from __future__ import annotations

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
    if heard.asks_hours(words):
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
    facts, words = view.facts, view.last
    holiday = heard.names_holiday(words)
    if holiday:
        return _holiday(facts, words, holiday)
    if "점심" in words:
        lunch = facts.lunch()
        return phrase("lunch", hours=lunch) if lunch else facts.answer_to(words) or None
    if re.search(r"접수|예약|면회|주차|검진|응급|입원|약국|식당", words):
        special = facts.answer_to(words)
        if special:
            return special
    days = _days(view)
    if days:
        told = [_one_day(facts, day) for day in days]
        return " ".join(told) if all(told) else None
    return _whole_week(facts) or facts.answer_to(words) or None


def _holiday(facts: Facts, words: str, holiday: str) -> str | None:
    """A day off that is published with that name, else a published answer about holidays."""
    spoken = re.sub(r"\s|연휴|에$|날$", "", holiday)
    keys = [key for key in (spoken, _OFFICIAL.get(spoken, "")) if key]
    for line in facts.days_off:
        if any(key in line.replace(" ", "") for key in keys):
            return line if line.rstrip().endswith((".", "다", "요")) else f"{line.rstrip()}."
    found = facts.answer_to(words)
    if found:
        return found
    general = [entry.answer for entry in facts.faq if "공휴일" in entry.question + entry.answer]
    return general[0] if general else None


def _days(view: View) -> list[str]:
    """Weekday letters asked about. "오늘" counts only when the state says which day it is."""
    named = _DAY_NAMED.findall(view.last)
    if _WEEKEND.search(view.last):
        named += ["토", "일"]
    today = _DAY_NAMED.search(view.get("오늘"))
    if today:
        at = WEEKDAYS.index(today.group(1))
        steps = [step for word, step in _RELATIVE.items() if word in view.last]
        named += [WEEKDAYS[(at + step) % 7] for step in steps]
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
    """All hours, days with the same hours told together."""
    groups: list[tuple[list[str], str]] = []
    for day, hours in facts.hours:
        if groups and groups[-1][1] == hours:
            groups[-1][0].append(day)
        else:
            groups.append(([day], hours))
    if not groups:
        return None
    return phrase("hours_all", hours=", ".join(_part(days, hours) for days, hours in groups))


def _part(days: list[str], hours: str) -> str:
    if days == list("월화수목금"):
        name = "평일"
    else:
        name = f"{days[0]}요일" + (f"부터 {days[-1]}요일" if len(days) > 1 else "")
    if is_shut(hours):
        return phrase("hours_part_closed", day=name)
    return phrase("hours_part", day=name, hours=_spoken(hours))


def _spoken(hours: str) -> str:
    """Hours without their brackets; a comma takes their place."""
    return re.sub(r"\s*\(([^)]*)\)", r", \1", hours).strip().rstrip(".")
