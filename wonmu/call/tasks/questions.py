"""The small questions of the desk, as data for ``AskTask`` (D1, D4, T8)."""

from __future__ import annotations

from wonmu.call.tasks.ask import Got, Not, Question, Reading
from wonmu.korean.answers import Answer, read_answer
from wonmu.korean.names import read_name
from wonmu.korean.numbers import Phone, read_phone
from wonmu.lines import Value


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

    return Question("phone", line, "identity.phone_retry", read, secret=True)


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
