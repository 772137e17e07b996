"""A call that ends while its standard input is still open, or was never there."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.service

CHAT = (sys.executable, "-m", "wonmu.cli", "chat", "--now", "2026-12-01T10:00+09:00")


def test_a_goodbye_before_the_end_of_input_closes_cleanly() -> None:
    """The reading thread still waits for a line then; the interpreter used to abort (134)."""
    with subprocess.Popen(
        CHAT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("이제 끊을게요\n".encode())
        process.stdin.flush()
        said = process.stdout.read().decode()
        assert process.wait(timeout=30) == 0
        assert process.stderr.read() == b""
    assert "(통화 종료: end_call)" in said


def test_without_any_standard_input_the_caller_has_hung_up() -> None:
    command = 'exec "$@" <&-'
    done = subprocess.run(
        ("sh", "-c", command, "sh", *CHAT), capture_output=True, timeout=30, check=False
    )
    assert done.returncode == 0
    assert "(통화 종료: caller_hangup)" in done.stdout.decode()
