"""Dialogue files are read strictly, and a failing one says where and why (V1, V3)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from wonmu.errors import InputError
from wonmu.evals.dialogue import Expect, WantedEvent, WantedRow, load_dialogue
from wonmu.evals.judging import judge
from wonmu.evals.playing import hospital_named
from wonmu.evals.run import run_dialogue, run_files
from wonmu.evals.views import view_of
from wonmu.timeline.checks import run_checks
from wonmu.timeline.events import Kind

pytestmark = pytest.mark.scenario

GOOD = """\
title: 주차를 묻는다
hospital: hanbit
caller: "01000001234"
lines: |
  주차 되나요?
expect:
  inbox: []
  events:
    - {kind: caller.heard, text: 주차 되나요?}
    - agent.said
    - {kind: call.ended, status: cancelled}
  never: [task.entered]
  said: [무엇을 도와드릴까요, 지하 1층]
  not_said: [예약이 접수]
  said_times: {주차장: 1}
  ended: caller_hangup
"""


def written(folder: Path, text: str, name: str = "talk.yaml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_good_dialogue_passes(tmp_path: Path) -> None:
    report = run_files([written(tmp_path, GOOD)])
    assert report.failed == ()
    assert "1 of 1 dialogues passed" in report.text()


BROKEN = {
    "an unknown field": (GOOD.replace("title:", "titel:"), "line 1, titel"),
    "an unknown expectation": (GOOD.replace("not_said", "unsaid"), "line 14, expect.unsaid"),
    "an event that is none": (GOOD.replace("[task.entered]", "[task.began]"), "line 12"),
    "a status that is none": (GOOD.replace("cancelled", "gone"), "line 11"),
    "a number for a caller": (GOOD.replace('"01000001234"', "1234"), "line 3, caller"),
    "no lines": (GOOD.replace("lines: |\n  주차 되나요?\n", ""), "lines"),
    "no expectation": (GOOD.partition("expect:")[0], "expect"),
    "a moment that is none": (GOOD + "now: yesterday\n", "line 17, now"),
    "a row without a kind": (GOOD.replace("inbox: []", "inbox: [{patient: 김}]"), "line 7"),
    "a row field that is none": (
        GOOD.replace("inbox: []", "inbox: [{kind: memo, name: 김}]"),
        "line 7",
    ),
    "a start that is none": (
        GOOD.replace("inbox: []", 'inbox: [{kind: memo, start: "soon"}]'),
        "line 7",
    ),
    "a count that is none": (GOOD.replace("주차장: 1", "주차장: many"), "line 15"),
    "a word for a list": (GOOD.replace("[task.entered]", "task.entered"), "line 12, expect.never"),
    "an exit status that is none": (GOOD + "  status: 7\n", "line 17"),
    "a fault that is none": (GOOD + "faults:\n  - {op: find_slots, kind: explode}\n", "line 18"),
    "an earlier call with a title": (
        GOOD + "before:\n  - {title: 전, lines: 네}\n",
        "line 18, before[0].title",
    ),
    "not YAML": (GOOD + "title: [\n", "is not YAML"),
}


@pytest.mark.parametrize(("text", "where"), BROKEN.values(), ids=BROKEN)
def test_a_mistake_names_its_place(text: str, where: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        load_dialogue(written(tmp_path, text))
    assert "talk.yaml" in str(refused.value)
    assert where in str(refused.value)
    assert "\n" not in str(refused.value)


WRONG = {
    "a row too many": ("inbox: []", "inbox: [{kind: memo}]", "1 rows in the inbox"),
    "an event that did not occur": ("- agent.said", "- booking.staged", "booking.staged"),
    "data that differ": ("text: 주차 되나요?", "text: 주차요", "text=주차요"),
    "one that must not occur": ("[task.entered]", "[turn.waiting]", "never turn.waiting"),
    "words not said": ("지하 1층", "지상 9층", "지상 9층"),
    "words in another order": (
        "[무엇을 도와드릴까요, 지하 1층]",
        "[지하 1층, 무엇을 도와드릴까요]",
        "무엇을 도와드릴까요",
    ),
    "words that must not be said": ("[예약이 접수]", "[주차장]", "not said: 주차장"),
    "words too often": ("주차장: 1", "주차장: 2", "said 2 times"),
    "another end": ("ended: caller_hangup", "ended: end_call", "end_call"),
}


@pytest.mark.parametrize(("old", "new", "told"), WRONG.values(), ids=WRONG)
def test_a_wrong_expectation_fails_and_shows_the_talk(
    old: str, new: str, told: str, tmp_path: Path
) -> None:
    assert old in GOOD
    result = run_dialogue(load_dialogue(written(tmp_path, GOOD.replace(old, new))))
    text = result.text()
    assert not result.passed
    assert told in text
    assert "고객:   주차 되나요?" in text
    assert "✗ expected:" in text


def test_a_violated_check_fails_though_nothing_was_expected(tmp_path: Path) -> None:
    dialogue = load_dialogue(written(tmp_path, GOOD))
    result = run_dialogue(dialogue)
    last = result.played[-1]
    assert last.checks.clean
    cut = tuple(event for event in last.events if event.kind is not Kind.CALL_ENDED)
    view = view_of(hospital_named("hanbit"), last.talk, cut, last.inbox, last.records)
    spoilt = replace(last, events=cut, checks=run_checks(view))
    misses = judge(replace(dialogue, expect=Expect()), [spoilt])
    assert any("N7" in miss.expected for miss in misses)


def test_an_earlier_call_leaves_its_row(tmp_path: Path) -> None:
    text = GOOD + ("before:\n  - caller: '01000001234'\n    lines: |\n      상담원 바꿔 주세요\n")
    result = run_dialogue(load_dialogue(written(tmp_path, text)))
    assert len(result.played) == 2
    assert result.played[0].talk.lines == ("상담원 바꿔 주세요",)


def test_wanted_values_are_what_was_written(tmp_path: Path) -> None:
    text = GOOD.replace("inbox: []", 'inbox: [{kind: memo, start: "2026-12-08 15:00"}]')
    expect = load_dialogue(written(tmp_path, text)).expect
    assert expect.inbox is not None
    row = expect.inbox[0]
    assert isinstance(row, WantedRow)
    assert row.fields == {"kind": "memo"}
    assert row.start is not None
    assert row.start.isoformat() == "2026-12-08T15:00:00+09:00"
    assert expect.never == (WantedEvent(Kind.TASK_ENTERED),)
