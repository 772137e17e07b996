"""Which of the offered times a caller means, if exactly one (R51, T9).

Decides from the list that the state carries. It must never pick when two fit or when the caller
names a day, time or doctor that the list does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from wonmu.model.offline.wishes import after_correction

_ENTRY = re.compile(r"(\d+)\)\s*([^;\n]+)")
_HOURS = {
    name: at + 1
    for at, name in enumerate(
        ("한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열", "열한", "열두")
    )
}
_DIGITS = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9}
_NATIVE = "|".join(sorted(_HOURS, key=len, reverse=True))
_SINO = r"[이삼사오]?십[일이삼사오육칠팔구]?|[일이삼사오육칠팔구]"
_CLOCK = re.compile(
    rf"(오전|오후|아침|저녁|낮)?\s*(?:({_NATIVE}|\d{{1,2}})\s*시(?!간)"
    rf"(?:\s*(?:(반)|(\d{{1,2}}|{_SINO})\s*분))?|(\d{{1,2}}):(\d{{2}}))"
)
_WEEKDAY = re.compile(r"([월화수목금토일])(?:요일|욜)")
_DATE = re.compile(
    rf"(?:(\d{{1,2}}|십[일이]?|유|시|[일이삼사오육칠팔구])\s*월\s*)?(?<![가-힣])(\d{{1,2}}|{_SINO})\s*일(?![곱요])"
)
_ORDINALS = (
    re.compile(
        r"첫\s*번?\s*째|일\s*번|(?<!\d)1\s*번|하나|처음\s*(?:거|것|걸|시간)|맨\s*(?:앞|위|처음)"
    ),
    re.compile(r"두\s*번\s*째|둘째|(?<![가-힣])이\s*번(?!\s*(?:주|달))|(?<!\d)2\s*번|둘"),
    re.compile(r"세\s*번\s*째|셋째|삼\s*번|(?<!\d)3\s*번|셋"),
    re.compile(r"네\s*번\s*째|넷째|사\s*번|(?<!\d)4\s*번"),
    re.compile(r"다섯\s*번\s*째|오\s*번|(?<!\d)5\s*번"),
)
_LAST = re.compile(r"마지막|맨\s*(?:뒤|끝)|제일\s*(?:늦|뒤)|가장\s*늦")
_FIRST = re.compile(r"(?:제일|가장|젤)\s*(?:빠른|이른|빨리|앞)|빠른\s*(?:걸|거|것|시간)")
_THAT = re.compile(
    r"(?:그|아까\s*(?:그|말한|말씀하신))\s*(?:거|걸|것|시간|때)|그걸로|그때로|그\s*시간"
)
_REJECT = re.compile(r"^(?:아니|아뇨)|다른\s*(?:시간|날|때)|안\s*(?:돼|되|맞)|말고|없")
_ASKED = re.compile(r"[?？]\s*$|(?:나요|까요|인가요|(?<!주)세요|죠)[\s.?]*$")


@dataclass(frozen=True, slots=True)
class Option:
    """One offered time as spoken: ``number`` is how it is chosen."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class _Time:
    """What a phrase pins down. ``half`` is "am", "pm" or empty when it was not said."""

    half: str
    hour: int
    minute: int

    def is_within(self, other: _Time) -> bool:
        """Whether this, as the caller said it, is the offered time ``other``."""
        same_half = not self.half or not other.half or self.half == other.half
        return same_half and self.hour == other.hour and self.minute == other.minute


@lru_cache(maxsize=256)
def read_options(text: str) -> tuple[Option, ...]:
    """ "1) … ; 2) …" → options."""
    return tuple(Option(int(number), body.strip()) for number, body in _ENTRY.findall(text))


def choose(words: str, options: Sequence[Option], *, doctors: Sequence[str]) -> int | None:
    """The number of the one option the caller takes, else None."""
    if not options or _ASKED.search(words):
        return None
    said = after_correction(words)
    numbered = _by_number(said, options)
    if numbered is not None:
        return numbered
    if _REJECT.search(said):
        return None
    fitting = [o for o in options if _fits(said, o, doctors)]
    if _pins(said, doctors):
        return fitting[0].number if len(fitting) == 1 else None
    if _FIRST.search(said):
        return options[0].number
    if _THAT.search(said) and len(options) == 1:
        return options[0].number
    return None


def only(options: Sequence[Option]) -> int | None:
    """The number of the single option, when there is just one: a yes then means it."""
    return options[0].number if len(options) == 1 else None


def _by_number(said: str, options: Sequence[Option]) -> int | None:
    if re.search(r"다음|번\s*(?:주|달)", said):
        return None
    named = [n for n, pattern in enumerate(_ORDINALS, start=1) if pattern.search(said)]
    if len(named) == 1 and not re.search(r"(?:째|번)\s*(?:거|것)?\s*말고\s*(?:요)?\s*$", said):
        return next((o.number for o in options if o.number == named[0]), None)
    if not named and _LAST.search(said):
        return options[-1].number
    return None


def _pins(said: str, doctors: Sequence[str]) -> bool:
    return bool(
        _CLOCK.search(said)
        or _WEEKDAY.search(said)
        or _DATE.search(said)
        or re.search(r"오전|오후", said)
        or any(name in said for name in doctors)
        or re.search(r"오늘|내일|모레|다음\s*주|이번\s*주|다다음|담주|주말", said)
    )


def _fits(said: str, option: Option, doctors: Sequence[str]) -> bool:
    """Whether everything the caller pins down is in the option."""
    if re.search(r"오늘|내일|모레|다음\s*주|이번\s*주|다다음|담주|주말", said):
        return False
    time, offered = _time(said), _time(option.text)
    if time is not None and (offered is None or not time.is_within(offered)):
        return False
    half = re.search(r"오전|오후", said)
    if time is None and half and half.group(0) not in option.text:
        return False
    day, weekday = day_in(said), _WEEKDAY.search(said)
    if weekday and f"{weekday.group(1)}요일" not in option.text:
        return False
    if day is not None and not same_day(day, day_in(option.text)):
        return False
    named = [name for name in doctors if name in said]
    return not named or any(name in option.text for name in named)


def _time(text: str) -> _Time | None:
    found = _CLOCK.search(text)
    if found is None:
        return None
    half, hour, thirty, minute, digital_hour, digital_minute = found.groups()
    if digital_hour:
        at, past = int(digital_hour), int(digital_minute)
    else:
        at = _HOURS[hour] if hour in _HOURS else int(hour)
        past = 30 if thirty else _number(minute) if minute else 0
    side = {"오전": "am", "아침": "am", "오후": "pm", "저녁": "pm"}.get(half or "", "")
    if at > 12:
        return _Time("pm", at - 12, past)
    return _Time(side, at, past)


def day_in(text: str) -> tuple[int | None, int] | None:
    """Month, if said, and day of the first date in these words."""
    found = _DATE.search(text)
    if found is None:
        return None
    month, day = found.groups()
    return (_number(month) if month else None, _number(day))


def same_day(said: tuple[int | None, int], offered: tuple[int | None, int] | None) -> bool:
    """Whether a day as said is an offered one."""
    return offered is not None and said[1] == offered[1] and said[0] in (None, offered[0])


def _number(text: str) -> int:
    """A number below 100 in digits or Sino-Korean; months 유월 and 시월 too."""
    if text.isdigit():
        return int(text)
    if text in ("유", "시"):
        return 6 if text == "유" else 10
    tens, ten, ones = text.partition("십")
    if not ten:
        return _DIGITS[text]
    return 10 * (_DIGITS[tens] if tens else 1) + (_DIGITS[ones] if ones else 0)
