"""The pages against the program: commands parse, tables match the code, links lead somewhere."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

from wonmu.cli import app
from wonmu.hospital import billing, config, record_system
from wonmu.hospital.loading import load_hospitals

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
READMES = (ROOT / "README.md", ROOT / "README.ko.md")
PAGES = (*READMES, *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def page(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def commands_in(text: str) -> Iterator[list[str]]:
    """Words of every simple command in the shell blocks."""
    for block in BLOCK.findall(text):
        for line in block.splitlines():
            lexer = shlex.shlex(line.removeprefix("$ "), posix=True, punctuation_chars="|")
            lexer.whitespace_split = True
            words = list(lexer)
            while words:
                end = words.index("|") if "|" in words else len(words)
                yield words[:end]
                words = words[end + 1 :]


def said_by(*words: str) -> str | None:
    """What the command line answers to the words and --help; None when it refuses them."""
    result = CliRunner().invoke(app, [*words, "--help"])
    return result.output if result.exit_code == 0 else None


WONMU = [
    (name_of(path), words)
    for path in PAGES
    for words in commands_in(page(path))
    if words[0].rpartition("/")[2] == "wonmu"
]
MAKE = [words[1] for path in PAGES for words in commands_in(page(path)) if words[0] == "make"]


@pytest.mark.parametrize(("where", "words"), WONMU, ids=lambda value: str(value)[:60])
def test_every_wonmu_command_in_the_pages_parses(where: str, words: list[str]) -> None:
    assert said_by(*words[1:]) is not None


def test_a_command_that_does_not_exist_is_noticed() -> None:
    assert said_by("chat", "--voice", "x") is None
    assert said_by("emr", "drop") is None
    assert len(WONMU) >= 10


@pytest.mark.parametrize("target", sorted(set(MAKE)))
def test_every_make_target_in_the_pages_exists(target: str) -> None:
    assert re.search(rf"^{target}:", page(ROOT / "Makefile"), re.M)


@pytest.mark.parametrize("path", READMES, ids=name_of)
def test_the_table_of_a_call_has_exactly_the_options(path: Path) -> None:
    rows = [row for row in page(path).splitlines() if row.startswith("| `--")]
    told = {found.group() for row in rows if (found := re.search(r"--[a-z-]+", row))}
    known = re.findall(r"^ +(--[a-z-]+)", said_by("chat") or "", re.M)
    assert told == set(known) - {"--help"}


@pytest.mark.parametrize("path", READMES, ids=name_of)
def test_every_command_is_listed(path: Path) -> None:
    names = set(commands_of())
    for group in ("emr", "ledger", "model"):
        names = names - {group} | {f"{group} {name}" for name in commands_of(group)}
    assert len(names) >= 7
    for name in names:
        assert f"| `wonmu {name}" in page(path)


def commands_of(*group: str) -> list[str]:
    _, _, listed = (said_by(*group) or "").partition("Commands:")
    return re.findall(r"^ {2}([a-z]+)", listed, re.M)


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(page(path)):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.exists(), target
        if anchor:
            assert anchor in anchors_of(there), target


def anchors_of(path: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page(path), re.M)
    return {re.sub(r"[^\w가-힣 -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_no_page_names_a_machine(path: Path) -> None:
    found = re.search(r"(?<![\w.])/(?:home|root|work|tmp|Users|opt|var)/", page(path))
    assert found is None, found


FILES = re.compile(r"`((?:[a-z_-]+/)+[\w.-]*)`")
HOMES = (ROOT, ROOT / "wonmu", ROOT / "wonmu" / "call")


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_files_named_in_the_text_exist(path: Path) -> None:
    missing = [
        name
        for name in FILES.findall(page(path))
        if name != "text/plain" and not any((home / name).exists() for home in HOMES)
    ]
    assert missing == []


def test_the_rows_of_the_house_are_those_of_the_import_test() -> None:
    source = page(ROOT / "tests" / "house" / "test_import_rows.py")
    [rows] = [
        ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.AnnAssign)
        and ast.unparse(node.target) == "ROWS"
        and node.value is not None
    ]
    house = page(ROOT / "docs" / "architecture.md")
    told = re.findall(r"^\| \d+ \| ([^|]+) \|", house, re.M)
    assert [tuple(re.findall(r"`(\w+)`", row)) for row in told] == list(rows)


# Settings ------------------------------------------------------------------------------------

SETTINGS = page(ROOT / "docs" / "settings.md")
SETTINGS_KINDS = [
    kind
    for module in (config, record_system, billing)
    for kind in vars(module).values()
    if isinstance(kind, type) and kind.__module__ == module.__name__
]
MODELS = [kind for kind in SETTINGS_KINDS if issubclass(kind, BaseModel)]
VALUES = [member.value for kind in SETTINGS_KINDS if issubclass(kind, Enum) for member in kind]
WEEKDAYS = frozenset(config.WEEKDAYS)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_setting_is_described(model: type[BaseModel]) -> None:
    for name in set(model.model_fields) - (WEEKDAYS - {"monday", "sunday"}):
        assert re.search(rf"`(?:\w+\.)?{name}`|[{{ ]{name}[,}}]", SETTINGS), name


@pytest.mark.parametrize("value", sorted(set(VALUES)))
def test_every_word_a_setting_may_have_is_described(value: str) -> None:
    assert f"`{value}`" in SETTINGS or f"`{value}:" in SETTINGS


@pytest.mark.parametrize(
    "name",
    [
        *("timeline_days", "requests_days"),
    ],
)
def test_what_has_no_effect_yet_is_read_by_nobody(name: str) -> None:
    """When one of these begins to matter, docs/settings.md must say so."""
    readers = [
        path
        for path in (ROOT / "wonmu").rglob("*.py")
        if path.parent.name != "hospital" and re.search(rf"\.{name}\b", page(path))
    ]
    assert readers == []
    assert any(name in row and "no effect yet" in row.lower() for row in SETTINGS.splitlines())


def test_the_example_hospital_is_sound() -> None:
    [hospital] = load_hospitals(ROOT / "docs" / "examples" / "hospitals").all()
    assert hospital.name == "달빛의원"
