"""One question after nobody could be reached: shall somebody call back? (P2, T5)

A yes is a call back, "메모만" a memo, a no neither. Asking for a person once more is answered with
the truth again and never dials (one request, one transfer).
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from livekit.agents import llm

from wonmu.booking.result import ExitCode
from wonmu.call.tasks.ask import AskTask
from wonmu.korean.answers import Answer, read_answer
from wonmu.policy.holding import calls_off
from wonmu.policy.intent import Intent, read_intent
from wonmu.visit.asks import Got, Not, Question, Reading

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn


class Choice(StrEnum):
    CALLBACK = "callback"
    MEMO = "memo"
    NEITHER = "neither"


_YES_TO_THE_MATTER = re.compile(
    r"^(?:네|예|응|어)[\s,.]*(?:예약\s*)?(?:을|를|좀)?\s*(?:취소|변경|예약|접수)\s*(?:좀\s*)?(?:해\s*주|부탁|할게)"
)
_MEMO = re.compile(r"메모|(?:말|내용|용건)\s*(?:만|을|좀)?\s*(?:남기|남겨|전해|전달)")
_NO_MEMO = re.compile(
    r"메모\s*(?:는|은|까지|까지는)?\s*(?:말고|(?:필요\s*없|됐|안\s*남겨도\s*되)(?:고|으니까?)요?)"
)
_CALL_ME = re.compile(
    r"(?:전화|연락|콜백)\s*(?:을|를|좀|만|으로|로)?\s*(?:다시\s*)?"
    r"(?:주세|주시|줘|달라|부탁|주십|해\s*주|해\s*줘|받을게|받고|요\s*[.!]*$)"
)
_NOT_WANTED = re.compile(r"필요\s*없|안\s*(?:해|남겨|주셔)|하지\s*(?:마|말)|말고|괜찮")


def read_choice(words: str) -> Reading[Choice]:
    """What the caller takes of the offer."""
    words = _NO_MEMO.sub("", words)
    reading = read_answer(words)
    to_the_matter = bool(_YES_TO_THE_MATTER.search(words))
    if (calls_off(words) and not to_the_matter) or (
        reading.answer is Answer.NO and reading.rest == ""
    ):
        return Got(Choice.NEITHER)
    if read_intent(words) is Intent.PERSON:
        return Not("callback.offer_again")
    if to_the_matter:
        # "네 취소해 주세요" names what the call is about; only a lone "취소요" calls off.
        return Got(Choice.CALLBACK)
    refused = bool(_NOT_WANTED.search(words))
    if _MEMO.search(words) and not refused:
        return Got(Choice.MEMO)
    if _CALL_ME.search(words) and not refused:
        return Got(Choice.CALLBACK)
    match reading.answer:
        case Answer.YES:
            return Got(Choice.CALLBACK)
        case Answer.NO:
            return Got(Choice.NEITHER)
        case _:
            return Not()


class OfferNote(AskTask[Choice]):
    """Puts the offer until it is taken, refused or left."""

    def __init__(self, call: Call, context: llm.ChatContext) -> None:
        question = Question(
            "note_offer", "callback.offer", "callback.offer_retry", read_choice, visit=False
        )
        super().__init__(call, question, context)

    def _wants_out(self, turn: CallerTurn) -> ExitCode | None:
        intent = read_intent(turn.text)
        if intent in (Intent.CREATE, Intent.INQUIRE, Intent.CHANGE, Intent.CANCEL):
            return ExitCode.OTHER_REQUEST
        return None if intent is Intent.PERSON else super()._wants_out(turn)
