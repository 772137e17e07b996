"""Korean number words, both ways. Digits in a row, Sino-Korean (일, 이) and native (하나, 둘).

Decides nothing about what a number means.
"""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """A table of words written as one text."""
    return frozenset(text.split())


DIGIT_OF: dict[str, str] = {
    "공": "0", "영": "0", "빵": "0",
    "일": "1", "이": "2", "삼": "3", "사": "4", "오": "5",
    "육": "6", "륙": "6", "칠": "7", "팔": "8", "구": "9",
}  # fmt: skip
"""One syllable that is one digit."""

NATIVE_DIGIT_OF: dict[str, str] = {
    "제로": "0", "하나": "1", "둘": "2", "셋": "3", "넷": "4", "다섯": "5",
    "여섯": "6", "일곱": "7", "여덟": "8", "여덜": "8", "아홉": "9",
}  # fmt: skip
"""Whole words that stand for one digit."""

_READ = "공일이삼사오육칠팔구"
_SINO = "영일이삼사오육칠팔구"
_UNITS = (("천", 1000), ("백", 100), ("십", 10))
_BIG = (("억", 10**8), ("만", 10**4))
_NATIVE_ONES = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_NATIVE_TENS = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")


def digit_words(digits: str) -> str:
    """ "010" → "공일공". Anything that is not a digit is left out."""
    return "".join(_READ[int(char)] for char in digits if char.isdecimal())


def sino(number: int) -> str:
    """1985 → "천구백팔십오". Below 10^12; a negative number is 마이너스 and its size."""
    if number < 0:
        return "마이너스 " + sino(-number)
    if number == 0:
        return "영"
    out = ""
    for name, size in _BIG:
        if number >= size:
            head = number // size
            out += ("" if head == 1 and name == "만" and not out else _under_myriad(head)) + name
            number %= size
    return out + _under_myriad(number)


def _under_myriad(number: int) -> str:
    out = ""
    for name, size in _UNITS:
        count, number = divmod(number, size)
        if count:
            out += ("" if count == 1 else _SINO[count % 10]) + name
    return out + (_SINO[number] if number else "")


def native(number: int) -> str:
    """1–99 as said before a counter: 한, 두, 열한, 스무, 스물한.

    Raises ValueError outside 1–99: larger numbers have no native form.
    """
    if not 1 <= number <= 99:
        raise ValueError(f"no native Korean number for {number}")
    if number == 20:
        return "스무"
    return _NATIVE_TENS[number // 10] + _NATIVE_ONES[number % 10]


def sino_value(text: str) -> int | None:
    """ "이천십오" → 2015; strict: digits in a row ("팔오") or any other word give None."""
    if not text:
        return None
    total = 0
    rest = text
    for name, size in _BIG:
        head, found, tail = rest.partition(name)
        if found:
            value = _under_myriad_value(head) if head else 1
            if value is None:
                return None
            total += value * size
            rest = tail
    if not rest:
        return total
    value = _under_myriad_value(rest)
    return None if value is None else total + value


def _under_myriad_value(text: str) -> int | None:
    total = 0
    for name, size in _UNITS:
        head, found, tail = text.partition(name)
        if not found:
            continue
        if len(head) > 1 or (head and DIGIT_OF.get(head, "0") == "0"):
            return None
        total += int(DIGIT_OF.get(head, "1")) * size
        text = tail
    if not text:
        return total or None
    if len(text) > 1 or text not in DIGIT_OF or DIGIT_OF[text] == "0":
        return None
    return total + int(DIGIT_OF[text])
