"""What a short reply means: yes, no, say it again, or none of these (T4, T8).

Decides by words, never by punctuation alone (a recogniser puts question marks on statements), with
one exception: a lone "네?" asks back. When in doubt it is not a yes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from wonmu.korean.answer_words import (
    ASKS_AGAIN,
    HEADS,
    NOISE,
    NUMBER_FOUR,
    REMARK_TOKEN,
    Role,
    lexicon,
)

_LETTER = re.compile(r"[가-힣ㄱ-ㅣa-z0-9]")
_LONGEST = 21
"""Letters of the longest known phrase."""
_SHORT = 16
"""Letters of a reply that can be nothing but a request to say it again."""


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


class _Word(NamedTuple):
    role: Role
    end: int


@dataclass(frozen=True, slots=True)
class _Text:
    """A reply without spaces and signs; ``starts[i]``: a written word begins at ``flat[i]``."""

    raw: str
    flat: str
    places: tuple[int, ...]
    starts: tuple[bool, ...]

    @classmethod
    def of(cls, words: str) -> _Text:
        raw = unicodedata.normalize("NFC", words).lower()
        places = tuple(place for place, char in enumerate(raw) if _LETTER.match(char))
        gaps = (place == 0 or not _LETTER.match(raw[place - 1]) for place in places)
        return cls(raw, "".join(raw[place] for place in places), places, (*gaps, True))

    def after(self, at: int) -> str:
        """What was written from flat position ``at`` on, signs at its ends dropped."""
        return _trim(self.raw[self.places[at] :]) if at < len(self.flat) else ""

    def between(self, at: int, end: int) -> str:
        return _trim(self.raw[self.places[at] : self.places[end]])


def read_answer(
    words: str, *, polarity: Polarity = Polarity.POSITIVE, topic: Topic = Topic.BOOKING
) -> AnswerReading:
    """Read a reply to a yes/no question. Never raises."""
    text = _Text.of(words)
    if not text.flat or NOISE.search(words):
        return AnswerReading(Answer.NONE)
    table = _lexicon(topic)
    parts = _cover(text, table)
    if parts and parts[-1].end == len(text.flat):
        return AnswerReading(_decide(_roles(parts), text, polarity, topic))
    if NUMBER_FOUR.match(_trim(text.raw)):
        return AnswerReading(Answer.NONE, _trim(text.raw))
    if len(text.flat) <= _SHORT and ASKS_AGAIN.search(text.raw):
        return AnswerReading(Answer.REPEAT)
    return _with_more(text, table, parts)


def is_bare_yes(words: str) -> bool:
    """A yes without any content of its own: 네, 맞아요, 그렇게 해 주세요; not 예약해 주세요."""
    if read_answer(words).answer is not Answer.YES:
        return False
    return Role.TOPIC_ACT not in _roles(_cover(_Text.of(words), _lexicon(Topic.BOOKING)))


def is_bare_remark(words: str) -> bool:
    """A reaction, not a decision: 네 좋네요, 감사합니다, 아 그렇구나, 네네 알겠습니다."""
    text = _Text.of(words)
    parts = _cover(text, _lexicon(Topic.BOOKING))
    if not parts or parts[-1].end != len(text.flat):
        return False
    roles = _roles(parts)
    return Role.REMARK in roles and roles <= {Role.REMARK, Role.AGREE, Role.WEAK, Role.FILLER}


def is_recogniser_noise(words: str) -> bool:
    """A phrase that recognisers invent on silence (video outros, newsreaders), or nothing."""
    return not _Text.of(words).flat or NOISE.search(words) is not None


@lru_cache(maxsize=len(Topic))
def _lexicon(topic: Topic) -> Mapping[str, Role]:
    return lexicon(topic.value)


def _trim(text: str) -> str:
    return text.strip(" \t\r\n.,!?~…·'\"-")


def _roles(parts: Sequence[_Word]) -> frozenset[Role]:
    return frozenset(part.role for part in parts)


def _cover(text: _Text, table: Mapping[str, Role], start: int = 0) -> tuple[_Word, ...]:
    """The known words from ``start`` on, as far as they reach without a gap; fewest words.

    Known words begin where a written word begins, or right after one of HEADS; they end where a
    written word ends, unless they are in HEADS themselves.
    """
    best: dict[int, tuple[_Word, ...]] = {start: ()}
    for at in range(start, len(text.flat)):
        if at not in best:
            continue
        for word in _known_at(text, table, at):
            longer = (*best[at], word)
            if word.end not in best or len(longer) < len(best[word.end]):
                best[word.end] = longer
    ends = [end for end in best if text.starts[end]]
    return best[max(ends)] if ends else ()


def _known_at(text: _Text, table: Mapping[str, Role], at: int) -> Iterator[_Word]:
    for end in range(at + 1, min(len(text.flat), at + _LONGEST) + 1):
        piece = text.flat[at:end]
        whole = text.starts[end]
        role = table.get(piece)
        if role is not None and (whole or piece in HEADS):
            yield _Word(role, end)
        elif role is None and whole and _reacts(text, at, end):
            yield _Word(Role.REMARK, end)


def _reacts(text: _Text, at: int, end: int) -> bool:
    one_word = text.starts[at] and not any(text.starts[at + 1 : end])
    return one_word and REMARK_TOKEN.fullmatch(text.flat[at:end]) is not None


_YES = frozenset({Role.AGREE, Role.AFFIRM, Role.ACT, Role.TOPIC_ACT, Role.POINT_TO})
_FIRM = _YES - {Role.AGREE}
_NO = frozenset({Role.NO, Role.AGAINST})


def _decide(roles: frozenset[Role], text: _Text, polarity: Polarity, topic: Topic) -> Answer:
    """A reply that consists of known words only."""
    yes, no = bool(roles & _YES), bool(roles & _NO)
    if Role.BYE in roles:
        return Answer.NO if no and not yes else Answer.NONE
    if Role.REPEAT in roles:
        return Answer.UNCLEAR if roles & _FIRM else Answer.REPEAT
    if Role.HEDGE in roles:
        return Answer.UNCLEAR if yes or no or Role.SOFT in roles else Answer.NONE
    if _asks_back(roles, text):
        return Answer.REPEAT if Role.AFFIRM not in roles else Answer.UNCLEAR
    if topic is Topic.MORE_HELP and Role.AGAINST in roles and not roles & _FIRM:
        return Answer.NO
    if polarity is Polarity.NEGATIVE:
        return _decide_negative(roles)
    if yes and no:
        return Answer.UNCLEAR
    return Answer.NO if no else _decide_yes(roles, text)


def _asks_back(roles: frozenset[Role], text: _Text) -> bool:
    """A lone 네? or 맞아요? – one kind of word and a question mark."""
    asked = text.raw.rstrip(" .!~\"'").endswith("?")
    core = roles - {Role.FILLER}
    return asked and core in ({Role.AGREE}, {Role.WEAK}, {Role.AFFIRM})


def _decide_yes(roles: frozenset[Role], text: _Text) -> Answer:
    trailing = "…" in text.raw or ".." in text.raw
    if roles == {Role.WEAK}:
        return Answer.NONE if trailing else Answer.YES
    if Role.SOFT in roles:
        return Answer.UNCLEAR
    if roles & _FIRM or (Role.OKAY in roles and Role.POINT in roles):
        return Answer.YES
    if Role.AGREE in roles:
        vague = trailing or Role.REMARK in roles or Role.OKAY in roles
        return Answer.UNCLEAR if vague else Answer.YES
    return Answer.UNCLEAR if roles & {Role.OKAY, Role.POINT} else Answer.NONE


def _decide_negative(roles: frozenset[Role]) -> Answer:
    """After a negative question only words with content can say that it is wrong."""
    content = Role.AFFIRM in roles or Role.TOPIC_ACT in roles
    if Role.AGAINST in roles:
        return Answer.UNCLEAR if content else Answer.NO
    agrees = bool(roles & {Role.AGREE, Role.ACT, Role.POINT_TO})
    if Role.NO in roles:
        return Answer.YES if content and not agrees else Answer.UNCLEAR
    if Role.TOPIC_ACT in roles and not agrees:
        return Answer.YES
    if content or roles & {Role.OKAY, Role.POINT, Role.SOFT}:
        return Answer.UNCLEAR
    return Answer.NO if agrees or roles == {Role.WEAK} else Answer.NONE


_ANSWERING = _YES | _NO | {Role.HEDGE, Role.REMARK, Role.SOFT, Role.OKAY, Role.REPEAT}


def _with_more(text: _Text, table: Mapping[str, Role], parts: Sequence[_Word]) -> AnswerReading:
    """A reply with words beyond the known ones: never YES."""
    roles = _roles(parts)
    cut = max((word.end for word in parts if word.role in _ANSWERING - {Role.ACT}), default=0)
    rest = text.after(cut)
    yes, no = bool(roles & _YES), bool(roles & _NO)
    if no and not yes and not roles & {Role.HEDGE, Role.SOFT}:
        # 아니 alone also opens a complaint (아니 왜 이렇게 오래 걸려요), so it is no refusal here.
        plain = text.flat[:cut].endswith("아니")
        return AnswerReading(Answer.UNCLEAR if plain else Answer.NO, rest)
    tail = _answer_at_end(text, table)
    if yes and tail is not None and tail > cut:
        return AnswerReading(Answer.UNCLEAR, text.between(cut, tail))
    if yes or no or Role.OKAY in roles:
        return AnswerReading(Answer.UNCLEAR, rest)
    if tail is not None:
        return AnswerReading(Answer.UNCLEAR, text.between(0, tail))
    return AnswerReading(Answer.NONE, _trim(text.raw) if not roles & {Role.HEDGE} else rest)


_ENDING = _NO | {Role.AGREE, Role.AFFIRM, Role.OKAY}


def _answer_at_end(text: _Text, table: Mapping[str, Role]) -> int | None:
    """Where known answering words begin that reach to the end ("열 시 맞아요")."""
    for at in range(max(1, len(text.flat) - 2 * _LONGEST), len(text.flat)):
        if not text.starts[at]:
            continue
        parts = _cover(text, table, at)
        answering = _roles(parts) & _ENDING
        if answering and parts[-1].end == len(text.flat):
            return at
    return None
