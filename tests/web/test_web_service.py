"""``wonmu web`` as a process: visitors apart, killed and started again, told to stop."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from web_process import API, PATIENCE, Visitor, environment, process

pytestmark = pytest.mark.service

HANBIT = ("--hospital", "hanbit")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One server for the tests that leave it running; each comes from an address of its own."""
    data = tmp_path_factory.mktemp("web")
    with process(data, "--trusted-proxy", "127.0.0.1") as (child, url):
        yield url
        stop(child)
    assert set(ends(data)) <= {"shutdown", "caller_left"}


def browser(url: str, address: str) -> httpx.Client:
    headers = {"X-Forwarded-For": address}
    return httpx.Client(base_url=url, timeout=PATIENCE, headers=headers)


def ends(data: Path) -> list[str]:
    """The reasons of ``call.ended`` in the timeline, oldest first."""
    with sqlite3.connect(data / "timeline.sqlite") as store:
        rows = store.execute(
            "select data from timeline_event where kind = 'call.ended' order by at"
        ).fetchall()
    return [str(json.loads(row[0])["reason"]) for row in rows]


def stop(child: subprocess.Popen[str], with_signal: signal.Signals = signal.SIGTERM) -> None:
    child.send_signal(with_signal)
    out, err = child.communicate(timeout=PATIENCE)
    assert (child.returncode, out, err) == (0, "", "")


def test_two_visitors_at_once_never_mix(url: str) -> None:
    turns = (("주차 되나요?", "내과 예약하려고요"), ("고마워요", "아니요, 안과요"))

    async def talk() -> tuple[list[str], list[str]]:
        one, two = await asyncio.gather(Visitor.begins(url), Visitor.begins(url))
        first: list[str] = []
        second: list[str] = []
        async with one.connected(), two.connected():
            for mine, theirs in turns:
                said = await asyncio.gather(one.says(mine), two.says(theirs))
                first += said[0]
                second += said[1]
        for visitor in (one, two):
            assert visitor.seqs == list(range(1, len(visitor.seqs) + 1))
        return first, second

    first, second = asyncio.run(talk())
    assert any("주차장" in words for words in first)
    assert not any("주차" in words for words in second)
    assert any("생년월일" in words for words in second)
    assert not any("생년월일" in words for words in first)


@pytest.fixture
def place(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """A folder, or a database's URL."""
    return tmp_path if backend == "sqlite" else str(request.getfixturevalue("database"))


def test_killed_and_started_again_it_goes_on_at_its_step(place: Path | str) -> None:
    async def before(url: str) -> Visitor:
        visitor = await Visitor.begins(url)
        async with visitor.connected():
            assert any("생년월일" in words for words in await visitor.says("내과 예약하려고요"))
        return visitor

    async def after(url: str, visitor: Visitor) -> None:
        old = visitor.visit
        visitor.url = url
        async with visitor.connected() as words:
            assert visitor.visit != old
            assert any("생년월일" in each for each in words), words
            await visitor.send(type="message", text="네", client_id="late", visit=old)
            refused = await visitor.next()
            assert (refused["code"], refused["client_id"]) == ("visit_changed", "late")

    with process(place, *HANBIT) as (child, url):
        visitor = asyncio.run(before(url))
        child.kill()
    with process(place, *HANBIT) as (child, url):
        asyncio.run(after(url, visitor))
        stop(child, signal.SIGINT)
    if isinstance(place, Path):
        assert ends(place) == ["shutdown"]


def test_what_is_kept_and_logged_holds_no_token_and_what_is_forgotten_is_gone(
    tmp_path: Path,
) -> None:
    secret = "주차 되나요? 010-0000-7788"
    with process(tmp_path, *HANBIT) as (child, url):
        with httpx.Client(base_url=url, timeout=PATIENCE) as web:
            tokens = [web.post(f"{API}/conversations").json()["conversation"] for _ in range(2)]
            headers = [{"Authorization": f"Bearer {token}"} for token in tokens]
            for each in headers:
                web.post(f"{API}/messages", json={"text": secret}, headers=each)
            assert web.delete(f"{API}/conversation", headers=headers[0]).status_code == 204
            assert web.get(f"{API}/messages", headers=headers[0]).status_code == 404
            assert web.get(f"{API}/messages", headers=headers[1]).status_code == 200
            other = web.get("/api/v1/hospitals/onnuri/messages", headers=headers[1])
            assert other.status_code == 404
        stop(child)
    assert len(set(tokens)) == 2
    assert all(len(token) >= 43 for token in tokens)
    assert sorted(ends(tmp_path)) == ["caller_left", "shutdown"]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"conversations.sqlite", "timeline.sqlite", "web-access.jsonl"} <= {
        path.name for path in files
    }
    for path in files:
        held = path.read_bytes()
        assert not any(token.encode() in held for token in tokens), path.name
        assert b"010-0000-7788" not in held, path.name
    log = (tmp_path / "web-access.jsonl").read_text(encoding="utf-8")
    assert "127.0.0.1" not in log
    assert "주차" not in log
    assert [json.loads(line)["op"] for line in log.splitlines()][-4:] == [
        "forget",
        "look",
        "look",
        "look",
    ]


def test_guessing_and_flooding_are_slowed_down(url: str) -> None:
    with browser(url, "203.0.113.1") as web:
        token = web.post(f"{API}/conversations").json()["conversation"]
        mine = {"Authorization": f"Bearer {token}"}
        sent = [
            web.post(f"{API}/messages", json={"text": "네"}, headers=mine).status_code
            for _ in range(12)
        ]
        assert sent[0] == 200
        assert 429 in sent
        guesses = [
            web.get(f"{API}/messages", headers={"Authorization": f"Bearer {guess}"})
            for guess in range(50)
        ]
        assert {answer.status_code for answer in guesses} == {404, 429}
        late = [answer for answer in guesses if answer.status_code == 429][-1]
        assert int(late.headers["retry-after"]) >= 1
        assert "잠시 뒤에" in late.json()["error"]["message"]


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_examples_of_the_page_run(url: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "web-chat.md").read_text(encoding="utf-8")
    block = page.partition("<!-- run -->\n```sh\n")[2].partition("```")[0]
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.replace("http://127.0.0.1:8088", url)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "주차장" in done.stdout
    assert done.stdout.endswith("204\n")


@pytest.mark.parametrize(
    ("hospital", "name"), [("hanbit", "한빛"), ("saebom", "새봄"), ("onnuri", "온누리")]
)
def test_every_hospital_has_its_page_and_greets_by_name(url: str, hospital: str, name: str) -> None:
    with browser(url, "203.0.113.2") as web:
        assert f'href="/h/{hospital}"' in web.get("/").text
        assert name in web.get(f"/h/{hospital}").text
        opened = web.post(f"/api/v1/hospitals/{hospital}/conversations").json()
        assert name in opened["messages"][0]["text"]


def test_a_port_that_is_taken_is_one_sentence(url: str) -> None:
    port = url.rpartition(":")[2]
    words = [sys.executable, "-m", "wonmu.cli", "web", "--port", port]
    done = subprocess.run(
        words, capture_output=True, text=True, env=environment(), timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert f"port {port}" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
