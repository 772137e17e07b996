"""What a short reply means: yes, no, say it again, or none of these (T4, T8).

Decides by words, never by punctuation alone (a recogniser puts question marks on statements), with
one exception: a lone "네?" asks back. When in doubt it is not a yes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    REPEAT = "repeat"
    """The caller did not hear or understand: ask the same question again."""
    UNCLEAR = "unclear"
    """A yes or no with more beside it, both at once, or hesitation."""
    NONE = "none"
    """No answer to a yes/no question: other talk, noise, a goodbye."""


class Polarity(StrEnum):
    """How the question was put. ``YES`` always agrees with the positive statement."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    """"안 맞으시나요?": 네 agrees with the negative, so it is a NO."""


class Topic(StrEnum):
    """What the question was about; decides which full phrases answer it ("취소해 주세요")."""

    BOOKING = "booking"
    CANCEL = "cancel"
    CHANGE = "change"
    PERSON = "person"
    MEMO = "memo"
    CALLBACK = "callback"
    FIRST_VISIT = "first_visit"
    """"처음이신가요?": 처음이에요 is yes, 다녀 봤어요 is no."""
    MORE_HELP = "more_help"
    """"더 도와드릴까요?": 없어요, 괜찮아요 and 네 괜찮아요 are no."""


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """``rest``: what was said besides the answering words ("네, 근데 세 시로요" → "세 시로요")."""

    answer: Answer
    rest: str = ""


def read_answer(
    words: str, *, polarity: Polarity = Polarity.POSITIVE, topic: Topic = Topic.BOOKING
) -> AnswerReading:
    """Read a reply to a yes/no question. Never raises."""
    raise NotImplementedError


def is_bare_yes(words: str) -> bool:
    """A yes without any content of its own: 네, 맞아요, 그렇게 해 주세요; not 예약해 주세요."""
    raise NotImplementedError


def is_bare_remark(words: str) -> bool:
    """A reaction, not a decision: 네 좋네요, 감사합니다, 아 그렇구나, 네네 알겠습니다."""
    raise NotImplementedError


def is_recogniser_noise(words: str) -> bool:
    """A phrase that recognisers invent on silence (video outros, newsreaders), or nothing."""
    raise NotImplementedError
