"""The last step before a voice: written forms into words that cannot be misread (R52, R53, R56).

Decides only how something written is pronounced. Never adds, drops or reorders facts, so a half of
the day (오전, 오후) is added to a clock time only where the hour itself says which.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from wonmu.korean.counting import digit_words, native, sino
from wonmu.korean.phone import Phone

_TILDE = r"[~∼〜～–—]"
_LETTERS = {
    "A": "에이", "B": "비", "C": "씨", "D": "디", "E": "이", "F": "에프", "G": "지",
    "H": "에이치", "I": "아이", "J": "제이", "K": "케이", "L": "엘", "M": "엠", "N": "엔",
    "O": "오", "P": "피", "Q": "큐", "R": "알", "S": "에스", "T": "티", "U": "유",
    "V": "브이", "W": "더블유", "X": "엑스", "Y": "와이", "Z": "제트",
}  # fmt: skip
_WORDS = {
    "X-ray": "엑스레이", "X-RAY": "엑스레이", "x-ray": "엑스레이",
    "km": "킬로미터", "cm": "센티미터", "mm": "밀리미터",
    "kg": "킬로그램", "mg": "밀리그램", "ml": "밀리리터", "mL": "밀리리터",
}  # fmt: skip
_SIGNS = {"%": " 퍼센트", "℃": " 도", "㎝": " 센티미터", "㎏": " 킬로그램"}

_AFTER_HOUR = (
    r"(?=$|[^가-힣]|에|부터|까지|이|로|으로|반|쯤|경|와|는|은|의|도|를|을|가|정각|사이|입)"
)
_PHONE = re.compile(
    r"(?<![0-9-])(?:\+82[- ]?)?(?:0[0-9]{1,2}[-. ][0-9]{3,4}[-. ][0-9]{4}|1[5-9][0-9]{2}-[0-9]{4}"
    r"|01[0-9]{8,9})(?![0-9-])"
)
_ABROAD = re.compile(r"\+82[- ]?[1-9][0-9]?[- ]?[0-9]{3,4}[- ]?[0-9]{4}(?![0-9])")
_ISO_DAY = re.compile(r"(?<![0-9-])([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9-])")
_CLOCK = r"(?:(오전|오후|낮|밤|새벽|저녁|아침)\s*)?([0-9]{1,2}):([0-5][0-9])(?![0-9:])"
_CLOCK_RANGE = re.compile(rf"(?<![0-9:]){_CLOCK}\s*(?:{_TILDE}|-)\s*{_CLOCK}(까지)?")
_ONE_CLOCK = re.compile(rf"(?<![0-9:]){_CLOCK}")
_HOUR = r"(?:(오전|오후|낮|밤|새벽|저녁|아침)\s*)?(?<![0-9])([0-9]{1,2})\s*시"
_MINUTE = r"(?:\s*([0-9]{1,2})\s*분)?"
_HOUR_RANGE = re.compile(
    r"(?<![0-9:])(?:(오전|오후|낮|밤)\s*)?([0-9]{1,2})(?:\s*시" + _MINUTE + r")?"
    rf"\s*(?:{_TILDE}|-)\s*{_HOUR}{_MINUTE}{_AFTER_HOUR}(?:\s*(까지|사이))?"
)
_ONE_HOUR = re.compile(_HOUR + r"(?:" + _AFTER_HOUR + r"|(?=\s*[0-9]))" + _MINUTE)
_WEEKDAYS = re.compile(
    rf"([월화수목금토일])(요일)?\s*{_TILDE}\s*([월화수목금토일])(요일)?(?![가-힣])"
)
_DAY_RANGE = re.compile(rf"([0-9]+\s*[월일년])\s*(?:{_TILDE}|-)\s*([0-9]+\s*[월일년])(까지)?")
_UNIT = (
    r"만|천|백|억|원|분|일|주|개|달|시간|회|명|층|번|세|살|년|월|시|도|차|건|정|알|박|퍼센트|인"
    r"|kg|mg|cm|mm|km|ml|%"
)
_NUMBERS = re.compile(
    rf"(?<![0-9])([0-9][0-9,.]*\s*(?:만|천|백|원|분|일|주|개월|시간|회|명|층|번|세|살|년|도)?)"
    rf"\s*({_TILDE}|-)\s*(?=([0-9][0-9,.]*)\s*({_UNIT})?)"
)
_YEAR = re.compile(r"(?<![0-9])([12][0-9]{3})\s*년")
_FLOOR = re.compile(r"(?<![0-9A-Za-z])(B)?([0-9]{1,3})\s*층")
_WON = re.compile(r"(?<![0-9.])([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)\s*원(?![가-힣]|무)")
_EMERGENCY = re.compile(
    r"(?<![0-9])(?:119|112|1339)(?![0-9]|[,.][0-9]|\s*(?:원|명|개|호|번지|년|층))"
)
_CAPITALS = re.compile(r"(?<![A-Za-z])[A-Z]{2,5}(?![A-Za-z])")


def voice_text(text: str) -> str:
    """Text for a voice: no ``~`` or ``-`` between numbers, clock times and abbreviations as words.

    Text without such forms comes back unchanged; doing it twice changes nothing more.
    """
    for pattern, say in _STEPS:
        text = pattern.sub(say, text)
    return text


def _say_phone(found: re.Match[str]) -> str:
    phone = Phone.parse(found.group())
    written = phone.hyphened if phone is not None else found.group().removeprefix("+82")
    groups = [digit_words(part) for part in re.split(r"[-. ]", written)]
    return ", ".join(group for group in groups if group)


def _say_iso_day(found: re.Match[str]) -> str:
    year, month, day = (int(part) for part in found.groups())
    return f"{year}년 {month}월 {day}일"


def _clock(half: str | None, hour: int, minute: int) -> str | None:
    """A clock time in words; None when it is not one. Hours 1 to 6 alone say no half of the day."""
    if hour > 24 or minute > 59:
        return None
    tail = f" {sino(minute)} 분" if minute else ""
    if half is None:
        half = "밤" if hour in (0, 24) else "낮" if (hour, minute) == (12, 0) else None
        if half is None and hour > 6:
            half = "오전" if hour < 12 else "오후"
    head = f"{half} " if half else ""
    return f"{head}{native(hour % 12 or 12)} 시{tail}"


def _say_clock(found: re.Match[str]) -> str:
    return _clock(found[1], int(found[2]), int(found[3])) or found.group()


def _say_clock_range(found: re.Match[str]) -> str:
    start = _clock(found[1], int(found[2]), int(found[3]))
    end = _clock(found[4], int(found[5]), int(found[6]))
    if start is None or end is None:
        return found.group()
    return f"{start}부터 {end}까지"


def _hour(half: str | None, hour: int, minute: int) -> str | None:
    """As ``_clock``, but a plain hour up to 12 gets no half of the day that was not written."""
    if half is not None or hour > 12 or hour == 0:
        return _clock(half, hour, minute)
    return f"{native(hour)} 시" + (f" {sino(minute)} 분" if minute else "")


def _say_hour(found: re.Match[str]) -> str:
    return _hour(found[1], int(found[2]), int(found[3] or 0)) or found.group()


def _say_hour_range(found: re.Match[str]) -> str:
    start = _hour(found[1], int(found[2]), int(found[3] or 0))
    end = _hour(found[4], int(found[5]), int(found[6] or 0))
    if start is None or end is None:
        return found.group()
    following = found.string[found.end() : found.end() + 1]
    closing = found[7] or ("" if "가" <= following <= "힣" else "까지")
    return f"{start}부터 {end}{closing}" if closing != "사이" else f"{start}에서 {end} 사이"


def _say_weekdays(found: re.Match[str]) -> str:
    return f"{found[1]}요일부터 {found[3]}요일까지"


def _say_numbers(found: re.Match[str]) -> str:
    # A hyphen between two bare numbers is a house or lot number, not a range.
    plain = found[2] == "-" and found[4] is None and found[1].strip(" ,.").isdecimal()
    return f"{found[1].rstrip()}다시 " if plain else f"{found[1].rstrip()}에서 "


def _say_floor(found: re.Match[str]) -> str:
    return f"{'지하 ' if found[1] else ''}{sino(int(found[2]))} 층"


def _say_won(found: re.Match[str]) -> str:
    amount = int(found[1].replace(",", ""))
    return f"{sino(amount)} 원" if amount < 10**12 else found.group()


def _say_capitals(found: re.Match[str]) -> str:
    return "".join(_LETTERS[letter] for letter in found.group())


def _either(words: dict[str, str]) -> re.Pattern[str]:
    names = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z])(?:{names})(?![A-Za-z])")


_STEPS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_ABROAD, _say_phone),
    (_PHONE, _say_phone),
    (_ISO_DAY, _say_iso_day),
    (_CLOCK_RANGE, _say_clock_range),
    (_ONE_CLOCK, _say_clock),
    (_HOUR_RANGE, _say_hour_range),
    (_ONE_HOUR, _say_hour),
    (_WEEKDAYS, _say_weekdays),
    (_DAY_RANGE, lambda found: f"{found[1]}부터 {found[2]}까지"),
    (_NUMBERS, _say_numbers),
    (_YEAR, lambda found: f"{sino(int(found[1]))}년"),
    (_FLOOR, _say_floor),
    (_WON, _say_won),
    (re.compile(r"(?<![A-Za-z])Dr(?:\.\s*|\s+)(?=[A-Za-z가-힣])"), lambda found: "닥터 "),
    (_either(_WORDS), lambda found: _WORDS[found.group()]),
    (_EMERGENCY, lambda found: digit_words(found.group())),
    (_CAPITALS, _say_capitals),
    (re.compile("|".join(_SIGNS)), lambda found: _SIGNS[found.group()]),
    (re.compile(r"(?<=[가-힣])[~∼〜～]+"), lambda found: ""),
)
"""In this order: what is longer and surer first."""
