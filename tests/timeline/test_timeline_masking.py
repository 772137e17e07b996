"""Events that leave the process: personal fields masked, the rest as it is (E5, N8)."""

from __future__ import annotations

from typing import Any

import pytest
from timeline_calls import K, booking_lines, build

from wonmu.timeline.events import PERSONAL, Event
from wonmu.timeline.masking import HIDDEN, masked, masked_json

pytestmark = pytest.mark.unit


def event(kind: K, **data: Any) -> Event:
    return build([(1, kind, data)])[0]


FIELDS = [(kind, name) for kind, names in PERSONAL.items() for name in sorted(names)]


@pytest.mark.parametrize(("kind", "field"), FIELDS)
@pytest.mark.parametrize("number", ["010-0000-1234", "01000001234"])
def test_no_personal_field_lets_a_number_through(kind: K, field: str, number: str) -> None:
    given = event(kind, **{field: f"제 번호는 {number}입니다"})
    assert "0000" not in masked(given).data[field]
    assert number in given.data[field]


@pytest.mark.parametrize("value", [1000001234, ["01000001234"], {"a": "01000001234"}, 1.5])
def test_an_unexpected_type_is_hidden_whole(value: object) -> None:
    assert masked(event(K.CALLER_HEARD, text=value)).data["text"] == HIDDEN


def test_the_caller_s_number_is_hidden_whole_whatever_it_looks_like() -> None:
    assert masked(event(K.CALL_STARTED, caller="sip:kim@example")).data["caller"] == HIDDEN
    assert masked(event(K.CALL_STARTED, caller=None)).data["caller"] is None


def test_wished_days_and_other_fields_stay() -> None:
    words = "12월 8일 화요일 오전 열 시에 예약해 주세요"
    given = event(K.CALLER_HEARD, text=words, turn=3, barge_in=False)
    assert masked(given).data == {"text": words, "turn": 3, "barge_in": False}


def test_known_names_go_too_and_the_longest_first() -> None:
    given = event(K.AGENT_SAID, text="김민수 님, 김민수정 님", heard="김민수 님")
    result = masked(given, names=("김민수", "김민수정", "")).data
    assert result == {"text": "[이름] 님, [이름] 님", "heard": "[이름] 님"}


def test_a_masked_call_keeps_its_shape() -> None:
    for given in build(booking_lines()):
        out = masked_json(given)
        assert {**out, "data": {}} == {**given.to_json(), "data": {}}
        assert set(out["data"]) == set(given.data)
