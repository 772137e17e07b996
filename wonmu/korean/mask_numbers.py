"""Long numbers in text, written or spoken: resident, telephone, card and unknown ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from wonmu.korean.counting import DIGIT_OF, NATIVE_DIGIT_OF, word_set
from wonmu.korean.josa import final_sound
from wonmu.korean.mask_dates import WRITTEN_DAY
from wonmu.korean.mask_kinds import Secret, Span, may_be_wished
from wonmu.korean.phone import is_phone

_PIECE = "|".join([*NATIVE_DIGIT_OF, *DIGIT_OF, "[0-9０-９]"])
_TOKEN = re.compile(r"[0-9０-９가-힣*＊]+")
_DIGITS = re.compile(rf"(?:{_PIECE})+")
_ONE = re.compile(_PIECE)
_LINKS = word_set("에 의 다시 대시 하이픈 빼기 바 번 그다음 다음 하고 어 음 네 예 아 그 저 요")
_GAP = re.compile(r"[\s.,\-–—()/_…·]*")
_ENDING = re.compile(
    r"(?:이요|요|이에요|예요|에요|입니다|이고요|고요|구요|이구요|이고|고|번|번이요|번이에요|번입니다|번으로"
    r"|이라고요?|라고요?|인데요?|이거든요|로|으로|로요|으로요|하고|이랑|랑|에|의|은|는|이|가|을|를|생|생이요"
    r"|생이에요|생입니다|에다가?|맞아요|이야|야|여|이여|인|와|과|도|만|님|이신|면|이면|다시|대시)?"
)
_COPULA = re.compile(r"(?:요|에요|예요|고요?|구요|라고요?|거든요|야|랑|여|신데요|시고요)(?![0-9])")
_LINK = re.compile("에|다시|대시|의")
_CLOCK = re.compile(r"(?<![0-9])[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?![0-9])")
_QUANTITY = re.compile(r"\s*(?:원|만\s*원|천\s*원|명|개월|킬로|미터|퍼센트|%|보|칼로리)(?!무)")
_LONG = 7
"""Digits from which a run of unknown use is masked: half a mobile number said in one breath is
eight, a price or a room number has fewer."""
_LONGEST = 17
"""Words of one digit each that the longest known number has, and one more."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """Digits that stand together in one word."""

    digits: str
    start: int
    end: int
    swing: int = 0
    """1: a 이 follows that was taken for an ending and may be a 2; -1: the other way round."""


def number_spans(text: str, today: date | None) -> Iterator[Span]:
    """Spans of long numbers; they do not overlap each other."""
    # Days and clock times are no parts of longer numbers: same length, no digits.
    for pattern in (WRITTEN_DAY, _CLOCK):
        text = pattern.sub(lambda found: "ㅡ" * len(found.group()), text)
    for run in _runs(text):
        if not _QUANTITY.match(text, run[-1].end):
            yield from (span for span in _classified(run, today) if not _in_code(text, span))


def _in_code(text: str, span: Span) -> bool:
    """Digits of a digest or the like: Latin letters touch them, and nobody dials them."""
    around = text[max(span.start - 1, 0) : span.start] + text[span.end : span.end + 1]
    letters = any(char.isascii() and char.isalpha() for char in around)
    return letters and span.kind in (Secret.NUMBER, Secret.CARD)


def _runs(text: str) -> Iterator[list[_Piece]]:
    """Words of digits with nothing but signs and linking words between them."""
    run: list[_Piece] = []
    last = 0
    for word in _TOKEN.finditer(text):
        apart = _GAP.fullmatch(text[last : word.start()]) is None
        if apart and run:
            yield run
            run = []
        last = word.end()
        if word.group() in _LINKS:
            continue
        pieces, ended = _pieces(word)
        if not pieces and run:
            yield run
            run = []
        run += pieces
        if ended and run:
            yield run
            run = []
    if run:
        yield run


def _pieces(word: re.Match[str]) -> tuple[list[_Piece], bool]:
    """The digits of a word, and whether something other than an ending follows them in it."""
    pieces: list[_Piece] = []
    at = 0
    text = word.group()
    while (found := _DIGITS.match(text, at)) is not None:
        said, swing = _without_copula(found.group(), text[found.end() :])
        if not said:
            break
        start, end = word.start() + at, word.start() + at + len(said)
        pieces.append(_Piece(_as_digits(said), start, end, swing))
        at += len(said)
        link = _LINK.match(text, at)
        if link is None:
            break
        at = link.end()
    if not pieces:
        digits = re.search(r"[0-9０-９]{6,}", text)
        if digits is None:
            return [], True
        start = word.start() + digits.start()
        return [_Piece(_as_digits(digits.group()), start, word.start() + digits.end())], True
    rest = text[at:].lstrip("*＊")
    if _ENDING.fullmatch(rest) is None and _spoken(text[:at]):
        return [], True
    return pieces, rest not in ("", "번", "에", "의", "다시", "대시", "하고")


def _without_copula(said: str, rest: str) -> tuple[str, int]:
    """오육칠팔이 before 요 is 5678 and the ending 이요, unless a vowel stands before the 이.

    The second value is the ``swing`` of the piece: callers do not keep to that rule.
    """
    if not said.endswith("이") or _COPULA.match(rest) is None:
        return said, 0
    return (said[:-1], 1) if final_sound(said[:-1]) else (said, -1)


def _spoken(text: str) -> bool:
    return re.search(r"[0-9０-９]", text) is None


def _as_digits(said: str) -> str:
    found = _ONE.findall(said)
    return "".join(
        NATIVE_DIGIT_OF.get(each) or DIGIT_OF.get(each) or str(int(each)) for each in found
    )


def _classified(run: Sequence[_Piece], today: date | None) -> Iterator[Span]:
    """The longest telling stretches of whole words from the left, then long rests between them."""
    start = rest = 0
    while start < len(run):
        telling = _telling(run, start, today)
        if telling is None:
            start += 1
            continue
        yield from _unknown(run[rest:start])
        yield Span(telling.kind, run[start].start, telling.at)
        start = rest = telling.pieces
    yield from _unknown(run[rest:])


class _Telling(NamedTuple):
    kind: Secret
    pieces: int
    at: int
    """Where in the text it ends."""


def _telling(run: Sequence[_Piece], start: int, today: date | None) -> _Telling | None:
    for end in range(min(len(run), start + _LONGEST), start, -1):
        digits = "".join(piece.digits for piece in run[start:end])
        last = run[end - 1]
        kind = _kind(digits, today)
        if kind is not None:
            return _Telling(kind, end, last.end)
        other = {0: "", 1: digits + "2", -1: digits[:-1]}[last.swing]
        kind = _kind(other, today)
        if kind is not None:
            return _Telling(kind, end, last.end + last.swing)
    return None


def _unknown(run: Sequence[_Piece]) -> Iterator[Span]:
    digits = "".join(piece.digits for piece in run)
    wished = len(digits) == 8 and _kind("19" + digits[2:], None) is Secret.BIRTH
    if len(digits) >= _LONG and not (wished and digits.startswith("20")):
        yield Span(Secret.NUMBER, run[0].start, run[-1].end)


def _kind(digits: str, today: date | None) -> Secret | None:
    if len(digits) == 13 and _birth_digits(digits[:6]):
        return Secret.RRN
    if is_phone(digits) or (digits.startswith("8210") and len(digits) == 12):
        return Secret.PHONE
    if len(digits) == 6 and _birth_digits(digits):
        return Secret.BIRTH
    if len(digits) == 7 and _birth_digits(digits[:6]):
        return Secret.RRN
    if len(digits) == 8 and digits[:2] in ("19", "20") and _birth_digits(digits[2:]):
        return None if may_be_wished(int(digits[:4]), today) else Secret.BIRTH
    return Secret.CARD if 14 <= len(digits) <= 16 else None


def _birth_digits(digits: str) -> bool:
    """YYMMDD that is a day in some century."""
    month, day = int(digits[2:4]), int(digits[4:6])
    return 1 <= month <= 12 and 1 <= day <= 31
