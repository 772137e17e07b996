"""A Korean telephone number as a value (D4).

Decides which digit strings are telephone numbers and how one is written; never guesses a missing
digit. ``phonenumbers`` is asked only about numbers that are not mobile: it takes 010 with seven
digits for valid (measured with 9.0.43), so mobile numbers have a rule of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from wonmu.errors import ProgrammingError

_MOBILE = re.compile(r"010\d{8}|01[16789]\d{7,8}")
_FOUR_DIGIT_SERVICE = re.compile(r"1[5-9]\d{6}")
_VIRTUAL = re.compile(r"(050\d|070|0\d{2})(\d{3,4})(\d{4})")


@dataclass(frozen=True, slots=True)
class Phone:
    """``digits`` as dialled inside Korea, e.g. "01012345678". ProgrammingError if not a number."""

    digits: str

    def __post_init__(self) -> None:
        if not is_phone(self.digits):
            raise ProgrammingError(
                "not a Korean telephone number; use Phone.parse for outside text"
            )

    @classmethod
    def parse(cls, text: str) -> Phone | None:
        """A written number with or without +82, hyphens, dots, spaces, brackets; else None."""
        digits = re.sub(r"[\s().\-]", "", text)
        digits = re.sub(r"^\+?82(?=[1-9])", "0", digits) if len(digits) > 10 else digits
        digits = digits.removeprefix("+")
        return cls(digits) if is_phone(digits) else None

    @property
    def mobile(self) -> bool:
        return _MOBILE.fullmatch(self.digits) is not None

    @property
    def hyphened(self) -> str:
        """ "010-1234-5678", "02-123-4567", "1588-0000"."""
        if _FOUR_DIGIT_SERVICE.fullmatch(self.digits):
            return f"{self.digits[:4]}-{self.digits[4:]}"
        head = 2 if self.digits.startswith("02") else 3
        found = _VIRTUAL.fullmatch(self.digits)
        if found and not self.digits.startswith("02"):
            head = len(found.group(1))
        return f"{self.digits[:head]}-{self.digits[head:-4]}-{self.digits[-4:]}"

    @property
    def e164(self) -> str:
        return "+82" + self.digits.removeprefix("0")

    def spellings(self) -> tuple[str, str, str]:
        """Digits, hyphened and +82…: record systems compare a number as text (D4)."""
        return self.digits, self.hyphened, self.e164

    def __str__(self) -> str:
        return self.hyphened


@lru_cache(maxsize=512)
def is_phone(digits: str) -> bool:
    """Is this digit string a number that could be dialled inside Korea?"""
    if not digits.isascii() or not digits.isdecimal() or not 8 <= len(digits) <= 12:
        return False
    if digits.startswith("01"):
        return _MOBILE.fullmatch(digits) is not None
    # phonenumbers also takes a number without its leading 0, which nobody can dial.
    dialled = digits[0] == "0" or _FOUR_DIGIT_SERVICE.fullmatch(digits) is not None
    return dialled and _fixed_line(digits)


def _fixed_line(digits: str) -> bool:
    # Imported here: its tables take longer to load than all the rest of this package.
    import phonenumbers

    try:
        number = phonenumbers.parse(digits, "KR")
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_valid_number_for_region(number, "KR")
