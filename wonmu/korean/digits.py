"""Digits as callers say them: 공일공 에 일이삼사, mixed with written ones, with corrections."""

from __future__ import annotations

from wonmu.korean.phone import Phone


def read_digits(words: str) -> str | None:
    """The digits said, in order, or None when other words are among them.

    Fillers (네, 에, 다시, 번, 이요 …) are skipped. "… 아니 칠 말고 일" replaces that digit when it
    occurs once, otherwise None.
    """
    raise NotImplementedError


def correct_digits(current: str, words: str) -> str | None:
    """``current`` with the correction in ``words`` ("아니 칠 말고 일", "끝자리 팔이 아니라 구요").

    Only the named digits change. None when the words are no correction, or the digits to replace
    are not in ``current`` or are there more than once.
    """
    raise NotImplementedError


def read_phone(words: str) -> Phone | None:
    """The telephone number said, or None when the digits are not exactly one number."""
    raise NotImplementedError
