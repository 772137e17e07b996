"""From starting ``wonmu chat`` to the greeting, beside importing what it stands on.

Each measurement is a new process: the command line until the event of the greeting has been read
from its standard output, and a Python that imports ``livekit.agents`` and its openai plugin and
ends. Once on a folder that an earlier call has filled, once on a folder that is not there yet.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.rows import Limit, Measure, Row

ROUNDS = 7
BUDGET_SECONDS = 90.0
"""No round is begun after that; at least ``FEWEST`` are counted all the same."""
FEWEST = 3
WARM_UP = 1
"""Rounds that are not counted: the first start compiles modules and fills the disk's cache."""

BASE = "import livekit.agents, livekit.plugins.openai"
NOW = "2026-12-01T10:00+09:00"


def seconds_to_import() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", BASE], check=True)
    return time.perf_counter() - began


def seconds_to_greeting(data: Path) -> float:
    command = [
        sys.executable,
        "-m",
        "wonmu.cli",
        "chat",
        "--json",
        "--now",
        NOW,
        "--data",
        str(data),
    ]
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        took = None
        for line in process.stdout:
            if took is None and b'"agent.speaking"' in line:
                took = time.perf_counter() - began
                process.stdin.close()
        status = process.wait()
    if took is None or status != 0:
        raise RuntimeError(f"wonmu chat ended with status {status} and greeted {took is not None}")
    return took


def measure() -> list[Row]:
    base, warm, fresh = [], [], []
    with tempfile.TemporaryDirectory(prefix="wonmu-bench-") as name:
        kept = Path(name) / "kept"
        began = time.perf_counter()
        for number in range(WARM_UP + ROUNDS):
            spent = time.perf_counter() - began
            if number >= WARM_UP + FEWEST and spent > BUDGET_SECONDS:
                break
            base.append(seconds_to_import())
            warm.append(seconds_to_greeting(kept))
            fresh.append(seconds_to_greeting(Path(name) / f"fresh-{number}"))
    limit = (Limit(Measure.RATIO, 1.3),)
    against = tuple(base[WARM_UP:])
    return [
        Row("greeting, kept folder", "s", tuple(warm[WARM_UP:]), "imports", against, limit),
        Row("greeting, new folder", "s", tuple(fresh[WARM_UP:]), "imports", against, limit),
    ]
