"""The shipped lines fit their particles to what fills them (house style, Text)."""

from __future__ import annotations

from datetime import date

import pytest

from wonmu.korean.phone import Phone
from wonmu.lines import Lines, Value

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("name", "values", "said", "never"),
    [
        ("booking.nearest", {"options": "오후 세 시"}, "오후 세 시가 있습니다", "세 시이"),
        ("booking.nearest", {"options": "오후 두 시 반"}, "두 시 반이 있습니다", "반가"),
        ("booking.nearest_one", {"options": "오후 세 시"}, "오후 세 시가 있습니다", "세 시이"),
        ("call.goodbye", {"hospital": "한빛병원"}, "한빛병원이었습니다", "병원였"),
        ("call.goodbye", {"hospital": "미래소아과"}, "미래소아과였습니다", "과이었"),
    ],
)
def test_a_shipped_line_takes_the_fitting_particle(
    name: str, values: dict[str, Value], said: str, never: str
) -> None:
    line = Lines.load().fill(name, values)
    assert said in line
    assert never not in line


@pytest.mark.parametrize(
    ("number", "said"), [("01000001230", "일이삼공으로"), ("01000001234", "일이삼사로")]
)
def test_the_read_back_of_a_number_takes_the_fitting_particle(number: str, said: str) -> None:
    values: dict[str, Value] = {
        "name": "홍길순",
        "birth": date(1990, 1, 1),
        "phone": Phone(number),
    }
    assert said in Lines.load().fill("identity.confirm_new", values)
