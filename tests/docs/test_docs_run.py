"""The commands that the pages show are run, and the talk they print is the one that happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wonmu.commands.demo import run_demo
from wonmu.demos import DEMOS

pytestmark = pytest.mark.service

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.ko.md")
RUN = re.compile(r"^<!-- run -->\n```sh\n(.*?)^```", re.M | re.S)
TRANSCRIPT = re.compile(r"^<!-- transcript -->\n```text\n(.*?)^```", re.M | re.S)


def readme(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", READMES)
def test_the_commands_run(name: str, tmp_path: Path) -> None:
    [block] = RUN.findall(readme(name))
    bin_folder = str(Path(sys.executable).parent)
    done = subprocess.run(
        ("bash", "-euo", "pipefail", "-c", block),
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    said = done.stdout.decode()
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert "callback" in said
    assert "김민수" in said


@pytest.fixture(scope="module")
def demo_lines() -> list[str]:
    done = subprocess.run(
        (sys.executable, "-m", "wonmu.cli", "demo", "booking"),
        capture_output=True,
        timeout=60,
        check=True,
    )
    return done.stdout.decode().splitlines()


@pytest.mark.parametrize("name", READMES)
def test_the_transcript_is_what_the_demo_says(name: str, demo_lines: list[str]) -> None:
    """Lines stand in the README as the demo says them, one after the other between ``[…]``."""
    [block] = TRANSCRIPT.findall(readme(name))
    at = 0
    for part in block.split("[…]\n"):
        wanted = part.splitlines()
        starts = [n for n in range(at, len(demo_lines)) if demo_lines[n] == wanted[0]]
        assert starts, f"the demo does not say: {wanted[0]}"
        at = starts[0]
        assert demo_lines[at : at + len(wanted)] == wanted
        at += len(wanted)


@pytest.mark.parametrize("name", list(DEMOS))
def test_a_demo_leaves_what_it_promises(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A demo once asked a hospital for a department it does not have, and ended with status 0."""
    assert run_demo(name) == 0
    _, _, record = capsys.readouterr().out.partition("(wonmu inbox)")
    leaves = DEMOS[name].leaves
    assert record.count("kind=") == (0 if leaves == "nothing" else 1)
    assert leaves == "nothing" or f"kind={leaves}" in record
