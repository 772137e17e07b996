"""Calls through the door of ``wonmu chat``, on a hospital whose settings a test may change."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from wonmu.emr.fault_plan import FaultPlan, load_faults
from wonmu.evals.dialogue import NOW, Talk
from wonmu.evals.playing import Played, hospital_named, judged, play_talk
from wonmu.hospital.config import Hospital, KeypadMenu, MenuAction, MenuEntry
from wonmu.ids import RandomIds
from wonmu.timeline.events import Event, Kind

CALLER = "01000001234"
BIRTH = {"hanbit": "#850312", "saebom": "#19850312"}
WISH = {
    "hanbit": ("내과 예약하고 싶어요", "#850312", "건강보험", "김서연 원장님"),
    "saebom": ("가정의학과 예약하고 싶어요", "#19850312", "윤보미 원장님"),
}
"""Caller lines up to the question for the time."""

READ_BACK = {
    "hanbit": (*WISH["hanbit"], "다음 주 화요일 오전 열 시"),
    "saebom": (*WISH["saebom"], "다음 주 목요일 오후 네 시 반"),
}
"""Caller lines up to the read-back."""

MENU = KeypadMenu(
    entries=(
        MenuEntry(digit=1, action=MenuAction.CREATE),
        MenuEntry(digit=2, action=MenuAction.INQUIRE),
        MenuEntry(digit=3, action=MenuAction.CHANGE),
        MenuEntry(digit=4, action=MenuAction.CANCEL),
        MenuEntry(digit=5, action=MenuAction.INFO, name="주차 안내", question="주차할 수 있나요?"),
        MenuEntry(digit=0, action=MenuAction.PERSON),
    )
)


def hospital(name: str, **changed: object) -> Hospital:
    return hospital_named(name).model_copy(update=changed)


def played(
    at: Hospital, lines: Sequence[str], caller: str | None = CALLER, faults: str | None = None
) -> Played:
    """One call, with every check that applies; a violation or a fault of ours fails the test.

    ``faults``: rules of the record system's faults, as in a faults file.
    """
    talk = Talk(caller, NOW, tuple(lines))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "data"
        shutil.copytree(_filled(at.id).name, folder)
        plan = _plan(folder, faults)
        round_ = play_talk(at, talk, folder, RandomIds(), faults=plan)[1]
        call = judged(at, talk, round_, folder)
    assert call.checks.clean, (call.checks.violations, script(call))
    assert call.status == 0
    return call


def _plan(folder: Path, rules: str | None) -> FaultPlan | None:
    if rules is None:
        return None
    file = folder / "faults.yaml"
    file.write_text(rules, encoding="utf-8")
    return load_faults(str(file))


@cache
def _filled(name: str) -> tempfile.TemporaryDirectory[str]:
    """A data folder as it is before the first call; filling it takes longer than most calls."""
    folder = tempfile.TemporaryDirectory()
    play_talk(hospital_named(name), Talk(None, NOW, ("/hangup",)), Path(folder.name), RandomIds())
    return folder


def of(call: Played, kind: Kind) -> list[Event]:
    return [event for event in call.events if event.kind is kind]


def lines_of(call: Played) -> list[str]:
    """Names of the lines that were said."""
    return [event.data["line"] for event in of(call, Kind.AGENT_SAID)]


def heard(call: Played) -> str:
    return " ".join(event.data["heard"] for event in of(call, Kind.AGENT_SAID))


def tools(call: Played) -> list[str]:
    return [event.data["name"] for event in of(call, Kind.TOOL_STARTED)]


def ended(call: Played) -> str:
    return str(call.events[-1].data["reason"])


def script(call: Played) -> str:
    """The talk, for the message of a failure."""
    told = (Kind.CALLER_HEARD, Kind.AGENT_SAID)
    return "\n".join(str(event.data["text"]) for event in call.events if event.kind in told)
