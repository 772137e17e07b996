"""The draft: what each change discards, and no way to a commit but through consent (S8, T9, N1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from wonmu.booking.draft import (
    Changed,
    Committed,
    Consent,
    Digest,
    Draft,
    DraftRefusal,
    Minted,
    Part,
    Refused,
    Staged,
    digest_of,
)
from wonmu.booking.offer import Offer, OfferList
from wonmu.booking.wish import AnyDoctor, ClosedLists, DoctorChoice, ThisDoctor, Unsaid, Wish
from wonmu.clock import SEOUL
from wonmu.emr.port import Slot, SlotStatus, Window
from wonmu.ids import BookingKey, DepartmentId, DoctorId, SlotId, Version
from wonmu.korean.when import When

pytestmark = pytest.mark.unit

IM, OS = DepartmentId("im"), DepartmentId("os")
KIM, LEE, PARK = DoctorId("kim"), DoctorId("lee"), DoctorId("park")
LISTS = ClosedLists({IM: (KIM, LEE), OS: (PARK, LEE)})
TEN = datetime(2026, 12, 8, 10, 0, tzinfo=SEOUL)
WINDOW = Window(TEN - timedelta(days=1), TEN + timedelta(days=30))
TUESDAY = When(date(2026, 12, 8), date(2026, 12, 8), None, None, False)
FRIDAY = When(date(2026, 12, 11), date(2026, 12, 11), None, None, False)
KEY = BookingKey("key-1")
SLOT = Slot(SlotId("s1"), IM, KIM, TEN, 15, SlotStatus.FREE, Version("3"))
EVERYTHING = frozenset({Part.OFFERS, Part.STAGED, Part.READBACK, Part.CONSENT})


def wished() -> Draft:
    return Draft("p1", LISTS, Wish(IM, ThisDoctor(KIM), TUESDAY))


def staged() -> tuple[Draft, Digest]:
    draft = wished()
    draft.offer(OfferList((Offer(SLOT, 1),), TEN))
    found = draft.stage(SLOT, WINDOW)
    assert isinstance(found, Staged)
    return draft, found.digest


def heard() -> tuple[Draft, Digest]:
    draft, digest = staged()
    assert draft.readback_started(digest, "내과 … 맞으세요?", 4) == Changed()
    assert draft.readback_heard(digest) == Changed()
    return draft, digest


def consented() -> tuple[Draft, Digest]:
    draft, digest = heard()
    assert draft.consent(digest, "네", 4) == Consent(digest, "네", 4)
    return draft, digest


def refused(draft: Draft, step: Callable[[], object], why: DraftRefusal) -> None:
    before = draft.state
    assert step() == Refused(why)
    assert draft.state is before


def test_the_whole_way() -> None:
    draft, digest = consented()
    assert draft.mint(digest, KEY) == Minted(digest, KEY)
    assert draft.commit(digest, KEY) == Committed(digest, KEY)
    assert draft.state.committed == Committed(digest, KEY)


# What a change discards ---------------------------------------------------------------------


def test_another_department_discards_a_doctor_who_is_not_there() -> None:
    draft, _ = consented()
    assert draft.set_department(OS) == Changed(EVERYTHING | {Part.DOCTOR})
    assert draft.state.wish == Wish(OS, Unsaid(), TUESDAY)


def test_another_department_keeps_a_doctor_who_is_there_too() -> None:
    draft = Draft("p1", LISTS, Wish(IM, ThisDoctor(LEE), TUESDAY))
    assert draft.set_department(OS) == Changed()
    assert draft.state.wish.doctor == ThisDoctor(LEE)


def test_another_department_discards_any_doctor_but_not_unsaid() -> None:
    any_doctor = Draft("p1", LISTS, Wish(IM, AnyDoctor()))
    assert any_doctor.set_department(OS) == Changed(frozenset({Part.DOCTOR}))
    assert Draft("p1", LISTS).set_department(OS) == Changed()


def test_another_doctor_keeps_department_and_time() -> None:
    draft, _ = consented()
    assert draft.set_doctor(ThisDoctor(LEE)) == Changed(EVERYTHING)
    assert draft.state.wish == Wish(IM, ThisDoctor(LEE), TUESDAY)


def test_another_time_keeps_department_and_doctor() -> None:
    draft, _ = consented()
    assert draft.set_when(FRIDAY) == Changed(EVERYTHING)
    assert draft.state.wish == Wish(IM, ThisDoctor(KIM), FRIDAY)


def test_another_patient_keeps_the_conditions() -> None:
    draft, digest = consented()
    assert draft.set_patient("p2") == Changed(EVERYTHING - {Part.OFFERS})
    assert draft.state.offers is not None
    again = draft.stage(SLOT, WINDOW)
    assert isinstance(again, Staged)
    assert again.digest != digest


def test_the_same_value_again_discards_nothing() -> None:
    draft, digest = consented()
    before = draft.state
    assert draft.set_department(IM) == Changed()
    assert draft.set_doctor(ThisDoctor(KIM)) == Changed()
    assert draft.set_when(replace(TUESDAY)) == Changed()
    assert draft.set_patient("p1") == Changed()
    assert draft.stage(SLOT, WINDOW) == Staged(digest, SLOT)
    assert draft.state == before


def test_a_new_search_discards_the_candidate() -> None:
    draft, _ = consented()
    later = OfferList((), TEN + timedelta(minutes=1))
    assert draft.offer(later) == Changed(EVERYTHING - {Part.OFFERS})
    assert draft.state.offers == later


def test_a_slot_read_with_another_version_is_another_candidate() -> None:
    draft, digest = consented()
    again = draft.stage(replace(SLOT, version=Version("4")), WINDOW)
    assert isinstance(again, Staged)
    assert again.digest != digest
    assert draft.state.consent is None
    refused(draft, lambda: draft.mint(digest, KEY), DraftRefusal.OTHER_DIGEST)


def test_every_part_of_the_digest_counts() -> None:
    others = (
        replace(SLOT, id=SlotId("s2")),
        replace(SLOT, department_id=OS),
        replace(SLOT, doctor_id=LEE),
        replace(SLOT, start=TEN + timedelta(minutes=15)),
        replace(SLOT, version=Version("4")),
    )
    digests = {digest_of("p1", slot) for slot in (SLOT, *others)} | {digest_of("p2", SLOT)}
    assert len(digests) == 7
    same_moment = replace(SLOT, start=TEN.astimezone(tz=None))
    assert digest_of("p1", same_moment) == digest_of("p1", SLOT)


# What is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slot", "why"),
    [
        (replace(SLOT, status=SlotStatus.BUSY), DraftRefusal.NOT_FREE),
        (replace(SLOT, status=SlotStatus.HELD), DraftRefusal.NOT_FREE),
        (replace(SLOT, department_id=OS), DraftRefusal.OTHER_DEPARTMENT),
        (replace(SLOT, doctor_id=LEE), DraftRefusal.OTHER_DOCTOR),
        (replace(SLOT, doctor_id=DoctorId("nobody")), DraftRefusal.NOT_IN_LISTS),
        (replace(SLOT, start=WINDOW.end), DraftRefusal.OUTSIDE_WINDOW),
        (replace(SLOT, start=WINDOW.start - timedelta(minutes=1)), DraftRefusal.OUTSIDE_WINDOW),
        (replace(SLOT, start=TEN.replace(tzinfo=None)), DraftRefusal.OUTSIDE_WINDOW),
    ],
)
def test_a_slot_that_may_not_be_staged(slot: Slot, why: DraftRefusal) -> None:
    draft, _ = consented()
    refused(draft, lambda: draft.stage(slot, WINDOW), why)


def test_no_doctor_is_picked_for_the_caller() -> None:
    unsaid = Draft("p1", LISTS, Wish(IM, when=TUESDAY))
    refused(unsaid, lambda: unsaid.stage(SLOT, WINDOW), DraftRefusal.DOCTOR_NOT_CHOSEN)
    assert isinstance(Draft("p1", LISTS, Wish(IM, AnyDoctor())).stage(SLOT, WINDOW), Staged)
    easy = replace(LISTS, choose_doctor=False)
    assert isinstance(Draft("p1", easy, Wish(IM)).stage(SLOT, WINDOW), Staged)
    nothing = Draft("p1", LISTS)
    refused(nothing, lambda: nothing.stage(SLOT, WINDOW), DraftRefusal.NO_DEPARTMENT)


def test_only_ids_of_the_lists_are_taken() -> None:
    draft = wished()
    refused(draft, lambda: draft.set_department(DepartmentId("x")), DraftRefusal.NOT_IN_LISTS)
    stranger = ThisDoctor(DoctorId("x"))
    refused(draft, lambda: draft.set_doctor(stranger), DraftRefusal.NOT_IN_LISTS)
    refused(draft, lambda: draft.set_doctor(ThisDoctor(PARK)), DraftRefusal.OTHER_DEPARTMENT)


def test_a_doctor_named_first_brings_the_only_department() -> None:
    draft = Draft("p1", LISTS)
    assert draft.set_doctor(ThisDoctor(PARK)) == Changed()
    assert draft.state.wish.department == OS
    unclear = Draft("p1", LISTS)
    refused(unclear, lambda: unclear.set_doctor(ThisDoctor(LEE)), DraftRefusal.NO_DEPARTMENT)


def test_nothing_goes_without_a_candidate() -> None:
    draft, digest = wished(), Digest("d")
    for step in (
        lambda: draft.readback_started(digest, "…?", 1),
        lambda: draft.readback_heard(digest),
        lambda: draft.interrupted(digest),
        lambda: draft.consent(digest, "네", 1),
        lambda: draft.mint(digest, KEY),
        lambda: draft.slot_lost(digest),
        lambda: draft.commit(digest, KEY),
        lambda: draft.write_failed(digest, outcome_known=True),
    ):
        refused(draft, step, DraftRefusal.NOTHING_STAGED)


def test_a_read_back_needs_words_and_the_right_digest() -> None:
    draft, digest = staged()
    other = Digest("other")
    refused(draft, lambda: draft.readback_started(digest, " ", 1), DraftRefusal.NO_WORDS)
    refused(draft, lambda: draft.readback_started(other, "?", 1), DraftRefusal.OTHER_DIGEST)
    refused(draft, lambda: draft.readback_heard(digest), DraftRefusal.READBACK_NOT_RUNNING)
    refused(draft, lambda: draft.interrupted(digest), DraftRefusal.READBACK_NOT_RUNNING)


def test_a_read_back_that_was_cut_cannot_be_consented_to() -> None:
    draft, digest = staged()
    draft.readback_started(digest, "…?", 4)
    refused(draft, lambda: draft.consent(digest, "네", 4), DraftRefusal.READBACK_NOT_HEARD)
    assert draft.interrupted(digest) == Changed(frozenset({Part.READBACK}))
    refused(draft, lambda: draft.readback_heard(digest), DraftRefusal.READBACK_NOT_RUNNING)
    refused(draft, lambda: draft.consent(digest, "네", 4), DraftRefusal.READBACK_NOT_HEARD)


def test_consent_must_follow_at_once_and_have_words() -> None:
    draft, digest = heard()
    refused(draft, lambda: draft.consent(digest, "네", 5), DraftRefusal.NOT_JUST_BEFORE)
    refused(draft, lambda: draft.consent(digest, "네", 3), DraftRefusal.NOT_JUST_BEFORE)
    refused(draft, lambda: draft.consent(digest, " ", 4), DraftRefusal.NO_WORDS)
    refused(draft, lambda: draft.consent(Digest("x"), "네", 4), DraftRefusal.OTHER_DIGEST)
    refused(draft, lambda: draft.mint(digest, KEY), DraftRefusal.NO_CONSENT)
    refused(draft, lambda: draft.commit(digest, KEY), DraftRefusal.NO_CONSENT)


def test_a_second_yes_changes_nothing() -> None:
    draft, digest = consented()
    assert draft.consent(digest, "네네", 4) == Consent(digest, "네", 4)


def test_reading_back_again_needs_a_new_yes() -> None:
    draft, digest = consented()
    assert draft.readback_started(digest, "…?", 6) == Changed(
        frozenset({Part.READBACK, Part.CONSENT})
    )
    refused(draft, lambda: draft.mint(digest, KEY), DraftRefusal.NO_CONSENT)


def test_r13_a_yes_to_the_old_plan_is_not_spent_on_the_new_one() -> None:
    draft, old = consented()
    draft.set_doctor(ThisDoctor(LEE))
    new = draft.stage(replace(SLOT, id=SlotId("s2"), doctor_id=LEE), WINDOW)
    assert isinstance(new, Staged)
    for digest, why in ((old, DraftRefusal.OTHER_DIGEST), (new.digest, DraftRefusal.NO_CONSENT)):
        refused(draft, partial(draft.mint, digest, KEY), why)
        refused(draft, partial(draft.commit, digest, KEY), why)


# Writing -------------------------------------------------------------------------------------

CHANGES: tuple[Callable[[Draft], object], ...] = (
    lambda d: d.set_department(OS),
    lambda d: d.set_doctor(AnyDoctor()),
    lambda d: d.set_when(FRIDAY),
    lambda d: d.set_patient("p2"),
    lambda d: d.offer(OfferList((), TEN)),
    lambda d: d.stage(SLOT, WINDOW),
    lambda d: d.readback_started(digest_of("p1", SLOT), "?", 9),
    lambda d: d.readback_heard(digest_of("p1", SLOT)),
    lambda d: d.interrupted(digest_of("p1", SLOT)),
    lambda d: d.consent(digest_of("p1", SLOT), "네", 4),
)


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_changes_while_a_write_runs_or_after_it(change: Callable[[Draft], object]) -> None:
    draft, digest = consented()
    draft.mint(digest, KEY)
    refused(draft, lambda: change(draft), DraftRefusal.WRITE_RUNNING)
    draft.write_failed(digest, outcome_known=False)
    refused(draft, lambda: change(draft), DraftRefusal.WRITE_RUNNING)
    draft.commit(digest, KEY)
    refused(draft, lambda: change(draft), DraftRefusal.ALREADY_COMMITTED)


def test_a_retry_keeps_the_key() -> None:
    draft, digest = consented()
    draft.mint(digest, KEY)
    assert draft.write_failed(digest, outcome_known=True) == Changed()
    assert draft.mint(digest, BookingKey("key-2")) == Minted(digest, KEY)


def test_after_a_known_failure_a_change_drops_the_key() -> None:
    draft, digest = consented()
    draft.mint(digest, KEY)
    draft.write_failed(digest, outcome_known=True)
    assert draft.set_when(FRIDAY) == Changed(EVERYTHING)
    assert draft.state.minted is None


def test_a_lost_slot_leaves_the_wish_and_the_other_offers() -> None:
    draft, digest = staged()
    other = Offer(replace(SLOT, id=SlotId("s2"), start=TEN + timedelta(minutes=15)), 2)
    draft.offer(OfferList((Offer(SLOT, 1), other), TEN))
    draft.stage(SLOT, WINDOW)
    draft.readback_started(digest, "…?", 4)
    draft.readback_heard(digest)
    draft.consent(digest, "네", 4)
    draft.mint(digest, KEY)
    assert draft.slot_lost(digest) == Changed(EVERYTHING - {Part.OFFERS})
    assert draft.state.offers == OfferList((other,), TEN)
    assert draft.state.wish == Wish(IM, ThisDoctor(KIM), TUESDAY)
    assert draft.state.minted is None


def test_a_lost_slot_that_was_never_offered() -> None:
    draft = wished()
    draft.stage(SLOT, WINDOW)
    assert draft.slot_lost(digest_of("p1", SLOT)) == Changed(frozenset({Part.STAGED}))


def test_committing_needs_the_write_and_its_key() -> None:
    draft, digest = consented()
    refused(draft, lambda: draft.commit(digest, KEY), DraftRefusal.NO_WRITE)
    refused(draft, lambda: draft.write_failed(digest, outcome_known=True), DraftRefusal.NO_WRITE)
    draft.mint(digest, KEY)
    refused(draft, lambda: draft.commit(digest, BookingKey("key-2")), DraftRefusal.OTHER_KEY)


def test_a_commit_happens_once() -> None:
    draft, digest = consented()
    draft.mint(digest, KEY)
    first = draft.commit(digest, KEY)
    assert draft.commit(digest, BookingKey("key-2")) is first
    refused(draft, lambda: draft.commit(Digest("x"), KEY), DraftRefusal.OTHER_DIGEST)
    refused(draft, lambda: draft.mint(digest, KEY), DraftRefusal.ALREADY_COMMITTED)
    refused(draft, lambda: draft.slot_lost(digest), DraftRefusal.ALREADY_COMMITTED)
    refused(
        draft,
        lambda: draft.write_failed(digest, outcome_known=True),
        DraftRefusal.ALREADY_COMMITTED,
    )


# No sequence reaches a commit without the matching consent --------------------------------------

SLOTS = tuple(
    Slot(
        SlotId(f"s{n}"),
        dep,
        doc,
        TEN + timedelta(minutes=15 * n),
        15,
        status,
        Version(str(version)),
    )
    for n, (dep, doc, status, version) in enumerate(
        [
            (IM, KIM, SlotStatus.FREE, 1),
            (IM, LEE, SlotStatus.FREE, 1),
            (OS, LEE, SlotStatus.FREE, 1),
            (IM, KIM, SlotStatus.BUSY, 1),
            (IM, KIM, SlotStatus.FREE, 2),
        ]
    )
)
PATIENTS = ("p1", "p2")
DIGESTS = tuple(digest_of(patient, slot) for patient in PATIENTS for slot in SLOTS)
digests = st.sampled_from(DIGESTS)
mostly = st.sampled_from((True, True, True, True, False))
lateness = st.sampled_from((0, 0, 0, 1, -1))
DOCTORS: tuple[DoctorChoice, ...] = (AnyDoctor(), Unsaid(), ThisDoctor(KIM), ThisDoctor(LEE))


class DraftMachine(RuleBasedStateMachine):
    """Random steps; beside them a plain log of what was really said and heard.

    ``valid`` is what the log allows to be written: the digest whose read-back was heard to its
    end and answered in the very next turn, with nothing changed since. Most digests handed in are
    the staged one and most turns the right one, so that the deep states are reached.
    """

    def __init__(self) -> None:
        super().__init__()
        self.draft = Draft("p1", LISTS)
        self.running: tuple[Digest, int] | None = None
        self.heard: tuple[Digest, int] | None = None
        self.valid: Digest | None = None
        self.keys = 0
        self.turn = 0

    @initialize(deep=st.booleans())
    def start(self, deep: bool) -> None:
        if deep:
            self.draft = wished()
            self.draft.stage(SLOTS[0], WINDOW)

    def _pick(self, digest: Digest, mine: bool) -> Digest:
        return self.draft.state.staged.digest if mine and self.draft.state.staged else digest

    def _forget(self, before: Staged | None) -> None:
        if self.draft.state.staged != before:
            self.running = self.heard = self.valid = None

    def _step(self, step: Callable[[], object]) -> object:
        before = self.draft.state
        result = step()
        if isinstance(result, Refused):
            assert self.draft.state is before
        self._forget(before.staged)
        return result

    @rule(department=st.sampled_from([IM, OS, DepartmentId("x")]))
    def department(self, department: DepartmentId) -> None:
        self._step(lambda: self.draft.set_department(department))

    @rule(doctor=st.sampled_from(DOCTORS))
    def doctor(self, doctor: DoctorChoice) -> None:
        self._step(lambda: self.draft.set_doctor(doctor))

    @rule(when=st.sampled_from([TUESDAY, FRIDAY]))
    def when(self, when: When) -> None:
        self._step(lambda: self.draft.set_when(when))

    @rule(patient=st.sampled_from(PATIENTS))
    def patient(self, patient: str) -> None:
        self._step(lambda: self.draft.set_patient(patient))

    @rule(slot=st.sampled_from(SLOTS))
    def search(self, slot: Slot) -> None:
        self._step(lambda: self.draft.offer(OfferList((Offer(slot, 1),), TEN)))

    @rule(slot=st.sampled_from(SLOTS))
    def stage(self, slot: Slot) -> None:
        result = self._step(lambda: self.draft.stage(slot, WINDOW))
        if isinstance(result, Staged):
            assert slot.status is SlotStatus.FREE
            assert slot.department_id == self.draft.state.wish.department

    @rule(digest=digests, mine=mostly, played=mostly)
    def read_back(self, digest: Digest, mine: bool, played: bool) -> None:
        digest = self._pick(digest, mine)
        self.turn += 1
        turn = self.turn
        result = self._step(lambda: self.draft.readback_started(digest, "…?", turn))
        if isinstance(result, Changed):
            self.running, self.heard, self.valid = (digest, turn), None, None
        if played:
            self.played(digest, mine)

    @rule(digest=digests, mine=mostly)
    def played(self, digest: Digest, mine: bool) -> None:
        digest = self._pick(digest, mine)
        result = self._step(lambda: self.draft.readback_heard(digest))
        if isinstance(result, Changed):
            assert self.running is not None
            assert self.running[0] == digest
            self.heard = self.running

    @rule(digest=digests, mine=mostly)
    def cut(self, digest: Digest, mine: bool) -> None:
        digest = self._pick(digest, mine)
        if isinstance(self._step(lambda: self.draft.interrupted(digest)), Changed):
            self.running = self.heard = self.valid = None

    @rule(digest=digests, mine=mostly, late=lateness)
    def yes(self, digest: Digest, mine: bool, late: int) -> None:
        digest = self._pick(digest, mine)
        turn = self.turn + late
        if isinstance(self._step(lambda: self.draft.consent(digest, "네", turn)), Consent):
            assert self.heard == (digest, turn)
            self.valid = digest

    @rule(digest=digests, mine=mostly)
    def mint(self, digest: Digest, mine: bool) -> None:
        digest = self._pick(digest, mine)
        self.keys += 1
        key = BookingKey(f"key-{self.keys}")
        if isinstance(self._step(lambda: self.draft.mint(digest, key)), Minted):
            assert self.valid == digest

    @rule(digest=digests, mine=mostly, known=st.booleans())
    def fail(self, digest: Digest, mine: bool, known: bool) -> None:
        digest = self._pick(digest, mine)
        self._step(lambda: self.draft.write_failed(digest, outcome_known=known))

    @rule(digest=digests, mine=mostly)
    def lose(self, digest: Digest, mine: bool) -> None:
        digest = self._pick(digest, mine)
        self._step(lambda: self.draft.slot_lost(digest))

    @rule(digest=digests, mine=mostly, right=st.booleans())
    def commit(self, digest: Digest, mine: bool, right: bool) -> None:
        digest = self._pick(digest, mine)
        minted = self.draft.state.minted
        key = minted.key if minted is not None and right else BookingKey("wrong")
        before = self.draft.state.committed
        result = self._step(lambda: self.draft.commit(digest, key))
        if isinstance(result, Committed):
            assert self.valid == digest
            assert before in (None, result)

    @invariant()
    def what_is_written_was_agreed_to(self) -> None:
        state = self.draft.state
        staged_digest = None if state.staged is None else state.staged.digest
        for part in (state.readback, state.consent, state.minted, state.committed):
            assert part is None or part.digest == staged_digest
        if state.consent is not None or state.minted is not None or state.committed is not None:
            assert self.valid == staged_digest
        assert state.staged is None or state.staged.digest == digest_of(
            state.patient_ref, state.staged.slot
        )


TestDraftMachine = DraftMachine.TestCase
TestDraftMachine.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)


def test_a_resumed_draft_keeps_its_conditions_and_no_consent_that_was_left_out() -> None:
    before, digest = consented()
    kept = replace(before.state, readback=None, consent=None)
    draft = Draft.resumed(LISTS, kept)
    assert draft.state == kept
    refused(draft, partial(draft.mint, digest, BookingKey("k-1")), DraftRefusal.NO_CONSENT)
