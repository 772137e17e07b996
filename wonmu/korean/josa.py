"""Particles that fit the word before them.

Decides only which of two forms of a particle follows a word, by how the word is read aloud:
Hangul by its final consonant, digits as numbers, Latin letters by their Korean names. Never
changes the word itself.
"""

from __future__ import annotations

import re

from wonmu.errors import ProgrammingError

PAIRS: dict[str, tuple[str, str]] = {
    "은/는": ("은", "는"),
    "이/가": ("이", "가"),
    "을/를": ("을", "를"),
    "과/와": ("과", "와"),
    "으로/로": ("으로", "로"),
    "으로요/로요": ("으로요", "로요"),
    "이에요/예요": ("이에요", "예요"),
    "이라고/라고": ("이라고", "라고"),
    "이라는/라는": ("이라는", "라는"),
    "이나/나": ("이나", "나"),
    "이랑/랑": ("이랑", "랑"),
    "이고/고": ("이고", "고"),
    "이며/며": ("이며", "며"),
    "이요/요": ("이요", "요"),
    "이신/신": ("이신", "신"),
    "이었/였": ("이었", "였"),
    "이시죠/시죠": ("이시죠", "시죠"),
    "아/야": ("아", "야"),
}
"""Written pair → (after a final consonant, after a vowel)."""

_TURNED = {"/".join(reversed(key.split("/"))): value for key, value in PAIRS.items()}

# Final sound of a digit and of the powers of ten: "" vowel, "ㄹ", or any other consonant.
_DIGIT_END = {
    "0": "ㅇ", "1": "ㄹ", "2": "", "3": "ㅁ", "4": "",
    "5": "", "6": "ㄱ", "7": "ㄹ", "8": "ㄹ", "9": "",
}  # fmt: skip
_ZEROS_END = {1: "ㅂ", 2: "ㄱ", 3: "ㄴ", 4: "ㄴ", 5: "ㄴ", 6: "ㄴ", 7: "ㄴ", 8: "ㄱ"}
_LETTER_END = {"L": "ㄹ", "M": "ㅁ", "N": "ㄴ", "R": "ㄹ"}
_RIEUL = 8
_CONSONANTS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"


def josa(word: str, pair: str) -> str:
    """The form of ``pair`` ("을/를") that follows ``word``.

    Raises ProgrammingError for a pair that is not in the table.
    """
    forms = PAIRS.get(pair) or _TURNED.get(pair)
    if forms is None:
        raise ProgrammingError(f"no such particle pair: {pair!r}; use one of {', '.join(PAIRS)}")
    closed, opened = forms
    end = final_sound(word)
    if not end or (end == "ㄹ" and closed.startswith("으로")):
        return opened
    return closed


def with_josa(word: str, pair: str) -> str:
    """``word`` and the fitting particle, joined."""
    return word + josa(word, pair)


def final_sound(word: str) -> str:
    """What the word ends in when read aloud: "" for a vowel, "ㄹ", or another consonant."""
    core = re.sub(r"[^0-9A-Za-z가-힣ㄱ-ㅣ%]+$", "", word)
    if not core:
        return ""
    last = core[-1]
    if "가" <= last <= "힣":
        return _hangul_end(last)
    if last.isdecimal():
        return _number_end(core)
    if last.isascii() and last.isalpha():
        return _latin_end(core)
    if last in _CONSONANTS:
        return "ㄹ" if last == "ㄹ" else "ㄱ"  # letter names: 리을, 기역
    return ""


def _hangul_end(syllable: str) -> str:
    final = (ord(syllable) - 0xAC00) % 28
    if final == 0:
        return ""
    return "ㄹ" if final == _RIEUL else "ㄱ"


def _number_end(core: str) -> str:
    found = re.search(r"[0-9]+$", core.replace(",", ""))
    run = found.group() if found else core[-1]
    zeros = len(run) - len(run.rstrip("0"))
    if 0 < zeros < len(run) and not run.startswith("0"):
        return _ZEROS_END.get(zeros, "ㄱ")
    return _DIGIT_END.get(run[-1], "")


def _latin_end(core: str) -> str:
    found = re.search(r"[A-Za-z]+$", core)
    run = found.group() if found else core[-1]
    if run.isupper() or len(run) == 1:
        return _LETTER_END.get(run[-1].upper(), "")
    low = run.lower()
    if low.endswith("l"):
        return "ㄹ"
    if low.endswith(("m", "n", "ng")):
        return "ㄴ"
    return "ㄱ" if re.search(r"(?:[aeiou]|ar)[bckpt]$", low) else ""
