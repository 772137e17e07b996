"""Amounts of money: said, written, and read out of any text (T12).

Decides which stretches of a text are an amount in won and how much it is. It must never read a
time, a date, a count or a word that merely ends in 원 (병원, 직원, 원무과), and never leave an
amount unread because it is written unusually: what is stated about money is checked with it.
"""

from __future__ import annotations

import re
from unicodedata import category, normalize

from wonmu.ids import Won
from wonmu.korean.counting import sino, sino_value

LIMIT = 10**12
"""Amounts that are said are below a 조; nothing a hospital charges comes near."""


def speak_won(amount: int) -> str:
    """35000 → "삼만 오천 원", as a voice should say it. ValueError below 0 or from a 조 on."""
    _check(amount)
    high, rest = divmod(amount, 10**8)
    middle, low = divmod(rest, 10**4)
    parts = []
    if high:
        parts.append(f"{sino(high)}억")
    if middle:
        parts.append("만" if middle == 1 and not high else f"{sino(middle)}만")
    if low or not parts:
        parts.append(sino(low))
    return " ".join((*parts, "원"))


def won_text(amount: int) -> str:
    """35000 → "35,000원", for reading. ValueError like ``speak_won``."""
    _check(amount)
    return f"{amount:,}원"


_WRITTEN = re.compile(r"(?<![\d,.-])(?:\d{1,3}(?:,\d{3})+|\d{1,9})\s?원(?!무)")


def spell_won(text: str) -> str:
    """The text with amounts in figures ("35,000원") as a voice says them; all else is as it was."""
    return _WRITTEN.sub(_spelled, text)


def _spelled(found: re.Match[str]) -> str:
    amount = int(re.sub(r"\D", "", found.group()))
    return speak_won(amount) if amount < LIMIT else found.group()


def read_won(text: str) -> tuple[Won, ...]:
    """Every amount of money in a text, in the order they stand there.

    "35,000원", "3만5천원", "3만 5,000원", "삼만 오천 원", "1억 2천만 원", "₩35,000"; both ends of
    "3~5만 원"; and without 원 what cannot be anything else ("3만 5천입니다", "35,000이에요").
    """
    plain = "".join(c for c in normalize("NFKC", text) if category(c) != "Cf").translate(_MARKS)
    found = sorted({**_signed(plain), **_bare(plain), **_named(plain)}.items())
    return tuple(Won(amount) for _, amount in found)


def _check(amount: int) -> None:
    if not 0 <= amount < LIMIT:
        raise ValueError(f"{amount} is no amount of money that can be said")


# Where an amount ends, and how far back it can reach --------------------------------------------

_MARKS = str.maketrans({"*": None, "`": None, "(": " ", ")": " ", "[": " ", "]": " "})
_REACH = 40
"""Longer than any amount, written with spaces."""
_RUN = re.compile(r"[0-9,.\s영일이삼사오육칠팔구십백천만억조]*$")
# 원 that begins another word: right after the number only the surest, after a space all of them.
_OTHER_WORD = r"무|장|하[시신는]|합니|해[요서]"
_OTHER_WORD_APART = rf"{_OTHER_WORD}|내|외|래|칙|격|본|활|피|심|인(?!데|가|지)"
_NAME = re.compile(
    rf"(?<=[0-9천백십만억조])원(?!{_OTHER_WORD})|(?<=\s)원(?!{_OTHER_WORD_APART})"
    r"|(?<=[0-9만천\s])(?:won|KRW)(?![a-z])",
    re.IGNORECASE,
)
_SIGN = re.compile(r"(?:₩|\\|KRW)\s*([0-9][0-9,]*)", re.IGNORECASE)
_RANGE = re.compile(r"(?:~|∼|〜|-|–|—|에서|부터|내지)\s*$")
_SAID_SO = r"(?=\s*(?:정도|가량|쯤|입니다|이에요|예요|이었|이고|이며|이라|인데|$|[.!?]))"
_FIGURE = r"[0-9][0-9,]*(?:\.[0-9]+)?"
_BARE = (
    re.compile(
        rf"(?<![0-9,.])(?:{_FIGURE}\s*[십백천]?[만억]\s*)(?:{_FIGURE}?[천백십만]\s*)*{_SAID_SO}"
    ),
    re.compile(rf"(?<![0-9,.])[0-9]{{1,3}}(?:,[0-9]{{3}})+{_SAID_SO}"),
    re.compile(
        r"(?<![가-힣])[일이삼사오육칠팔구십백천]+만(?:\s?[일이삼사오육칠팔구십백천]+)?"
        r"(?=입니다|이에요|이고|이며|인데)"
    ),
)


def _named(text: str) -> dict[int, int]:
    """Amounts before 원, by where they begin."""
    found: dict[int, int] = {}
    floor = 0
    for name in _NAME.finditer(text):
        run = _RUN.search(text, max(floor, name.start() - _REACH), name.start())
        number = None if run is None else _number_at_end(text, run.start(), name)
        if number is None:
            continue
        start, amount = number
        found.update(_other_end(text, floor, start, amount))
        found[start] = amount
        floor = name.end()
    return found


def _number_at_end(text: str, first: int, name: re.Match[str]) -> tuple[int, int] | None:
    """The longest number that ends at ``name``: where it begins and how much it is."""
    for start in range(first, name.start()):
        piece = text[start : name.start()]
        if piece[0].isspace() or not _may_begin(text, start):
            continue
        amount = _value(piece)
        if amount is None or (piece.strip() in _ONE and not _surely_money(text, start, name)):
            continue
        return start, amount
    return None


_ONE = frozenset("영일이삼사오육칠팔구")
_CERTAIN = re.compile(r"\s*(?:$|[.,!?]|입니다|이에요|예요|이고|이며)")


def _may_begin(text: str, start: int) -> bool:
    """Not within digits; within a word only where that cannot be a particle (금액이, 진료비만)."""
    before = text[start - 1 : start]
    grouped = before == "," and text[: start - 1][-1:].isdigit()
    if before.isdigit() or grouped:
        return not (text[start].isdigit() or text[start] in _ONE or text[start] in "십백천만억조")
    if text[start] in ",.":
        return False
    if not "가" <= before <= "힣":
        return True
    word = re.split(r"\s", text[start:], maxsplit=1)[0]
    if word[0].isdigit():
        return True
    numeral = re.match(r"[영일이삼사오육칠팔구십백천만억조]*", word)
    said = numeral.group() if numeral else ""
    particle = said == word == "만" and text[start + 1 :].lstrip()[:1] != "원"
    return bool(re.search("[십백천만억조]", said)) and not particle


def _surely_money(text: str, start: int, name: re.Match[str]) -> bool:
    """One digit as a word ("오 원"): stands by itself, and nothing else follows."""
    apart = text[name.start() - 1].isspace()
    nothing = text[start] == "영"
    return apart and (nothing or _CERTAIN.match(text, name.end()) is not None)


def _other_end(text: str, floor: int, start: int, amount: int) -> dict[int, int]:
    """The lower end of a range whose upper end is ``amount``."""
    link = _RANGE.search(text, floor, start)
    if link is None:
        return {}
    run = _RUN.search(text, max(floor, link.start() - _REACH), link.start())
    for begin in range(run.start() if run else link.start(), link.start()):
        piece = text[begin : link.start()]
        if piece[0].isspace() or not _may_begin(text, begin):
            continue
        low = _value(piece)
        if low is not None:
            return {begin: _same_unit(low, amount)}
    return {}


def _same_unit(low: int, high: int) -> int:
    """ "3~5만": the 3 is in 만 too."""
    for size in (10**8, 10**4, 10**3):
        if low < 10**3 <= size <= high and low * size <= high:
            return low * size
    return low


def _signed(text: str) -> dict[int, int]:
    found: dict[int, int] = {}
    for sign in _SIGN.finditer(text):
        amount = _value(sign[1].rstrip(","))
        if amount is not None:
            found[sign.start(1)] = amount
    return found


def _bare(text: str) -> dict[int, int]:
    found: dict[int, int] = {}
    for pattern in _BARE:
        for match in pattern.finditer(text):
            amount = _value(match.group())
            if amount is not None:
                found.setdefault(match.start(), amount)
    return found


# One number ------------------------------------------------------------------------------------

_FIGURES = re.compile(r"(?!0[0-9])[0-9][0-9,]*|[1-9][0-9]{0,2}(?: 0[0-9]{2})+")
_WITH_UNITS = re.compile(r"(?:([0-9]+)\s*천)?\s*(?:([0-9]+)\s*백)?\s*(?:([0-9]+)\s*십)?\s*([0-9])?")
_PARTIAL = re.compile(r"([0-9]+)\.([0-9]+)\s*([천백]?)")


def _value(piece: str) -> int | None:
    """The number that the whole piece is; None when it is none."""
    rest = piece.strip()
    total = 0
    for name, size in (("조", 10**12), ("억", 10**8), ("만", 10**4)):
        head, unit, tail = rest.partition(name)
        if not unit:
            continue
        count = _part(head.strip(), size)
        # 만 오천 is 10,000 and 5,000; 억 alone is not said.
        if count is None and not head.strip() and name == "만":
            count = size
        if count is None or not 0 < count < size * 10**4:
            return None
        total += count
        rest = tail.strip()
    if not rest:
        return total if total or piece.strip() else None
    low = _part(rest, 1)
    if low is None or (total and low >= 10**4):
        return None
    return total + low


def _part(text: str, size: int) -> int | None:
    """What stands before 억 or 만, or at the end, times ``size``."""
    if not text:
        return None
    if text == "영":
        return 0
    if _FIGURES.fullmatch(text):
        return int(re.sub("[ ,]", "", text)) * size
    partial = _PARTIAL.fullmatch(text)
    if partial is not None:
        return _decimal(partial, size)
    units = _WITH_UNITS.fullmatch(text)
    if units is not None:
        return _sum_of_units(units) * size
    word = sino_value(_as_words(text))
    return None if word is None else word * size


def _decimal(found: re.Match[str], size: int) -> int | None:
    """ "3.5만"; a fraction of a won is no amount."""
    whole = size * {"천": 1000, "백": 100, "": 1}[found[3]]
    over = 10 ** len(found[2])
    amount, left = divmod(int(found[1] + found[2]) * whole, over)
    return None if left else amount


def _sum_of_units(found: re.Match[str]) -> int:
    thousands, hundreds, tens, ones = (int(group or 0) for group in found.groups())
    return thousands * 1000 + hundreds * 100 + tens * 10 + ones


_DIGIT_WORDS = str.maketrans("123456789", "일이삼사오육칠팔구")


def _as_words(text: str) -> str:
    """ "3천오백" mixes both; single digits become words, longer ones cannot be mixed."""
    joined = "".join(text.split())
    return joined if re.search(r"[0-9]{2}", joined) else joined.translate(_DIGIT_WORDS)
