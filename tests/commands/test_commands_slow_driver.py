"""A program or a person that takes long to answer is no silent caller (terminal contract)."""

from __future__ import annotations

import json
import select
import subprocess
import sys

import pytest

pytestmark = pytest.mark.service

CHAT = (sys.executable, "-m", "wonmu.cli", "chat", "--json", "--now", "2026-12-01T10:00+09:00")
THINKING = 1.0
"""Real seconds; at the terminal's pace three times what a caller is allowed to be silent."""


def until_waiting(process: subprocess.Popen[bytes]) -> list[str]:
    """Kinds of the events up to the moment when the program waits for a line."""
    assert process.stdout is not None
    kinds: list[str] = []
    while not kinds or kinds[-1] != "turn.waiting":
        kinds.append(json.loads(process.stdout.readline())["kind"])
    return kinds


def give(process: subprocess.Popen[bytes], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n".encode())
    process.stdin.flush()


def test_only_a_wait_line_is_silence() -> None:
    with subprocess.Popen(CHAT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        until_waiting(process)
        assert select.select([process.stdout], [], [], THINKING)[0] == []
        give(process, "/wait 9")
        assert "agent.said" in until_waiting(process)
        give(process, "/hangup")
        assert json.loads(process.stdout.readlines()[-1])["kind"] == "call.ended"
        assert process.wait(timeout=30) == 0
