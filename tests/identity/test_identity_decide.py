"""Who the patient is: every step of both levels, and what is never told apart (D1, D3, B7, R39)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wonmu.emr.port import Patient, PatientQuery
from wonmu.identity.decide import (
    AskBirth,
    AskIfNew,
    AskName,
    AskPhone,
    ConfirmNew,
    LookUp,
    Settled,
    Step,
    next_step,
)
from wonmu.identity.facts import IdentityFacts, IdentityRules, Level
from wonmu.identity.result import (
    AmbiguousPatient,
    Contact,
    Escalated,
    IdentityError,
    IdentityOutcome,
    Incomplete,
    IncompleteReason,
    NewPatient,
    Outcome,
    Verified,
    outcome_name,
)
from wonmu.ids import PatientId

pytestmark = pytest.mark.unit

PHONE, OTHER_PHONE = "01000001234", "01000005678"
BIRTH = date(1985, 3, 12)
MINA = Patient(PatientId("p1"), "김가온", BIRTH, (PHONE,))
TWIN = replace(MINA, id=PatientId("p2"), name="김나루")
CREATE = IdentityRules()
READ = IdentityRules(Level.READ)
FACTS = IdentityFacts(PHONE, BIRTH, tries=1)
READ_FACTS = replace(FACTS, name="김가온")


def create(facts: IdentityFacts, hits: Sequence[Patient] | None = None) -> Step:
    return next_step(facts, hits, CREATE)


def read(facts: IdentityFacts, hits: Sequence[Patient] | None = None) -> Step:
    return next_step(facts, hits, READ)


# A booking -----------------------------------------------------------------------------------


def test_the_birth_date_comes_first_then_the_look_up() -> None:
    assert create(IdentityFacts(PHONE)) == AskBirth()
    assert create(IdentityFacts()) == AskBirth()
    assert create(replace(FACTS, caller_phone=None)) == AskPhone()
    assert create(FACTS) == LookUp(PatientQuery(phone=PHONE, birth_date=BIRTH))


def test_exactly_one_is_verified_without_a_name() -> None:
    assert create(FACTS, (MINA,)) == Settled(Verified(MINA, Contact(PHONE)))
    assert create(FACTS, (MINA, MINA)) == Settled(Verified(MINA, Contact(PHONE)))


def test_several_are_told_apart_by_name_or_not_at_all() -> None:
    both = (MINA, TWIN)
    assert create(FACTS, both) == AskName()
    named = replace(FACTS, name="김 나루")
    assert create(named, both) == Settled(Verified(TWIN, Contact(PHONE)))
    assert create(replace(FACTS, name="박다온"), both) == Settled(AmbiguousPatient())
    same_name = (MINA, replace(TWIN, name="김가온"))
    assert create(replace(FACTS, name="김가온"), same_name) == Settled(AmbiguousPatient())


def test_names_are_compared_composed() -> None:
    split = unicodedata.normalize("NFD", "김나루")
    assert create(replace(FACTS, name=split), (MINA, TWIN)) == Settled(
        Verified(TWIN, Contact(PHONE))
    )


@pytest.mark.parametrize(
    "near_miss",
    [
        replace(MINA, birth_date=date(1985, 3, 13)),
        replace(MINA, phones=(OTHER_PHONE,)),
        replace(MINA, phones=()),
    ],
)
def test_a_near_miss_and_an_unknown_person_get_the_same_question(near_miss: Patient) -> None:
    assert create(FACTS, (near_miss,)) == create(FACTS, ()) == AskIfNew()
    miss, unknown = read(READ_FACTS, (near_miss,)), read(READ_FACTS, ())
    assert miss == unknown == AskPhone()


def test_a_name_that_does_not_fit_the_only_hit_is_no_match() -> None:
    assert create(replace(FACTS, name="김나루"), (MINA,)) == AskIfNew()


def test_a_new_patient_is_asked_for_a_name_and_confirms() -> None:
    new = replace(FACTS, says_new=True)
    assert create(new, ()) == AskName()
    named = replace(new, name="박다온")
    assert create(named, ()) == ConfirmNew("박다온", BIRTH, PHONE)
    done = create(replace(named, confirmed=True), ())
    assert done == Settled(NewPatient("박다온", BIRTH, PHONE, Contact(PHONE)))
    assert create(replace(named, confirmed=False), ()) == AskBirth(again=True)
    last = replace(named, confirmed=False, tries=3)
    assert create(last, ()) == Settled(Incomplete(IncompleteReason.TOO_MANY_TRIES))


def test_a_known_patient_who_is_not_found_gets_three_tries_then_staff_match() -> None:
    known = replace(FACTS, says_new=False)
    assert create(known, ()) == AskBirth(again=True)
    assert create(replace(known, birth_date=None), None) == AskBirth(again=True)
    assert create(replace(known, tries=2), ()) == AskBirth(again=True)
    third = replace(known, tries=3)
    assert create(third, ()) == AskName()
    done = create(replace(third, name="김가온", confirmed=True), ())
    assert done == Settled(NewPatient("김가온", BIRTH, PHONE, Contact(PHONE), unmatched=True))


def test_r39_the_patient_is_the_child_and_the_caller_the_contact() -> None:
    child = Patient(PatientId("c1"), "김새봄", date(2019, 5, 5), (PHONE,))
    facts = IdentityFacts(PHONE, child.birth_date, for_other=True, relation="어머니", tries=1)
    assert create(facts, (child, MINA)) == Settled(Verified(child, Contact(PHONE, "어머니")))


def test_the_relation_is_kept_only_for_another() -> None:
    assert create(replace(FACTS, relation="어머니"), (MINA,)) == Settled(
        Verified(MINA, Contact(PHONE))
    )


def test_a_number_given_finds_the_patient_and_the_calling_one_stays_the_contact() -> None:
    facts = replace(FACTS, phone=OTHER_PHONE)
    patient = replace(MINA, phones=(OTHER_PHONE,))
    assert create(facts, (patient,)) == Settled(Verified(patient, Contact(PHONE)))
    hidden = replace(facts, caller_phone=None)
    assert create(hidden, (patient,)) == Settled(Verified(patient, Contact(OTHER_PHONE)))


# Own bookings ----------------------------------------------------------------------------------


def test_reading_needs_name_birth_and_number_of_one_person() -> None:
    assert read(IdentityFacts(PHONE)) == AskBirth()
    assert read(FACTS) == AskName()
    assert read(replace(READ_FACTS, caller_phone=None)) == AskPhone()
    query = PatientQuery(phone=PHONE, birth_date=BIRTH, name="김가온")
    assert read(READ_FACTS) == LookUp(query)
    assert read(READ_FACTS, (MINA, TWIN)) == Settled(Verified(MINA, Contact(PHONE)))
    two = (MINA, replace(TWIN, name="김가온"))
    assert read(READ_FACTS, two) == Settled(AmbiguousPatient())


def test_reading_a_wrong_name_finds_nobody() -> None:
    assert read(replace(READ_FACTS, name="박다온"), (MINA,)) == AskPhone()


def test_reading_ends_after_the_tries_with_a_person_if_the_hospital_wants() -> None:
    asked = replace(READ_FACTS, phone=OTHER_PHONE)
    assert read(asked, ()) == AskBirth(again=True)
    last = replace(asked, tries=3)
    assert read(last, ()) == Settled(Incomplete(IncompleteReason.TOO_MANY_TRIES))
    assert next_step(last, (), replace(READ, escalate=True)) == Settled(Escalated())


def test_reading_never_makes_a_new_patient() -> None:
    facts = replace(READ_FACTS, phone=PHONE, says_new=True, confirmed=True)
    assert read(facts, ()) == AskBirth(again=True)


def test_a_refusal_ends_both() -> None:
    refused = replace(FACTS, refused=True)
    end = Settled(Incomplete(IncompleteReason.REFUSED))
    assert create(refused, (MINA,)) == read(refused, (MINA,)) == end


# Invariants ------------------------------------------------------------------------------------

PEOPLE = st.builds(
    lambda n, name, day, phones: Patient(
        PatientId(f"p{n}"), name, date(1985, 3, day), tuple(phones)
    ),
    st.integers(0, 3),
    st.sampled_from(["김가온", "김나루"]),
    st.sampled_from([12, 13]),
    st.lists(st.sampled_from([PHONE, OTHER_PHONE]), max_size=2),
)
SOME_FACTS = st.builds(
    IdentityFacts,
    st.sampled_from([None, PHONE]),
    st.sampled_from([None, BIRTH]),
    st.sampled_from([None, "김가온", "김나루"]),
    st.sampled_from([None, OTHER_PHONE]),
    st.booleans(),
    st.sampled_from([None, "딸"]),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, True, False]),
    st.booleans(),
    st.integers(0, 4),
)


@given(SOME_FACTS, st.none() | st.lists(PEOPLE, max_size=4), st.sampled_from([CREATE, READ]))
def test_nobody_is_verified_but_who_matches_every_fact(
    facts: IdentityFacts, hits: list[Patient] | None, rules: IdentityRules
) -> None:
    step = next_step(facts, hits, rules)
    if not isinstance(step, Settled) or not isinstance(step.outcome, Verified):
        return
    patient = step.outcome.patient
    assert hits is not None
    assert patient in hits
    assert patient.birth_date == facts.birth_date
    assert (facts.phone or facts.caller_phone) in patient.phones
    assert facts.name in ({patient.name} if rules is READ else {None, patient.name})


OUTCOMES: tuple[tuple[IdentityOutcome, Outcome], ...] = (
    (Verified(MINA, Contact()), Outcome.VERIFIED),
    (NewPatient("박다온", BIRTH, PHONE, Contact()), Outcome.NEW_PATIENT),
    (AmbiguousPatient(), Outcome.AMBIGUOUS),
    (Incomplete(IncompleteReason.SILENCE), Outcome.INCOMPLETE),
    (Escalated(), Outcome.ESCALATED),
    (IdentityError(), Outcome.ERROR),
)


@pytest.mark.parametrize(("outcome", "name"), OUTCOMES)
def test_each_outcome_has_its_event_name(outcome: IdentityOutcome, name: Outcome) -> None:
    assert outcome_name(outcome) is name


@pytest.mark.parametrize(("name", "phone"), [("", PHONE), ("박다온", " ")])
def test_a_new_patient_is_whole(name: str, phone: str) -> None:
    with pytest.raises(ValueError, match="name and a phone"):
        NewPatient(name, BIRTH, phone, Contact())
