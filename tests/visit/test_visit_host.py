"""A call is a host of the work of a visit, as it is; the room knows nothing of calls (S2)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import wonmu.visit
from wonmu.call.session import Call
from wonmu.visit.host import Host

pytestmark = pytest.mark.unit

ROOM = Path(wonmu.visit.__file__).parent


def as_host(call: Call) -> Host:
    """Type-checked: whatever the protocol asks for, a call has under the same name and type."""
    return call


def test_a_call_satisfies_the_protocol() -> None:
    assert as_host.__annotations__ == {"call": "Call", "return": "Host"}
    wanted = {name for name in vars(Host) if not name.startswith("_")}
    assert wanted == {"desk", "lines", "emr", "recorder", "state", "lookups", "writes"}


def test_the_room_imports_neither_livekit_nor_the_call() -> None:
    for path in ROOM.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                assert not node.module.startswith(("livekit", "wonmu.call")), path
            elif isinstance(node, ast.Import):
                assert not any(alias.name.startswith("livekit") for alias in node.names), path
