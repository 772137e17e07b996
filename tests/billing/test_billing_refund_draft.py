"""The draft of a refund: nothing is written that was not heard and agreed to (N1, T9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from billing_parts import KIM, LEE, invoice, overpaid
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from wonmu.desk.billing.refund import (
    Changed,
    Committed,
    Consent,
    DraftRefusal,
    Minted,
    RefundDigest,
    RefundDraft,
    Refused,
    Staged,
    digest_of,
    restore,
    snapshot,
)
from wonmu.ids import RefundKey, Won

pytestmark = pytest.mark.unit

BILL = overpaid()
AMOUNT = BILL.refundable
KEY = RefundKey("key-1")
OTHER = RefundDigest("other")


def staged() -> tuple[RefundDraft, RefundDigest]:
    draft = RefundDraft(KIM)
    found = draft.stage(BILL, AMOUNT)
    assert isinstance(found, Staged)
    return draft, found.digest


def heard() -> tuple[RefundDraft, RefundDigest]:
    draft, digest = staged()
    assert draft.readback_started(digest, "15,000원을 환불해 달라고 신청할까요?", 4) == Changed()
    assert draft.readback_heard(digest) == Changed()
    return draft, digest


def consented() -> tuple[RefundDraft, RefundDigest]:
    draft, digest = heard()
    assert draft.consent(digest, "네", 4) == Consent(digest, "네", 4)
    return draft, digest


def writing() -> tuple[RefundDraft, RefundDigest]:
    draft, digest = consented()
    assert draft.mint(digest, KEY) == Minted(digest, KEY)
    return draft, digest


def committed() -> tuple[RefundDraft, RefundDigest]:
    draft, digest = writing()
    assert draft.commit(digest, KEY) == Committed(digest, KEY)
    return draft, digest


def refused(draft: RefundDraft, step: Callable[[], object], why: DraftRefusal) -> None:
    before = draft.state
    assert step() == Refused(why)
    assert draft.state is before


def test_the_whole_way() -> None:
    draft, digest = committed()
    assert draft.commit(digest, KEY) == Committed(digest, KEY)


# Staging -------------------------------------------------------------------------------------


def test_what_cannot_be_staged() -> None:
    draft = RefundDraft(KIM)
    refused(draft, lambda: draft.stage(BILL, Won(14_999)), DraftRefusal.OTHER_AMOUNT)
    refused(draft, lambda: draft.stage(BILL, Won(15_001)), DraftRefusal.OTHER_AMOUNT)
    refused(draft, lambda: draft.stage(invoice(), Won(0)), DraftRefusal.NOTHING_REFUNDABLE)
    theirs = overpaid(patient=LEE)
    refused(draft, lambda: draft.stage(theirs, AMOUNT), DraftRefusal.OTHER_PATIENT)


@pytest.mark.parametrize(
    "other",
    [
        overpaid("inv-9"),
        replace(BILL, version=3),
        replace(BILL, refundable=Won(14_000)),
    ],
    ids=["invoice", "version", "amount"],
)
def test_another_refund_discards_read_back_consent_and_key(other: object) -> None:
    draft, digest = writing()
    draft.write_failed(digest, outcome_known=True)
    assert isinstance(other, type(BILL))
    found = draft.stage(other, other.refundable)
    assert isinstance(found, Staged)
    assert found.digest != digest
    state = draft.state
    assert (state.readback, state.consent, state.minted) == (None, None, None)
    refused(draft, lambda: draft.mint(digest, KEY), DraftRefusal.OTHER_DIGEST)
    refused(draft, lambda: draft.mint(found.digest, KEY), DraftRefusal.NO_CONSENT)


def test_the_same_refund_staged_again_keeps_the_consent() -> None:
    draft, digest = consented()
    before = draft.state
    assert draft.stage(BILL, AMOUNT) == Staged(digest, BILL, AMOUNT)
    assert draft.state is before


def test_another_patient_discards_everything() -> None:
    draft, _ = consented()
    assert draft.set_patient(KIM) == Changed()
    assert draft.state.consent is not None
    assert draft.set_patient(LEE) == Changed()
    assert draft.state.staged is None
    refused(draft, lambda: draft.stage(BILL, AMOUNT), DraftRefusal.OTHER_PATIENT)


def test_no_refund_wanted_after_all() -> None:
    draft, digest = consented()
    assert draft.discard() == Changed()
    refused(draft, lambda: draft.mint(digest, KEY), DraftRefusal.NOTHING_STAGED)


# Read-back and consent -----------------------------------------------------------------------


def test_no_consent_without_a_read_back_heard_in_the_turn_before() -> None:
    draft, digest = staged()
    refused(draft, lambda: draft.consent(digest, "네", 4), DraftRefusal.READBACK_NOT_HEARD)
    refused(draft, lambda: draft.readback_heard(digest), DraftRefusal.READBACK_NOT_RUNNING)
    refused(draft, lambda: draft.interrupted(digest), DraftRefusal.READBACK_NOT_RUNNING)
    refused(draft, lambda: draft.readback_started(digest, " ", 4), DraftRefusal.NO_WORDS)
    refused(draft, lambda: draft.readback_started(OTHER, "?", 4), DraftRefusal.OTHER_DIGEST)
    draft.readback_started(digest, "신청할까요?", 4)
    refused(draft, lambda: draft.consent(digest, "네", 4), DraftRefusal.READBACK_NOT_HEARD)
    draft.readback_heard(digest)
    refused(draft, lambda: draft.consent(digest, "네", 5), DraftRefusal.NOT_JUST_BEFORE)
    refused(draft, lambda: draft.consent(digest, "네", 3), DraftRefusal.NOT_JUST_BEFORE)
    refused(draft, lambda: draft.consent(digest, " ", 4), DraftRefusal.NO_WORDS)
    refused(draft, lambda: draft.consent(OTHER, "네", 4), DraftRefusal.OTHER_DIGEST)
    refused(draft, lambda: draft.mint(digest, KEY), DraftRefusal.NO_CONSENT)


def test_a_cut_or_repeated_read_back_needs_a_new_yes() -> None:
    draft, digest = consented()
    assert draft.interrupted(digest) == Changed()
    refused(draft, lambda: draft.mint(digest, KEY), DraftRefusal.NO_CONSENT)
    draft, digest = consented()
    draft.readback_started(digest, "다시 여쭙겠습니다. 신청할까요?", 6)
    refused(draft, lambda: draft.mint(digest, KEY), DraftRefusal.NO_CONSENT)


def test_nothing_staged_takes_no_step() -> None:
    draft = RefundDraft(KIM)
    for step in (
        lambda: draft.readback_started(OTHER, "?", 1),
        lambda: draft.readback_heard(OTHER),
        lambda: draft.interrupted(OTHER),
        lambda: draft.consent(OTHER, "네", 1),
        lambda: draft.mint(OTHER, KEY),
        lambda: draft.write_failed(OTHER, outcome_known=True),
        lambda: draft.lost(OTHER),
        lambda: draft.commit(OTHER, KEY),
    ):
        refused(draft, step, DraftRefusal.NOTHING_STAGED)


# Writing -------------------------------------------------------------------------------------


def test_the_first_key_stays_through_failure_and_a_new_read_back() -> None:
    draft, digest = writing()
    assert draft.write_failed(digest, outcome_known=True) == Changed()
    draft.readback_started(digest, "다시 여쭙겠습니다. 신청할까요?", 8)
    draft.readback_heard(digest)
    draft.consent(digest, "네", 8)
    assert draft.mint(digest, RefundKey("key-2")) == Minted(digest, KEY)


def test_while_the_outcome_is_unknown_nothing_can_change() -> None:
    draft, digest = writing()
    draft.write_failed(digest, outcome_known=False)
    for step in (
        lambda: draft.stage(overpaid("inv-9"), AMOUNT),
        lambda: draft.set_patient(LEE),
        lambda: draft.discard(),
        lambda: draft.readback_started(digest, "?", 9),
        lambda: draft.readback_heard(digest),
        lambda: draft.interrupted(digest),
        lambda: draft.consent(digest, "네", 4),
    ):
        refused(draft, step, DraftRefusal.WRITE_RUNNING)
    refused(draft, lambda: draft.commit(digest, RefundKey("key-2")), DraftRefusal.OTHER_KEY)
    assert draft.commit(digest, KEY) == Committed(digest, KEY)


def test_what_the_ledger_refused_falls_with_its_key() -> None:
    draft, digest = consented()
    refused(draft, lambda: draft.lost(digest), DraftRefusal.NO_WRITE)
    draft, digest = writing()
    assert draft.lost(digest) == Changed()
    assert draft.state.minted is None
    assert draft.state.staged is None


def test_after_the_commit_nothing_moves() -> None:
    draft, digest = committed()
    for step in (
        lambda: draft.stage(overpaid("inv-9"), AMOUNT),
        lambda: draft.set_patient(LEE),
        lambda: draft.discard(),
        lambda: draft.mint(digest, KEY),
        lambda: draft.write_failed(digest, outcome_known=True),
        lambda: draft.lost(digest),
    ):
        refused(draft, step, DraftRefusal.ALREADY_COMMITTED)
    refused(draft, lambda: draft.commit(OTHER, KEY), DraftRefusal.OTHER_DIGEST)


def test_no_commit_without_a_write() -> None:
    draft, digest = consented()
    refused(draft, lambda: draft.commit(digest, KEY), DraftRefusal.NO_WRITE)
    refused(draft, lambda: draft.write_failed(digest, outcome_known=True), DraftRefusal.NO_WRITE)


def test_a_digest_is_of_everything_agreed_to() -> None:
    digests = {
        digest_of(KIM, BILL, AMOUNT),
        digest_of(LEE, BILL, AMOUNT),
        digest_of(KIM, overpaid("inv-9"), AMOUNT),
        digest_of(KIM, replace(BILL, version=3), AMOUNT),
        digest_of(KIM, BILL, Won(14_999)),
    }
    assert len(digests) == 5


# Snapshots -----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [staged, heard, consented])
def test_a_restored_draft_asks_again(make: Callable[[], tuple[RefundDraft, RefundDigest]]) -> None:
    draft, digest = make()
    back = restore(snapshot(draft))
    assert back is not None
    assert back.state.staged == draft.state.staged
    assert (back.state.readback, back.state.consent) == (None, None)
    refused(back, lambda: back.mint(digest, KEY), DraftRefusal.NO_CONSENT)


def test_the_key_outlives_the_process() -> None:
    draft, digest = writing()
    back = restore(snapshot(draft))
    assert back is not None
    back.readback_started(digest, "신청할까요?", 1)
    back.readback_heard(digest)
    back.consent(digest, "네", 1)
    assert back.mint(digest, RefundKey("key-2")) == Minted(digest, KEY)


def test_what_was_requested_stays_requested() -> None:
    draft, digest = committed()
    back = restore(snapshot(draft))
    assert back is not None
    assert back.commit(digest, KEY) == Committed(digest, KEY)
    refused(back, lambda: back.mint(digest, KEY), DraftRefusal.ALREADY_COMMITTED)


def test_an_empty_draft_and_what_cannot_be_read() -> None:
    empty = restore(snapshot(RefundDraft(KIM)))
    assert empty is not None
    assert empty.state == RefundDraft(KIM).state
    good = snapshot(staged()[0])
    for bad in (
        "",
        "[]",
        "{}",
        good.replace("15000", "15001", 1),
        good.replace("p-0001", "p-2", 1),
    ):
        assert restore(bad) is None


# Any order of steps --------------------------------------------------------------------------

BILLS = (BILL, overpaid("inv-9", 9_000), replace(BILL, version=3), invoice(), overpaid(patient=LEE))
mostly = st.sampled_from([True, True, True, False])
lateness = st.sampled_from([0, 0, 0, -1, 1])


class RefundMachine(RuleBasedStateMachine):
    """Random steps beside a plain log of what was heard; ``valid`` is what it allows to be written.

    A write that began before a repeated read-back may end after it, so minted digests are kept.
    """

    def __init__(self) -> None:
        super().__init__()
        self.draft = RefundDraft(KIM)
        self.running: tuple[RefundDigest, int] | None = None
        self.heard: tuple[RefundDigest, int] | None = None
        self.valid: RefundDigest | None = None
        self.agreed: set[RefundDigest] = set()
        self.keys: dict[RefundDigest, RefundKey] = {}
        self.turn = 0

    @initialize(deep=st.booleans())
    def start(self, deep: bool) -> None:
        if deep:
            self.draft.stage(BILL, AMOUNT)

    def _pick(self, mine: bool) -> RefundDigest:
        staged = self.draft.state.staged
        return staged.digest if mine and staged is not None else OTHER

    def _step(self, step: Callable[[], object]) -> object:
        before = self.draft.state
        result = step()
        if isinstance(result, Refused):
            assert self.draft.state is before
        if self.draft.state.staged != before.staged:
            self.running = self.heard = self.valid = None
            self.keys.clear()
        return result

    @rule(bill=st.sampled_from(BILLS), right=mostly)
    def stage(self, bill: object, right: bool) -> None:
        assert isinstance(bill, type(BILL))
        amount = bill.refundable if right else Won(bill.refundable + 1)
        result = self._step(lambda: self.draft.stage(bill, amount))
        if isinstance(result, Staged):
            assert (result.amount, bill.patient_id) == (bill.refundable, self.draft.state.patient)
            assert result.amount > 0

    @rule(patient=st.sampled_from([KIM, LEE]))
    def patient(self, patient: object) -> None:
        self._step(lambda: self.draft.set_patient(KIM if patient == KIM else LEE))

    @rule()
    def discard(self) -> None:
        self._step(self.draft.discard)

    @rule(mine=mostly, played=mostly)
    def read_back(self, mine: bool, played: bool) -> None:
        digest = self._pick(mine)
        self.turn += 1
        turn = self.turn
        result = self._step(lambda: self.draft.readback_started(digest, "…?", turn))
        if isinstance(result, Changed):
            self.running, self.heard, self.valid = (digest, turn), None, None
        if played:
            self.played(mine)

    @rule(mine=mostly)
    def played(self, mine: bool) -> None:
        digest = self._pick(mine)
        if isinstance(self._step(lambda: self.draft.readback_heard(digest)), Changed):
            assert self.running is not None
            self.heard = self.running

    @rule(mine=mostly)
    def cut(self, mine: bool) -> None:
        digest = self._pick(mine)
        if isinstance(self._step(lambda: self.draft.interrupted(digest)), Changed):
            self.running = self.heard = self.valid = None

    @rule(mine=mostly, late=lateness)
    def yes(self, mine: bool, late: int) -> None:
        digest, turn = self._pick(mine), self.turn + late
        if isinstance(self._step(lambda: self.draft.consent(digest, "네", turn)), Consent):
            assert self.heard == (digest, turn)
            self.valid = digest

    @rule(mine=mostly, name=st.integers(0, 99))
    def mint(self, mine: bool, name: int) -> None:
        digest = self._pick(mine)
        key = RefundKey(f"key-{name}")
        result = self._step(lambda: self.draft.mint(digest, key))
        if isinstance(result, Minted):
            assert self.valid == digest
            assert self.keys.setdefault(digest, result.key) == result.key
            self.agreed.add(digest)

    @rule(mine=mostly, known=st.booleans())
    def fail(self, mine: bool, known: bool) -> None:
        digest = self._pick(mine)
        self._step(lambda: self.draft.write_failed(digest, outcome_known=known))

    @rule(mine=mostly)
    def lose(self, mine: bool) -> None:
        digest = self._pick(mine)
        self._step(lambda: self.draft.lost(digest))

    @rule(mine=mostly, right=mostly)
    def commit(self, mine: bool, right: bool) -> None:
        digest = self._pick(mine)
        minted = self.draft.state.minted
        key = minted.key if minted is not None and right else RefundKey("wrong")
        result = self._step(lambda: self.draft.commit(digest, key))
        if isinstance(result, Committed):
            assert digest in self.agreed

    @rule()
    def restart(self) -> None:
        back = restore(snapshot(self.draft))
        assert back is not None
        assert back.state.staged == self.draft.state.staged
        assert back.state.committed == self.draft.state.committed
        self.draft = back
        self.running = self.heard = self.valid = None

    @invariant()
    def what_is_written_was_agreed_to(self) -> None:
        state = self.draft.state
        digest = None if state.staged is None else state.staged.digest
        for part in (state.readback, state.consent, state.minted, state.committed):
            assert part is None or part.digest == digest
        if state.consent is not None:
            assert self.valid == digest
        if state.minted is not None:
            assert digest in self.agreed
        if state.staged is not None:
            assert digest == digest_of(state.patient, state.staged.invoice, state.staged.amount)


TestRefundMachine = RefundMachine.TestCase
TestRefundMachine.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
