"""What a booking draft consists of, and what its steps answer (S8, T9).

Values only; ``draft`` decides which step may follow which. A digest must never be built from less
than everything the caller agrees to.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC
from enum import StrEnum
from typing import NewType

from wonmu.booking.offer import OfferList
from wonmu.booking.wish import Wish
from wonmu.emr.port import Slot
from wonmu.ids import BookingKey

Digest = NewType("Digest", str)
"""Stable hash of one exact candidate: patient, department, doctor, slot, start, version."""


class DraftRefusal(StrEnum):
    """Why a step was refused."""

    NOT_IN_LISTS = "not_in_lists"
    OTHER_DEPARTMENT = "other_department"
    OTHER_DOCTOR = "other_doctor"
    DOCTOR_NOT_CHOSEN = "doctor_not_chosen"
    NO_DEPARTMENT = "no_department"
    NOT_FREE = "not_free"
    OUTSIDE_WINDOW = "outside_window"
    NOTHING_STAGED = "nothing_staged"
    OTHER_DIGEST = "other_digest"
    READBACK_NOT_RUNNING = "readback_not_running"
    READBACK_NOT_HEARD = "readback_not_heard"
    NOT_JUST_BEFORE = "not_just_before"
    NO_WORDS = "no_words"
    NO_CONSENT = "no_consent"
    NO_WRITE = "no_write"
    OTHER_KEY = "other_key"
    WRITE_RUNNING = "write_running"
    ALREADY_COMMITTED = "already_committed"


class Part(StrEnum):
    """What a step can discard."""

    DOCTOR = "doctor"
    OFFERS = "offers"
    STAGED = "staged"
    READBACK = "readback"
    CONSENT = "consent"


@dataclass(frozen=True, slots=True)
class Refused:
    """The step was not done; the state is as before."""

    why: DraftRefusal


@dataclass(frozen=True, slots=True)
class Changed:
    """The step was done; ``discarded`` is what fell with the old value."""

    discarded: frozenset[Part] = frozenset()


@dataclass(frozen=True, slots=True)
class Staged:
    """One exact candidate, freshly read from the record system."""

    digest: Digest
    slot: Slot


@dataclass(frozen=True, slots=True)
class ReadBack:
    """The question that was composed for ``digest``; ``heard`` only when played to its end."""

    digest: Digest
    text: str
    turn: int
    heard: bool = False


@dataclass(frozen=True, slots=True)
class Consent:
    """The caller's yes to the read-back of ``digest``."""

    digest: Digest
    words: str
    turn: int


@dataclass(frozen=True, slots=True)
class Minted:
    """The one idempotency key of the consented intent; ``writing`` while a write is under way."""

    digest: Digest
    key: BookingKey
    writing: bool = True


@dataclass(frozen=True, slots=True)
class Committed:
    """Recorded or booked, once."""

    digest: Digest
    key: BookingKey


@dataclass(frozen=True, slots=True)
class DraftState:
    """A snapshot. What is ``None`` has not happened or was discarded."""

    patient_ref: str
    wish: Wish = field(default_factory=Wish)
    offers: OfferList | None = None
    staged: Staged | None = None
    readback: ReadBack | None = None
    consent: Consent | None = None
    minted: Minted | None = None
    committed: Committed | None = None


def digest_of(patient_ref: str, slot: Slot) -> Digest:
    """The digest of one candidate; equal only if patient, ids, moment and version are equal."""
    parts = (
        patient_ref,
        slot.department_id,
        slot.doctor_id,
        slot.id,
        slot.start.astimezone(UTC).isoformat(),
        str(slot.version),
    )
    framed = "".join(f"{len(part)}:{part}" for part in parts)
    return Digest(hashlib.sha256(framed.encode()).hexdigest()[:24])
