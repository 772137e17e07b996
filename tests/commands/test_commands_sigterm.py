"""SIGTERM to ``wonmu chat`` hangs up: the consented write is finished and the call has its end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.service

LINES = ["내과 예약하려고요", "#850312", "모레 오전 열 시요", "네"]


def _chat(data: Path, faults: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "wonmu.cli", "chat", "--json"]
    command += ["--hospital", "onnuri", "--caller", "01000001234", "--data", str(data)]
    command += ["--now", "2026-12-01T10:00+09:00", "--faults", str(faults)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def test_a_consented_booking_survives_sigterm(tmp_path: Path) -> None:
    faults = tmp_path / "faults.yaml"
    faults.write_text("- {op: book, kind: latency, seconds: 2.5}\n", encoding="utf-8")
    left, kinds = list(LINES), []
    with _chat(tmp_path / "data", faults) as chat:
        assert chat.stdin is not None
        assert chat.stdout is not None
        assert chat.stderr is not None
        for line in chat.stdout:
            event = json.loads(line)
            kinds.append(event["kind"])
            if event["kind"] == "turn.waiting" and left:
                chat.stdin.write(left.pop(0) + "\n")
                chat.stdin.flush()
            if event["kind"] == "commit.step" and event["data"]["step"] == "record":
                chat.send_signal(signal.SIGTERM)
        assert chat.wait(timeout=30) == 0
        assert chat.stderr.read() == ""
    assert kinds[-1] == "call.ended"
    assert kinds.count("booking.committed") == 1
