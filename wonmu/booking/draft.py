"""One booking intent as a state machine (S8, T9, B1, B4, N1, N9).

Decides which step may follow which. A setter discards exactly what depended on the old value.
Nothing is consented to but a read-back heard to its end in the agent's turn just before, and
nothing is committed but what was consented to. It must never change state on a refused step and
never raise for anything that comes from outside. It does no locking: its owner holds the lock.

**Turns** are counted by the owner of the call: the number of the agent's own turns so far.
``turn`` of a read-back is the agent's turn that speaks it; ``turn`` of a consent is the agent's
turn that was the last one before the caller's words. Filler speech is not a turn.
"""

from __future__ import annotations

from dataclasses import replace

from wonmu.booking.draft_state import (
    Changed,
    Committed,
    Consent,
    Digest,
    DraftRefusal,
    DraftState,
    Minted,
    Part,
    ReadBack,
    Refused,
    Staged,
    digest_of,
)
from wonmu.booking.offer import OfferList
from wonmu.booking.wish import ClosedLists, DoctorChoice, ThisDoctor, Unsaid, Wish
from wonmu.emr.port import Slot, SlotStatus, Window
from wonmu.ids import BookingKey, DepartmentId
from wonmu.korean.when import When

__all__ = [
    "Changed",
    "Committed",
    "Consent",
    "Digest",
    "Draft",
    "DraftRefusal",
    "DraftState",
    "Minted",
    "Part",
    "ReadBack",
    "Refused",
    "Staged",
    "digest_of",
]

_SPOKEN = frozenset({Part.READBACK, Part.CONSENT})
_CANDIDATE = _SPOKEN | {Part.STAGED}
_ALL = _CANDIDATE | {Part.OFFERS}


class Draft:
    """The state machine. Every method returns what happened; none raises for outside causes."""

    def __init__(self, patient_ref: str, lists: ClosedLists, wish: Wish | None = None) -> None:
        self._lists = lists
        self._state = DraftState(patient_ref, wish or Wish())

    @classmethod
    def resumed(cls, lists: ClosedLists, state: DraftState) -> Draft:
        """The draft as it was in ``state``. Whoever kept the state must have left out a read-back
        or consent that may no longer count."""
        draft = cls(state.patient_ref, lists)
        draft._state = state
        return draft

    @property
    def state(self) -> DraftState:
        return self._state

    def set_patient(self, patient_ref: str) -> Changed | Refused:
        """Another patient: keeps the conditions and offers, discards the candidate and consent."""
        if (refused := self._locked()) is not None:
            return refused
        if patient_ref == self._state.patient_ref:
            return Changed()
        return self._without(_CANDIDATE, patient_ref=patient_ref)

    def set_department(self, department: DepartmentId) -> Changed | Refused:
        """Discards the doctor unless that doctor is listed there too, and all that followed."""
        if (refused := self._locked()) is not None:
            return refused
        if not self._lists.has_department(department):
            return Refused(DraftRefusal.NOT_IN_LISTS)
        wish = self._state.wish
        if department == wish.department:
            return Changed()
        match wish.doctor:
            case ThisDoctor(id=doctor) if self._lists.has_doctor(department, doctor):
                return self._new_wish(replace(wish, department=department))
            case Unsaid():
                return self._new_wish(replace(wish, department=department))
            case _:
                kept = replace(wish, department=department, doctor=Unsaid())
                return self._new_wish(kept, frozenset({Part.DOCTOR}))

    def set_doctor(self, doctor: DoctorChoice) -> Changed | Refused:
        """Keeps department and when. With no department yet, a named doctor brings the only one."""
        if (refused := self._locked()) is not None:
            return refused
        wish = self._state.wish
        if doctor == wish.doctor:
            return Changed()
        if isinstance(doctor, ThisDoctor):
            department = self._department_for(doctor)
            if isinstance(department, Refused):
                return department
            wish = replace(wish, department=department)
        return self._new_wish(replace(wish, doctor=doctor))

    def set_when(self, when: When) -> Changed | Refused:
        """Keeps department and doctor."""
        if (refused := self._locked()) is not None:
            return refused
        if when == self._state.wish.when:
            return Changed()
        return self._new_wish(replace(self._state.wish, when=when))

    def offer(self, offers: OfferList) -> Changed | Refused:
        """A new search: discards the staged candidate, read-back and consent."""
        if (refused := self._locked()) is not None:
            return refused
        return self._without(_CANDIDATE, offers=offers)

    def stage(self, slot: Slot, window: Window) -> Staged | Refused:
        """Stage a slot that was read again just now. ``window``: the allowed starts, [start, end).

        Staging the identical candidate again keeps its read-back and consent.
        """
        if (refused := self._locked() or self._unstageable(slot, window)) is not None:
            return refused
        staged = Staged(digest_of(self._state.patient_ref, slot), slot)
        if self._state.staged != staged:
            self._without(_CANDIDATE, staged=staged)
        return staged

    def readback_started(self, digest: Digest, text: str, turn: int) -> Changed | Refused:
        """The question for the staged candidate begins to be spoken in the agent's ``turn``.

        A consent to an earlier read-back falls, because its words belong to that one.
        """
        if (refused := self._locked() or self._not_staged(digest)) is not None:
            return refused
        if not text.strip():
            return Refused(DraftRefusal.NO_WORDS)
        return self._without(_SPOKEN, readback=ReadBack(digest, text, turn))

    def readback_heard(self, digest: Digest) -> Changed | Refused:
        """The read-back was played to its very end."""
        if (refused := self._locked() or self._not_staged(digest)) is not None:
            return refused
        readback = self._state.readback
        if readback is None:
            return Refused(DraftRefusal.READBACK_NOT_RUNNING)
        self._state = replace(self._state, readback=replace(readback, heard=True))
        return Changed()

    def interrupted(self, digest: Digest) -> Changed | Refused:
        """The read-back was cut: it counts as never spoken."""
        if (refused := self._locked() or self._not_staged(digest)) is not None:
            return refused
        if self._state.readback is None:
            return Refused(DraftRefusal.READBACK_NOT_RUNNING)
        return self._without(_SPOKEN)

    def consent(self, digest: Digest, words: str, turn: int) -> Consent | Refused:
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

    def mint(self, digest: Digest, key: BookingKey) -> Minted | Refused:
        """Begin the write. The first key given for this consent stays; later ones are ignored.

        While a write is under way nothing can be changed.
        """
        if self._state.committed is not None:
            return Refused(DraftRefusal.ALREADY_COMMITTED)
        if (refused := self._not_consented(digest)) is not None:
            return refused
        kept = self._state.minted
        minted = Minted(digest, kept.key if kept else key)
        self._state = replace(self._state, minted=minted)
        return minted

    def write_failed(self, digest: Digest, *, outcome_known: bool) -> Changed | Refused:
        """The write failed. Known: changes are possible again and a retry keeps the key.

        Unknown: everything stays closed until ``commit`` or a known failure.
        """
        minted = self._write_of(digest)
        if isinstance(minted, Refused):
            return minted
        self._state = replace(self._state, minted=replace(minted, writing=not outcome_known))
        return Changed()

    def slot_lost(self, digest: Digest) -> Changed | Refused:
        """Somebody else has the slot: candidate, its offer, read-back, consent and key go."""
        if self._state.committed is not None:
            return Refused(DraftRefusal.ALREADY_COMMITTED)
        staged = self._staged_as(digest)
        if isinstance(staged, Refused):
            return staged
        offers = self._state.offers
        if offers is not None:
            left = tuple(o for o in offers.offers if o.slot.id != staged.slot.id)
            offers = replace(offers, offers=left)
        return self._without(_CANDIDATE, offers=offers)

    def commit(self, digest: Digest, key: BookingKey) -> Committed | Refused:
        """The write took effect. Again with the same digest: the same ``Committed``."""
        done = self._state.committed
        if done is not None:
            return done if done.digest == digest else Refused(DraftRefusal.OTHER_DIGEST)
        minted = self._write_of(digest)
        if isinstance(minted, Refused):
            return minted
        if minted.key != key:
            return Refused(DraftRefusal.OTHER_KEY)
        committed = Committed(digest, key)
        self._state = replace(
            self._state, minted=replace(minted, writing=False), committed=committed
        )
        return committed

    # What refuses a step -------------------------------------------------------------------

    def _locked(self) -> Refused | None:
        """After the commit, and while a write is under way, nothing may change."""
        if self._state.committed is not None:
            return Refused(DraftRefusal.ALREADY_COMMITTED)
        if self._state.minted is not None and self._state.minted.writing:
            return Refused(DraftRefusal.WRITE_RUNNING)
        return None

    def _staged_as(self, digest: Digest) -> Staged | Refused:
        staged = self._state.staged
        if staged is None:
            return Refused(DraftRefusal.NOTHING_STAGED)
        return staged if staged.digest == digest else Refused(DraftRefusal.OTHER_DIGEST)

    def _not_staged(self, digest: Digest) -> Refused | None:
        found = self._staged_as(digest)
        return found if isinstance(found, Refused) else None

    def _not_consented(self, digest: Digest) -> Refused | None:
        if (refused := self._not_staged(digest)) is not None:
            return refused
        # Belt and braces: a consent is discarded with its candidate, and compared all the same.
        if self._state.consent is None or self._state.consent.digest != digest:
            return Refused(DraftRefusal.NO_CONSENT)
        return None

    def _write_of(self, digest: Digest) -> Minted | Refused:
        if self._state.committed is not None:
            return Refused(DraftRefusal.ALREADY_COMMITTED)
        if (refused := self._not_consented(digest)) is not None:
            return refused
        return self._state.minted or Refused(DraftRefusal.NO_WRITE)

    def _unstageable(self, slot: Slot, window: Window) -> Refused | None:
        wish = self._state.wish
        if wish.department is None:
            return Refused(DraftRefusal.NO_DEPARTMENT)
        if slot.department_id != wish.department:
            return Refused(DraftRefusal.OTHER_DEPARTMENT)
        if not self._lists.has_doctor(wish.department, slot.doctor_id):
            return Refused(DraftRefusal.NOT_IN_LISTS)
        if (refused := self._wrong_doctor(wish, slot)) is not None:
            return refused
        if slot.status is not SlotStatus.FREE:
            return Refused(DraftRefusal.NOT_FREE)
        if slot.start.tzinfo is None or not window.start <= slot.start < window.end:
            return Refused(DraftRefusal.OUTSIDE_WINDOW)
        return None

    def _wrong_doctor(self, wish: Wish, slot: Slot) -> Refused | None:
        match wish.doctor:
            case ThisDoctor(id=doctor) if doctor != slot.doctor_id:
                return Refused(DraftRefusal.OTHER_DOCTOR)
            case Unsaid() if self._lists.wants_choice(slot.department_id):
                return Refused(DraftRefusal.DOCTOR_NOT_CHOSEN)
            case _:
                return None

    def _department_for(self, doctor: ThisDoctor) -> DepartmentId | Refused:
        homes = self._lists.departments_of(doctor.id)
        if not homes:
            return Refused(DraftRefusal.NOT_IN_LISTS)
        chosen = self._state.wish.department
        if chosen is not None:
            return chosen if chosen in homes else Refused(DraftRefusal.OTHER_DEPARTMENT)
        return homes[0] if len(homes) == 1 else Refused(DraftRefusal.NO_DEPARTMENT)

    # What falls with a step ----------------------------------------------------------------

    def _new_wish(self, wish: Wish, lost: frozenset[Part] = frozenset()) -> Changed:
        changed = self._without(_ALL, wish=wish)
        return Changed(changed.discarded | lost)

    def _without(
        self,
        falls: frozenset[Part],
        *,
        patient_ref: str | None = None,
        wish: Wish | None = None,
        offers: OfferList | None = None,
        staged: Staged | None = None,
        readback: ReadBack | None = None,
    ) -> Changed:
        """Replace the state by one without ``falls`` (and without a key), then lay the new in."""
        old = self._state
        had = {
            Part.OFFERS: old.offers,
            Part.STAGED: old.staged,
            Part.READBACK: old.readback,
            Part.CONSENT: old.consent,
        }
        self._state = DraftState(
            patient_ref=old.patient_ref if patient_ref is None else patient_ref,
            wish=wish or old.wish,
            offers=offers or (None if Part.OFFERS in falls else old.offers),
            staged=staged or (None if Part.STAGED in falls else old.staged),
            readback=readback,
        )
        return Changed(frozenset(part for part in falls if had.get(part) is not None))
