"""What comes back from a specialist (H1): closed, typed, never a blank.

Decides nothing. ``Answered.text`` is the specialist's last message and all that a caller's agent
may see of its work; ``facts`` are for code: amounts that may be spoken, what may be offered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from wonmu.desk.billing.port import Invoice, ReceiptKind
from wonmu.errors import EmrFault
from wonmu.ids import PatientId, Won


@dataclass(frozen=True, slots=True)
class Question:
    """``words``: what the caller wants, masked, as they said it. ``patient``: who was identified,
    None when nobody is; a specialist can never choose that itself."""

    words: str
    patient: PatientId | None = None


@dataclass(frozen=True, slots=True)
class RefundOffer:
    """The specialist found that this may be asked back; code asks for the yes."""

    invoice: Invoice
    amount: Won


@dataclass(frozen=True, slots=True)
class ReceiptOffer:
    """A receipt for this paid invoice can be requested; code does it."""

    invoice: Invoice
    kind: ReceiptKind


@dataclass(frozen=True, slots=True)
class Facts:
    """What the specialist's tools really returned. ``amounts``: each may be spoken.
    ``read``: what was read without fault ("invoices", "refunds", "payments", "certificates"), so
    that "there is none" may be said of it. ``which``: several bills come into question for a
    refund, or for a receipt of this kind; code asks which one."""

    amounts: frozenset[Won] = frozenset()
    read: frozenset[str] = frozenset()
    offer: RefundOffer | ReceiptOffer | None = None
    which: Literal["refund"] | ReceiptKind | None = None


class WhyFailed(StrEnum):
    EMPTY = "empty"
    """The last message had no words."""
    STEPS = "steps"
    SECONDS = "seconds"
    MODEL = "model"
    """No model gave anything usable."""
    LEDGER = "ledger"
    UNTRUE = "untrue"
    """The last message states an amount or an act that no tool returned."""


@dataclass(frozen=True, slots=True)
class Answered:
    text: str
    facts: Facts = field(default_factory=Facts)


@dataclass(frozen=True, slots=True)
class NeedsIdentity:
    """The question is about a person, and nobody is identified."""


@dataclass(frozen=True, slots=True)
class Failed:
    why: WhyFailed
    fault: EmrFault | None = None
    """Set for ``LEDGER``."""


Answer = Answered | NeedsIdentity | Failed
