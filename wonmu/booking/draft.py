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

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NewType

from wonmu.booking.offer import OfferList
from wonmu.booking.wish import ClosedLists, DoctorChoice, Wish
from wonmu.emr.port import Slot, Window
from wonmu.ids import BookingKey, DepartmentId

if TYPE_CHECKING:
    from wonmu.korean.dates import When

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
    raise NotImplementedError


class Draft:
    """The state machine. Every method returns what happened; none raises for outside causes."""

    def __init__(self, patient_ref: str, lists: ClosedLists, wish: Wish | None = None) -> None: ...

    @property
    def state(self) -> DraftState:
        raise NotImplementedError

    def set_patient(self, patient_ref: str) -> Changed | Refused:
        """Another patient: keeps the conditions and offers, discards the candidate and consent."""
        raise NotImplementedError

    def set_department(self, department: DepartmentId) -> Changed | Refused:
        """Discards the doctor unless that doctor is listed there too, and all that followed."""
        raise NotImplementedError

    def set_doctor(self, doctor: DoctorChoice) -> Changed | Refused:
        """Keeps department and when. With no department yet, a named doctor brings the only one."""
        raise NotImplementedError

    def set_when(self, when: When) -> Changed | Refused:
        """Keeps department and doctor."""
        raise NotImplementedError

    def offer(self, offers: OfferList) -> Changed | Refused:
        """A new search: discards the staged candidate, read-back and consent."""
        raise NotImplementedError

    def stage(self, slot: Slot, window: Window) -> Staged | Refused:
        """Stage a slot that was read again just now. ``window``: the allowed starts, [start, end).

        Staging the identical candidate again keeps its read-back and consent.
        """
        raise NotImplementedError

    def readback_started(self, digest: Digest, text: str, turn: int) -> Changed | Refused:
        raise NotImplementedError

    def readback_heard(self, digest: Digest) -> Changed | Refused:
        """The read-back was played to its very end."""
        raise NotImplementedError

    def interrupted(self, digest: Digest) -> Changed | Refused:
        """The read-back was cut: it counts as never spoken."""
        raise NotImplementedError

    def consent(self, digest: Digest, words: str, turn: int) -> Consent | Refused:
        """The caller's yes (already judged by ``booking.consent``)."""
        raise NotImplementedError

    def mint(self, digest: Digest, key: BookingKey) -> Minted | Refused:
        """Begin the write. The first key given for this consent stays; later ones are ignored.

        While a write is under way nothing can be changed.
        """
        raise NotImplementedError

    def write_failed(self, digest: Digest, *, outcome_known: bool) -> Changed | Refused:
        """The write failed. Known: changes are possible again and a retry keeps the key.

        Unknown: everything stays closed until ``commit`` or a known failure.
        """
        raise NotImplementedError

    def slot_lost(self, digest: Digest) -> Changed | Refused:
        """Somebody else has the slot: candidate, its offer, read-back, consent and key go."""
        raise NotImplementedError

    def commit(self, digest: Digest, key: BookingKey) -> Committed | Refused:
        """The write took effect. Again with the same digest: the same ``Committed``."""
        raise NotImplementedError
