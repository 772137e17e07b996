"""What callers ask of a billing desk, by table (H1–H3, T3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wonmu.korean.billing_topics import (
    BillingTopic,
    asks_billing,
    is_personal,
    read_billing,
    wants_refund,
)
from wonmu.policy.intent import Intent, read_intent, read_intents

pytestmark = pytest.mark.unit

BILL, S, W, R, C = (
    BillingTopic.INVOICE,
    BillingTopic.REFUND_STATUS,
    BillingTopic.REFUND_WANTED,
    BillingTopic.RECEIPT,
    BillingTopic.CERTIFICATE,
)

# words; topics; personal; an order to refund
Row = tuple[str, frozenset[BillingTopic], bool, bool]


def _rows(topics: set[BillingTopic], words: str, personal: bool, order: bool = False) -> list[Row]:
    return [
        (line.strip(), frozenset(topics), personal, order) for line in words.strip().split("\n")
    ]


ROWS: list[Row] = [
    *_rows(
        {BILL},
        """진료비 얼마 나왔어요?
        병원비가 얼마나 나왔나요
        어제 진료비 얼마 나왔는지 알고 싶어요
        제 진료비가 얼마예요?
        수납할 금액이 있나요?
        수납할 금액 좀 알려 주세요
        미납된 거 있나요
        미납금 확인하고 싶은데요
        미수금 있는지 확인 좀 해 주세요
        저 결제했나요?
        결제 됐어요?
        결제가 제대로 됐는지 확인하려고요
        수납됐나요?
        수납 안 하고 왔는데 얼마 내야 돼요?
        얼마 내면 돼요?
        제가 낼 돈이 얼마예요
        더 낼 돈 있어요?
        병원비 좀 알려 줘요
        진료비 문의요
        진료비 관련해서 전화드렸는데요
        진료비 때문에요
        수납하려고요
        수납 문의드립니다
        결제하려고 하는데요
        진료비 결제하고 싶어요
        진료비가 왜 이렇게 많이 나왔어요?
        지난번 검사비 얼마 나왔어요
        입원비 얼마 나왔습니까
        본인부담금이 얼마 나왔을까요
        병원비 얼만교
        병원비 얼마 나왔능교
        진료비얼마나왔어요
        얼마나왔는지좀알려주세요
        진뇨비 얼마 나왔어요
        겔제 됐나요
        결재했는데 결재 됐는지 확인이요
        카드로 결제했는데 결제됐나요
        청구서 받았는데 이거 뭐예요 청구 금액이 얼마예요
        남은 금액이 얼마예요
        결제 내역 좀 확인해 주세요
        주차비 얼마고요, 진료비는 얼마 나왔어요?
        초진이었는데 진료비 얼마 나왔어요?
        얼마 결제됐어요?
        엄마 병원비 얼마 나왔는지 알고 싶어요
        진료비를 안 내고 왔어요
        수납해야 되는데요
        진료비요
        아까 진료비 카드로 결제했는데 얼마 빠졌어요""",
        True,
    ),
    *_rows(
        {S},
        """환불 언제 돼요?
        환불 됐나요?
        환불됐어요?
        환불이 언제 들어오나요
        환불 신청했는데 아직 안 들어왔어요
        환불금 입금됐나요?
        환불 처리 어떻게 되고 있나요
        환불 진행 상황 좀 알려 주세요
        환불 상태 확인하고 싶어요
        환불 확인 좀 해 주세요
        환불 조회요
        언제 환불돼요?
        환불 며칠이나 걸려요?
        지난주에 환불 신청한 거 어떻게 됐어요?
        환불했는데요
        돈 돌려받는 거 언제예요
        환불해 달라고 했는데 어떻게 됐나요
        환불해 주신다고 했는데 아직이에요
        환불 승인 났나요
        환불 왜 안 돼요? 아직도 안 들어왔는데 환불이
        카드 취소됐나요?
        환불언제되나요
        한불 언제 돼요
        환불 아직인가요""",
        True,
    ),
    *_rows(
        {W},
        """환불해 주세요
        환불해주세요.
        환불 좀 해 주세요
        환불 부탁드려요
        환불 부탁드립니다
        환불받고 싶어요
        환불 받고 싶은데요
        환불하고 싶습니다
        환불하려고요
        환불 신청할게요
        환불 신청하고 싶어요
        환불이요
        돌려받고 싶어요
        더 낸 돈 돌려받고 싶어요
        더 낸 돈 돌려주세요
        낸 돈 돌려 줘요
        결제 취소해 주세요
        카드 취소해 주세요
        환불 좀 해 주이소
        환불 쫌 해줘
        환불해주세여
        환불 바로 해 주실 수 있어요?
        네 환불해 주세요
        환뷸해 주세요
        환불받을게요
        진료비 환불해 주세요
        진료비 환불받고 싶어요
        차액 돌려주세요""",
        True,
        True,
    ),
    *_rows(
        {W},
        """환불 되나요?
        환불 돼요?
        환불 가능한가요
        환불받을 수 있나요?
        환불받을 거 있나요
        환불 될까요
        더 낸 돈이 있나요?
        두 번 결제됐어요
        이중으로 결제된 것 같아요
        환불 문의요
        환불 관련해서 전화드렸어요
        환불금이 얼마예요
        돌려받을 돈이 있나요
        환불해 주나요?
        진료비 더 냈는데요
        환불하고 싶은 건 아니고 환불이 되는지만요""",
        True,
    ),
    *_rows(
        {W},
        """환불 규정이 어떻게 돼요?
        환불은 어떻게 신청해요?
        환불하려면 뭐가 필요해요""",
        False,
    ),
    *_rows(
        {R},
        """영수증 주세요
        영수증 떼 주세요
        영수증이요
        영수증 발급해 주세요
        영수증 다시 받고 싶어요
        진료비 영수증 좀 부탁드려요
        세부내역서 발급돼요?
        진료비 세부내역서 떼려고요
        연말정산 서류 필요한데요
        연말정산용으로 납입확인서 좀 주세요
        실비 서류 떼 주세요
        실비 청구할 서류 좀 주세요
        보험 서류 받고 싶어요
        보험사에 낼 서류요
        실손보험 서류 떼려고 합니다
        영수층 주세요
        영수증발급해주세요
        의료비 납입 증명서 떼 줘요
        영수증 좀 떼 주이소
        환불 말고 영수증 주세요
        어제 진료받은 거 영수증이 필요해요""",
        True,
    ),
    *_rows(
        {R},
        """영수증 어디서 받아요?
        영수증은 어떻게 발급받나요
        실비 청구하려면 무슨 서류 필요해요?
        영수증 떼는 데 얼마예요
        연말정산 서류 인터넷으로 되나요""",
        False,
    ),
    *_rows(
        {C},
        """진단서 얼마예요?
        진단서 떼 주세요
        진단서 발급하려면 어떻게 해야 돼요
        소견서 비용이 얼마인가요
        진료확인서 떼고 싶어요
        입퇴원확인서 얼마예요
        입퇴원 확인서 발급되나요
        통원확인서 필요해요
        제증명 수수료가 어떻게 되나요
        제증명 발급이요
        진단서 떼는 데 얼마 내야 돼요
        의무기록 사본 발급 비용이요
        서류 떼려고요
        진료의뢰서 받으려고 하는데요
        시디 복사 얼마예요
        장애진단서도 되나요
        진단서랑 소견서요
        보험 제출용 진단서 떼 주세요
        실비 청구할 진단서 얼마예요
        진단써 얼마예요
        수술확인서 한 통에 얼마예요
        진단서 한 부 떼는데 얼마 드려야 돼요""",
        False,
    ),
    ("진료비랑 환불 언제 되는지 알려 주세요", frozenset({BILL, S}), True, False),
    ("진료비 얼마 나왔고 환불은 언제 돼요?", frozenset({BILL, S}), True, False),
    ("진료비 얼마 나왔어요? 환불도 해 주세요", frozenset({BILL, W}), True, True),
    ("진료비 얼마 나왔는지랑 진단서 얼마인지요", frozenset({BILL, C}), True, False),
    ("영수증하고 진단서 떼 주세요", frozenset({R, C}), True, False),
    ("영수증 주시고 환불도 해 주세요", frozenset({R, W}), True, True),
    ("예약 취소하고 환불해 주세요", frozenset({W}), True, True),
    ("환불 됐어요? 안 됐으면 환불해 주세요", frozenset({S, W}), True, True),
    *_rows(
        set(),
        """카드 되나요?
        카드 결제 되나요?
        결제는 카드로도 돼요?
        주차비 얼마예요
        주차비 얼마 나왔어요?
        수납 창구 어디예요?
        수납은 어디서 해요
        수납 몇 시까지 해요
        진료비가 보통 얼마예요?
        초진 진료비 얼마예요
        재진 진료비는 얼마나 해요
        처음 가면 진료비 얼마예요?
        진료비 얼마나 들어요?
        독감 주사 얼마예요?
        MRI 얼마예요?
        MRI 검사비가 얼마예요
        도수치료 비용이 얼마인가요?
        위내시경 하면 얼마 내야 돼요
        전화로 결제할 수 있나요
        계좌이체 되나요?
        결제 방법이 어떻게 되나요
        진료비 할부 되나요
        예약하고 싶어요
        예약 취소해 주세요
        예약 바꿔 주세요
        내일 내과 예약이요
        예약 확인이요
        다른 거 물어볼게요
        실비 되나요?
        상담원으로 돌려 주세요
        직원한테 돌려주세요
        몇 시까지 해요
        시간이 얼마나 걸려요?
        진료 받으려고요
        주소가 어떻게 돼요
        보험 되나요
        환불은 됐고요 예약해 주세요
        영수증은 필요 없어요
        진단서 말고 예약이요
        가까운 약국 어디예요
        얼마나 기다려요
        여기 서류는 필요 없고 그냥 가도 되죠
        네
        아니요
        """.rstrip(),
        False,
    ),
]


@pytest.mark.parametrize(("words", "topics", "personal", "order"), ROWS)
def test_read(words: str, topics: frozenset[BillingTopic], personal: bool, order: bool) -> None:
    assert read_billing(words) == topics
    assert asks_billing(words) == bool(topics)
    assert is_personal(words) == personal
    assert wants_refund(words) == order


NO_ORDER = (
    "환불 말고요",
    "환불 안 할래요",
    "환불은 안 받을게요",
    "환불하지 마세요",
    "환불은 괜찮아요",
    "환불 필요 없어요",
    "환불했는데요",
    "환불 신청했는데요",
    "환불해 달라고 했는데요",
    "환불해 주세요라고 했는데 안 해 줬어요",
    "환불하려고 했는데 못 했어요",
    "환불하고 싶다고 말했는데요",
    "환불하고 싶지 않아요",
    "환불받고 싶은 게 아니에요",
    "환불해 주나요",
    "환불해 줄 건가요",
    "환불해 주실 거예요?",
    "환불하면 어떻게 돼요",
    "환불하려면 어떻게 해요",
    "환불해 주면 언제 들어와요",
    "환불이 되는지 궁금해요",
    "환불 언제 해 줘요",
    "환불 왜 안 해 줘요",
    "카드 취소하면 언제 돼요",
    "돌려받을 수 있나요",
    "예약 취소해 주세요",
    "결제 취소 되나요",
    "돌려 주세요",
    "영수증 해 주세요",
)


@pytest.mark.parametrize("words", NO_ORDER)
def test_no_order_is_read_out_of_a_question_a_refusal_or_a_memory(words: str) -> None:
    assert not wants_refund(words)


@pytest.mark.parametrize(
    ("words", "intent"),
    [
        ("결제해 주세요", Intent.NONE),
        ("결제 취소해 주세요", Intent.NONE),
        ("수납해 주세요", Intent.NONE),
        ("수납하려고요", Intent.NONE),
        ("수납 예약금 환불해 주세요", Intent.NONE),
        ("카드 취소해 주세요", Intent.NONE),
        ("환불 신청 취소해 주세요", Intent.NONE),
        ("환불 취소할게요", Intent.NONE),
        ("영수증 취소해 주세요", Intent.NONE),
        ("진료비 확인해 주세요", Intent.NONE),
        ("환불받고 싶어요", Intent.NONE),
        ("진단서 받고 싶어요", Intent.NONE),
        ("영수증 받으려고요", Intent.NONE),
        ("진료비 결제하고 싶어요", Intent.NONE),
        ("진료비 영수증 받고 싶어요", Intent.NONE),
        ("진료확인서 받으려고요", Intent.NONE),
        ("예약 취소하고 환불해 주세요", Intent.CANCEL),
        ("예약 취소해 주시고 환불도 해 주세요", Intent.CANCEL),
        ("예약하고 싶어요. 진료비도 얼마인지 알려 주세요", Intent.CREATE),
        ("진료비 얼마 나왔어요? 예약도 바꿔 주세요", Intent.CHANGE),
        ("환불 말고 예약하고 싶어요", Intent.CREATE),
    ],
)
def test_money_is_no_booking_and_both_may_be_asked(words: str, intent: Intent) -> None:
    assert read_intent(words) is intent


def test_both_are_read_in_their_order() -> None:
    words = "예약 취소해 주세요. 환불도 해 주세요."
    assert read_intents(words) == (Intent.CANCEL,)
    assert wants_refund(words)


@given(st.text(max_size=60))
def test_any_text_is_read(words: str) -> None:
    topics = read_billing(words)
    assert asks_billing(words) == bool(topics)
    assert not wants_refund(words) or W in topics
    assert not is_personal(words) or topics - {C}


_PIECES = (
    *("환불", "해", "주세요", "안", "말고", "했는데", "언제", "돼요", "되나요", "진료비", "얼마"),
    *("나왔어요", "영수증", "진단서", "예약", "취소", ".", "?", "하면", "고", "싶어요", "지"),
)


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map(" ".join))
def test_shuffled_words_keep_the_rules(words: str) -> None:
    assert not wants_refund(words) or W in read_billing(words)
    assert not is_personal(words) or read_billing(words) - {C}


@given(st.sampled_from([row[0] for row in ROWS]), st.sampled_from(["", " ", ".", "...", "  요"]))
def test_spaces_change_nothing(words: str, tail: str) -> None:
    """Spoken forms come without spaces; only punctuation and spaces are taken out here."""
    spaceless = "".join(part for part in words.split(" "))
    assert read_billing(spaceless + tail.strip(" 요")) == read_billing(words)


@given(st.text(alphabet="0123456789가나다라마바사아자차 ", max_size=40))
def test_no_order_without_its_words(words: str) -> None:
    assert not wants_refund(words)
