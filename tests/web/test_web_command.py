"""What ``wonmu web`` refuses, before anything is opened."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from wonmu.commands.web import NEEDED, WebOptions, run_web
from wonmu.errors import InputError

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"hospital": "nowhere"}, "nowhere"),
        ({"now": "soon"}, "--now soon"),
        ({"model": "gpt"}, "--model gpt"),
        ({"origins": ("*",)}, "--origin"),
        ({"proxies": ("proxy",)}, "--trusted-proxy proxy"),
        ({"host": "192.0.2.1"}, "cannot listen on 192.0.2.1"),
        ({"db": "mysql://x"}, "--db"),
        ({"data": "here", "db": "postgresql://x/y"}, "--data and --db"),
        ({"settings": "nowhere"}, "--settings nowhere"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as refused:
        run_web(WebOptions(**{"port": 0, **options}))
    assert words in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", NEEDED)
def test_without_an_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=rf"package {name}; install wonmu\[serve,desk\]"):
        run_web(WebOptions(port=0))
