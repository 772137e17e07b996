"""A caller's words laid out for finding names in them.

Decides where a name occurs, not what it means. Blanks and punctuation are taken out, because
recognisers put them anywhere ("정형 외과", "김 서연"), while the places where words began are kept:
a short name inside another word ("제안과 관련해서") is not a mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key")

_SHORT = 2
"""Names of two syllables (안과, 내과) turn up inside other words."""

_JOINED_AFTER = "은는에일의요"
"""Endings after which recognisers forget the blank: "저는내과", "내일안과"."""

_DROPPED = re.compile(
    r"(?:님)?(?:이?요|은|는|이|가|을|를|도|에서|에게|에|한테|께)?"
    r"(?:말고|말구|빼고|제외|아니라|아니고|아닌|아니에요|아니요|아니야|아니(?!면)|싫)"
)
"""What follows a name that the caller does not want; "아니면" joins alternatives instead."""

_SAME_SOUND = {1: 5, 3: 7, 10: 11, 15: 11, 19: 20}
"""Vowel numbers that sound alike: ㅐ as ㅔ, ㅒ as ㅖ, ㅙ and ㅞ as ㅚ, ㅢ as ㅣ."""


@dataclass(frozen=True, slots=True)
class Heard:
    """``text`` without blanks; ``starts`` are the places where a word began."""

    text: str
    starts: frozenset[int]

    @classmethod
    def of(cls, words: str) -> Heard:
        text, starts = "", set[int]()
        for word in re.findall(r"\w+", words.casefold()):
            starts.add(len(text))
            text += word
        return cls(text, frozenset(starts))

    def crosses_blank(self, start: int, end: int) -> bool:
        return any(start < place < end for place in self.starts)

    def dropped_after(self, end: int) -> bool:
        """Whether the caller turns away what was named just before ``end``."""
        return _DROPPED.match(self.text, end) is not None


@dataclass(frozen=True, slots=True)
class Mention(Generic[Key]):
    start: int
    end: int
    key: Key


def mentions(heard: Heard, names: Iterable[tuple[str, Key]]) -> list[Mention[Key]]:
    """Where names occur; of overlapping ones the longest. Earliest first."""
    found = [
        Mention(start, start + len(name), key)
        for name, key in names
        for start in _places(heard, name)
    ]
    found.sort(key=lambda mention: (mention.start - mention.end, mention.start))
    kept: list[Mention[Key]] = []
    for mention in found:
        if all(m.key == mention.key or not _overlap(m, mention) for m in kept):
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


def _overlap(one: Mention[Key], other: Mention[Key]) -> bool:
    same = (one.start, one.end) == (other.start, other.end)
    return not same and one.start < other.end and other.start < one.end


def _places(heard: Heard, name: str) -> list[int]:
    found = (match.start() for match in re.finditer(f"(?={re.escape(name)})", heard.text))
    return [start for start in found if _is_place(heard, start, start + len(name))]


def _is_place(heard: Heard, start: int, end: int) -> bool:
    if start in heard.starts:
        return end - start > _SHORT or not heard.crosses_blank(start, end)
    if heard.crosses_blank(start, end):
        return False
    return end - start > _SHORT or heard.text[start - 1] in _JOINED_AFTER


def fold(name: str) -> str:
    """A name as it would stand in ``Heard.text``."""
    return "".join(re.findall(r"\w+", name.casefold()))


def sound(text: str) -> str:
    """Syllable by syllable, with the vowels that nobody can tell apart by ear made one."""
    return "".join(_sound(c) if "가" <= c <= "힣" else c for c in text)


def _sound(syllable: str) -> str:
    initial, vowel, final = _letters(syllable)
    return chr(0xAC00 + (initial * 21 + _SAME_SOUND.get(vowel, vowel)) * 28 + final)


def _letters(syllable: str) -> tuple[int, int, int]:
    code = ord(syllable) - 0xAC00
    return code // 588, code // 28 % 21, code % 28


def letters_off(one: str, other: str) -> int:
    """Letters that differ, syllable by syllable; a large number when the lengths differ."""
    if len(one) != len(other):
        return 99
    off = 0
    for a, b in zip(one, other, strict=True):
        if "가" <= a <= "힣" and "가" <= b <= "힣":
            off += sum(x != y for x, y in zip(_letters(a), _letters(b), strict=True))
        elif a != b:
            off += 3
    return off
