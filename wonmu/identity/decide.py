"""What to ask next to know who the patient is (D1, D3, B7, R39).

Decides from facts and hits alone. It must never tell a mismatch from an unknown person (both lead
to the same step), never take a near miss for a match, and never name which fact failed.

How the owner of the talk uses it: keep the facts, call ``next_step``, do the step, lay the answer
into the facts. ``LookUp`` is answered with ``hits``; set ``hits`` back to None whenever a fact that
was looked up changes. On ``AskBirth(again=True)`` forget the birth date, the name and ``confirmed``
and count the new date in ``tries``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from wonmu.emr.port import Patient, PatientQuery
from wonmu.identity.facts import IdentityFacts, IdentityRules
from wonmu.identity.result import IdentityOutcome


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
    raise NotImplementedError
