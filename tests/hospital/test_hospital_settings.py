"""Settings files: what loads, and how a mistake is told (file, line and field; D5, T7)."""

from __future__ import annotations

import copy
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wonmu.errors import InputError, SettingsError
from wonmu.hospital import Hospital, describe, load_hospital, load_hospitals
from wonmu.hospital.config import ActionMode, CommitMode, DoctorChoiceRule
from wonmu.hospital.loading import DEMO
from wonmu.ids import HospitalId

pytestmark = pytest.mark.unit


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(DEMO / "hanbit", tmp_path / "hanbit")
    return tmp_path / "hanbit"


def change(file: Path, old: str, new: str) -> int:
    """Replace once; the line of the change, so that the test need not count lines."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) >= 1, f"{old!r} is not in {file.name}"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    before, shared = text[: text.index(old)], 0
    while shared < min(len(old), len(new)) and old[shared] == new[shared]:
        shared += 1
    return (before + old[:shared]).count("\n") + 1


def message(load: Callable[[], object]) -> str:
    with pytest.raises(SettingsError) as caught:
        load()
    text = str(caught.value)
    assert "\n" not in text
    return text


BROKEN = [
    # file, old text, new text, field, part of the sentence
    ("hospital", "lead_minutes: 60", "lead_minutes: sixty", "booking.lead_minutes", "integer"),
    ("hospital", "lead_minutes: 60", "lead_minutes: -1", "booking.lead_minutes", "greater than"),
    ("hospital", "lead_minutes: 60", 'lead_minutes: "60"', "booking.lead_minutes", "integer"),
    ("hospital", "lead_minutes: 60", "lead_minutes: 60.5", "booking.lead_minutes", "integer"),
    ("hospital", "lead_minutes:", "lead_minute:", "booking", "is missing; add it"),
    (
        "hospital",
        "same_day: true",
        "same_day: true\n  sameday: true",
        "booking.sameday",
        "did you mean same_day?",
    ),
    ("hospital", "same_day: true", "same_day: yes", "booking.same_day", "boolean"),
    ("hospital", "lead_minutes: 60", "lead_minutes: 1440", "booking.same_day", "a day or more"),
    ("hospital", "doctor_choice: required", "doctor_choice: any", "booking.doctor_choice", "'req"),
    ("hospital", "commit_mode: request", "commit_mode: now", "booking.commit_mode", "'direct'"),
    ("hospital", "slot_minutes: 15", "slot_minutes: 3", "booking.slot_minutes", "5"),
    ("hospital", "ask: true", "ask: false", "booking.insurance.kinds", "ask is false"),
    ("hospital", "{id: auto,", "{id: nhi,", "booking.insurance.kinds[2].id", "twice"),
    ("hospital", "aliases: [자보, 교통사고]", "aliases: [건보]", "kinds[2].aliases[0]", "listed"),
    ("hospital", "cancel: auto", "cancel: person", "actions.cancel", "'transfer'"),
    ("hospital", "phone: 02-0000-1100", "phone: 1100", "phone", "in quotes"),
    ("hospital", "phone: 02-0000-1100", "phone: 02-1100", "phone", "phone number"),
    ("hospital", "name: 한빛병원", 'name: ""', "name", "one line"),
    ("hospital", "id: hanbit", "id: 한빛", "id", "pattern"),
    ("hospital", "number: 02-0000-1101", "number: 02-0000-1100", "desk.number", "we answer"),
    ("hospital", "open: 09:00", "open: 9", "hours.monday.open", "09:00"),
    ("hospital", "open: 09:00", "open: 25:00", "hours.monday.open", "09:00"),
    ("hospital", "close: 18:00", "close: 08:00", "hours.monday.close", "not after open"),
    ("hospital", "lunch: {start: 13:00", "lunch: {start: 18:00", "hours.monday.lunch", "ends"),
    ("hospital", "end: 14:00}", "end: 19:00}", "hours.monday.lunch", "outside the opening"),
    ("hospital", "sunday: closed", "sunday:", "hours.sunday", "the word closed"),
    ("hospital", "sunday: closed\n", "", "hours.sunday", "is missing"),
    ("hospital", "- start: 2026-12-31", "- start: 2026-13-31", "closures[1].start", "calendar"),
    ("hospital", "end: 2026-12-31", "end: 2026-12-30", "closures[1].end", "before start"),
    ("hospital", "- start: 2026-12-31", "- start: 2026-12-18", "closures[1].start", "overlaps"),
    ("hospital", "인공지능 상담원", "상담원", "greeting.ai_notice", "AI"),
    ("hospital", "recording: true", "recording: false", "greeting.recording_notice", "false"),
    ("hospital", "통화가 녹음되며", "통화가 저장되며", "greeting.recording_notice", "녹음"),
    ("hospital", "kind: embedded", "kind: other", "emr.kind", "'embedded'"),
    ("hospital", "tool_seconds: 8", "tool_seconds: 2", "emr.tool_seconds", "shorter"),
    ("hospital", "request_seconds: 3", "request_seconds: 3s", "emr.request_seconds", "number"),
    ("hospital", "digits: 6", "digits: 7", "keypad.digits", "6 or 8"),
    ("hospital", "attempts: 3", "attempts: true", "identity.attempts", "integer"),
    ("hospital", "id: hanbit", "id: hanbit\nid: other", "id", "written twice"),
    ("hospital", "id: hanbit", "id: hanbit\nfaq: []", "faq", "move it to faq.yaml"),
    ("hospital", "id: hanbit", "id: hanbit\ncolour: red", "colour", "not a known setting"),
    ("hospital", "name: 영문진단서", "name: 진 단서", "billing.certificates[1].name", "above"),
    ("hospital", "[영어진단서]", "[일반진단서]", "billing.certificates[1].name", "above"),
    ("hospital", "id: opinion", "id: records", "billing.certificates[5].id", "above"),
    ("hospital", "fee: 10000", "fee: -1", "billing.certificates[3].fee", "greater"),
    ("hospital", "text: handoff", "text: forward", "billing.text", "'handoff'"),
    ("doctors", "- id: ortho", "- id: internal", "departments[1].id", "twice"),
    ("doctors", "aliases: [소아과,", "aliases: [피부과,", "departments[2].aliases[0]", "listed"),
    ("doctors", "department: ortho", "department: orto", "doctors[2].department", "departments"),
    ("doctors", "id: park-doyun", "id: kim-seoyeon", "doctors[1].id", "twice"),
    ("doctors", "name: 박도윤", "name: 김서연", "doctors[1].name", "twice"),
    ("doctors", "name: 박도윤", "name: Dr Park", "doctors[1].name", "pattern"),
    ("doctors", "saturday: am}", "sunday: am}", "doctors[0].rota.sunday", "closed"),
    ("doctors", "saturday: am}", "saturday: pm}", "doctors[0].rota.saturday", "no afternoon"),
    ("doctors", "saturday: am}", "saturday: morning}", "doctors[0].rota.saturday", "'am'"),
    ("doctors", "end: 2026-12-16", "end: 2026-12-01", "doctors[1].leave[0].end", "before start"),
    ("doctors", "bookable: false\n\n", "\n\n", "departments[5].bookable", "no doctor"),
    ("faq", "keywords: [면회, 병문안, 문병]", "keywords: []", "keywords", "at least 1"),
    ("faq", "    keywords: [면회, 병문안, 문병]\n", "", "faq[11].keywords", "is missing"),
    ("faq", "question: 주차가 되나요?", "question: 병원이 어디에 있나요?", "faq[1]", "listed"),
    ("faq", "faq:", "faqs:", "faqs", "did you mean faq?"),
]


@pytest.mark.parametrize(("name", "old", "new", "field", "sentence"), BROKEN)
def test_a_mistake_names_file_line_and_field(
    folder: Path, name: str, old: str, new: str, field: str, sentence: str
) -> None:
    change(folder / f"{name}.yaml", old, new)
    text = message(lambda: load_hospital(folder))
    place, _, said = text.partition(": ")
    assert f"hanbit/{name}.yaml line " in place
    assert place.split(", ")[1].startswith(field) or place.endswith(field)
    assert sentence in said
    assert said.rstrip(")1234567890 more(and").count(";") >= 1, "what to do is missing"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("hospital", "lead_minutes: 60", "lead_minutes: sixty"),
        ("hospital", "digits: 6", "digits: 7"),
        ("hospital", "sunday: closed", "sunday: open"),
        ("hospital", "cancel: auto", "cancel: person"),
        ("hospital", "tool_seconds: 8", "tool_seconds: 2"),
        ("hospital", "id: hanbit", "id: 한빛"),
        ("doctors", "department: ortho", "department: orto"),
        ("doctors", "name: 박도윤", "name: 김서연"),
        ("doctors", "end: 2026-12-16", "end: 2026-12-01"),
        ("faq", "question: 입원할 수 있나요?", "question: 5"),
    ],
)
def test_the_line_is_the_line_of_the_mistake(folder: Path, name: str, old: str, new: str) -> None:
    line = change(folder / f"{name}.yaml", old, new)
    assert f"hanbit/{name}.yaml line {line}, " in message(lambda: load_hospital(folder))


def test_several_mistakes_are_counted(folder: Path) -> None:
    change(folder / "hospital.yaml", "digits: 6", "digits: 7")
    change(folder / "hospital.yaml", "ring_seconds: 25", "ring_seconds: -1")
    change(folder / "faq.yaml", "question: 입원할 수 있나요?", "question: 5")
    assert message(lambda: load_hospital(folder)).endswith("(and 2 more)")


NOTICE = "  recording_notice: 상담 품질을 위해 통화가 녹음되며, 원치 않으시면 말씀해 주세요.\n"
DESK = "desk:\n  name: 원무과\n  number: 02-0000-1101\n  ring_seconds: 25\n"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ([(DESK, ""), ("cancel: auto", "cancel: transfer")], "actions.cancel"),
        ([(DESK, "")], "emr.fallback"),
        (
            [
                ("commit_mode: request", "commit_mode: direct"),
                ("kind: embedded", "kind: request_only"),
            ],
            "booking.commit_mode",
        ),
        (
            [
                ("lead_minutes: 60", "lead_minutes: 2880"),
                ("furthest_days: 60", "furthest_days: 2"),
                ("same_day: true", "same_day: false"),
            ],
            "booking.furthest_days",
        ),
        ([(NOTICE, "")], "greeting.recording"),
    ],
)
def test_what_cannot_be_true_together(
    folder: Path, changes: list[tuple[str, str]], field: str
) -> None:
    for old, new in changes:
        change(folder / "hospital.yaml", old, new)
    assert f"{field}: " in message(lambda: load_hospital(folder)).split("; ")[0]


def test_insurance_asked_without_kinds(folder: Path) -> None:
    text = (folder / "hospital.yaml").read_text(encoding="utf-8")
    start, end = text.index("    kinds:"), text.index("\nactions:")
    (folder / "hospital.yaml").write_text(text[:start] + text[end:], encoding="utf-8")
    assert "booking.insurance.ask: is true but no kinds" in message(lambda: load_hospital(folder))


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "is empty"),
        (b"# nothing but a comment\n", "is empty"),
        (b"- a\n- b\n", "not a list of settings"),
        (b"just words", "not a list of settings"),
        (b"id: hanbit\n\tname: x\n", "line 2"),
        (b"id: [a\n", "is not YAML"),
        (b"id: \xff\xfe\n", "line 1: is not UTF-8"),
        ("id: a\nname: 한빛".encode("euc-kr"), "line 2: is not UTF-8"),
        (b"id: a\nname: \x00\n", "line 2: has characters"),
        (b"a: &x [*x]\n", "refers to itself"),
        (b"a: *gone\n", "is not YAML"),
        (b"a: !!python/object:os.system x\n", "has the tag"),
        (b"a: !!int x\n", "has the tag"),
        (b"? [a, b]\n: c\n", "key that is not a word"),
        (b"a: 1\n---\nb: 2\n", "is not YAML"),
        (b"a: " + b"[" * 50 + b"]" * 50, "nested too deeply"),
        (b"a: " + b"[" * 5000, "is not YAML"),
        (b"x" * 1_000_001, "larger than 1 MB"),
        (b"".join(b"a%d: &a%d [%s]\n" % (i, i, b",".join([b"*a%d" % (i - 1)] * 9) if i else b"x")
                  for i in range(9)), "nested too deeply or refers to itself"),
    ],
)  # fmt: skip
def test_files_that_are_not_settings(folder: Path, raw: bytes, sentence: str) -> None:
    (folder / "hospital.yaml").write_bytes(raw)
    text = message(lambda: load_hospital(folder))
    assert text.startswith("hanbit/hospital.yaml")
    assert sentence in text


def test_missing_files_and_folders(folder: Path, tmp_path: Path) -> None:
    (folder / "faq.yaml").unlink()
    assert "hanbit/faq.yaml: is missing" in message(lambda: load_hospital(folder))
    (folder / "faq.yaml").mkdir()
    assert "hanbit/faq.yaml: is not a file" in message(lambda: load_hospital(folder))
    assert "no such folder" in message(lambda: load_hospitals(tmp_path / "nowhere"))
    assert "cannot be listed" in message(lambda: load_hospitals(folder / "doctors.yaml"))
    assert "cannot be listed" in message(lambda: load_hospitals(Path("a\0b")))
    (tmp_path / "empty").mkdir()
    assert "no hospital folder" in message(lambda: load_hospitals(tmp_path / "empty"))


def test_links_that_go_round(folder: Path, tmp_path: Path) -> None:
    (folder / "faq.yaml").unlink()
    (folder / "faq.yaml").symlink_to("faq.yaml")
    assert "hanbit/faq.yaml: cannot be read" in message(lambda: load_hospital(folder))
    shutil.rmtree(folder)
    (tmp_path / "round").symlink_to("round")
    assert "round: cannot be listed" in message(lambda: load_hospitals(tmp_path))


def test_a_stray_settings_file(folder: Path) -> None:
    (folder / "faqs.yaml").write_text("faq: []\n")
    assert "faqs.yaml: is not a settings file" in message(lambda: load_hospital(folder))


@pytest.mark.parametrize(("field", "kept"), [("id", "phone"), ("phone", "id")])
def test_two_hospitals_cannot_share(folder: Path, tmp_path: Path, field: str, kept: str) -> None:
    shutil.copytree(folder, tmp_path / "other")
    fresh = {"phone": ("phone: 02-0000-1100", "phone: 02-0000-3300"), "id": ("hanbit", "other")}
    change(tmp_path / "other" / "hospital.yaml", *fresh[kept])
    text = message(lambda: load_hospitals(tmp_path))
    assert text.startswith("other/hospital.yaml line ")
    assert f", {field}: is also that of hanbit/hospital.yaml" in text


def test_one_folder_may_be_given_itself(folder: Path) -> None:
    assert [h.id for h in load_hospitals(folder).all()] == ["hanbit"]


def test_the_demo_hospitals_differ_where_it_matters() -> None:
    one, direct, other = load_hospitals().all()
    assert direct.booking.commit_mode is CommitMode.DIRECT
    assert {h.booking.commit_mode for h in (one, other)} == {CommitMode.REQUEST}
    assert (one.id, other.id) == ("hanbit", "saebom")
    for hospital in (one, other):
        assert len(hospital.departments) >= 4
        assert len(hospital.doctors) >= 7
        assert len(hospital.faq) >= 12
        assert sum(not d.bookable for d in hospital.departments) == 1
        assert sum(d.title == "원장" for d in hospital.doctors) == 2
        assert len({d.name[0] for d in hospital.doctors}) < len(hospital.doctors)
    assert one.booking.doctor_choice is DoctorChoiceRule.REQUIRED
    assert other.booking.doctor_choice is DoctorChoiceRule.OPTIONAL
    assert one.booking.insurance.ask is not other.booking.insurance.ask
    assert one.booking.same_day is not other.booking.same_day
    assert one.booking.slot_minutes != other.booking.slot_minutes
    assert {mode for _, mode in one.actions} == {ActionMode.AUTO}
    assert {mode for _, mode in other.actions} == set(ActionMode)
    assert one.greeting.recording is not other.greeting.recording
    assert (one.hours.saturday is None) is not (other.hours.saturday is None)


def test_the_greeting_tells_ai_and_recording_in_order() -> None:
    one, _, other = load_hospitals().all()
    notice = one.greeting.recording_notice
    assert notice is not None
    places = [one.greeting.text.index(part) for part in ("한빛병원", "인공지능", notice, "무엇을")]
    assert places == sorted(places)
    assert "녹음" not in other.greeting.text


@pytest.mark.parametrize(
    "dialled",
    [
        "02-0000-1100",
        "0200001100",
        "+82-2-0000-1100",
        "+82200001100",
        "0082200001100",
        "82200001100",
        "sip:0200001100@pbx.example",
        "sip:+82200001100@pbx.example;transport=tcp",
        "tel:+82-2-0000-1100",
        "(02) 0000 1100",
    ],
)
def test_found_by_the_dialled_number(dialled: str) -> None:
    found = load_hospitals().by_number(dialled)
    assert found is not None
    assert found.id == "hanbit"


def test_pick() -> None:
    hospitals = load_hospitals()
    assert hospitals.pick(None).id == "hanbit"
    assert hospitals.pick("saebom").id == "saebom"
    assert hospitals.pick("031-0000-2200").id == "saebom"
    with pytest.raises(InputError, match="use one of: hanbit, onnuri, saebom"):
        hospitals.pick("nowhere")
    assert hospitals.by_id(HospitalId("nowhere")) is None
    assert hospitals.by_number("") is None
    assert describe(hospitals.pick("hanbit")) == {
        "id": "hanbit",
        "name": "한빛병원",
        "number": "02-0000-1100",
    }


def test_settings_cannot_be_changed() -> None:
    hospital = load_hospitals().all()[0]
    with pytest.raises(ValueError, match="frozen"):
        hospital.name = "다른병원"  # type: ignore[misc]


def test_loading_is_quick() -> None:
    load_hospitals()
    started = time.perf_counter()
    load_hospitals()
    assert time.perf_counter() - started < 0.06 * 4  # four times the aim, for a busy machine


# --- no mutation of the files raises anything but SettingsError

_FILES = {
    name: yaml.safe_load((DEMO / "hanbit" / f"{name}.yaml").read_text(encoding="utf-8"))
    for name in ("hospital", "doctors", "faq")
}
_ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.dates(),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.sampled_from(["closed", "auto", "2026-12-24", "09:00", "23:59", "02-0000-0000", "kim"]),
)


def _paths(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += _paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += _paths(inner, (*path, index))
    return found


_PLACES = [(name, path) for name, value in _FILES.items() for path in _paths(value)]


@settings(deadline=None, max_examples=120, suppress_health_check=list(HealthCheck))
@given(
    place=st.sampled_from(_PLACES),
    how=st.sampled_from(["delete", "replace", "repeat"]),
    odd=_ODD,
)
def test_a_changed_value_loads_or_is_a_settings_error(
    tmp_path_factory: pytest.TempPathFactory,
    place: tuple[str, tuple[str | int, ...]],
    how: str,
    odd: object,
) -> None:
    folder = tmp_path_factory.mktemp("mutated")
    name, path = place
    for file, value in _FILES.items():
        value = copy.deepcopy(value)
        if file == name:
            _mutate(value, path, how, odd)
        (folder / f"{file}.yaml").write_text(yaml.safe_dump(value, allow_unicode=True))
    _loads_or_tells(folder)


def _mutate(value: object, path: tuple[str | int, ...], how: str, odd: object) -> None:
    for key in path[:-1]:
        assert isinstance(value, dict | list)
        value = value[key]  # type: ignore[index]
    last = path[-1]
    assert isinstance(value, dict | list)
    if how == "delete":
        del value[last]  # type: ignore[arg-type]
    elif how == "repeat" and isinstance(value, list):
        value.append(value[last])  # type: ignore[index]
    else:
        value[last] = odd  # type: ignore[index]


def _loads_or_tells(folder: Path) -> None:
    try:
        assert isinstance(load_hospital(folder), Hospital)
    except SettingsError as error:
        assert folder.name in str(error)  # noqa: PT017


@settings(deadline=None, max_examples=80, suppress_health_check=list(HealthCheck))
@given(
    name=st.sampled_from(["hospital", "doctors", "faq"]),
    at=st.integers(min_value=0, max_value=3000),
    cut=st.integers(min_value=0, max_value=40),
    put=st.binary(max_size=6),
)
def test_changed_bytes_load_or_are_a_settings_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, at: int, cut: int, put: bytes
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    for file in ("hospital", "doctors", "faq"):
        raw = (DEMO / "hanbit" / f"{file}.yaml").read_bytes()
        if file == name:
            raw = raw[:at] + put + raw[at + cut :]
        (folder / f"{file}.yaml").write_bytes(raw)
    _loads_or_tells(folder)


def test_no_working_folder_is_needed(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", "from wonmu.hospital import *; print(len(load_hospitals().all()))"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == "3"
