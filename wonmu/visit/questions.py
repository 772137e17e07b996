"""The small questions of the desk, as data for ``AskTask`` (D1, D4, T8)."""

from __future__ import annotations

import re
from datetime import date

from wonmu.korean.answers import Answer, read_answer
from wonmu.korean.mask import Secret, mask_text
from wonmu.korean.names import read_name
from wonmu.korean.numbers import (
    BirthImpossible,
    BirthOk,
    BirthReading,
    NoBirth,
    Phone,
    birth_from_words,
    read_phone,
)
from wonmu.lines import Value
from wonmu.visit.asks import Got, Not, Question, Reading


def reading_of(birth: BirthReading) -> Reading[date]:
    """The date, or the line that says what is wrong with it."""
    match birth:
        case BirthOk(value):
            return Got(value)
        case BirthImpossible(reason):
            return Not(f"identity.birth_{reason.value}")
        case NoBirth():
            return Not()
        case _:
            return Not("identity.birth_century")


def birth_in(words: str, today: date) -> Reading[date]:
    """The birth date in spoken or typed words."""
    if any(found.kind is Secret.RRN for found in mask_text(words, today=today).found):
        # Never asked for and not used, not even its first half (D4).
        return Not("identity.birth_not_rrn")
    return reading_of(birth_from_words(words, today=today))


def name_question(*, for_other: bool) -> Question[str]:
    """The patient's name."""

    def read(words: str) -> Reading[str]:
        name = read_name(words)
        return Got(name) if name else Not()

    line = "identity.name_other" if for_other else "identity.name"
    return Question("name", line, "identity.name_retry", read)


def phone_question(line: str) -> Question[str]:
    """A number to reach the caller, as digits."""

    def read(words: str) -> Reading[str]:
        phone = read_phone(words)
        return Got(phone.digits) if isinstance(phone, Phone) else Not()

    return Question("phone", line, "identity.phone_retry", read, secret="call.hidden_phone")


_NEW = (
    "처음",
    "초진",
    "신규",
    "가 본 적 없",
    "가본 적 없",
    "간 적 없",
    "다닌 적 없",
    "안 가 봤",
    "안 가봤",
)
_KNOWN = (
    *("다녔", "다니고", "다니는", "갔었", "간 적 있", "가 본 적 있", "가본 적 있", "재진", "등록"),
    *(
        "다닌 적 있",
        "온 적 있",
        "왔었",
        "두 번째",
        "여러 번",
        "전에 진료",
        "처음은 아니",
        "처음 아니",
    ),
)


_FIRST_VISIT = re.compile(
    r"처음\s*(?:이에요|예요|이고|인데|입니다|이라|가는|가\s*보|오는|방문|진료)|초진|신규\s*환자"
)


def says_first_visit(words: str) -> bool:
    """Whether the caller said unasked that it is the first visit (S4)."""
    return bool(_FIRST_VISIT.search(words)) and not any(word in words for word in _KNOWN)


def first_visit_question() -> Question[bool]:
    """Whether it is the first visit, in the words callers use for it."""

    def read(words: str) -> Reading[bool]:
        if any(word in words for word in _KNOWN):
            return Got(False)
        if any(word in words for word in _NEW):
            return Got(True)
        match read_answer(words).answer:
            case Answer.YES:
                return Got(True)
            case Answer.NO:
                return Got(False)
            case _:
                return Not()

    return Question("if_new", "identity.if_new", "identity.if_new_retry", read)


def yes_no_question(name: str, line: str, values: dict[str, Value] | None = None) -> Question[bool]:
    """A question whose answer is yes or no; anything less plain is asked again."""

    def read(words: str) -> Reading[bool]:
        reading = read_answer(words)
        if reading.answer is Answer.YES:
            return Got(True)
        if reading.answer is Answer.NO:
            return Got(False)
        return Not()

    return Question(name, line, f"{line}_retry", read, dict(values or {}))
