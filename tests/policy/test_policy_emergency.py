"""Red flags and the everyday words next to them (T13, R47)."""

from __future__ import annotations

import pytest

from wonmu.policy.emergency import FlagKind, red_flag

pytestmark = pytest.mark.unit

FLAGS: dict[FlagKind, tuple[str, ...]] = {
    FlagKind.CHEST: (
        "가슴이 조이고 식은땀이 나는데 내일 예약돼요?",
        "가슴이 너무 아파요",
        "아까부터 가슴 통증이 심해요",
        "가슴이 쥐어짜는 것 같아요",
        "가슴이 답답하고 식은땀이 나요",
        "흉통이 있어요",
        "심장마비 온 것 같아요",
        "심근경색인 것 같아요",
        "남편이 가슴을 찢어지게 아파해요",
    ),
    FlagKind.BREATHING: (
        "숨을 못 쉬겠어요",
        "숨이 안 쉬어져요",
        "숨쉬기가 힘들어요",
        "숨이 너무 차요",
        "엄마가 숨을 안 쉬어요",
        "호흡이 가빠요",
        "호흡곤란이 왔어요",
        "입술이 파래졌어요",
        "떡이 목에 걸려서 숨을 못 쉬세요",
    ),
    FlagKind.CONSCIOUSNESS: (
        "의식이 없어요",
        "아버지가 의식을 잃으셨어요",
        "갑자기 쓰러지셨어요",
        "애가 기절했어요",
        "깨워도 안 일어나요",
        "불러도 대답이 없어요",
        "아기가 축 늘어져 있어요",
    ),
    FlagKind.STROKE: (
        "말이 어눌해졌어요",
        "갑자기 한쪽 팔에 힘이 안 들어가요",
        "왼쪽이 마비됐어요",
        "마비가 온 것 같아요",
        "입이 돌아갔어요",
        "발음이 어눌하고 어지러워요",
        "뇌졸중인 것 같아요",
        "머리가 갑자기 깨질 듯이 아파요",
    ),
    FlagKind.BLEEDING: (
        "피를 토했어요",
        "피가 안 멈춰요",
        "코피가 멈추지 않아요",
        "피가 철철 나요",
        "출혈이 심해요",
        "하혈을 해요",
        "각혈했어요",
        "기침할 때 피가 나와요",
    ),
    FlagKind.SEIZURE: (
        "아이가 경련을 해요",
        "애가 경련을 일으켰어요",
        "발작을 해요",
        "입에 거품을 물었어요",
        "눈이 뒤집혔어요",
        "온몸이 뻣뻣해졌어요",
    ),
    FlagKind.SELF_HARM: (
        "죽고 싶어요",
        "자살하고 싶어요",
        "더는 살고 싶지 않아요",
        "예전부터 죽고 싶었어요",
        "뛰어내리고 싶어요",
        "손목을 그었어요",
    ),
    FlagKind.POISON: (
        "아버지가 농약을 마셨어요",
        "수면제를 한꺼번에 먹었어요",
        "아기가 건전지를 삼켰어요",
        "락스를 실수로 마셨어요",
        "연탄가스를 마신 것 같아요",
    ),
    FlagKind.ALLERGY: (
        "벌에 쏘였는데 목이 부어요",
        "아나필락시스 같아요",
        "새우 먹고 입술이 부었어요",
    ),
    FlagKind.INJURY: (
        "방금 교통사고가 났어요",
        "손가락이 잘렸어요",
        "사다리에서 떨어졌어요",
        "머리를 세게 부딪혔어요",
        "머리를 부딪혔는데 자꾸 토해요",
        "칼에 찔렸어요",
        "화상이 심해요",
    ),
    FlagKind.BIRTH: ("양수가 터졌어요", "진통이 시작됐어요", "태동이 없어요"),
    FlagKind.URGENT: ("구급차 좀 불러 주세요", "아기 열이 40도예요", "살려 주세요"),
}

NEAR: tuple[str, ...] = (
    "가슴이 답답한 마음에 전화드렸어요",
    "가슴 엑스레이 찍으려고요",
    "가슴 아픈 사연이네요",
    "유방 검진 예약하려고요",
    "숨 좀 돌리고 말씀드릴게요",
    "한숨이 나오네요",
    "한숨도 못 잤어요",
    "응급실 위치가 어디예요",
    "응급실 전화번호 알려 주세요",
    "피검사 결과 나왔나요",
    "피 검사하려면 금식해야 되나요",
    "피부과 예약이요",
    "피곤해서요",
    "마비성 사시 예약하고 싶어요",
    "반신마비 재활 치료 예약이요",
    "마취가 안 풀려요",
    "심장내과 예약이요",
    "심장 초음파 예약하려고요",
    "눈 밑이 경련이 나서 안과 예약하려고요",
    "눈꺼풀 경련 때문에요",
    "위경련 약 타러 가려고요",
    "경련은 없어요",
    "의식은 있어요",
    "의식 있으세요",
    "정신이 없어서 깜빡했어요",
    "작년에 쓰러지신 적이 있어요",
    "뇌졸중 정기검진 예약이요",
    "예전에 심근경색 앓았어요",
    "진통제 처방 받고 싶어요",
    "양수 검사 예약하려고요",
    "태동 검사 예약이요",
    "더워 죽겠어요",
    "배고파 죽겠네",
    "바빠서 죽는 줄 알았어요",
    "자살 예방 교육 문의요",
    "말이 잘 안 들려요",
    "입이 심심해서요",
    "손이 저려요",
    "열이 좀 있어요",
    "교통사고 후유증으로 물리치료 받아요",
    "약을 많이 먹어야 하나요",
    "혈압약 먹고 있어요",
    "두드러기가 났어요",
    "피가 나는 건 아니고 멍만 들었어요",
    "기침이 나요",
    "감기 기운이 있어서요",
    "무릎이 아파요",
    "허리 아파서 예약하려고요",
    "머리가 아파요",
    "토요일 예약이요",
    "119번 자리로 주세요",
    "예약이요",
    "",
)


@pytest.mark.parametrize(
    ("words", "kind"), [(words, kind) for kind, table in FLAGS.items() for words in table]
)
def test_a_red_flag_is_heard(words: str, kind: FlagKind) -> None:
    found = red_flag(words)
    assert found is not None
    assert found.kind is kind


@pytest.mark.parametrize("words", NEAR)
def test_everyday_words_are_no_red_flag(words: str) -> None:
    assert red_flag(words) is None


def test_the_present_beats_the_past() -> None:
    assert red_flag("작년에 쓰러지신 적이 있는데 지금 또 쓰러지셨어요") is not None


def test_a_flag_late_in_a_long_turn_is_heard() -> None:
    said = "네 그 시간으로 해 주세요. 아 그리고 지금 숨을 못 쉬겠어요."
    found = red_flag(said)
    assert found is not None
    assert found.kind is FlagKind.BREATHING
