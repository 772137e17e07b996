"""Whether the caller's answer to a read-back is a consent (T8, R14–R17, R20).

Decides from an answer that was already read, never from punctuation. When in doubt it asks again;
it must never turn a remark, a question or half a read-back into a yes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wonmu.korean.answers import Answer


class AskAgainReason(StrEnum):
    """Why the question has to be put again."""

    REPEAT_WANTED = "repeat_wanted"
    NOT_HEARD = "not_heard"
    SIDE_ANSWER_BETWEEN = "side_answer_between"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Consented:
    """A yes to exactly what was read back."""


@dataclass(frozen=True, slots=True)
class AskAgain:
    reason: AskAgainReason


@dataclass(frozen=True, slots=True)
class Declined:
    """A no, with nothing said about what instead."""


@dataclass(frozen=True, slots=True)
class ChangedMind:
    """More than yes or no: ``rest`` is what the caller said besides, to be read as conditions."""

    rest: str


ConsentReading = Consented | AskAgain | Declined | ChangedMind


def judge_consent(
    answer: Answer, rest: str, bare_remark: bool, *, heard: bool, side_answer_between: bool
) -> ConsentReading:
    """Judge one answer.

    ``heard``: the read-back was played to its end. ``side_answer_between``: the agent said
    something else (parking, hours) after the read-back, so a yes may be meant for that.
    """
    match answer:
        case Answer.REPEAT:
            return AskAgain(AskAgainReason.REPEAT_WANTED)
        case Answer.NO:
            return ChangedMind(rest) if rest.strip() else Declined()
        case Answer.UNCLEAR | Answer.NONE:
            if rest.strip() and not bare_remark:
                return ChangedMind(rest)
            return AskAgain(AskAgainReason.UNCLEAR)
        case Answer.YES:  # pragma: no branch - the match is exhaustive
            return _judge_yes(rest, heard=heard, side_answer_between=side_answer_between)


def _judge_yes(rest: str, *, heard: bool, side_answer_between: bool) -> ConsentReading:
    if rest.strip():
        return ChangedMind(rest)
    if not heard:
        return AskAgain(AskAgainReason.NOT_HEARD)
    # Even an explicit yes may be meant for the side answer; the question is put once more (N1).
    if side_answer_between:
        return AskAgain(AskAgainReason.SIDE_ANSWER_BETWEEN)
    return Consented()
