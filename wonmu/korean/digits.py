"""Digits as callers say them: 공일공 에 일이삼사, mixed with written ones, with corrections.

Decides which digits were said, in which order. Never fills one in: where the words leave two
readings open, the length of a valid number decides or nothing does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice, product

from wonmu.korean.counting import DIGIT_OF, NATIVE_DIGIT_OF, sino_value, word_set
from wonmu.korean.josa import final_sound
from wonmu.korean.phone import Phone

_FILLERS = word_set(
    "네 예 네네 아 어 음 저 그 자 에 의 다시 대시 하이픈 빼기 바 짝대기 번 요 이에요 예요"
    " 에요 입니다 그리고 하고 이고 이고요 고요 그다음 그다음에 다음 다음에 은 는 이라고"
    " 이렇게 번이요 번이에요 번입니다 그러니까 잠깐만요 어디보자 이거든요 인데요 라고요"
    " 이라고요 맞아요"
)
_INTRO = re.compile(
    r"(?:제|저|저는|제가|내|우리|본인|아들|딸|아이|엄마|아버지|어머니)"
    r"|(?:휴대|핸드|휴대전화|전화|연락|생년월일|생일|주민|차트|환자|등록)?"
    r"(?:폰|전화|번호|연락처|처|생년월일|생일|앞자리|뒷자리)?(?:번호)?(?:은|는|은요|는요|가|이|요|로는)?"
)
_OUTRO = word_set(
    "연락 전화 주세요 해 해주세요 부탁드려요 부탁드립니다 하시면 하면 돼요 됩니다 로 으로 번으로"
    " 생 맞습니다"
)
# Every fitting ending gives a reading of its own, so their order does not matter.
_ENDINGS = (
    "",
    *word_set(
        "요 이요 이에요 예요 에요 이예요 입니다 이고요 고요 구요 이구요 이고 고 번 번이요"
        " 번이에요 번입니다 번으로 이라고요 이라고 라고요 인데요 이거든요 로 으로 로요 으로요"
        " 하고 이랑 여 이여 에 의 은 는 이 가 생 생이요 생입니다 생이에요"
    ),
)
_PIECE = re.compile("|".join([*NATIVE_DIGIT_OF, *DIGIT_OF, "[0-9]"]))
_MOST_READINGS = 16
_OVER = re.compile(r"말고|아니라|아니고")
_NO = word_set("아니 아니요 아뇨 아니다 아니야 아이고 죄송해요 아차")
_AT_END = re.compile(r"끝|마지막|뒷|뒤|맨\s*뒤")
_AT_START = re.compile(r"앞|처음|맨\s*앞")
_PLACE_WORD = re.compile(
    r"(?:끝|마지막|맨|뒷|뒤|앞|처음|가운데|중간)(?:자리|번호|에|에는|게|이|은|는|가|자리가|자리는|자리요)*"
)
_SEATS = word_set("네 두 세 한 자리 자리가 자리는 자리요 숫자 숫자가 숫자는 거 게")


def read_digits(words: str) -> str | None:
    """The digits said, in order, or None when other words are among them.

    Fillers (네, 에, 다시, 번, 이요 …) are skipped. "… 아니 칠 말고 일" replaces that digit when it
    occurs once, otherwise None.
    """
    return next(digit_readings(words), None)


def digit_readings(words: str) -> Iterator[str]:
    """Every way to read ``words`` as digits, likeliest first ("오육칠이요": 567, then 5672)."""
    tokens = _tokens(words)
    over = _over_at(tokens)
    if over is not None:
        yield from _corrected(tokens, over)
        return
    cut = max((place for place, token in enumerate(tokens) if token in _NO), default=None)
    if cut is None:
        yield from _join(_without_frame(tokens))
        return
    before, after = tokens[:cut], tokens[cut + 1 :]
    yield from _restarted(before, next(_join(_without_frame(after)), ""))


def correct_digits(current: str, words: str) -> str | None:
    """``current`` with the correction in ``words`` ("아니 칠 말고 일", "끝자리 팔이 아니라 구요").

    Only the named digits change. None when the words are no correction, or the digits to replace
    are not in ``current`` or are there more than once.
    """
    tokens = [token for token in _tokens(words) if token not in _NO]
    over = _over_at(tokens)
    place = " ".join(token for token in tokens if _PLACE_WORD.fullmatch(token))
    kept = [token for token in tokens if not _PLACE_WORD.fullmatch(token)]
    if over is None:
        new = next(_join([token for token in kept if token not in _SEATS]), "")
        return _put_at_edge(current, new, place) if new else None
    over = _over_at(kept)
    if over is None:
        return None
    olds = list(_join(_old_tokens(kept, over)))
    return _replace(current, olds, list(_join(kept[over + 1 :])), place)


def read_phone(words: str) -> Phone | None:
    """The telephone number said, or None when the digits are not exactly one number.

    Other words around the number are allowed: nothing but a number has a number's length.
    """
    written = Phone.parse(words.strip(" .?!"))
    if written is not None:
        return written
    tokens = _tokens(words)
    if _over_at(tokens) is not None or any(token in _NO for token in tokens):
        return _first_phone(digit_readings(words))
    found = {phone for run in _runs(tokens) if (phone := _first_phone(_join(run))) is not None}
    return found.pop() if len(found) == 1 else None


def _first_phone(readings: Iterator[str]) -> Phone | None:
    return next((phone for each in readings if (phone := Phone.parse(each)) is not None), None)


def _tokens(words: str) -> list[str]:
    text = unicodedata.normalize("NFKC", words)
    text = re.sub(r"(말고|아니라|아니고)", r" \1 ", text)
    return re.findall(r"[가-힣0-9]+|[^\s가-힣0-9,.~·?!…\-()/'\"+]+", text)


def _over_at(tokens: Sequence[str]) -> int | None:
    return next((place for place, token in enumerate(tokens) if _OVER.fullmatch(token)), None)


def _token_readings(token: str) -> list[str] | None:
    """The digits a word may stand for ("" for a filler), likeliest first; None for other words."""
    if token == "이요":
        return ["", "2"]
    if token in _FILLERS:
        return [""]
    found: dict[str, int] = {}
    for ending in _ENDINGS:
        stem = token.removesuffix(ending) if token.endswith(ending) else ""
        digits = _stem_digits(stem) if stem else None
        if digits is not None:
            found[digits] = min(found.get(digits, 9), _unlikely(stem, ending))
    return sorted(found, key=lambda digits: found[digits]) or None


def _stem_digits(stem: str) -> str | None:
    pieces = _PIECE.findall(stem)
    if "".join(pieces) == stem:
        return "".join(NATIVE_DIGIT_OF.get(each, DIGIT_OF.get(each, each)) for each in pieces)
    joined = [part for part in re.split(r"에|다시|대시", stem) if part]
    if len(joined) > 1:
        parts = [_stem_digits(part) for part in joined]
        return None if None in parts else "".join(part for part in parts if part is not None)
    value = sino_value(stem)
    return str(value) if value is not None and value >= 10 else None


def _unlikely(stem: str, ending: str) -> int:
    """How unlikely this ending is: 이요 follows a consonant, a digit 이 and 요 a vowel."""
    if ending.startswith("이"):
        return 0 if final_sound(stem) else 3
    if stem.endswith("이") and ending and final_sound(stem[:-1]):
        return 2
    return 1 if ending in ("고요", "구요", "고") else 0


def _join(tokens: Sequence[str]) -> Iterator[str]:
    """All readings of a run of words; none when a word is no digit, or no digit is there."""
    readings: list[list[str]] = []
    for token in tokens:
        each = _token_readings(token)
        if each is None:
            return
        # Only the last word before the end of a group can hide a 이; keep the likeliest elsewhere.
        readings.append(each[:2])
    for parts in islice(product(*readings), _MOST_READINGS):
        digits = "".join(parts)
        if digits:
            yield digits


def _without_frame(tokens: Sequence[str]) -> list[str]:
    """Without the words that announce a number before it and that follow it."""
    start, end = 0, len(tokens)
    while start < end and _token_readings(tokens[start]) is None:
        if not _INTRO.fullmatch(tokens[start]):
            break
        start += 1
    while end > start and tokens[end - 1] in _OUTRO:
        end -= 1
    return list(tokens[start:end])


def _runs(tokens: Sequence[str]) -> Iterator[list[str]]:
    run: list[str] = []
    for token in [*tokens, "끝"]:
        if _token_readings(token) is not None:
            run.append(token)
        elif run:
            yield run
            run = []


def _old_tokens(tokens: Sequence[str], over: int) -> list[str]:
    """The digits before 말고, without a particle word of their own (칠 이 아니라)."""
    old = list(tokens[:over])
    return old[:-1] if len(old) > 1 and old[-1] in ("이", "가") else old


def _corrected(tokens: Sequence[str], over: int) -> Iterator[str]:
    """ "공일공 … 칠팔 아니 칠 말고 일": the correction applied to what was said before it."""
    cut = max((place for place in range(over) if tokens[place] in _NO), default=None)
    start = over - 1 if cut is None else cut
    head = list(tokens[: max(start, 0)])
    olds = list(_join(_old_tokens(tokens[:over], over)[start + (cut is not None) :]))
    news = list(_join(tokens[over + 1 :]))
    for current in _join(_without_frame(head)):
        fixed = _replace(current, olds, news, "")
        if fixed is not None:
            yield fixed


def _restarted(before: Sequence[str], after: str) -> Iterator[str]:
    """ "일이삼 아니 일이삼사": the whole again, or the last group again."""
    head = _without_frame(before)
    said = next(_join(head), "")
    if not after:
        return
    if len(after) >= len(said) or (len(after) > 4 and after[:3] == said[:3]):
        yield after
    elif head and len(next(_join(head[-1:]), "")) == len(after):
        yield said[: -len(after)] + after


def _replace(current: str, olds: Sequence[str], news: Sequence[str], place: str) -> str | None:
    pairs = ((old, new) for old in olds for new in news if len(old) == len(new))
    for old, new in pairs:
        if _AT_END.search(place) and current.endswith(old):
            return current[: -len(old)] + new
        if _AT_START.search(place) and current.startswith(old):
            return new + current[len(old) :]
        if len(re.findall(f"(?={old})", current)) == 1:
            return current.replace(old, new)
    return None


def _put_at_edge(current: str, new: str, place: str) -> str | None:
    if not place or len(new) >= len(current):
        return None
    if _AT_END.search(place):
        return current[: -len(new)] + new
    return new + current[len(new) :] if _AT_START.search(place) else None
