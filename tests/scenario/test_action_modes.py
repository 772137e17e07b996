"""Action × mode × hour: only *auto* touches bookings, record system and requests (T7, N10)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from scenario_parts import heard_text, kinds_in_inbox, of_kind, words
from scripted_model import call_with, line_that

import wonmu.hospital
from wonmu.emr.fault_plan import FaultKind, FaultPlan, FaultRule
from wonmu.evals.playing import Played
from wonmu.hospital.config import Hospital
from wonmu.hospital.loading import load_hospital
from wonmu.model.port import ChatRequest, Delta
from wonmu.timeline.events import Kind
from wonmu.transfer.port import Outcome

pytestmark = pytest.mark.scenario

DEMO = Path(wonmu.hospital.__file__).parent / "demo"

WISH = {
    "create": "안과 다음 주 화요일 오후 두 시 십 분 예약이요",
    "inquire": "제 예약 몇 시예요",
    "change": "예약을 12월 8일로 바꿔 주세요",
    "cancel": "예약 취소해 주세요",
}
REST = {
    "create": ("#19850312", "네"),
    "inquire": ("#19850312", "김민수"),
    "change": ("#19850312", "김민수", "네", "첫 번째요", "네"),
    "cancel": ("#19850312", "김민수", "네"),
}
LEAVES = {
    "create": ["booking_request"],
    "inquire": [],
    "change": ["change_request"],
    "cancel": ["cancel_request"],
}
HOURS = {"open": "2026-12-01T10:00+09:00", "closed": "2026-12-01T19:10+09:00"}

BOOKING_KINDS = frozenset(
    {
        Kind.IDENTITY_SETTLED,
        Kind.LOOKUP_SETTLED,
        Kind.BOOKING_SEARCHED,
        Kind.BOOKING_STAGED,
        Kind.BOOKING_READBACK,
        Kind.BOOKING_CONSENT,
        Kind.BOOKING_COMMITTED,
        Kind.EMR_FAILED,
    }
)
TOUCHED = FaultPlan((FaultRule("any", FaultKind.ERROR),))
"""Whatever asks the record system now leaves an ``emr.failed``."""


def with_modes(folder: Path, modes: Mapping[str, str]) -> Hospital:
    """새봄의원 with other action modes; everything else as shipped."""
    here = folder / "saebom"
    shutil.copytree(DEMO / "saebom", here)
    file = here / "hospital.yaml"
    text = file.read_text(encoding="utf-8")
    for action, mode in modes.items():
        text, found = re.subn(rf"^  {action}: \w+$", f"  {action}: {mode}", text, flags=re.M)
        assert found == 1
    file.write_text(text, encoding="utf-8")
    return load_hospital(here)


def plainly(said: str, request: ChatRequest) -> Sequence[Delta] | None:
    return None


def play(hospital: Hospital, lines: Sequence[str], hour: str, *, touched: bool = True) -> Played:
    return call_with(
        plainly,
        lines,
        hospital=hospital,
        staff=line_that(Outcome.CONNECTED),
        now=HOURS[hour],
        faults=TOUCHED if touched else None,
    )


def touched_kinds(call: Played) -> set[Kind]:
    return {event.kind for event in call.events} & BOOKING_KINDS


@pytest.mark.parametrize("hour", HOURS)
@pytest.mark.parametrize("action", WISH)
def test_auto(action: str, hour: str, tmp_path: Path) -> None:
    hospital = with_modes(tmp_path, {action: "auto"})
    call = play(hospital, (WISH[action], *REST[action]), hour, touched=False)
    assert kinds_in_inbox(call) == LEAVES[action], "\n".join(words(call.events))
    assert Kind.IDENTITY_SETTLED in touched_kinds(call)
    assert not of_kind(call, Kind.TRANSFER_STARTED)


@pytest.mark.parametrize("action", WISH)
def test_by_person_while_the_desk_is_open(action: str, tmp_path: Path) -> None:
    hospital = with_modes(tmp_path, {action: "transfer"})
    call = play(hospital, (WISH[action],), "open")
    assert not touched_kinds(call)
    assert not call.inbox
    assert of_kind(call, Kind.CALL_ENDED)[0].data["reason"] == "transferred"


@pytest.mark.parametrize("action", WISH)
def test_by_person_after_hours(action: str, tmp_path: Path) -> None:
    """Nobody is dialled; the truth is told, and a call back can be left."""
    hospital = with_modes(tmp_path, {action: "transfer"})
    lines = (WISH[action], "네", "예약 일이에요", "김민수", "아무 때나요", "네")
    call = play(hospital, lines, "closed")
    assert not touched_kinds(call)
    assert not of_kind(call, Kind.TRANSFER_STARTED)
    assert kinds_in_inbox(call) == ["callback"], "\n".join(words(call.events))
    assert "상담 시간이 아니어서" in heard_text(call)


@pytest.mark.parametrize("hour", HOURS)
@pytest.mark.parametrize("action", WISH)
def test_by_memo(action: str, hour: str, tmp_path: Path) -> None:
    hospital = with_modes(tmp_path, {action: "leave_memo"})
    lines = (WISH[action], "다음 주에 가고 싶어요", "김민수", "네")
    call = play(hospital, lines, hour)
    assert not touched_kinds(call)
    assert not of_kind(call, Kind.TRANSFER_STARTED)
    assert kinds_in_inbox(call) == ["memo"], "\n".join(words(call.events))


@pytest.mark.parametrize("mode", ["transfer", "leave_memo"])
@pytest.mark.parametrize("action", WISH)
def test_a_key_is_bound_by_the_mode_as_well(action: str, mode: str, tmp_path: Path) -> None:
    hospital = with_modes(tmp_path, {action: mode})
    key = {"create": "#1", "inquire": "#2", "change": "#3", "cancel": "#4"}[action]
    call = play(hospital, (key,), "open")
    assert not touched_kinds(call)
    verdicts = [str(event.data["verdict"]) for event in of_kind(call, Kind.GATE_VERDICT)]
    assert verdicts == [{"transfer": "ByPerson", "leave_memo": "ByMemo"}[mode]]


def test_the_other_actions_stay_as_they_are(tmp_path: Path) -> None:
    """One action by memo does not close the others."""
    hospital = with_modes(tmp_path, {"change": "leave_memo", "create": "auto"})
    lines = (WISH["change"], "다음 주에 가고 싶어요", "김민수", "네", WISH["create"])
    call = play(hospital, (*lines, *REST["create"]), "open", touched=False)
    assert kinds_in_inbox(call) == ["memo", "booking_request"], "\n".join(words(call.events))


def test_the_model_is_told_the_same_whatever_the_modes(tmp_path: Path) -> None:
    """The prompt knows nothing of the modes, so it cannot be what keeps them."""
    told: list[list[str]] = []
    for number, mode in enumerate(("auto", "transfer", "leave_memo")):
        seen: list[str] = []

        def step(said: str, request: ChatRequest, seen: list[str] = seen) -> None:
            seen.extend(str(m["content"]) for m in request.messages if m["role"] == "system")
            seen.extend(request.tool_names())

        hospital = with_modes(tmp_path / str(number), dict.fromkeys(WISH, mode))
        call_with(step, ("주차 되나요?",), hospital=hospital)
        told.append(seen)
    assert told[0] == told[1] == told[2] != []
