"""No telemetry, no threads, and no LangChain where nobody asked for it (N8)."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from agents_parts import BILL, on_the_loop, room
from langchain_core.messages import HumanMessage
from model_rungs import Scripted, say, use

from wonmu.desk.agents.answer import Answered
from wonmu.desk.agents.chat_model import LadderChat
from wonmu.desk.agents.specialist import BILLING, ask
from wonmu.desk.agents.untraced import untraced

pytestmark = pytest.mark.unit

WORDS = "진료비는 35,000원이고 모두 내셨습니다."
TRACING = {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_TRACING_V2": "true",
    "LANGCHAIN_TRACING_V2": "true",
    "LANGCHAIN_TRACING": "true",
    "LANGCHAIN_HANDLER": "langchain",
    "LANGSMITH_API_KEY": "made-up",
    "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
}


class Guard:
    """Counts what a telemetry client would need."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.connections: list[object] = []
        self.threads: list[str] = []
        connect, start = socket.socket.connect, threading.Thread.start

        def connecting(this: socket.socket, address: Any) -> None:
            self.connections.append(address)
            connect(this, address)

        def starting(this: threading.Thread) -> None:
            self.threads.append(this.name)
            start(this)

        monkeypatch.setattr(socket.socket, "connect", connecting)
        monkeypatch.setattr(threading.Thread, "start", starting)


@pytest.fixture
def traced_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Guard]:
    """A machine whose environment asks for tracing in every way there is."""
    from langsmith import utils

    for name, value in TRACING.items():
        monkeypatch.setenv(name, value)
    forget: Any = utils.get_env_var
    forget.cache_clear()
    yield Guard(monkeypatch)
    monkeypatch.undo()
    forget.cache_clear()


def test_tracing_is_off_whatever_the_environment_says(traced_machine: Guard) -> None:
    async def main() -> object:
        replies = [use("lookup_invoice"), say(WORDS)]
        return await ask(BILLING, BILL, room(Scripted(replies)), turn=1)

    assert isinstance(on_the_loop(main), Answered)
    assert traced_machine.connections == []
    assert traced_machine.threads == []


def test_the_guard_sees_what_would_be_traced(traced_machine: Guard) -> None:
    """Without ``untraced`` the same environment brings in a tracer and its threads."""
    from langchain_core.callbacks import AsyncCallbackManager

    for name in ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER"):
        os.environ.pop(name)
    with untraced():
        assert AsyncCallbackManager.configure().handlers == []
    assert traced_machine.threads == []
    assert AsyncCallbackManager.configure().handlers
    assert traced_machine.threads


def test_nothing_is_traced_inside_tasks_either(traced_machine: Guard) -> None:
    async def main() -> None:
        with untraced():
            model = LadderChat(rungs=(Scripted([say(WORDS)]),))
            await asyncio.gather(*(model.ainvoke([HumanMessage("네?")]) for _ in range(3)))

    asyncio.run(main())
    assert traced_machine.threads == []


@pytest.mark.parametrize(
    "module",
    [
        "wonmu.desk.agents.answer",
        "wonmu.desk.agents.specialist",
        "wonmu.desk.agents.consult",
        "wonmu.desk.agents.watch",
        "wonmu.desk.agents.untraced",
        "wonmu.model.endpoint",
    ],
)
def test_slow_packages_are_not_imported_before_they_are_used(module: str) -> None:
    slow = ("langchain", "langchain_core", "langgraph", "langsmith", "openai")
    code = (
        f"import sys; sys.path.insert(0, {str(_root())!r}); import {module}; "
        f"print([name for name in {slow!r} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def _root() -> str:
    import wonmu

    return os.path.dirname(os.path.dirname(str(wonmu.__file__)))
