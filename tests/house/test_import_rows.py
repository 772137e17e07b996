"""A module imports only from rows below it; LiveKit stays in its rooms (the house plan)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2] / "wonmu"

# Top row first. A module may import from its own room and from rows further down.
ROWS: tuple[tuple[str, ...], ...] = (
    ("cli", "__main__"),
    ("evals",),
    ("commands", "worker"),
    ("chat", "demos", "testing", "web"),
    ("call", "text"),
    ("office", "transfer", "speech"),
    ("visit",),
    ("desk",),
    ("booking",),
    ("identity",),
    ("policy",),
    ("emr",),
    ("timeline",),
    ("hospital",),
    ("model",),
    ("lines",),
    ("korean",),
    ("place",),
    ("storage",),
    ("migrate", "postgres"),
    ("loop",),
    ("clock", "ids", "errors", "settings"),
)
LIVEKIT_ROOMS = ("call", "transfer", "speech", "worker", "commands", "testing")
PURE_ROOMS = ("booking", "identity", "policy", "korean")
IMPURE = ("livekit", "sqlalchemy", "asyncio", "httpx", "aiosqlite", "os", "time", "random", "uuid")


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def row_of(room: str) -> int:
    for number, row in enumerate(ROWS):
        if room in row:
            return number
    raise AssertionError(f"wonmu.{room} has no row in the house plan; give it one")


def modules() -> Iterator[tuple[Path, str]]:
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        yield path, ".".join(parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path.name}: relative import"
            yield node.module
            if node.module == "wonmu":
                yield from (f"wonmu.{alias.name}" for alias in node.names)


@pytest.mark.parametrize(("path", "module"), list(modules()), ids=lambda v: str(v)[-40:])
def test_imports_only_from_rows_below(path: Path, module: str) -> None:
    if module == "wonmu":
        return
    here = room_of(module)
    for name in imports(path):
        if not name.startswith("wonmu."):
            continue
        there = room_of(name)
        if there != here:
            assert row_of(there) > row_of(here), f"{module} imports {name} from a row above"


@pytest.mark.parametrize(("path", "module"), list(modules()), ids=lambda v: str(v)[-40:])
def test_livekit_and_the_world_stay_in_their_rooms(path: Path, module: str) -> None:
    here = room_of(module)
    for name in imports(path):
        top = name.split(".")[0]
        if here not in LIVEKIT_ROOMS:
            assert top != "livekit", f"{module} imports {name}"
        if here in PURE_ROOMS:
            assert top not in IMPURE, f"{module} is pure and imports {name}"


def test_a_row_above_would_be_noticed() -> None:
    assert row_of("call") < row_of("booking") < row_of("policy") < row_of("korean")
    with pytest.raises(AssertionError):
        row_of("attic")
