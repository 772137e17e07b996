"""Lines and prompts as data: strict loading, typed placeholders, particles (house style, Text)."""

from __future__ import annotations

from datetime import date, datetime, time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wonmu.clock import SEOUL
from wonmu.errors import ProgrammingError, SettingsError
from wonmu.korean.phone import Phone
from wonmu.lines import Lines, Template, Value
from wonmu.lines.template import TemplateError

pytestmark = pytest.mark.unit

WHEN = datetime(2026, 12, 8, 14, 30, tzinfo=SEOUL)


def _lines(tmp_path: Path, text: str, prompt: str | None = None) -> Lines:
    folder = tmp_path / "ko"
    (folder / "prompts").mkdir(parents=True)
    (folder / "booking.yaml").write_text(text, encoding="utf-8")
    if prompt is not None:
        (folder / "prompts" / "supervisor.md").write_text(prompt, encoding="utf-8")
    return Lines.load(home=tmp_path)


def test_names_nesting_variants_and_placeholders(tmp_path: Path) -> None:
    lines = _lines(
        tmp_path, "hello: 안녕하세요.\nask:\n  no: [가, 나]\n  day: '{day:date} 맞나요?'\n"
    )
    assert lines.names() == ("booking.ask.day", "booking.ask.no", "booking.hello")
    assert lines.placeholders("booking.ask.day") == {"day": "date"}
    assert [lines.say("booking.ask.no", variant) for variant in range(3)] == ["가", "나", "가"]
    assert lines.variants("booking.ask.no") == 2
    assert lines.sources("booking.ask.day") == ("{day:date} 맞나요?",)


def test_a_read_back_with_particles(tmp_path: Path) -> None:
    text = "readback: >\n  {department} {doctor|으로/로}\n  {when:when|이/가} 맞으실까요?\n"
    lines = _lines(tmp_path, text)
    said = lines.say("booking.readback", department="내과", doctor="김서연", when=WHEN)
    assert said == "내과 김서연으로 12월 8일 화요일 오후 두 시 삼십 분이 맞으실까요?"


@pytest.mark.parametrize(
    ("source", "value", "said"),
    [
        ("{x}", "가", "가"),
        ("{x}", 3, "3"),
        ("{x:when}", WHEN, "12월 8일 화요일 오후 두 시 삼십 분"),
        ("{x:date}", date(2026, 12, 8), "12월 8일 화요일"),
        ("{x:time}", time(9), "오전 아홉 시"),
        ("{x:phone}", "01012345678", "공일공, 일이삼사, 오육칠팔"),
        ("{x:phone}", Phone("01012345678"), "공일공, 일이삼사, 오육칠팔"),
        ("{x:birth}", date(1985, 3, 12), "천구백팔십오년 삼월 십이일"),
        ("{x:count} 건", 2, "두 건"),
        ("{x:digits}", "850312", "팔오공삼일이"),
        ("{x:list}", ["내과", "안과"], "내과 또는 안과"),
        ("{x:won|은/는}", 35000, "삼만 오천 원은"),
        ("{x:price|은/는}", 35000, "35,000원은"),
        ("{x|을/를} {{y}}", "내과", "내과를 {y}"),
        ("{x:date|으로/로}", date(2026, 12, 8), "12월 8일 화요일로"),
    ],
)
def test_typed_placeholders(source: str, value: Value, said: str) -> None:
    assert Template.parse(source).fill({"x": value}) == said


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("{x:when}", date(2026, 12, 8)),
        ("{x:when}", "내일"),
        ("{x:date}", WHEN),
        ("{x:time}", WHEN),
        ("{x:phone}", "0101234"),
        ("{x:birth}", "850312"),
        ("{x:count}", "둘"),
        ("{x:count}", True),
        ("{x}", date(2026, 12, 8)),
        ("{x:list}", "내과"),
        ("{x:digits}", 850312),
        ("{x:won}", "35000"),
        ("{x:won}", True),
        ("{x:price}", -1),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(source: str, value: Value) -> None:
    with pytest.raises(ProgrammingError):
        Template.parse(source).fill({"x": value})


def test_missing_extra_and_unknown(tmp_path: Path) -> None:
    lines = _lines(tmp_path, "hello: '{name}님'\n")
    with pytest.raises(ProgrammingError, match=r"booking\.hello.*missing values \['name'\]"):
        lines.say("booking.hello")
    with pytest.raises(ProgrammingError, match=r"without a place \['age'\]"):
        lines.say("booking.hello", name="김민수", age=3)
    with pytest.raises(ProgrammingError, match="no line named"):
        lines.say("booking.bye")
    with pytest.raises(ProgrammingError, match="no prompt named"):
        lines.prompt("supervisor")


def test_prompts_keep_their_line_breaks(tmp_path: Path) -> None:
    lines = _lines(tmp_path, "a: 가\n", "# {hospital}\n\n{facts}\n")
    assert lines.prompt_names() == ("supervisor",)
    said = lines.prompt("supervisor", hospital="한빛병원", facts="주소: 가\n전화: 나")
    assert said == "# 한빛병원\n\n주소: 가\n전화: 나"
    with pytest.raises(ProgrammingError, match="supervisor"):
        lines.prompt("supervisor", hospital="한빛병원")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: '{x'\n", "line 1"),
        ("a: 가\nb: 'x}'\n", "line 2"),
        ("a: '{x:nope}'\n", "no kind 'nope'"),
        ("a: '{x|가/나}'\n", "no particle pair"),
        ("a: '{X}'\n", "not a placeholder"),
        ("a: '{}'\n", "not a placeholder"),
        ("a: '{x} {x:date}'\n", "two kinds"),
        ("a: ['{x}', '{y}']\n", "differ in their placeholders"),
        ("a: 가\na: 나\n", "twice"),
        ("a: ''\n", "not empty"),
        ("a: []\n", "no text"),
        ("a:\n  - [가]\n", "must be a text"),
        ("- 가\n", "must map names"),
        ("a: [가\n", "not readable as YAML"),
        ("a.b: 가\n", "without a dot"),
    ],
)
def test_a_malformed_file_is_named_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(SettingsError) as error:
        _lines(tmp_path, text)
    assert words in str(error.value)
    assert "booking.yaml" in str(error.value)


def test_other_broken_folders(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not a folder"):
        Lines.load("xx", home=tmp_path)
    (tmp_path / "ko").mkdir()
    (tmp_path / "ko" / "a.yaml").write_bytes(b"a: \xff\n")
    with pytest.raises(SettingsError, match="not UTF-8"):
        Lines.load(home=tmp_path)
    (tmp_path / "ko" / "a.yaml").write_text("", encoding="utf-8")
    assert Lines.load(home=tmp_path).names() == ()


@given(st.text(max_size=30))
def test_any_text_is_a_template_or_says_why_not(source: str) -> None:
    try:
        template = Template.parse(source)
    except TemplateError:
        return
    values: dict[str, Value] = dict.fromkeys(template.placeholders(), "가")
    if set(template.placeholders().values()) <= {"text"}:
        assert isinstance(template.fill(values), str)


@given(st.text(max_size=30))
def test_escaped_text_comes_back_unchanged(text: str) -> None:
    escaped = text.replace("{", "{{").replace("}", "}}")
    assert Template.parse(escaped).fill({}) == text
