"""What is known so far about who the patient is (D1, B7). Facts only; ``decide`` draws from them.

The facts are the patient's. The caller's number is a hint and the contact, never a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

TRIES_LIMIT = 3
"""How many birth dates are taken (D1)."""


class Level(StrEnum):
    """What the identity is for.

    ``create``: a new booking; number and birth date on file decide. ``read``: telling somebody
    about bookings on file; name, birth date and a number on file must all match one person.
    """

    CREATE = "create"
    READ = "read"


@dataclass(frozen=True, slots=True)
class IdentityRules:
    """``escalate``: at the end of the tries a person takes over instead of plain "incomplete"."""

    level: Level = Level.CREATE
    tries_limit: int = TRIES_LIMIT
    escalate: bool = False


@dataclass(frozen=True, slots=True)
class IdentityFacts:
    """Phones are digits only. ``None`` means: not said yet.

    ``caller_phone``: the number calling. ``phone``: a number the caller gave when asked.
    ``says_new``: answer to "is this the first visit?". ``confirmed``: answer to the read-back of
    a new patient's data. ``refused``: the caller will not give what is asked. ``tries``: birth
    dates taken so far, the present one included.
    """

    caller_phone: str | None = None
    birth_date: date | None = None
    name: str | None = None
    phone: str | None = None
    for_other: bool = False
    relation: str | None = None
    says_new: bool | None = None
    confirmed: bool | None = None
    refused: bool = False
    tries: int = 0
