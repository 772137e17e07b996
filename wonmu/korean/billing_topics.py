"""What a caller's words ask of the billing desk: bills, refunds, receipts, certificates (H1, T3).

Decides from tables of words, without a model. A question about refunds, a refusal and a memory are
no order to refund, and what every hospital publishes (whether cards are taken, what parking or a
first visit costs) is no question about the caller's own bill. It must never read an order out of
anything but an order.

Words are folded first, so a pattern sees one run of syllables per sentence.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from wonmu.korean.billing_words import (
    BILL,
    BILL_OWN,
    BILL_PUBLISHED,
    CERTIFICATE,
    GIVE_BACK,
    GIVEN_UP,
    INSURER,
    NOT_BILLS,
    RECEIPT,
    REFUND,
    REFUND_GENERAL,
    REFUND_HISTORY,
    REFUND_ORDER,
    REFUND_STATE,
    REPORTED,
    TYPOS,
    WAYS,
)
from wonmu.korean.folding import folded_sentences


class BillingTopic(StrEnum):
    INVOICE = "invoice"
    """The caller's own bill: what it came to, what is paid, what is still to be paid."""
    REFUND_STATUS = "refund_status"
    """What became of a refund."""
    REFUND_WANTED = "refund_wanted"
    """Money to get back: an order, or a question whether there is any."""
    RECEIPT = "receipt"
    CERTIFICATE = "certificate"
    """A certificate: its fee, or how to get it. The fee is published."""


_REFUNDS = frozenset({BillingTopic.REFUND_STATUS, BillingTopic.REFUND_WANTED})


def read_billing(words: str) -> frozenset[BillingTopic]:
    """Everything these words ask of a billing desk; empty for anything else."""
    found: frozenset[BillingTopic] = frozenset()
    for sentence in _sentences(words):
        found |= _read_sentence(sentence)
    return found


def asks_billing(words: str) -> bool:
    """Whether a billing desk is asked for anything at all."""
    return bool(read_billing(words))


def is_personal(words: str) -> bool:
    """Whether the answer is about one person's money, so that it needs identity (D3).

    The fee of a certificate, and how refunds or receipts work in general, are no such thing.
    """
    return any(_personal(sentence) for sentence in _sentences(words))


def wants_refund(words: str) -> bool:
    """Whether a refund is explicitly ordered; never for a question, a refusal or a memory."""
    return any(_orders_refund(sentence) for sentence in _sentences(words))


@lru_cache(maxsize=256)
def _sentences(words: str) -> tuple[str, ...]:
    """Folded sentences with the usual misspellings put right and given-up wishes cut out."""
    return tuple(_cleaned(sentence) for sentence in folded_sentences(words))


def _cleaned(sentence: str) -> str:
    for wrong, right in TYPOS:
        sentence = wrong.sub(right, sentence)
    return GIVEN_UP.sub("", sentence)


@lru_cache(maxsize=256)
def _read_sentence(said: str) -> frozenset[BillingTopic]:
    found: set[BillingTopic] = set()
    if CERTIFICATE.search(said):
        found.add(BillingTopic.CERTIFICATE)
    if RECEIPT.search(said) or (not found and INSURER.search(said)):
        found.add(BillingTopic.RECEIPT)
    found |= _refunds(said)
    if _asks_invoice(said, about_refund=bool(found & _REFUNDS)):
        found.add(BillingTopic.INVOICE)
    return frozenset(found)


def _refunds(said: str) -> frozenset[BillingTopic]:
    if not REFUND.search(said) and not GIVE_BACK.search(said):
        return frozenset()
    found: set[BillingTopic] = set()
    if REFUND_STATE.search(said):
        found.add(BillingTopic.REFUND_STATUS)
    if not found or _orders_refund(said):
        found.add(BillingTopic.REFUND_WANTED)
    return frozenset(found)


def _asks_invoice(said: str, *, about_refund: bool) -> bool:
    """The bill beside another matter only when it is named by itself ("환불되고 미납도 있나요")."""
    bare = NOT_BILLS.sub("|", said)
    if about_refund:
        bare = REFUND_HISTORY.sub("|", bare)
    if BILL_OWN.search(bare):
        return True
    return bool(BILL.search(bare)) and not BILL_PUBLISHED.search(bare)


def _personal(said: str) -> bool:
    topics = _read_sentence(said)
    if BillingTopic.INVOICE in topics:
        return True
    if topics & _REFUNDS and (_orders_refund(said) or not REFUND_GENERAL.search(said)):
        return True
    return BillingTopic.RECEIPT in topics and not WAYS.search(said)


@lru_cache(maxsize=256)
def _orders_refund(said: str) -> bool:
    return bool(REFUND_ORDER.search(said)) and not REPORTED.search(said)
