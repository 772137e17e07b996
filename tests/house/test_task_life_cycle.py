"""Life-cycle rules of tasks, walked over their source (S3, S5, S9; the traps in LiveKit)."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

CALL = Path(__file__).parents[2] / "wonmu" / "call"
TASKS = sorted((CALL / "tasks").glob("*.py"))

SPEAKING = {"say", "speak", "offer", "generate_reply", "wait_for_playout", "interrupt", "drain"}
"""Awaiting any of these means awaiting a reply or its playout."""
ENDING = {"shutdown", "aclose", "update_agent", "hang_up", "say_goodbye", "_close", "end"}
"""A task that calls one of these ends or hands over the call."""
JOBS = {"create_task", "ensure_future", "gather", "wait_for"}


def called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def methods(tree: ast.AST) -> Iterator[ast.AsyncFunctionDef | ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef):
            yield node


def awaits_a_reply(tree: ast.AST) -> list[str]:
    found = []
    for method in methods(tree):
        if method.name == "on_exit":
            continue
        for node in ast.walk(method):
            if isinstance(node, ast.Await):
                names = {called(inner) for inner in ast.walk(node.value)}
                if names & SPEAKING:
                    found.append(method.name)
    return found


def ends_the_call(tree: ast.AST) -> list[str]:
    return [
        f"{called(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and called(node) in ENDING
        and not (called(node) == "end" and "recorder" in ast.unparse(node.func))
    ]


def awaits_a_task_in_a_job(tree: ast.AST) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if called(node) in JOBS and "lend" in ast.unparse(node):
            found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize("path", TASKS, ids=lambda path: path.name)
def test_no_task_awaits_a_reply_or_its_playout(path: Path) -> None:
    assert awaits_a_reply(ast.parse(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", TASKS, ids=lambda path: path.name)
def test_no_task_ends_or_hands_over_the_call(path: Path) -> None:
    assert ends_the_call(ast.parse(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", sorted(CALL.rglob("*.py")), ids=lambda path: path.name)
def test_a_task_is_only_lent_the_talk_inside_a_tool(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert awaits_a_task_in_a_job(tree) == []
    overrides = [m.name for m in methods(tree) if m.name == "run_task"]
    assert overrides == []


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("async def on_enter(self):\n    await self.session.say('x')", awaits_a_reply),
        ("async def f(self):\n    h = say('x')\n    await h.wait_for_playout()", awaits_a_reply),
        ("def f(self):\n    self.session.shutdown()", ends_the_call),
        ("async def f(self):\n    asyncio.create_task(call.lend(ctx, t))", awaits_a_task_in_a_job),
    ],
)  # fmt: skip
def test_the_rules_catch_a_breach(source: str, rule: object) -> None:
    assert callable(rule)
    assert rule(ast.parse(textwrap.dedent(source)))


def test_on_exit_may_await_playout() -> None:
    source = "async def on_exit(self):\n    await self.handle.wait_for_playout()"
    assert awaits_a_reply(ast.parse(source)) == []
