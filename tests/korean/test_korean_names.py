"""Names out of speech, and how alike they sound (D1, D4; fault R38)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wonmu.korean.name_words import FAMILY, FAMILY_TWO
from wonmu.korean.names import name_distance, read_name, same_name

pytestmark = pytest.mark.unit


NO_NAMES = """
예약이요 | 이번 주요 | 김치찌개 | 정형외과요 | 안녕하세요 | 네 | 오전이요 | 오늘이요 | 이제 됐어요
주차요 | 내일이요 | 원장님이요 | 최대한 빨리요 | 정말요 | 모르겠어요 | 감사합니다 | 이비인후과요
오후요 | 지금요 | 김서연 원장님이요 | 전화번호요 | 이유가 뭐예요 | 박서연이랑 통화하고 싶어요
도수치료요 | 손님이요 | 민수요 | 서연이요 | 이름은 민수예요 | 고민해요 | 기다려요 | 이상해요
아이가 아파요 | 신경과요 | 심장이요 | 여보세요 | 화요일이요 | 유월 삼일이요
공일공 일이삼사 오육칠팔 | 전화 주세요 | 이사 와서요 | 시청해 주셔서 감사합니다 | 어 | 음 | 저기요
김 | 김이요
"""


def _each(block: str) -> list[str]:
    return [item.strip() for line in block.strip().splitlines() for item in line.split(" | ")]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("김민수요", "김민수"),
        ("이름은 김민수입니다", "김민수"),
        ("저는 박서연이라고 해요", "박서연"),
        ("남궁민수예요", "남궁민수"),
        ("김 민 수", "김민수"),
        ("박 서 연 이요", "박서연"),
        ("네 이하은이에요", "이하은"),
        ("아들 이름은 최준이요", "최준"),
        ("제 이름은 정다은이고 생일은 팔오년이요", "정다은"),
        ("우리 아들 최준이요", "최준"),
        ("환자는 박서연이에요", "박서연"),
        ("김민준이라고 합니다", "김민준"),
        ("황보 민이에요", "황보민"),
        ("이지은 씨요", "이지은"),
        ("강하늘이요", "강하늘"),
        ("이름은 김빛나라예요", "김빛나라"),
        ("한지민 이름으로 예약했어요", "한지민"),
        ("김 민수요", "김민수"),
        ("하지원이요", "하지원"),
        ("이정재인데요", "이정재"),
        ("조이현이고요", "조이현"),
        ("표예진이에요", "표예진"),
        ("아니요 김민서요", "김민서"),
        ("어머니 성함은 윤여정이세요", "윤여정"),
        ("이제훈입니다", "이제훈"),
        ("이상민이요", "이상민"),
        ("신경숙이에요", "신경숙"),
        ("김준이요", "김준"),
        ("재희요", None),
        ("김재희요", "김재희"),
        ("김제희요", "김제희"),
    ],
)
def test_names_as_said(words: str, name: str | None) -> None:
    assert read_name(words) == name


@pytest.mark.parametrize(
    "words",
    _each(NO_NAMES),
)
def test_ordinary_words_are_no_names(words: str) -> None:
    assert read_name(words) is None


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("재희", "제희", 1),
        ("김민수", "김민서", 1),
        ("김민수", "김민수", 0),
        ("김 민수", "김민수", 0),
        ("박서연", "박서현", 1),
        ("이은정", "이연정", 1),
        ("정은정", "정은전", 1),
        ("최준", "최진", 1),
        ("김민수", "김민순", 1),
        ("", "가", 2),
        ("각", "가", 1),
        ("Kim", "Kin", 1),
        ("김민수", "박서연", 8),
    ],
)
def test_distance_in_letters(one: str, other: str, distance: int) -> None:
    assert name_distance(one, other) == distance
    assert name_distance(other, one) == distance
    assert same_name(one, other) is (distance == 0)


def test_enough_family_names_are_known() -> None:
    assert len(FAMILY) >= 100
    assert len(FAMILY_TWO) >= 10


@given(st.one_of(st.text(max_size=20), st.text("가김이박민수서연요은 예,", max_size=10)))
def test_what_is_read_is_a_name_within_the_words(words: str) -> None:
    name = read_name(words)
    assert name is None or re.fullmatch(r"[가-힣]{2,5}", name)
    assert name is None or name in re.sub(r"[\s,.!?~…]", "", words)


@given(
    st.text("가나다김민수", max_size=5),
    st.text("가나다김민수", max_size=5),
    st.text("가민", max_size=4),
)
def test_distance_is_a_metric(one: str, two: str, three: str) -> None:
    assert name_distance(one, three) <= name_distance(one, two) + name_distance(two, three)
    assert (name_distance(one, two) == 0) is (one == two)
