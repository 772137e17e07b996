"""Personal data out of text that leaves the process (N8, D2, E5).

Decides which spans of a text are a resident number, a telephone number, a birth date, a card or
another long number, written or spoken, and puts a placeholder there. Never touches wished days,
times or prices, and never keeps what it took out anywhere but in its result.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class Secret(StrEnum):
    RRN = "rrn"
    PHONE = "phone"
    BIRTH = "birth"
    CARD = "card"
    NUMBER = "number"
    """A long run of digits of unknown use, such as half a telephone number."""


PLACEHOLDER: dict[Secret, str] = {
    Secret.RRN: "[주민번호]",
    Secret.PHONE: "[전화번호]",
    Secret.BIRTH: "[생년월일]",
    Secret.CARD: "[카드번호]",
    Secret.NUMBER: "[번호]",
}


@dataclass(frozen=True, slots=True)
class Found:
    """One masked span; ``raw`` is personal and hidden from repr."""

    kind: Secret
    raw: str

    def __repr__(self) -> str:
        return f"Found({self.kind.value})"


@dataclass(frozen=True, slots=True)
class Masked:
    text: str
    found: tuple[Found, ...]


def mask_text(text: str, *, today: date | None = None) -> Masked:
    """``text`` with placeholders. Masking the result again finds nothing.

    ``today`` tells wished days from birth dates in full dates without further words.
    """
    raise NotImplementedError
