"""Doctors' names that a sentence speaks, to be compared with the hospital's lists (T12, N9).

A name is two to four syllables with a Korean surname in front of a doctor's title. It decides
nothing about who exists; ordinary words before a title ("담당 선생님") are no names.
"""

from __future__ import annotations

import re

_SURNAMES = frozenset(
    "김이박최정강조윤장임한오서신권황안송유류전홍고문양손배백허남심노하곽성차주우구민진지엄채원천방공현함변염여추"
    "도소석선설마길연위표명기반라왕금옥육인맹제모탁국어은편용예봉사부가복태목형피두감음빈동온호범좌팽승간상시갈단견당"
)
_TITLED = re.compile(
    r"(?<![가-힣])(?P<name>[가-힣]{2,4}?)\s?(?:선생님|원장|교수|과장|전문의|의사)(?!실|회)"
)
_ORDINARY = frozenset(
    {
        "전담",
        "지정",
        "주치",
        "전문",
        "여자",
        "여의",
        "남자",
        "모든",
        "우리",
        "진료",
        "이런",
        "어느",
        "어떤",
        "원하시는",
        "주임",
        "원하는",
        "현재",
        "유명",
        "기존",
        "오전",
        "오후",
        "오늘",
        "이전",
        "이번",
        "지금",
        "여러",
        "배정된",
        "정해진",
        "선택하신",
        "인근",
        "진찰",
        "고르신",
        "이분",
        "편한",
        "원래",
        "한명의",
        "두명의",
        "전체",
        "우리의",
        "이쪽",
        "소속",
        "오늘의",
        "어제",
        "최근",
        "최고",
        "정식",
        "상담",
        "추천",
        "부재",
        "강남",
        "여성",
        "남성",
        "신규",
        "지난번",
    }
)


def named_doctors(sentence: str) -> tuple[str, ...]:
    """The names in front of a title, without spaces, in order."""
    names = (match["name"] for match in _TITLED.finditer(sentence))
    return tuple(name for name in names if _is_name(name))


def _is_name(word: str) -> bool:
    return word[0] in _SURNAMES and word not in _ORDINARY and not word.endswith("과")
