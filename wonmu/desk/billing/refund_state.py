"""What the draft of a refund consists of, and what its steps answer (T9, N1).

Values only; ``refund_draft`` decides which step may follow which. A digest must never be built from
less than everything the caller agrees to.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

from wonmu.desk.billing.port import Invoice
from wonmu.ids import PatientId, RefundKey, Won

RefundDigest = NewType("RefundDigest", str)
"""Stable hash of one exact refund: patient, invoice, version of the invoice, amount."""


class DraftRefusal(StrEnum):
    """Why a step was refused."""

    OTHER_PATIENT = "other_patient"
    NOTHING_REFUNDABLE = "nothing_refundable"
    OTHER_AMOUNT = "other_amount"
    """Only the whole of what is refundable can be asked back."""
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


@dataclass(frozen=True, slots=True)
class Refused:
    """The step was not done; the state is as before."""

    why: DraftRefusal


@dataclass(frozen=True, slots=True)
class Changed:
    """The step was done."""


@dataclass(frozen=True, slots=True)
class Staged:
    """One exact refund of an invoice that was read just now."""

    digest: RefundDigest
    invoice: Invoice
    amount: Won


@dataclass(frozen=True, slots=True)
class ReadBack:
    """The question composed for ``digest``; ``heard`` only when played (or shown) to its end."""

    digest: RefundDigest
    text: str
    turn: int
    heard: bool = False


@dataclass(frozen=True, slots=True)
class Consent:
    """The caller's yes to the read-back of ``digest``."""

    digest: RefundDigest
    words: str
    turn: int


@dataclass(frozen=True, slots=True)
class Minted:
    """The one key of this very refund; ``writing`` while a request is under way."""

    digest: RefundDigest
    key: RefundKey
    writing: bool = True


@dataclass(frozen=True, slots=True)
class Committed:
    """Requested, once."""

    digest: RefundDigest
    key: RefundKey


@dataclass(frozen=True, slots=True)
class RefundDraftState:
    """A snapshot. What is ``None`` has not happened or was discarded."""

    patient: PatientId
    staged: Staged | None = None
    readback: ReadBack | None = None
    consent: Consent | None = None
    minted: Minted | None = None
    committed: Committed | None = None


def digest_of(patient: PatientId, invoice: Invoice, amount: Won) -> RefundDigest:
    """Equal only if patient, invoice, its version and the amount are equal."""
    parts = (patient, invoice.id, str(invoice.version), str(amount))
    framed = "".join(f"{len(part)}:{part}" for part in parts)
    return RefundDigest(hashlib.sha256(framed.encode()).hexdigest()[:24])
