"""One table of what a fault means, the same in the pages and for a faults file (A8, B2)."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from wonmu.emr.failures import MEANING, failure, may_ask_again
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule, load_faults
from wonmu.emr.faults import FaultyEmr
from wonmu.emr.port import BookingIntent, Emr
from wonmu.emr.sql import SqlEmr
from wonmu.errors import EmrFailure, EmrFault, InputError
from wonmu.ids import BookingKey, DepartmentId, PatientId, SlotId, Version

pytestmark = pytest.mark.unit

PAGE = (Path(__file__).parents[2] / "docs" / "faults-file.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (`[^|]+`) \| (yes|no)[^|]* \| ([^|]+) \| (yes|no) \|$", re.M)
FAULTS = list(EmrFault)
INTENT = BookingIntent(BookingKey("k1"), PatientId("p-1"), SlotId("s-1"), Version("1"))


def failing(fault: EmrFault, retry_after: float | None = None) -> Emr:
    """A record system that meets every request with ``fault``; the one behind it is not asked."""
    rule = FaultRule("any", FaultKind.ERROR, error=fault, retry_after=retry_after)
    return FaultyEmr(SqlEmr.__new__(SqlEmr), FaultPlan((rule,)))


def read(emr: Emr) -> EmrFailure:
    with pytest.raises(EmrFailure) as caught:
        asyncio.run(emr.doctors(DepartmentId("skin")))
    return caught.value


def write(emr: Emr) -> EmrFailure:
    with pytest.raises(EmrFailure) as caught:
        asyncio.run(emr.book(INTENT))
    return caught.value


def test_every_fault_has_a_meaning() -> None:
    assert set(MEANING) == set(EmrFault)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_read_leaves_nothing_unknown_and_a_write_may(fault: EmrFault) -> None:
    assert failure(fault, "find_slots").outcome_known
    assert failure(fault, "book", write=True).outcome_known == MEANING[fault].unwritten
    assert failure(fault, "book").retryable == MEANING[fault].again


@pytest.mark.parametrize("fault", [f for f in FAULTS if MEANING[f].down and not MEANING[f].again])
def test_what_cannot_be_read_is_not_asked_again(fault: EmrFault) -> None:
    assert not may_ask_again(EmrFailure(fault, "find_slots", retryable=True))


def test_an_adapter_may_forbid_a_repetition() -> None:
    assert may_ask_again(EmrFailure(EmrFault.BROKEN, "find_slots"))
    assert not may_ask_again(EmrFailure(EmrFault.BROKEN, "find_slots", retryable=False))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faults_file_makes_failures_that_mean_what_the_table_says(fault: EmrFault) -> None:
    emr = failing(fault)
    assert read(emr).outcome_known
    known = MEANING[fault].unwritten or fault is EmrFault.UNREACHABLE
    assert (write(emr).fault, write(emr).outcome_known) == (fault, known)
    assert read(emr).retryable == MEANING[fault].again


def test_the_page_says_the_same() -> None:
    told = {}
    for names, again, written, down in ROW.findall(PAGE):
        for name in re.findall(r"`(\w+)`", names):
            told[EmrFault(name)] = (again == "yes", "certainly not" in written, down == "yes")
    expected = {f: (m.again, m.unwritten, m.down) for f, m in MEANING.items()}
    # At once means that no connection was made; elsewhere it may also have broken.
    expected[EmrFault.UNREACHABLE] = (True, True, True)
    assert told == expected


def test_an_error_may_say_when_to_ask_again(tmp_path: Path) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text("- {op: find_slots, kind: error, error: too_many, retry_after: 2}\n")
    (rule,) = load_faults(file).rules
    assert (rule.error, rule.retry_after) == (EmrFault.TOO_MANY, 2.0)
    assert read(failing(EmrFault.TOO_MANY, 2.0)).retry_after == 2.0
    assert read(failing(EmrFault.TOO_MANY)).retry_after is None


@pytest.mark.parametrize(
    "text",
    [
        "- {op: find_slots, kind: hang, retry_after: 2}",
        "- {op: find_slots, kind: error, retry_after: -1}",
        "- {op: find_slots, kind: error, retry_after: soon}",
    ],
)
def test_retry_after_in_the_wrong_place_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "faults.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=r"line 1: retry_after"):
        load_faults(file)
