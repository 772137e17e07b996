"""Personal names out of speech, and how alike two names sound (D1, D4).

Decides whether words are a Korean name and how far apart two names are in letters (jamo). Never
decides who somebody is. A name is a known family name and a given name made of syllables that
given names use; ordinary words that happen to look like that are in a table.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from wonmu.korean.counting import word_set
from wonmu.korean.josa import final_sound
from wonmu.korean.name_words import (
    ALONE,
    ALONE_ANNOUNCED,
    COMMON_FAMILY,
    FAMILY,
    FAMILY_TWO,
    GIVEN,
    NOT_NAMES,
    WORD_STARTS,
)

_LEAD = re.compile(
    r"^(?:(?:네|예|아|어|음|저|그|저기|아니요|아뇨)[\s,.]+)*"
    r"(?:(?:제|저희|우리|내|본인|환자|환자분|예약자|보호자|아이|애|아기|아들|딸|큰애|작은애|엄마|어머니|어머님"
    r"|아빠|아버지|아버님|남편|아내|와이프|집사람|손자|손녀|할머니|할아버지|시어머니|장모님|동생|언니|누나|오빠|형)"
    r"(?:의)?\s+)*"
)
_MARK = re.compile(
    r"(?:이름|성함|성명|환자(?:분)?|예약자|본인|아이|애|아기|아들|딸|엄마|어머니|아버지|남편|아내|손자|손녀"
    r"|할머니|할아버지|저|제가|나)(?:은|는|이|가|은요|는요)?[\s,.]+"
)
_STRONG_MARK = re.compile(r"(?:이름|성함|성명)(?:은|는|이|가|은요|는요)?[\s,.]+")
_ENDS = word_set(
    "입니다 이에요 예요 이예요 에요 이요 요 이라고합니다 라고합니다 이라고해요 라고해요"
    " 이라고하는데요 라고하는데요 이라고하고요 라고하고요 이라고요 라고요 이고요 고요 이구요 구요"
    " 인데요 이거든요 거든요 이고 고 이야 야 씨 씨요 씨예요 님 님이요 님이에요 님입니다 이라고"
    " 라고 임다 이여 여 이름으로요 이름으로해주세요 으로해주세요 로해주세요 이라고불러요 씨입니다"
    " 이지요 이죠 이세요 세요 이십니다 십니다 이신데요 신데요 이시고요 시고요 이셔요"
)
_VERB_END = re.compile(r"(?<!라고)(?<!라고 )(?:해|려|와)요$")
"""고민해요, 기다려요; after a name ending like this one says 예요."""
_HANGUL_FIRST, _MEDIALS, _FINALS = 0xAC00, 21, 28


def read_name(words: str) -> str | None:
    """ "이름은 김민수입니다", "남궁민수예요", "김 민 수" → the name; None for ordinary words."""
    text = re.sub(r"[,.!?~…]+", " ", unicodedata.normalize("NFC", words)).strip()
    for part, announced in _parts(text):
        if not announced and _VERB_END.search(part):
            continue
        for candidate in _candidates(part):
            if _is_name(candidate, announced=announced):
                return candidate
    return None


def same_name(one: str, other: str) -> bool:
    """The same letters, spaces aside."""
    return name_distance(one, other) == 0


def name_distance(one: str, other: str) -> int:
    """Fewest letters (jamo) to add, drop or swap: 재희/제희 1, 김민수/김민서 1."""
    first, second = _letters(one), _letters(other)
    row = list(range(len(second) + 1))
    for i, left in enumerate(first, 1):
        above, row[0] = row[0], i
        for j, right in enumerate(second, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (left != right))
    return row[-1]


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Where a name may stand, and whether the words announce one ("이름은 …")."""
    strong = _STRONG_MARK.search(text)
    if strong is not None:
        yield text[strong.end() :], True
    bare = _LEAD.sub("", text, count=1)
    mark = _MARK.match(bare)
    if mark is not None:
        yield bare[mark.end() :], False
    yield bare, False


def _candidates(part: str) -> Iterator[str]:
    """Names that ``part`` may be, or may begin with when its first word ends as an answer does."""
    words = part.split()
    if not words:
        return
    whole = "".join(words)
    if len(words) == 1 or all(len(word) == 1 for word in words[:-1]) or len(words) == 2:
        yield from _stripped(whole)
    if len(words) > 1 and any(words[0].endswith(end) for end in _CLOSERS):
        yield from _stripped(words[0])
    if len(words) > 1 and words[1] in _TITLES:
        yield words[0]


_TITLES = word_set("씨 씨요 님 환자 이름으로 입니다 이에요 예요")
_CLOSERS = word_set("이고요 고요 구요 이고 인데요 입니다 이에요 예요 이라고 라고 이요 요")


def _stripped(flat: str) -> Iterator[str]:
    """``flat`` without the endings that fit it, likeliest first."""
    likely: list[str] = []
    unlikely: list[str] = []
    for end in _ENDS:
        if flat.endswith(end) and len(flat) > len(end):
            stem = flat.removesuffix(end)
            fits = not end.startswith("이") or end.startswith("이름")
            (likely if fits or final_sound(stem) else unlikely).append(stem)
    yield min(likely, key=len, default=flat)
    yield from sorted(unlikely, key=len)


def _is_name(word: str, *, announced: bool) -> bool:
    if not re.fullmatch(r"[가-힣]{2,5}", word) or word in NOT_NAMES:
        return False
    if word.startswith(WORD_STARTS):
        return False
    if word[:2] in FAMILY_TWO and _is_given(word[2:], 1, 2):
        return True
    family, given = word[0], word[1:]
    if family not in (FAMILY if announced else COMMON_FAMILY):
        return False
    if len(given) == 1:
        alone = ALONE_ANNOUNCED if announced else ALONE
        return family in alone and _is_given(given, 1, 1)
    return _is_given(given, 2, 3 if announced else 2)


def _is_given(given: str, least: int, most: int) -> bool:
    return least <= len(given) <= most and all(syllable in GIVEN for syllable in given)


def _letters(name: str) -> list[str]:
    out: list[str] = []
    for char in unicodedata.normalize("NFC", name):
        code = ord(char) - _HANGUL_FIRST
        if 0 <= code < 19 * _MEDIALS * _FINALS:
            first, rest = divmod(code, _MEDIALS * _FINALS)
            medial, final = divmod(rest, _FINALS)
            out += [f"i{first}", f"m{medial}"] + ([f"f{final}"] if final else [])
        elif not char.isspace():
            out.append(char)
    return out
