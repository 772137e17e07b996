"""Short replies read into answers (T4, T8; faults R16, R17, R20, R54, R66)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wonmu.korean.answers import (
    Answer,
    AnswerReading,
    Polarity,
    Topic,
    is_bare_remark,
    is_bare_yes,
    is_recogniser_noise,
    read_answer,
)

pytestmark = pytest.mark.unit

YES = """
네 | 예 | 넵 | 네네 | 응 | 어 | 그래요 | 그럼요 | 맞아요 | 맞습니다 | 좋아요 | 예예 | 네에 | 아 네
네, 네. | 그렇게 해 주세요 | 그렇게 하죠 | 그걸로 할게요 | 예약해 주세요 | 진행해 주세요 | 오케이
콜 | 네 부탁드려요 | 응 그래 | 네, 그걸로 해 주세요? | 네, 그걸로 해 주세요 | 네 그걸로 해 주세요
네그걸로해주세요 | 네 맞아요 | 네, 맞습니다. | 예 맞습니다 | 네 맞아요 그렇게 해 주세요
그럼 그렇게 해 주세요 | 네 그 시간으로 예약해 주세요 | 그 시간으로 해 주세요 | 네 그 시간 괜찮아요
그 시간 좋아요 | 네 좋아요 | 좋습니다 | 그걸로요 | 네 그대로요 | 네 예약해 주세요 감사합니다
아 네 그렇게 해주세요 | 네 그렇게 부탁드립니다 | 부탁드려요 | 해 주세요 | 그러세요
그러죠 뭐 그냥 | 물론이죠 | 당연하죠 | 네 그때 갈게요 | 네 잡아 주세요 | 일단 그렇게 해 주세요
음 네 그렇게 해주세요 | 네 접수해 주세요 | 예약 부탁드립니다 | 네, 예약 좀 해 주세요 | OK | 네~
예, 그날로 해 주십시오 | 네네 그렇게 해 줘요 | 네 말씀하신 대로 해 주세요 | 네, 확정해 주세요.
넵 진행할게요 | 그럽시다 | 그쵸 | 네 맞고요 그렇게 해 주세요 | 네 알겠습니다 그렇게 해 주세요
네 예약 진행해 주세요 | 네 그렇게 하시면 돼요 | 그려 그렇게 해 | 응 맞어 | 그러슈 그렇게 혀
"""

NO = """
아니요 | 아뇨 | 아니오 | 아닌데요 | 싫어요 | 됐어요 | 안 할래요 | 틀려요 | 그게 아니라 | 아닙니다
아니에요 | 아니요 괜찮아요 | 아니요, 됐습니다. | 아니 안 할래요 | 그건 안 돼요 | 그때는 못 가요
예약하지 마세요 | 다음에 할게요 | 아니요? | 필요 없어요 | 아니요 감사합니다 | 아뇨 수고하세요
그 시간은 안 돼요 | 아니요 아니요 | 잘못됐어요
"""

REPEAT = """
네? | 예? | 네에? | 뭐라고요? | 다시요 | 잘 안 들려요 | 네? 뭐라고요? | 응?
다시 한번 말씀해 주세요 | 못 들었어요 | 네 뭐라고요 | 아 네? | 잘 못 들었는데요 | 뭐라고 하셨어요
다시 한 번 말씀해 주실래요? | 네네?
"""

NEVER_YES = """
네 그때 봬요 | 네 그럼 그때 뵐게요 | 네 8일 열 시 | 네…그런데 | 네 잠깐만요 | 네 근데 | 음…
글쎄요 | 생각해 볼게요 | 네 들어가세요 | 수고하세요 | 네 끊을게요 | 시청해 주셔서 감사합니다
네 다음 뉴스입니다 | 네가 아니라 | 네 시요 | 네 명이요 | 예순 | 예약이요 | 어제 | 응급실
아니 그게 아니고 네 맞아요 | 네, 근데 세 시로요 | 네 좋네요 | 감사합니다 | 아 그렇구나
네네 알겠습니다 | 열 시요? | 네 괜찮아요 | 괜찮아요 | 네 감사합니다 | 네 아니요 | 네 시 반이요
네 시로 해 주세요 | 네 분이요 | 예방접종이요 | 그래서요 | 그래도 | 좋아하는 선생님이요
맞긴 한데요 | 네 그런데요 | 어디요 | 네이버에서 봤어요 | 예전에요 | 어머니요 | 네 여보세요
네 말씀하세요 | 여보세요 | 어… | 어... | 음 | 아 | 저기요 | 네 그리고요 | 네 혹시 주차 되나요
주차 무료죠? | 내일이요 | 아무거나요 | 상관없어요 | 몰라요 | 그럴까요 | 네 생각 좀 해 볼게요
네 잠시만요 | 맞아요? | 좋아요? | 그래요? | 구독과 좋아요 부탁드려요 | 네 그 시간 말고요
세 시 맞아요 | 네 열 시요 | 네 취소해 주세요 | 아 그래요 | 네 다른 시간으로요 | 네 김 선생님으로요
네 예약이요 | 예약해 주지 마세요 | 네 안 돼요 | 네 안 할래요
그 시간 말고 다른 시간으로 해 주세요 | 네… | 네 아직이요 | 네 상담원 바꿔 주세요
그렇게 하지 마세요 | 네 알겠습니다 | 내가 예약했어요 | 응애 | 예수님 | 네 개요 | 네 번이요 | 그럼
해 | 주세요 | 네 비싸네요 | 좋은데요 | ?? | 네 몇 시라고요
"""


def _each(block: str) -> list[str]:
    return [item.strip() for line in block.strip().splitlines() for item in line.split(" | ")]


@pytest.mark.parametrize("words", _each(YES))
def test_these_are_a_yes(words: str) -> None:
    assert read_answer(words) == AnswerReading(Answer.YES)


@pytest.mark.parametrize("words", _each(NO))
def test_these_are_a_no(words: str) -> None:
    assert read_answer(words) == AnswerReading(Answer.NO)


@pytest.mark.parametrize("words", _each(REPEAT))
def test_these_ask_to_hear_it_again(words: str) -> None:
    assert read_answer(words).answer is Answer.REPEAT


@pytest.mark.parametrize("words", _each(NEVER_YES))
def test_these_are_never_a_yes(words: str) -> None:
    assert read_answer(words).answer is not Answer.YES
    assert not is_bare_yes(words)


@pytest.mark.parametrize(
    ("words", "answer", "rest"),
    [
        ("네, 근데 세 시로요", Answer.UNCLEAR, "세 시로요"),
        ("아니요, 김 선생님으로요", Answer.NO, "김 선생님으로요"),
        ("아니 그 시간 말고 세 시요", Answer.UNCLEAR, "그 시간 말고 세 시요"),
        ("아뇨 화요일 아니고 수요일이요", Answer.NO, "화요일 아니고 수요일이요"),
        ("세 시 맞아요", Answer.UNCLEAR, "세 시"),
        ("네 열 시 맞아요", Answer.UNCLEAR, "열 시"),
        ("네, 12월 8일 오전 10시 맞습니다", Answer.UNCLEAR, "12월 8일 오전 10시"),
        ("네 그 시간 안 돼요", Answer.UNCLEAR, ""),
        ("네 번이요", Answer.NONE, "네 번이요"),
        ("열 시요?", Answer.NONE, "열 시요"),
        ("네 시 반이요", Answer.NONE, "네 시 반이요"),
        ("네가 아니라 날짜를 바꿔 주세요", Answer.NONE, "네가 아니라 날짜를 바꿔 주세요"),
        ("네 다음 뉴스입니다", Answer.NONE, ""),
        ("시청해 주셔서 감사합니다", Answer.NONE, ""),
        ("네 취소해 주세요", Answer.UNCLEAR, "취소해 주세요"),
        ("네 혹시 주차 되나요?", Answer.UNCLEAR, "주차 되나요"),
        ("네 들어가세요", Answer.NONE, ""),
        ("음…", Answer.NONE, ""),
        ("네 잠깐만요", Answer.UNCLEAR, ""),
        ("근데 그거 얼마예요", Answer.NONE, "그거 얼마예요"),
        ("아니 왜 이렇게 오래 걸려요", Answer.UNCLEAR, "왜 이렇게 오래 걸려요"),
        ("네 예약이요", Answer.UNCLEAR, "예약이요"),
        ("", Answer.NONE, ""),
    ],
)
def test_what_is_left_besides_the_answer(words: str, answer: Answer, rest: str) -> None:
    assert read_answer(words) == AnswerReading(answer, rest)


@pytest.mark.parametrize(
    ("topic", "words", "answer"),
    [
        (Topic.CANCEL, "네 취소해 주세요", Answer.YES),
        (Topic.CANCEL, "취소할게요", Answer.YES),
        (Topic.CANCEL, "네 예약해 주세요", Answer.UNCLEAR),
        (Topic.CANCEL, "취소하지 마세요", Answer.NO),
        (Topic.CHANGE, "네 바꿔 주세요", Answer.YES),
        (Topic.CHANGE, "그대로 두세요", Answer.NO),
        (Topic.PERSON, "네 연결해 주세요", Answer.YES),
        (Topic.PERSON, "네 상담원 바꿔 주세요", Answer.YES),
        (Topic.PERSON, "네 괜찮아요", Answer.UNCLEAR),
        (Topic.MEMO, "네 메모 남겨 주세요", Answer.YES),
        (Topic.CALLBACK, "네 전화 주세요", Answer.YES),
        (Topic.FIRST_VISIT, "네 처음이에요", Answer.YES),
        (Topic.FIRST_VISIT, "처음이요", Answer.YES),
        (Topic.FIRST_VISIT, "아니요 다녀봤어요", Answer.NO),
        (Topic.FIRST_VISIT, "재진이에요", Answer.NO),
        (Topic.MORE_HELP, "네 괜찮아요", Answer.NO),
        (Topic.MORE_HELP, "네 없어요", Answer.NO),
        (Topic.MORE_HELP, "없습니다 감사합니다", Answer.NO),
        (Topic.MORE_HELP, "네 있어요", Answer.YES),
        (Topic.MORE_HELP, "네 감사합니다", Answer.UNCLEAR),
    ],
)
def test_the_question_decides_which_phrases_answer_it(
    topic: Topic, words: str, answer: Answer
) -> None:
    assert read_answer(words, topic=topic).answer is answer


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("네", Answer.NO),
        ("네 안 맞아요", Answer.NO),
        ("안 맞아요", Answer.NO),
        ("그렇게 해 주세요", Answer.NO),
        ("아니요", Answer.UNCLEAR),
        ("아니요 맞아요", Answer.YES),
        ("아니요, 안 맞아요", Answer.NO),
        ("맞아요", Answer.UNCLEAR),
        ("네 맞아요", Answer.UNCLEAR),
        ("예약해 주세요", Answer.YES),
        ("네?", Answer.REPEAT),
        ("괜찮아요", Answer.UNCLEAR),
    ],
)
def test_after_a_negative_question_a_bare_yes_is_a_no(words: str, answer: Answer) -> None:
    assert read_answer(words, polarity=Polarity.NEGATIVE).answer is answer


@pytest.mark.parametrize("words", ["네", "네네", "맞아요", "그렇게 해 주세요", "네 부탁드려요"])
def test_a_bare_yes_has_no_content(words: str) -> None:
    assert is_bare_yes(words)


@pytest.mark.parametrize(
    "words", ["예약해 주세요", "네 예약해 주세요", "네?", "아니요", "네 세 시요"]
)
def test_content_or_no_yes_is_not_a_bare_yes(words: str) -> None:
    assert not is_bare_yes(words)


@pytest.mark.parametrize(
    "words",
    ["네 좋네요", "감사합니다", "아 그렇구나", "네네 알겠습니다", "네, 감사합니다~", "아 비싸네요"],
)
def test_a_remark_decides_nothing(words: str) -> None:
    assert is_bare_remark(words)


@pytest.mark.parametrize(
    "words",
    ["네", "그렇게 해 주세요 감사합니다", "네 좋아요", "아니요 감사합니다", "음", "내일요", ""],
)
def test_these_are_more_or_less_than_a_remark(words: str) -> None:
    assert not is_bare_remark(words)


@pytest.mark.parametrize(
    "words",
    [
        "시청해 주셔서 감사합니다",
        "MBC 뉴스 김가상입니다",
        "다음 영상에서 만나요 구독",
        "네 다음 뉴스입니다",
        "한글자막 제공",
        "…",
        "",
    ],
)
def test_phrases_that_recognisers_invent(words: str) -> None:
    assert is_recogniser_noise(words)


@pytest.mark.parametrize(
    "words",
    [
        "네",
        "감사합니다",
        "영상의학과요",
        "영상을 시디로 복사하고 싶어요",
        "카카오톡 채널로 예약되나요",
        "다음 주에 또 가야 하나요",
        "유튜브 보고 전화드렸는데요",
    ],
)
def test_callers_sentences_are_not_noise(words: str) -> None:
    assert not is_recogniser_noise(words)


CONTENT = """
세 시로요 | 내일로 | 김 선생님 | 주차 | 얼마예요 | 정형외과 | 취소 | 안과 | 월요일 | 아들
전화번호 | 말고 | 약 | 서류 | 보험 | 시간이 | 왜요
"""


@given(
    st.sampled_from(["네", "네,", "예", "응", "네네", "맞아요", "그렇게 해 주세요", "네 좋아요"]),
    st.lists(st.sampled_from(_each(CONTENT)), min_size=1, max_size=4),
    st.sampled_from(["", "?", ".", "…"]),
)
@settings(max_examples=300)
def test_a_yes_with_content_beside_it_is_never_a_yes(yes: str, more: list[str], end: str) -> None:
    reading = read_answer(f"{yes} {' '.join(more)}{end}")
    assert reading.answer is not Answer.YES
    assert reading.rest


WORDS = st.lists(
    st.sampled_from(
        ["네", "아니", "그", "시간", "예약", "해", "주세요", "?", "…", " ", "맞아요", "a"]
    ),
    max_size=12,
).map("".join)


@given(st.one_of(st.text(max_size=60), WORDS), st.sampled_from(Polarity), st.sampled_from(Topic))
@settings(max_examples=400)
def test_any_text_has_a_reading(words: str, polarity: Polarity, topic: Topic) -> None:
    reading = read_answer(words, polarity=polarity, topic=topic)
    assert isinstance(reading.answer, Answer)
    assert isinstance(is_bare_yes(words), bool)
    assert isinstance(is_bare_remark(words), bool)


@given(st.text(alphabet="가나다라마바사자차카타파하", min_size=1, max_size=6))
@settings(max_examples=200)
def test_unknown_words_glued_to_a_yes_are_not_a_yes(tail: str) -> None:
    if tail not in {"아", "자", "다", "나"}:
        assert read_answer("네" + tail + "라요").answer is not Answer.YES
