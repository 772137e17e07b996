"""``wonmu bench desk``: what its figures stand on (S10, H1, H2). The table is in the docs."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from wonmu.evals.desk_bench import Channel, requests_of
from wonmu.evals.desk_report import ROWS, Row, measure, table
from wonmu.evals.playing import hospital_named
from wonmu.hospital.billing import BillingWay

pytestmark = pytest.mark.scenario

SOME = ("bill", "bill then booking", "there and back", "parking")
DOCS = Path(__file__).parents[2] / "docs" / "choosing-a-boundary.md"


@cache
def row(channel: Channel, way: BillingWay) -> Row:
    some = [each for each in requests_of() if each.name in SOME]
    assert len(some) == len(SOME)
    return measure(hospital_named("hanbit"), channel, way, some)


@pytest.mark.parametrize("channel", ["text", "voice"])
def test_a_delegate_works_in_a_window_of_its_own(channel: Channel) -> None:
    delegate, handed = row(channel, BillingWay.DELEGATE), row(channel, BillingWay.HANDOFF)
    assert delegate.inner > 0
    assert handed.inner == 0
    assert delegate.calls > handed.calls
    for each in (delegate, handed):
        assert each.steps_leaked.startswith("0 of ")
        assert each.solved == f"{len(SOME)} of {len(SOME)}"


def test_the_same_run_gives_the_same_figures() -> None:
    again = measure(
        hospital_named("hanbit"),
        "text",
        BillingWay.DELEGATE,
        [each.request for each in row("text", BillingWay.DELEGATE).outcomes],
    )
    assert table([again]) == table([row("text", BillingWay.DELEGATE)])


def test_there_are_twenty_requests_with_names_of_their_own() -> None:
    names = [each.name for each in requests_of()]
    assert len(names) == len(set(names)) == 20


def test_the_docs_hold_the_whole_table_and_its_command() -> None:
    page = DOCS.read_text(encoding="utf-8")
    assert "wonmu bench desk" in page
    for name, _ in ROWS:
        assert re.search(rf"^\| {re.escape(name)} \|( [^|]+ \|){{4}}$", page, re.MULTILINE), name
