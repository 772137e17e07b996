"""One refund as a state machine: staged, read back, heard, consented, minted, committed (T9, N1).

Decides which step may follow which. Only the whole refundable amount of an invoice just read can
be staged, and only what was read back to its end in the agent's turn just before can be consented
to. Another amount, invoice, version or patient discards everything that hung on the old one. It
must never change state on a refused step and never raise for anything that comes from outside. It
does no locking: its owner holds the lock. One draft is one refund: after the commit, and while a
request is under way, nothing can be changed; another refund is another draft.

**Turns** are counted like those of ``wonmu.booking.draft``: ``turn`` of a read-back is the agent's
turn that speaks it; ``turn`` of a consent is the agent's turn that was the last one before the
caller's words.
"""

from __future__ import annotations

from dataclasses import replace

from wonmu.desk.billing.port import Invoice
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
from wonmu.ids import PatientId, RefundKey, Won


class RefundDraft:
    """The state machine. Every method returns what happened; none raises for outside causes."""

    def __init__(self, patient: PatientId, state: RefundDraftState | None = None) -> None:
        self._state = state or RefundDraftState(patient)

    @property
    def state(self) -> RefundDraftState:
        return self._state

    def set_patient(self, patient: PatientId) -> Changed | Refused:
        """Another patient: everything falls."""
        if (refused := self._locked()) is not None:
            return refused
        if patient != self._state.patient:
            self._state = RefundDraftState(patient)
        return Changed()

    def discard(self) -> Changed | Refused:
        """The caller wants no refund, or another: everything falls, the key too."""
        if (refused := self._locked()) is not None:
            return refused
        self._state = RefundDraftState(self._state.patient)
        return Changed()

    def stage(self, invoice: Invoice, amount: Won) -> Staged | Refused:
        """Stage the refund of an invoice that was read just now.

        Staging the identical refund again keeps its read-back and consent.
        """
        if (refused := self._locked() or self._unstageable(invoice, amount)) is not None:
            return refused
        patient = self._state.patient
        staged = Staged(digest_of(patient, invoice, amount), invoice, amount)
        known = self._state.staged
        if known is None or known.digest != staged.digest:
            self._state = RefundDraftState(patient, staged)
        return staged

    def readback_started(self, digest: RefundDigest, text: str, turn: int) -> Changed | Refused:
        """The question begins to be spoken in the agent's ``turn``; an earlier consent falls."""
        if (refused := self._locked() or self._not_staged(digest)) is not None:
            return refused
        if not text.strip():
            return Refused(DraftRefusal.NO_WORDS)
        self._state = replace(self._state, readback=ReadBack(digest, text, turn), consent=None)
        return Changed()

    def readback_heard(self, digest: RefundDigest) -> Changed | Refused:
        """The question was played to its very end."""
        if (refused := self._locked() or self._not_staged(digest)) is not None:
            return refused
        readback = self._state.readback
        if readback is None:
            return Refused(DraftRefusal.READBACK_NOT_RUNNING)
        self._state = replace(self._state, readback=replace(readback, heard=True))
        return Changed()

    def interrupted(self, digest: RefundDigest) -> Changed | Refused:
        """The question was cut: it counts as never spoken."""
        if (refused := self._locked() or self._not_staged(digest)) is not None:
            return refused
        if self._state.readback is None:
            return Refused(DraftRefusal.READBACK_NOT_RUNNING)
        self._state = replace(self._state, readback=None, consent=None)
        return Changed()

    def consent(self, digest: RefundDigest, words: str, turn: int) -> Consent | Refused:
        """The caller's yes (already judged by ``booking.consent``)."""
        if (refused := self._locked() or self._not_staged(digest)) is not None:
            return refused
        readback = self._state.readback
        if readback is None or not readback.heard:
            return Refused(DraftRefusal.READBACK_NOT_HEARD)
        if turn != readback.turn:
            return Refused(DraftRefusal.NOT_JUST_BEFORE)
        if not words.strip():
            return Refused(DraftRefusal.NO_WORDS)
        given = self._state.consent or Consent(digest, words, turn)
        self._state = replace(self._state, consent=given)
        return given

    def mint(self, digest: RefundDigest, key: RefundKey) -> Minted | Refused:
        """Begin the request. The first key given for this very refund stays, whatever is said or
        repeated in between; later ones are ignored. While it is under way nothing can change."""
        if self._state.committed is not None:
            return Refused(DraftRefusal.ALREADY_COMMITTED)
        if (refused := self._not_consented(digest)) is not None:
            return refused
        kept = self._state.minted
        minted = Minted(digest, kept.key if kept else key)
        self._state = replace(self._state, minted=minted)
        return minted

    def write_failed(self, digest: RefundDigest, *, outcome_known: bool) -> Changed | Refused:
        """The request failed. Known: changes are possible again and a retry keeps the key.

        Unknown: everything stays closed until ``commit`` or a known failure.
        """
        minted = self._write_of(digest)
        if isinstance(minted, Refused):
            return minted
        self._state = replace(self._state, minted=replace(minted, writing=not outcome_known))
        return Changed()

    def lost(self, digest: RefundDigest) -> Changed | Refused:
        """The ledger refused it: refund, read-back, consent and key fall."""
        minted = self._write_of(digest)
        if isinstance(minted, Refused):
            return minted
        self._state = RefundDraftState(self._state.patient)
        return Changed()

    def commit(self, digest: RefundDigest, key: RefundKey) -> Committed | Refused:
        """The request stands. Again with the same digest: the same ``Committed``."""
        done = self._state.committed
        if done is not None:
            return done if done.digest == digest else Refused(DraftRefusal.OTHER_DIGEST)
        minted = self._write_of(digest)
        if isinstance(minted, Refused):
            return minted
        if minted.key != key:
            return Refused(DraftRefusal.OTHER_KEY)
        committed = Committed(digest, key)
        settled = replace(minted, writing=False)
        self._state = replace(self._state, minted=settled, committed=committed)
        return committed

    # What refuses a step -------------------------------------------------------------------

    def _locked(self) -> Refused | None:
        """After the commit, and while a request is under way, nothing may change."""
        if self._state.committed is not None:
            return Refused(DraftRefusal.ALREADY_COMMITTED)
        if self._state.minted is not None and self._state.minted.writing:
            return Refused(DraftRefusal.WRITE_RUNNING)
        return None

    def _unstageable(self, invoice: Invoice, amount: Won) -> Refused | None:
        if invoice.patient_id != self._state.patient:
            return Refused(DraftRefusal.OTHER_PATIENT)
        if invoice.refundable <= 0:
            return Refused(DraftRefusal.NOTHING_REFUNDABLE)
        if amount != invoice.refundable:
            return Refused(DraftRefusal.OTHER_AMOUNT)
        return None

    def _not_staged(self, digest: RefundDigest) -> Refused | None:
        staged = self._state.staged
        if staged is None:
            return Refused(DraftRefusal.NOTHING_STAGED)
        return None if staged.digest == digest else Refused(DraftRefusal.OTHER_DIGEST)

    def _not_consented(self, digest: RefundDigest) -> Refused | None:
        if (refused := self._not_staged(digest)) is not None:
            return refused
        # Belt and braces: a consent is discarded with its refund, and compared all the same.
        if self._state.consent is None or self._state.consent.digest != digest:
            return Refused(DraftRefusal.NO_CONSENT)
        return None

    def _write_of(self, digest: RefundDigest) -> Minted | Refused:
        if self._state.committed is not None:
            return Refused(DraftRefusal.ALREADY_COMMITTED)
        if (refused := self._not_staged(digest)) is not None:
            return refused
        minted = self._state.minted
        if minted is None or not minted.writing:
            return Refused(DraftRefusal.NO_WRITE)
        return minted
