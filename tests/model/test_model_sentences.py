"""Cutting streamed text into sentences."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wonmu.model.sentences import SentenceCutter

pytestmark = pytest.mark.unit

CUTS = [
    ("네, 됩니다. 말씀하세요.", ["네, 됩니다.", "말씀하세요."]),
    ("정말요? 네!", ["정말요?", "네!"]),
    ("첫째 줄\n둘째 줄", ["첫째 줄", "둘째 줄"]),
    ("16.30까지예요. 네.", ["16.30까지예요.", "네."]),
    ("약 2.5만 원입니다.", ["약 2.5만 원입니다."]),
    ("Dr. Kim 선생님입니다.", ["Dr. Kim 선생님입니다."]),
    ("글쎄요... 네.", ["글쎄요...", "네."]),
    ("네?! 정말요?", ["네?!", "정말요?"]),
    ("...", []),
    ("끝이 없는 말", ["끝이 없는 말"]),
    ('{"a": "b. c"}', ['{"a": "b. c"}']),
]


@pytest.mark.parametrize(("text", "sentences"), CUTS)
def test_whole_text(text: str, sentences: list[str]) -> None:
    cutter = SentenceCutter(80)
    assert [*cutter.feed(text), *cutter.flush()] == sentences


@pytest.mark.parametrize(("text", "sentences"), CUTS)
def test_one_character_at_a_time(text: str, sentences: list[str]) -> None:
    cutter = SentenceCutter(80)
    got = [sentence for character in text for sentence in cutter.feed(character)]
    got += cutter.flush()
    assert re.sub(r"[\s.?!]", "", "".join(got)) == re.sub(r"[\s.?!]", "", "".join(sentences))
    assert len(got) == len(sentences)


def test_a_sentence_is_out_before_the_next_begins() -> None:
    cutter = SentenceCutter(80)
    assert cutter.feed("네, 됩니다.") == ["네, 됩니다."]


def test_a_missing_end_still_flows() -> None:
    cutter = SentenceCutter(20)
    out = cutter.feed("가나다라 마바사아 자차카타 파하가나 다라마바 사아자차")
    assert out
    assert all(len(sentence) <= 20 for sentence in out)


@given(st.lists(st.text(max_size=30), max_size=12), st.integers(1, 40))
def test_no_letter_is_lost(parts: list[str], longest: int) -> None:
    cutter = SentenceCutter(longest)
    out = [sentence for part in parts for sentence in cutter.feed(part)]
    out += cutter.flush()
    kept = "".join(re.findall(r"\w", "".join(out)))
    assert kept == "".join(re.findall(r"\w", "".join(parts)))
