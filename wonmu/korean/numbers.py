"""Spoken digits, telephone numbers and birth dates into values (D4).

Decides which digits were said, and refuses what cannot be: it never fills in a digit, never picks
among readings that the words leave open.
"""

from __future__ import annotations

from wonmu.korean.birth import (
    BirthImpossible,
    BirthOk,
    BirthReading,
    CenturyUnclear,
    ImpossibleBirth,
    NoBirth,
    birth_from_keys,
    birth_from_words,
)
from wonmu.korean.digits import correct_digits, read_digits, read_phone
from wonmu.korean.phone import Phone

__all__ = [
    "BirthImpossible",
    "BirthOk",
    "BirthReading",
    "CenturyUnclear",
    "ImpossibleBirth",
    "NoBirth",
    "Phone",
    "birth_from_keys",
    "birth_from_words",
    "correct_digits",
    "read_digits",
    "read_phone",
]
