"""The error table: every kind of failure of the record system, in every work (A8, B2, T11, N6).

Each failure ends in an outcome and a sentence of its own, never in "there is none", and in the
other path that the hospital wants. Over HTTP the same is done in ``test_error_table_http``.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from error_parts import (
    BOOK,
    INQUIRY,
    LINES,
    NOTHING,
    READS,
    SEARCH,
    WRITES,
    Work,
    appointments,
    before,
    check_read,
    check_write,
    clause,
    fresh,
)
from scenario_parts import CALLER

from wonmu.emr.failures import MEANING
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.errors import EmrFault
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import Played, hospital_named, judged, play_talk
from wonmu.hospital.config import Fallback
from wonmu.ids import CountingIds

pytestmark = pytest.mark.scenario

HOSPITALS = {
    INQUIRY: {"hanbit": Fallback.PERSON, "saebom": Fallback.MEMO},
    SEARCH: {"hanbit": Fallback.PERSON, "onnuri": Fallback.MEMO},
}
CELLS = [
    pytest.param(work, hospital, fault, id=f"{work}-{hospital}-{fault}")
    for work in READS
    for hospital in HOSPITALS[work]
    for fault in EmrFault
]


def played(hospital_id: str, talk: Talk, folder: Path, op: str, fault: EmrFault) -> Played:
    plan = FaultPlan((FaultRule(op, FaultKind.ERROR, error=fault),))
    hospital, data = hospital_named(hospital_id), fresh(hospital_id, folder / "data")
    _, round_ = play_talk(hospital, talk, data, CountingIds(), faults=plan)
    return judged(hospital, talk, round_, data)


@pytest.mark.parametrize(("work", "hospital", "fault"), CELLS)
def test_a_read_that_fails(work: Work, hospital: str, fault: EmrFault, tmp_path: Path) -> None:
    fallback = HOSPITALS[work][hospital]
    assert hospital_named(hospital).emr.fallback is fallback
    call = played(hospital, work.talk(fault, hospital), tmp_path, work.op, fault)
    check_read(call, work, fault, fallback)
    assert appointments(call.records) == before(hospital)


@pytest.mark.parametrize("fault", EmrFault, ids=str)
@pytest.mark.parametrize("work", WRITES, ids=str)
def test_a_write_that_fails(work: Work, fault: EmrFault, tmp_path: Path) -> None:
    """Without an answer nobody knows; with one that says no, nothing was written."""
    call = played("onnuri", work.talk(), tmp_path, work.op, fault)
    # Unreachable at once means that no connection was made.
    certain = MEANING[fault].unwritten or fault is EmrFault.UNREACHABLE
    if certain:
        check_write(call, work, "not_written", fault.value)
    else:
        check_write(call, work, "pending")
    assert appointments(call.records) == before("onnuri")
    assert call.inbox[0]["note"], "staff must know why it is not in the record system"


def test_a_write_that_a_rule_forbids(tmp_path: Path) -> None:
    lines = ("이비인후과 예약하고 싶어요", "#850312", "송지안 원장님이요", "12월 4일 오전 열 시요")
    talk = Talk(CALLER, NOW, (*lines, "네"))
    call = played("onnuri", talk, tmp_path, "hold", EmrFault.BROKEN)
    check_write(call, BOOK, "refused", "patient_busy")
    assert appointments(call.records) == before("onnuri")


def test_every_reason_is_told_in_words_of_its_own() -> None:
    rules = ("patient_busy", "past", "unknown_patient", "no_appointment", "same_slot", "other")
    told = [clause(fault) for fault in EmrFault] + [LINES.say(f"rule.{rule}") for rule in rules]
    for one, other in combinations(told, 2):
        assert one not in other
        assert other not in one
    assert not [words for words in told if NOTHING in words]
