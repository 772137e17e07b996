"""``wonmu emr serve`` as it is started: a real process on a free port (A8)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

pytestmark = pytest.mark.service

NOW = "2026-12-01T10:00+09:00"


@contextmanager
def process(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The child and the URL it says it listens on."""
    environment = {name: value for name, value in os.environ.items() if name != "WONMU_DB"}
    command = [sys.executable, "-m", "wonmu.cli", "emr", "serve", "--port", "0", *options]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert child.stdout is not None
    try:
        line = child.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:"), child.communicate()[1]
        yield child, line.removeprefix("listening on ").strip()
    finally:
        if child.poll() is None:
            child.kill()
        child.communicate()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_a_seeded_hospital_and_ends_when_told(
    tmp_path: Path, ending: signal.Signals
) -> None:
    options = ("--data", str(tmp_path), "--hospital", "saebom", "--now", NOW)
    with process(*options, "--slot-owner", "client") as (child, url):
        said = httpx.get(f"{url}/metadata").json()
        assert said["implementation"]["url"] == url
        codes = {
            each["type"]: {one["code"] for one in each["interaction"]}
            for each in said["rest"][0]["resource"]
        }
        assert "update" in codes["Slot"]
        found = httpx.get(f"{url}/Patient", params={"name": "김민수"}).json()
        assert found["total"] == 1
        child.send_signal(ending)
        out, err = child.communicate(timeout=10)
        assert (child.returncode, out, err) == (0, "", "")
    log = (tmp_path / "emr-saebom-access.jsonl").read_text().splitlines()
    assert [json.loads(line)["op"] for line in log] == ["capabilities", "search-type"]
    assert (tmp_path / "emr-saebom.sqlite").exists()


def test_the_first_hospital_and_the_server_as_owner_are_the_defaults(tmp_path: Path) -> None:
    with process("--data", str(tmp_path), "--now", NOW) as (_, url):
        names = {
            each["type"]: {one["name"] for one in each.get("operation", ())}
            for each in httpx.get(f"{url}/metadata").json()["rest"][0]["resource"]
        }
        assert names["Appointment"] == {"find", "hold", "book"}
    assert list(tmp_path.glob("emr-*.sqlite"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "--data FOLDER"),
        (("--data", "here", "--slot-owner", "nobody"), "--slot-owner nobody"),
        (("--data", "here", "--hospital", "nowhere"), "nowhere"),
        (("--data", "here", "--now", "soon"), "--now soon"),
        (("--data", "here", "--host", "192.0.2.1"), "cannot listen on 192.0.2.1"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "WONMU_DB"}
    command = [sys.executable, "-m", "wonmu.cli", "emr", "serve", "--port", "0", *options]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=environment, timeout=30
    )
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir()), "nothing was made"
