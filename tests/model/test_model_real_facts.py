"""The built-in model with the shipped hospitals' own facts, and beside the code that checks it."""

from __future__ import annotations

from datetime import datetime

import pytest
from model_talk import ask, desk_request
from test_model_desk import CREATES

from wonmu.clock import SEOUL
from wonmu.hospital.facts import facts_text
from wonmu.hospital.loading import load_hospitals
from wonmu.ids import HospitalId
from wonmu.lines import Lines
from wonmu.model.offline.phrases import phrase, sentences
from wonmu.policy.claims import Receipts, Spoken, check_sentence
from wonmu.policy.intent import Intent, read_intent
from wonmu.policy.proposals import find_proposal
from wonmu.policy.verdict import Action

pytestmark = pytest.mark.unit

CHRISTMAS_EVE = datetime(2026, 12, 24, 10, tzinfo=SEOUL)

ROWS = [
    ("hanbit", "주차 되나요?", "두 시간까지 무료"),
    ("hanbit", "몇 시까지 해요?", "평일 오전 아홉 시부터"),
    ("hanbit", "오늘 몇 시까지 해요?", "목요일 진료 시간은"),
    ("hanbit", "내일 하나요?", "12월 25일 금요일은 성탄절"),
    ("hanbit", "모레 진료해요?", "토요일 진료 시간은"),
    ("hanbit", "일요일은요?", "일요일 진료는 쉽니다"),
    ("hanbit", "점심시간이요", "오후 한 시부터 오후 두 시까지"),
    ("hanbit", "12월 31일에 진료하나요?", "종무식"),
    ("hanbit", "설날에도 하나요?", "공휴일과 대체공휴일에는 쉽니다"),
    ("hanbit", "접수 몇 시까지예요?", "30분 전에 마감"),
    ("hanbit", "면회 몇 시까지예요?", "오후 여섯 시부터 여덟 시까지"),
    ("hanbit", "김서연 선생님 무슨 요일에 계세요?", "월요일, 화요일, 수요일 오전"),
    ("hanbit", "원장님 성함이 어떻게 되세요?", "이준호 원장은 정형외과"),
    ("hanbit", "와이파이 되나요?", "확인이 어렵습니다"),
    ("saebom", "야간 진료 하나요?", "금요일은 저녁 여덟 시까지"),
    ("saebom", "토요일도 하나요?", "토요일 진료는 쉽니다"),
    ("saebom", "수요일 점심시간 언제예요?", "수요일 진료 시간은"),
    ("saebom", "면회 몇 시까지예요?", "확인이 어렵습니다"),
    ("saebom", "접수 몇 시까지예요?", "확인이 어렵습니다"),
    ("saebom", "예약 안 하고 가도 되나요?", "예약 없이 오셔도 됩니다"),
    ("saebom", "안과 선생님 누구 계세요?", "백솔 선생님"),
    ("saebom", "정형외과 있나요?", "정형외과 진료가 없습니다"),
    ("saebom", "누구세요?", "새봄의원 전화를 받는 인공지능"),
]


@pytest.mark.parametrize(("hospital", "words", "part"), ROWS)
def test_answer_from_published_facts(hospital: str, words: str, part: str) -> None:
    found = load_hospitals().by_id(HospitalId(hospital))
    assert found is not None
    prompt = f"안내\n\n## 안내 자료\n{facts_text(found, CHRISTMAS_EVE)}\n\n## 규칙\n- 주소: 없음\n"
    got = ask(desk_request(words, prompt=prompt))
    assert got.tool is None
    assert part in got.text


def test_its_own_sentences_pass_the_claim_check() -> None:
    for name, sentence in sentences().items():
        assert check_sentence(sentence, Receipts()) == Spoken(), name


def test_its_offers_are_seen_as_offers() -> None:
    persons = ("not_known", "needs_person", "tool_failed", "unclear_3")
    offers = dict.fromkeys(persons, Action.CONNECT_PERSON)
    offers |= dict.fromkeys(("symptom", "has_department", "propose_new"), Action.BOOKING_CREATE)
    seen = {name: find_proposal(sentence) for name, sentence in sentences().items()}
    assert {name: action for name, action in seen.items() if action} == offers


def test_the_gate_reads_most_booking_wishes_the_same_way() -> None:
    """The gate has the last word; where the two differ the caller gets one question more."""
    words = [row[0] for row in CREATES]
    same = [said for said in words if read_intent(said) is Intent.CREATE]
    assert len(same) >= 0.9 * len(words)


def test_its_sentences_load_with_all_other_lines() -> None:
    assert Lines.load().say("model.hello") == phrase("hello")
