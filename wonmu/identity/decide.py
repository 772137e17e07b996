"""What to ask next to know who the patient is (D1, D3, B7, R39).

Decides from facts and hits alone. It must never tell a mismatch from an unknown person (both lead
to the same step), never take a near miss for a match, and never name which fact failed.

How the owner of the talk uses it: keep the facts, call ``next_step``, do the step, lay the answer
into the facts. ``LookUp`` is answered with ``hits``; set ``hits`` back to None whenever a fact that
was looked up changes. On ``AskBirth(again=True)`` forget the birth date, the name and ``confirmed``
and count the new date in ``tries``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from wonmu.emr.port import Patient, PatientQuery
from wonmu.identity.facts import IdentityFacts, IdentityRules, Level
from wonmu.identity.result import (
    AmbiguousPatient,
    Contact,
    Escalated,
    IdentityOutcome,
    Incomplete,
    IncompleteReason,
    NewPatient,
    Verified,
)


@dataclass(frozen=True, slots=True)
class AskBirth:
    """Ask for the patient's birth date; ``again`` after an answer that led nowhere."""

    again: bool = False


@dataclass(frozen=True, slots=True)
class AskName:
    pass


@dataclass(frozen=True, slots=True)
class AskPhone:
    pass


@dataclass(frozen=True, slots=True)
class AskIfNew:
    """Ask whether it is the first visit: the same words for a mismatch and an unknown person."""


@dataclass(frozen=True, slots=True)
class LookUp:
    """Ask the record system; its answer is the next ``hits``."""

    query: PatientQuery


@dataclass(frozen=True, slots=True)
class ConfirmNew:
    """Read a new patient's data back and take a yes or no into ``confirmed``."""

    name: str
    birth_date: date
    phone: str


@dataclass(frozen=True, slots=True)
class Settled:
    outcome: IdentityOutcome


Step = AskBirth | AskName | AskPhone | AskIfNew | LookUp | ConfirmNew | Settled


def next_step(facts: IdentityFacts, hits: Sequence[Patient] | None, rules: IdentityRules) -> Step:
    """The next step. ``hits``: people on file for the last ``LookUp``; None if not asked yet."""
    if facts.refused:
        return Settled(Incomplete(IncompleteReason.REFUSED))
    if facts.birth_date is None:
        return AskBirth(again=facts.tries > 0)
    match rules.level:
        case Level.CREATE:
            return _for_create(facts, facts.birth_date, hits, rules)
        case Level.READ:  # pragma: no branch - the match is exhaustive
            return _for_read(facts, facts.birth_date, hits, rules)


def _for_create(
    facts: IdentityFacts, birth: date, hits: Sequence[Patient] | None, rules: IdentityRules
) -> Step:
    phone = _phone(facts)
    if phone is None:
        return AskPhone()
    if hits is None:
        return LookUp(PatientQuery(phone=phone, birth_date=birth))
    people = _exactly(hits, phone, birth, facts.name)
    if len(people) == 1:
        return _verified(people[0], facts)
    if len(people) > 1 and facts.name is None:
        return AskName()
    if people or len(_exactly(hits, phone, birth, None)) > 1:
        return Settled(AmbiguousPatient())
    return _not_found(facts, birth, phone, rules)


def _not_found(facts: IdentityFacts, birth: date, phone: str, rules: IdentityRules) -> Step:
    if facts.says_new is None:
        return AskIfNew()
    if not facts.says_new and facts.tries < rules.tries_limit:
        return AskBirth(again=True)
    if facts.name is None:
        return AskName()
    match facts.confirmed:
        case None:
            return ConfirmNew(facts.name, birth, phone)
        case True:
            unmatched = not facts.says_new
            return Settled(NewPatient(facts.name, birth, phone, _contact(facts), unmatched))
        case False:  # pragma: no branch - the match is exhaustive
            return _again_or_end(facts, rules)


def _for_read(
    facts: IdentityFacts, birth: date, hits: Sequence[Patient] | None, rules: IdentityRules
) -> Step:
    """The number on file may be another than the one calling, so it is asked for once on a miss.

    That question follows every miss, whichever fact did not fit (D3).
    """
    if facts.name is None:
        return AskName()
    phone = _phone(facts)
    if phone is None:
        return AskPhone()
    if hits is None:
        return LookUp(PatientQuery(phone=phone, birth_date=birth, name=facts.name))
    people = _exactly(hits, phone, birth, facts.name)
    if len(people) == 1:
        return _verified(people[0], facts)
    if people:
        return Settled(AmbiguousPatient())
    return AskPhone() if facts.phone is None else _again_or_end(facts, rules)


def _again_or_end(facts: IdentityFacts, rules: IdentityRules) -> Step:
    if facts.tries < rules.tries_limit:
        return AskBirth(again=True)
    if rules.escalate:
        return Settled(Escalated())
    return Settled(Incomplete(IncompleteReason.TOO_MANY_TRIES))


def _exactly(
    hits: Sequence[Patient], phone: str, birth: date, name: str | None
) -> tuple[Patient, ...]:
    """Hits that match every fact exactly, each person once, whatever the record system returned."""
    fitting = {
        hit.id: hit
        for hit in hits
        if hit.birth_date == birth
        and phone in hit.phones
        and (name is None or _folded(hit.name) == _folded(name))
    }
    return tuple(fitting.values())


def _folded(name: str) -> str:
    """A name as it is compared: composed syllables (NFC), no spaces."""
    return "".join(unicodedata.normalize("NFC", name).split())


def _phone(facts: IdentityFacts) -> str | None:
    return facts.phone or facts.caller_phone


def _verified(patient: Patient, facts: IdentityFacts) -> Settled:
    return Settled(Verified(patient, _contact(facts)))


def _contact(facts: IdentityFacts) -> Contact:
    """The caller: the number calling before a number given, the relation only for another."""
    phone = facts.caller_phone or facts.phone
    return Contact(phone, facts.relation if facts.for_other else None)
