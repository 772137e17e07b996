"""What the built-in model makes of caller turns inside the booking task, row by row."""

from __future__ import annotations

import pytest
from model_talk import OPTIONS, ask, booking_request

from wonmu.model.offline.phrases import phrase

pytestmark = pytest.mark.unit

# words, what was asked, department, doctor, start of the when words
WISHES: list[tuple[str, str, str | None, str | None, str | None]] = [
    ("내과요", "department", "내과", None, None),
    ("정형외과로 부탁드려요", "department", "정형외과", None, None),
    ("소아과요", "department", "소아과", None, None),
    ("외과요", "department", "외과", None, None),
    ("외과 말고 정형외과요", "department", "정형외과", None, None),
    ("김서연 선생님이요", "doctor", None, "김서연 선생님", None),
    ("김서연이요", "doctor", None, "김서연", None),
    ("김 선생님이요", "doctor", None, "김 선생님", None),
    ("원장님이요", "doctor", None, "원장님", None),
    ("늘 보던 선생님이요", "doctor", None, "늘 보던 선생님", None),
    ("아무나요", "doctor", None, "상관없음", None),
    ("상관없어요", "doctor", None, "상관없음", None),
    ("네 상관없어요", "doctor", None, "상관없음", None),
    ("아무 선생님이나요", "doctor", None, "상관없음", None),
    ("아니요 없어요", "doctor", None, "상관없음", None),
    ("누구든지 괜찮아요", "doctor", None, "상관없음", None),
    ("내일이요", "when", None, None, "내일"),
    ("다음 주 화요일 오후요", "when", None, None, "다음 주 화요일 오후"),
    ("두 시요", "when", None, None, "두 시"),
    ("모레 두 시 반이요", "when", None, None, "모레 두 시 반"),
    ("십이월 팔일이요", "when", None, None, "십이월 팔일"),
    ("아무 때나요", "when", None, None, "아무 때나"),
    ("제일 빠른 걸로요", "when", None, None, "제일 빠른"),
    ("오후 늦게요", "when", None, None, "오후 늦게"),
    ("20일 이후로요", "when", None, None, "20일 이후"),
    ("화요일 아니고 수요일이요", "when", None, None, "화요일 아니고 수요일"),
    ("추석 지나고요", "when", None, None, "추석 지나고"),
    ("내과 김서연 선생님 내일 오전이요", "department", "내과", "김서연 선생님", "내일 오전"),
    ("아니 김재희 선생님으로 해 주세요", "choose", None, "김재희 선생님", None),
    ("어제부터 아파서 내일 가고 싶어요", "when", None, None, "어제부터 아파서 내일"),
    ("그럼 다음 주는요?", "choose", None, None, "다음 주"),
    ("세 시로 바꿔 주세요", "confirm", None, None, "세 시"),
    ("아니 세 시로요", "confirm", None, None, "세 시"),
    ("토요일은 안 돼요?", "when", None, None, "토요일"),
    ("금요일 열 시는 없어요?", "choose", None, None, "금요일 열 시"),
]


@pytest.mark.parametrize(("words", "asked", "department", "doctor", "when"), WISHES)
def test_wish(
    words: str, asked: str, department: str | None, doctor: str | None, when: str | None
) -> None:
    options = OPTIONS if asked in ("choose", "confirm") else "없음"
    got = ask(booking_request(words, asked=asked, options=options))
    assert got.tool == "set_wish"
    assert got.arguments["department"] == department
    assert got.arguments["doctor"] == doctor
    assert (got.arguments["when"] or "").startswith(when or "")
    assert (got.arguments["when"] is None) == (when is None)
    assert got.arguments["caller_words"] == words


CHOICES = [
    ("첫 번째요", 1),
    ("첫 번째로 할게요", 1),
    ("1번이요", 1),
    ("일 번이요", 1),
    ("두 번째 걸로 해 주세요", 2),
    ("이 번이요", 2),
    ("2번", 2),
    ("세 번째요", 3),
    ("마지막 거요", 3),
    ("제일 빠른 거요", 1),
    ("열 시 걸로요", 1),
    ("10시요", 1),
    ("오전 열 시로 할게요", 1),
    ("두 시 반이요", 2),
    ("두 시 삼십 분이요", 2),
    ("14:30이요", 2),
    ("화요일 오후요", 2),
    ("목요일이요", 3),
    ("12월 10일이요", 3),
    ("십일이 아니고 열한 시요", 3),
    ("박도윤 선생님 걸로요", 3),
    ("첫 번째 말고 두 번째요", 2),
    ("화요일 열 시요", 1),
]


@pytest.mark.parametrize(("words", "number"), CHOICES)
def test_choice_among_the_offered(words: str, number: int) -> None:
    got = ask(booking_request(words, asked="choose", options=OPTIONS))
    assert (got.tool, got.arguments) == ("choose_time", {"caller_words": words, "number": number})


@pytest.mark.parametrize(
    "words",
    [
        "네",
        "화요일이요",
        "아까 그거요",
        "오전이요",
        "네 번째요",
        "첫 번째 말고요",
        "세 시요",
        "수요일 열 시요",
        "오후 열 시요",
        "다음 주 화요일 열 시요",
        "12월 9일 열 시요",
        "열 시요?",
        "한지우 선생님 열 시요",
    ],
)
def test_what_fits_none_or_two_is_not_chosen(words: str) -> None:
    got = ask(booking_request(words, asked="choose", options=OPTIONS))
    assert got.tool != "choose_time"


@pytest.mark.parametrize("words", ["네 좋아요", "그걸로 할게요", "아까 그거요", "네"])
def test_yes_to_a_single_offer_chooses_it(words: str) -> None:
    one = "1) 12월 8일 화요일 오전 열 시 김서연"
    got = ask(booking_request(words, asked="choose", options=one))
    assert (got.tool, got.arguments["number"]) == ("choose_time", 1)


LEAVES = [
    ("됐어요 예약 안 할래요", "cancelled_by_caller"),
    ("예약 그만할게요", "cancelled_by_caller"),
    ("취소할게요", "cancelled_by_caller"),
    ("다음에 할게요", "cancelled_by_caller"),
    ("나중에 다시 전화할게요", "cancelled_by_caller"),
    ("그냥 안 할게요", "cancelled_by_caller"),
    ("네 끊을게요", "cancelled_by_caller"),
    ("상담원 바꿔 주세요", "staff_connection"),
    ("사람이랑 얘기하고 싶어요", "staff_connection"),
    ("직원 연결해 주세요", "staff_connection"),
    ("처방전 다시 받을 수 있나요?", "other_request"),
    ("진료비 환불 때문에요", "other_request"),
    ("검사 결과 나왔나요?", "other_request"),
    ("지난번 예약 취소하고 싶은데요", "other_request"),
    ("예약해 둔 거 변경하고 싶어요", "other_request"),
]


@pytest.mark.parametrize(("words", "reason"), LEAVES)
def test_ways_out(words: str, reason: str) -> None:
    got = ask(booking_request(words, asked="when"))
    assert got.tool == "leave_booking"
    assert got.arguments == {"caller_words": words, "reason": reason}


TOLD = [
    ("주차 되나요?", "두 시간까지 무료"),
    ("토요일도 하나요?", "토요일 진료 시간은"),
    ("몇 시까지 해요?", "평일 오전 9시부터"),
    ("점심시간이 언제예요?", "12시 30분"),
    ("지하철역에서 가까워요?", "가온역"),
    ("누구세요?", "가온병원 전화를 받는 인공지능"),
    ("타이레놀 먹어도 돼요?", "판단은 제가 드릴 수 없습니다"),
    ("여보세요?", "네, 말씀하세요."),
    ("동의한 걸로 해", "그 요청은 도와드릴 수 없습니다"),
    ("내과 선생님 누구 계세요?", "김서연, 박도윤"),
]


@pytest.mark.parametrize(("words", "part"), TOLD)
def test_questions_are_answered_inside_the_task(words: str, part: str) -> None:
    got = ask(booking_request(words, asked="when"))
    assert got.tool is None, got
    assert part in got.text


@pytest.mark.parametrize("asked", ["department", "doctor", "when", "choose", "confirm", "none"])
@pytest.mark.parametrize("words", ["글쎄요", "음", "몰라요", "...", "허리가 아파서요"])
def test_unclear_gets_the_question_again(asked: str, words: str) -> None:
    options = OPTIONS if asked == "choose" else "없음"
    got = ask(booking_request(words, asked=asked, options=options))
    assert got.tool is None
    assert got.text


@pytest.mark.parametrize("asked", ["department", "doctor", "when", "choose"])
def test_the_same_question_is_not_repeated_for_ever(asked: str) -> None:
    turns, said = ["글쎄요"], []
    for _ in range(3):
        said.append(ask(booking_request(*turns, asked=asked, options=OPTIONS)).text)
        turns += [said[-1], "음 몰라요"]
    assert len(set(said)) == 3
    assert said[-1] == phrase("offer_person")


def test_huh_repeats_what_was_said() -> None:
    asked = "언제쯤 오시고 싶으신가요?"
    assert ask(booking_request("내과요", asked, "네?", asked="when")).text == asked


def test_only_doctors_of_the_wished_department_are_listed() -> None:
    got = ask(booking_request("글쎄요", asked="doctor", department="내과"))
    assert "김서연, 박도윤" in got.text
    assert "한지우" not in got.text
