"""The pages and the widget: what they may load, and that no text is written into code."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest
from web_parts import HANBIT, World, world

from wonmu.lines import Lines
from wonmu.web.front import House
from wonmu.web.pages import STATIC, TEXTS, shown_number, widget_texts

pytestmark = pytest.mark.unit

SCRIPTS = sorted(STATIC.rglob("*.js"))
UNSAFE = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "cookie")
HANGUL = re.compile("[가-힣ㄱ-ㅎㅏ-ㅣ]")


def get(made: World, path: str) -> httpx.Response:
    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(app=made.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://chat.example") as web:
            return await web.get(path)

    return asyncio.run(run())


def test_a_page_allows_nothing_inline() -> None:
    page = get(world(), "/h/hanbit")
    policy = page.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert re.findall(r"<script[^>]*>(.*?)</script>", page.text, re.S) == [""]
    assert not re.search(r"\son\w+=|style=|javascript:", page.text)
    assert 'data-hospital="hanbit"' in page.text
    assert "한빛병원" in page.text
    assert "02-0000-1100" in page.text


def test_the_first_page_is_a_choice_or_the_only_hospital() -> None:
    made = world()
    choice = get(made, "/")
    assert 'href="/h/hanbit"' in choice.text
    assert 'href="/h/onnuri"' in choice.text
    assert get(made, "/h/nowhere").status_code == 404
    alone = world()
    houses = {"hanbit": alone.front.houses["hanbit"]}
    object.__setattr__(alone.front, "houses", houses)
    assert 'data-hospital="hanbit"' in get(alone, "/").text


def test_a_hospitals_name_is_never_markup() -> None:
    made = world()
    house = made.front.houses["hanbit"]
    hospital = house.hospital.model_copy(update={"name": "<b>&\"'"})
    made.front.houses["hanbit"] = House(hospital, house.rooms, house.lines)  # type: ignore[index]
    page = get(made, "/h/hanbit").text
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;&quot;&#x27;" in page


def test_every_text_the_widget_uses_comes_from_the_lines() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    used = set(re.findall(r"\b(?:texts|t)\.([a-z_]+)", source))
    there = {name.removeprefix(TEXTS) for name in Lines.load().names() if name.startswith(TEXTS)}
    assert used == there
    config = get(world(), f"{HANBIT}/widget").json()
    assert set(config) == {"texts", "text_chars"}
    assert set(config["texts"]) == there
    assert config["texts"]["title"] == "한빛병원 채팅 상담"
    assert not any("{" in text for text in config["texts"].values())


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_hold_no_texts_and_make_no_markup(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert not HANGUL.search(source)
    for way in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "cookie",
    ):
        assert way not in source, way


def test_the_notice_says_that_it_is_no_person() -> None:
    texts = widget_texts(world().front.houses["hanbit"])
    assert "AI" in texts["notice"]
    assert "119" in texts["notice"]
    assert "기록" in texts["notice"]


def test_type_is_large_enough_for_old_eyes() -> None:
    for name in ("widget.css", "page.css"):
        css = (STATIC / name).read_text(encoding="utf-8")
        sizes = [int(size) for size in re.findall(r"(?:font-size:|font:[^;]*?)\s*(\d+)px", css)]
        assert len(sizes) >= 3
        assert min(sizes) >= 17


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        ("ink", "paper"),
        ("ink", "mine"),
        ("soft", "paper"),
        ("soft", "ground"),
        ("paper", "main"),
        ("paper", "main-dark"),
        ("main-dark", "paper"),
        ("main-dark", "ground"),
        ("warn", "mine"),
    ],
)
def test_colours_keep_the_contrast_of_wcag_aa(ink: str, ground: str) -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1."""
    css = (STATIC / "widget.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", css))
    one, two = sorted((_luminance(colours[ink]), _luminance(colours[ground])))
    assert (two + 0.05) / (one + 0.05) >= 4.5


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        ("0200001100", "02-0000-1100"),
        ("020001100", "02-000-1100"),
        ("0310000110", "031-000-0110"),
        ("15880000", "1588-0000"),
        ("119", "119"),
    ],
)
def test_a_number_as_it_is_written(number: str, shown: str) -> None:
    assert shown_number(number) == shown


RECORD = """
import { readFileSync } from "node:fs";
const source = readFileSync(process.argv[1], "utf8");
const { Record, pause } = await import("data:text/javascript," + encodeURIComponent(source));
const out = [];
const one = new Record();
out.push(one.hello("t"));
out.push(one.ready("v1"));
out.push(one.take({ seq: 1, from: "desk" }));
out.push(one.add("c1", "yes"));
out.push(one.ready("v1").again.length);
out.push(one.take({ seq: 2, client_id: "c1" }));
out.push(one.take({ seq: 2, client_id: "c1" }));
out.push(one.ready("v1").again.length);
one.add("c2", "yes");
out.push(one.ready("v2"));
out.push(one.hello("t"));
one.add("c3", "no");
out.push([one.refused("c3"), one.refused("c3"), one.pending.size]);
out.push([pause(0, 0), pause(0, 1), pause(9, 1)]);
console.log(JSON.stringify(out));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_browsers_record_of_a_talk() -> None:
    done = subprocess.run(
        ["node", "--input-type=module", "-e", RECORD, str(STATIC / "widget" / "record.js")],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert json.loads(done.stdout) == [
        {"type": "hello", "token": "t", "visit": None, "after": 0},
        {"resumed": False, "again": [], "unsent": []},
        "new",
        {"type": "message", "text": "yes", "client_id": "c1", "visit": "v1"},
        1,
        "mine",
        "known",
        0,
        {"resumed": True, "again": [], "unsent": ["c2"]},
        {"type": "hello", "token": "t", "visit": "v2", "after": 0},
        [True, False, 0],
        [500, 1000, 15000],
    ]
