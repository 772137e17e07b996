"""A refund from its offer to its outcome: the one door to the draft and to carrying it out."""

from __future__ import annotations

from wonmu.desk.billing.carrying_out import (
    Given,
    NotConsented,
    NotGiven,
    NotKept,
    NotKnown,
    Open,
    ReceiptOutcome,
    RefundOutcome,
    Rejected,
    Taken,
    carry_out,
    carry_out_receipt,
)
from wonmu.desk.billing.refund_draft import RefundDraft
from wonmu.desk.billing.refund_snapshot import restore, snapshot
from wonmu.desk.billing.refund_state import (
    Changed,
    Committed,
    Consent,
    DraftRefusal,
    Minted,
    ReadBack,
    RefundDigest,
    RefundDraftState,
    Refused,
    Staged,
    digest_of,
)

__all__ = [
    "Changed",
    "Committed",
    "Consent",
    "DraftRefusal",
    "Given",
    "Minted",
    "NotConsented",
    "NotGiven",
    "NotKept",
    "NotKnown",
    "Open",
    "ReadBack",
    "ReceiptOutcome",
    "RefundDigest",
    "RefundDraft",
    "RefundDraftState",
    "RefundOutcome",
    "Refused",
    "Rejected",
    "Staged",
    "Taken",
    "carry_out",
    "carry_out_receipt",
    "digest_of",
    "restore",
    "snapshot",
]
